"""Combined arms: two armies of sturdy and of far-reaching soldiers."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from ecumene.battle.armies import Spots, bounds, drawn_up, rows_of, side_of
from ecumene.battle.definition import AgentGroup, AgentType, Battle, Custom, Place
from ecumene.battle.env import makers
from ecumene.battle.events import Attack, Kill, Reward, any_of
from ecumene.battle.named import NamedSimulation, Settings
from ecumene.battle.ranges import Circle
from ecumene.engine import check

RED, BLUE = ("redmelee", "redranged"), ("bluemelee", "blueranged")
COLOURS = {
    "redmelee": (176, 40, 36),
    "redranged": (240, 140, 60),
    "bluemelee": (40, 60, 176),
    "blueranged": (70, 170, 230),
}

_KILL_REWARD = 5.0


@dataclass(frozen=True, kw_only=True)
class CombinedArmsSettings(Settings):
    """Two armies of sturdy and of far-reaching soldiers.

    Each team has two groups, `redmelee` and `redranged`, `bluemelee` and `blueranged` (45 and 36
    soldiers on the default map), in alternating columns. Melee soldiers have 10 hit points, move
    one cell and hit their four neighbours; ranged ones have 3, move up to two cells and hit
    within distance 2. Both take 2 hit points, regain 0.1 in every step, and can hit anybody,
    their own side included. The episode ends when both groups of a team have died, and is
    truncated after `max_cycles` steps.

    **Actions**: melee ``Discrete(9)``: 0-4 move (2 stays), 5-8 attack; ranged ``Discrete(25)``:
    0-12 move (6 stays), 13-24 attack; cells row by row from the top.

    **Rewards** of a step: `step_reward`; `attack_penalty` for an attack, wherever it lands;
    `attack_opponent_reward` for one that hits an enemy who lives on, 5 for one that kills one.
    Who dies gets `dead_penalty` in place of all but the last two.

    **Observations**, ``float32[13, 13, 9]``: as in `battle_v4`; after the obstacles two channels
    for each group, one's own first and then the following ones in turn. `minimap_mode` adds a
    density to each and the position (15); `extra_features` ten bits of one's number, the last
    action and the last reward (melee 29, ranged 45; with `minimap_mode` 35 and 51).

    The **state** is ``float32[map_size, map_size, 9]``, see `ecumene.battle.overview`. Labels:
    see `ecumene.battle.labelling`; `unsafe` is `attacked_friend`.

    Parameters
    ----------
    map_size
        Columns and rows of the map, at least 16.
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

    world_id = "battle/combined-arms-v0"

    map_size: int = 45
    max_cycles: int = 1000
    step_reward: float = -0.005
    dead_penalty: float = -0.1
    attack_penalty: float = -0.1
    attack_opponent_reward: float = 0.2

    def battle(self) -> Battle:
        """Return the battle that the parameters describe."""
        check.integer("map_size", self.map_size, 16)
        gain = check.number("attack_opponent_reward", self.attack_opponent_reward)
        melee = AgentType(
            hp=10,
            speed=1,
            view_range=Circle(6),
            attack_range=Circle(1),
            damage=2,
            step_recover=0.1,
            attack_in_group=True,
            step_reward=self.step_reward,
            dead_penalty=self.dead_penalty,
            attack_penalty=self.attack_penalty,
        )
        ranged = replace(melee, hp=3, speed=2, attack_range=Circle(2))
        groups = tuple(
            AgentGroup(name, kind, team, colour=COLOURS[name])
            for team, names in (("red", RED), ("blue", BLUE))
            for name, kind in zip(names, (melee, ranged), strict=True)
        )
        return Battle(
            self.map_size,
            self.map_size,
            groups=groups,
            places=_places(self.map_size),
            rewards=(*_rewards(Attack, gain), *_rewards(Kill, _KILL_REWARD)),
            max_cycles=self.max_cycles,
            minimap_mode=self.minimap_mode,
            extra_features=self.extra_features,
            embedding_size=10,
            reward_bounds=bounds(
                _KILL_REWARD, self.step_reward, self.dead_penalty, self.attack_penalty, gain
            ),
            unsafe="attacked_friend",
        )


def _rewards(event: Any, value: float) -> list[Reward]:
    """Return what an event between the teams pays its subject."""
    pairs = [*product(RED, BLUE), *product(BLUE, RED)]
    return [Reward(event(any_of(one), any_of(other)), {any_of(one): value}) for one, other in pairs]


def _places(size: int) -> tuple[Place, ...]:
    side, middle = side_of(size), size // 2
    rows = [y for y in rows_of(size, side) if y < size - 1]
    red = _alternate(range(max(middle - 3 - side, 1), middle - 3, 2), rows, size)
    blue = _alternate(range(middle + 3, min(middle + 3 + side, size - 1), 2), rows, size)
    blue = tuple(own[: len(other)] for own, other in zip(blue, red, strict=True))
    return tuple(
        Place(name, Custom(spots)) for name, spots in zip((*RED, *BLUE), (*red, *blue), strict=True)
    )


def _alternate(columns: Iterable[int], rows: list[int], size: int) -> tuple[Spots, Spots]:
    """Return the spots of the melee and of the ranged soldiers, column about."""
    columns = list(columns)
    return drawn_up(columns[::2], rows, size), drawn_up(columns[1::2], rows, size)


class CombinedArmsWorld(NamedSimulation):
    """Copies of the world; see `CombinedArmsSettings`."""

    settings = CombinedArmsSettings


parallel_env, raw_env, env = makers(CombinedArmsWorld)
