"""Adversarial pursuit: big slow predators tag small quick prey."""

from dataclasses import dataclass

from ecumene.battle.armies import bounds
from ecumene.battle.definition import WALLS, AgentGroup, AgentType, Battle, Place, Random
from ecumene.battle.env import makers
from ecumene.battle.events import Attack, Reward, any_of
from ecumene.battle.named import NamedSimulation, Settings
from ecumene.battle.ranges import Circle
from ecumene.engine import check

# A prey has four neighbours, and each may belong to the body of another predator.
_MOST_TAGS = 4


@dataclass(frozen=True, kw_only=True)
class PursuitSettings(Settings):
    """Big slow predators tag small quick prey.

    Predators (25 on the default map) cover 2 x 2 cells and move one cell; prey (50) cover one and
    move to any of their eight neighbours. Walls (60), predators and prey stand anywhere, drawn
    afresh in every episode. A predator tags what stands beside its body. Nobody dies: an episode
    is truncated after `max_cycles` steps.

    **Actions**: predators ``Discrete(13)``: 0-4 move (2 stays), 5-12 tag one of the eight cells
    that share an edge with the body; prey ``Discrete(9)``: they move (4 stays); cells row by row
    from the top.

    **Rewards** of a step: a predator gets 1 for every prey tagged and `tag_penalty` for every
    attempt; a prey -1 for every tag.

    **Observations**, indexed ``[row, column, channel]``: predators ``float32[10, 10, 5]``, the
    disc of radius 5 around the body's middle; prey ``float32[9, 9, 5]``, the disc of radius 4.
    Channels: obstacle; presence and share of hit points of one's own group; the same of the
    other. `minimap_mode` adds a density to each and the position (9); `extra_features` ten bits
    of one's number, the last action and the last reward (predators 29, prey 25; with
    `minimap_mode` 33 and 29).

    The **state** is ``float32[map_size, map_size, 5]``, see `ecumene.battle.overview`. Labels:
    see `ecumene.battle.labelling`; `unsafe` is `hit`: a prey is tagged.

    Parameters
    ----------
    map_size
        Columns and rows of the map, at least 7.
    max_cycles
        Steps per episode.
    minimap_mode, extra_features
        What else is observed.
    tag_penalty
        Added to a predator's reward for every attempt to tag.
    observations
        ``"float32"``; ``"uint8"``, see `ecumene.battle.compact`; or ``"none"``: on request only.
    rng
        ``"philox"``, or ``"minstd"``, with which recorded episodes replay.
    """

    world_id = "battle/adversarial-pursuit-v0"

    map_size: int = 45
    max_cycles: int = 500
    tag_penalty: float = -0.2

    def battle(self) -> Battle:
        """Return the battle that the parameters describe."""
        cells = check.integer("map_size", self.map_size, 7) ** 2
        penalty = check.number("tag_penalty", self.tag_penalty)
        predator = AgentType(
            width=2,
            length=2,
            hp=1,
            speed=1,
            view_range=Circle(5),
            attack_range=Circle(2),
            attack_penalty=penalty,
        )
        prey = AgentType(hp=1, speed=1.5, view_range=Circle(4))
        hunter, hunted = any_of("predator"), any_of("prey")
        return Battle(
            self.map_size,
            self.map_size,
            groups=(
                AgentGroup("predator", predator, colour=(176, 40, 36)),
                AgentGroup("prey", prey, colour=(40, 120, 190)),
            ),
            places=(
                Place(WALLS, Random(int(0.03 * cells))),
                Place("predator", Random(int(0.0125 * cells))),
                Place("prey", Random(int(0.025 * cells))),
            ),
            rewards=(Reward(Attack(hunter, hunted), {hunter: 1.0, hunted: -1.0}),),
            max_cycles=self.max_cycles,
            minimap_mode=self.minimap_mode,
            extra_features=self.extra_features,
            embedding_size=10,
            reward_bounds=bounds(1.0, *[-1.0] * _MOST_TAGS, penalty),
            unsafe="hit",
        )


class PursuitWorld(NamedSimulation):
    """Copies of the world; see `PursuitSettings`."""

    settings = PursuitSettings


parallel_env, raw_env, env = makers(PursuitWorld)
