"""Tigers and deer: tigers starve unless they kill deer, and are paid for hunting together."""

from dataclasses import dataclass

from ecumene.battle.armies import bounds
from ecumene.battle.definition import WALLS, AgentGroup, AgentType, Battle, Place, Random
from ecumene.battle.env import makers
from ecumene.battle.events import Attack, Reward, any_of
from ecumene.battle.named import NamedSimulation, Settings
from ecumene.battle.ranges import Circle
from ecumene.engine import check

_DEAD_DEER = -1.0
_TOGETHER = 0.5
# A deer has four neighbours; each hunter is paid twice for every other one.
_MOST_HUNTERS = 4


@dataclass(frozen=True, kw_only=True)
class TigerDeerSettings(Settings):
    """Tigers starve unless they kill deer, and are paid for hunting together.

    Deer (101 on the default map) have 5 hit points and regain 0.2 in every step. Tigers (20) have
    10, lose 0.1 in every step, hit one of their four neighbours for 1 hit point, and gain 8 by
    killing a deer; unfed they die in the hundredth step. Both move one cell. Walls (81), deer and
    tigers stand anywhere, drawn afresh in every episode. The episode ends when all deer or all
    tigers have died, and is truncated after `max_cycles` steps.

    **Actions**: deer ``Discrete(5)``: they move (2 stays); tigers ``Discrete(9)``: 0-4 move
    (2 stays), 5-8 attack above, left, right, below.

    **Rewards** of a step: when k tigers hit one deer and it lives, each of them gets k - 1. A deer
    gets `deer_attacked` for every tiger that hits it, and -1 in place of that in the step in which
    it dies. Killing pays nothing but hit points.

    **Observations**, indexed ``[row, column, channel]``: deer ``float32[3, 3, 5]``, the four
    neighbours; tigers ``float32[9, 9, 5]``, the disc of radius 4. Channels: obstacle; presence
    and share of hit points of one's own group; the same of the other. `minimap_mode` adds a
    density to each and the position (9); `extra_features` ten bits of one's number, the last
    action and the last reward (deer 21, tigers 25; with `minimap_mode` 25 and 29).

    The **state** is ``float32[map_size, map_size, 5]``, see `ecumene.battle.overview`. Labels:
    see `ecumene.battle.labelling`; `unsafe` is `hit`: a deer is attacked.

    Parameters
    ----------
    map_size
        Columns and rows of the map, at least 10.
    max_cycles
        Steps per episode.
    minimap_mode, extra_features
        What else is observed.
    tiger_step_recover
        Hit points that a tiger gains in every step; negative: loses.
    deer_attacked
        Reward of a deer for every tiger that hits it.
    observations
        ``"float32"``; ``"uint8"``, see `ecumene.battle.compact`; or ``"none"``: on request only.
    rng
        ``"philox"``, or ``"minstd"``, with which recorded episodes replay.
    """

    world_id = "battle/tiger-deer-v0"

    map_size: int = 45
    max_cycles: int = 300
    tiger_step_recover: float = -0.1
    deer_attacked: float = -0.1

    def battle(self) -> Battle:
        """Return the battle that the parameters describe."""
        cells = check.integer("map_size", self.map_size, 10) ** 2
        recover = check.number("tiger_step_recover", self.tiger_step_recover)
        loss = check.number("deer_attacked", self.deer_attacked)
        deer = AgentType(
            hp=5,
            speed=1,
            view_range=Circle(1),
            step_recover=0.2,
            kill_supply=8,
            dead_penalty=_DEAD_DEER,
        )
        tiger = AgentType(
            hp=10,
            speed=1,
            view_range=Circle(4),
            attack_range=Circle(1),
            damage=1,
            step_recover=recover,
        )
        one, other = any_of("tiger", "one"), any_of("tiger", "other")
        hunted = any_of("deer")
        together = Attack(one, hunted) & Attack(other, hunted)
        return Battle(
            self.map_size,
            self.map_size,
            groups=(
                AgentGroup("deer", deer, colour=(120, 84, 48)),
                AgentGroup("tiger", tiger, colour=(230, 130, 20)),
            ),
            places=(
                Place(WALLS, Random(int(0.04 * cells))),
                Place("deer", Random(int(0.05 * cells))),
                Place("tiger", Random(int(0.01 * cells))),
            ),
            rewards=(
                Reward(together, {one: _TOGETHER, other: _TOGETHER}),
                Reward(Attack(one, hunted), {hunted: loss}),
            ),
            max_cycles=self.max_cycles,
            minimap_mode=self.minimap_mode,
            extra_features=self.extra_features,
            embedding_size=10,
            reward_bounds=bounds(
                *[2 * _TOGETHER] * (_MOST_HUNTERS - 1), _DEAD_DEER, *[loss] * _MOST_HUNTERS
            ),
            unsafe="hit",
        )


class TigerDeerWorld(NamedSimulation):
    """Copies of the world; see `TigerDeerSettings`."""

    settings = TigerDeerSettings


parallel_env, raw_env, env = makers(TigerDeerWorld)
