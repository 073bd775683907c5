"""Battlefield: two small armies meet in a field with walls."""

from dataclasses import dataclass

from ecumene.battle.armies import Spots, columns_of, drawn_up, rows_of
from ecumene.battle.battle_v4 import duel
from ecumene.battle.definition import WALLS, Battle, Custom, Place
from ecumene.battle.env import makers
from ecumene.battle.named import NamedSimulation, Settings
from ecumene.engine import check

_SIDE = 8


@dataclass(frozen=True, kw_only=True)
class BattlefieldSettings(Settings):
    """Two small armies meet in a field with walls.

    Soldiers, actions, rewards, observations, state, labels and the end are those of `battle_v4`
    (see `ecumene.battle.battle_v4.BattleSettings`). The armies are small (12 on the default map)
    and double walls to the left and right of the middle stand in their way.

    Parameters
    ----------
    map_size
        Columns and rows of the map, at least 46. Soldiers who would stand on a wall are left
        out, so the size also decides how many there are, and not always as many on both sides.
    max_cycles
        Steps per episode.
    minimap_mode, extra_features
        What else is observed.
    step_reward, dead_penalty, attack_penalty, attack_opponent_reward
        Rewards.
    observations
        ``"float32"``; ``"uint8"``, see `ecumene.battle.compact`; or ``"none"``: on request only.
    rng
        ``"philox"``, or ``"minstd"``, with which recorded episodes replay.
    """

    world_id = "battle/battlefield-v0"

    map_size: int = 80
    max_cycles: int = 1000
    step_reward: float = -0.005
    dead_penalty: float = -0.1
    attack_penalty: float = -0.1
    attack_opponent_reward: float = 0.2

    def battle(self) -> Battle:
        """Return the battle that the parameters describe."""
        size = check.integer("map_size", self.map_size, 46)
        rows = rows_of(size, _SIDE)
        red, blue = (drawn_up(columns, rows, size) for columns in columns_of(size, _SIDE))
        places = (
            Place(WALLS, Custom(walls_of(size))),
            Place("red", Custom(red)),
            Place("blue", Custom(blue)),
        )
        return duel(self, places)


def walls_of(size: int) -> Spots:
    """Return the cells of the walls within the border."""
    half, middle = size / 2, size // 2
    left = [*range(10, 45), *range(50, middle + 25)]
    right = [*range(middle - 25, size - 50), *range(size - 45, size - 10)]
    columns = ((half - 5, left), (half - 4, left), (half + 5, right), (half + 4, right))
    return [(int(x), y) for x, rows in columns for y in rows if 0 < y < size - 1]


class BattlefieldWorld(NamedSimulation):
    """Copies of the world; see `BattlefieldSettings`."""

    settings = BattlefieldSettings


parallel_env, raw_env, env = makers(BattlefieldWorld)
