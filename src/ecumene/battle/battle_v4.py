"""Battle: two armies of equals meet on an open field."""

from dataclasses import dataclass
from typing import Any

from ecumene.battle.armies import bounds, equal_armies, side_of
from ecumene.battle.definition import AgentGroup, AgentType, Battle, Custom, Place
from ecumene.battle.env import makers
from ecumene.battle.events import Attack, Reward, any_of
from ecumene.battle.named import NamedSimulation, Settings
from ecumene.battle.ranges import Circle
from ecumene.engine import check

RED, BLUE = (204, 64, 56), (56, 84, 204)

_KILL_REWARD = 5.0


@dataclass(frozen=True, kw_only=True)
class BattleSettings(Settings):
    """Two armies of equals meet on an open field.

    Each of the two teams, `red` and `blue`, has the same number of soldiers (81 on the default
    map), drawn up in columns to the left and right of the middle. A soldier has 10 hit points,
    regains 0.1 in every step, and either moves up to two cells or hits one of its eight
    neighbours for 2 hit points. It dies when it has less than 0. The episode ends when all
    soldiers of a team have died, and is truncated after `max_cycles` steps.

    **Actions**, ``Discrete(21)``: 0-12 move to one of the cells within distance 2, row by row
    from the top (6 stays); 13-20 attack one of the eight neighbours, row by row.

    **Rewards** of a step: `step_reward`; `attack_penalty` for an attack, wherever it lands;
    `attack_opponent_reward` for one that hits an enemy who lives on; 5 for one that kills. Who
    dies gets `dead_penalty` in place of all but the reward of a hit.

    **Observations**, ``float32[13, 13, 5]``: the disc of radius 6 around the soldier, indexed
    ``[row, column, channel]``; cells beyond it or beyond the map are 0. Channels: obstacle;
    presence and share of hit points of one's own team; the same of the other. `minimap_mode`
    adds to each team a channel with its density over the whole map, and one's position in two
    channels (9 in all); `extra_features` adds in constant channels ten bits of one's number, the
    last action one-hot and the last reward (37; with `minimap_mode` 41).

    The **state** is ``float32[map_size, map_size, 5]``, see `ecumene.battle.overview`. Labels:
    see `ecumene.battle.labelling`; `unsafe` is `dead`.

    Parameters
    ----------
    map_size
        Columns and rows of the map, at least 12.
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

    world_id = "battle/battle-v0"

    map_size: int = 45
    max_cycles: int = 1000
    step_reward: float = -0.005
    dead_penalty: float = -0.1
    attack_penalty: float = -0.1
    attack_opponent_reward: float = 0.2

    def battle(self) -> Battle:
        """Return the battle that the parameters describe."""
        check.integer("map_size", self.map_size, 12)
        red, blue = equal_armies(self.map_size, side_of(self.map_size))
        return duel(self, (Place("red", Custom(red)), Place("blue", Custom(blue))))


def duel(settings: Any, places: tuple[Place, ...]) -> Battle:
    """Return the battle of red and blue soldiers at given places."""
    soldier = AgentType(
        hp=10,
        speed=2,
        view_range=Circle(6),
        attack_range=Circle(1.5),
        damage=2,
        step_recover=0.1,
        kill_reward=_KILL_REWARD,
        step_reward=settings.step_reward,
        dead_penalty=settings.dead_penalty,
        attack_penalty=settings.attack_penalty,
    )
    red, blue = any_of("red"), any_of("blue")
    gain = check.number("attack_opponent_reward", settings.attack_opponent_reward)
    return Battle(
        settings.map_size,
        settings.map_size,
        groups=(AgentGroup("red", soldier, colour=RED), AgentGroup("blue", soldier, colour=BLUE)),
        places=places,
        rewards=(Reward(Attack(red, blue), {red: gain}), Reward(Attack(blue, red), {blue: gain})),
        max_cycles=settings.max_cycles,
        minimap_mode=settings.minimap_mode,
        extra_features=settings.extra_features,
        embedding_size=10,
        reward_bounds=bounds(
            _KILL_REWARD,
            settings.step_reward,
            settings.dead_penalty,
            settings.attack_penalty,
            gain,
        ),
    )


class BattleWorld(NamedSimulation):
    """Copies of the world; see `BattleSettings`."""

    settings = BattleSettings


parallel_env, raw_env, env = makers(BattleWorld)
