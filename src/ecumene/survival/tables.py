"""From a declaration to the numbers and tables that the rules are given."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import InvalidParameter
from ecumene.survival import columns as c
from ecumene.survival import tiles
from ecumene.survival.declaration import BEHAVIOURS, ENEMIES, EVERYBODY, Being, World
from ecumene.survival.maps import Land, starts
from ecumene.survival.rules import nearby
from ecumene.survival.rules.ground import FIXED_CHANNELS
from ecumene.survival.state import Numbers, Tables

MOST_ENTITIES = 32_000


@dataclass(frozen=True)
class Channels:
    """Where the channels of the window stand that not every world has; -1 = not there.

    Attributes
    ----------
    names
        Of all channels.
    """

    names: tuple[str, ...]
    npc: int
    ripe: int
    balanced: int


def channels(world: World, land: Land) -> Channels:
    """Lay out the channels of the window."""
    names = [
        "grass", "bush", "forest", "river", "stone", "lava", "own_team", "other_team",
    ]  # fmt: skip
    assert len(names) == FIXED_CHANNELS
    places = []
    for wanted, further in (
        (bool(world.npcs), ["npc"]),
        (land.access_colours > 0, ["harvestable"]),
        (
            world.resource_mode == "balanced",
            ["balanced_forest", "balanced_water", "depleted"],
        ),
    ):
        places.append(len(names) if wanted else -1)
        names += further if wanted else []
    return Channels(tuple(names), *places)


def numbers(world: World, land: Land) -> Numbers:
    """Return the numbers of a declaration, every one of its proper type."""
    if world.agent_count + world.npc_count > MOST_ENTITIES:
        raise InvalidParameter(
            f"a world has at most {MOST_ENTITIES:,} agents and NPCs, "
            f"not {world.agent_count + world.npc_count:,}."
        )
    pad = world.radius + 1
    where = channels(world, land)
    word_shift = 0 if len(where.names) % 8 else 3
    boss_lo, boss_hi = _boss(world)
    fighting = any(being.styles for being in (*world.groups, *world.npcs))
    return Numbers(
        agents=world.agent_count,
        entities=world.agent_count + world.npc_count,
        height=land.height,
        width=land.width,
        pad=pad,
        stride=land.width + 2 * pad,
        channels=len(where.names),
        cell_words=len(where.names) >> word_shift,
        word_shift=word_shift,
        plain=len(where.names) == FIXED_CHANNELS and land.visibility_colours == 0,
        npc_channel=where.npc,
        ripe_channel=where.ripe,
        balanced_channel=where.balanced,
        radius=int(world.radius),
        horizon=int(world.horizon),
        generated=land.material is None,
        rivers=int(land.rivers),
        forests=int(land.forests),
        rocks=float(world.rocks),
        balanced=world.resource_mode == "balanced",
        visibility_colours=land.visibility_colours,
        access_colours=land.access_colours,
        stocks=bool(world.metabolism),
        stock=int(world.stock) if world.metabolism else 1,
        gain=int(world.gain),
        cooldown=int(world.cooldown),
        regeneration=bool(world.regeneration),
        fighting=fighting,
        defence_weight=float(world.defence_weight),
        stealing=bool(world.stealing),
        friendly_fire=bool(world.friendly_fire),
        infighting=bool(world.npc_infighting),
        sharing=len(world.share) > 0,
        share_reach=int(world.share_reach),
        building=bool(world.build),
        planting=bool(world.plant),
        planting_cost=int(world.planting_cost),
        rotate=world.order == "rotate",
        boss_lo=boss_lo,
        boss_hi=boss_hi,
        bonuses=len(world.bonuses) > 0,
        survive_reward=float(world.survive_reward),
        death_reward=float(world.death_reward),
        win_reward=float(world.win_reward),
    )


def _boss(world: World) -> tuple[int, int]:
    first = world.agent_count
    for group in world.npcs:
        if group.name == world.boss:
            return first, first + group.size
        first += group.size
    return 0, 0


class _Builder:
    """Fills the rows of the entity table one after the other."""

    def __init__(self, world: World, land: Land, entities: int) -> None:
        self.trait = np.zeros((entities, c.TRAIT_COLUMNS), np.int64)
        self._land = land
        self._pad = world.radius + 1
        self._stride = land.width + 2 * self._pad
        self._starts: list[NDArray[np.int64]] = []
        self._known: dict[bytes, tuple[int, int]] = {}
        self._next = 0

    def add(self, being: Being, traits: dict[int, int]) -> None:
        """Add the members of a group."""
        for cells in starts(being, self._land):
            row = self.trait[self._next]
            row[c.HEALTH_MAX] = being.health
            row[c.LEVEL : c.LEVEL + 4] = being.levels
            row[c.POWER : c.POWER + 4] = [power(k, level) for k, level in enumerate(being.levels)]
            row[c.DEFENCE] = being.defence
            row[c.STYLES] = being.style_bits
            row[c.SPAWNER] = -1
            row[[c.START_LO, c.START_HI]] = self._span(cells)
            for column, value in traits.items():
                row[column] = value
            self._next += 1

    def _span(self, cells: NDArray[np.int64]) -> tuple[int, int]:
        """Return first and last place of some cells in the list of starts."""
        key = cells.tobytes()
        if key not in self._known:
            flat = (cells[:, 0] + self._pad) * self._stride + cells[:, 1] + self._pad
            first = sum(map(len, self._starts))
            self._starts.append(flat)
            self._known[key] = first, first + len(flat)
        return self._known[key]

    @property
    def starts(self) -> NDArray[np.int64]:
        """All cells where entities may appear, group after group."""
        return np.concatenate(self._starts)


def tables(world: World, land: Land) -> Tables:
    """Return the tables of a declaration."""
    builder = _Builder(world, land, world.agent_count + world.npc_count)
    teams, roles = world.teams, list(dict.fromkeys(group.name for group in world.groups))
    views: dict[tuple[int, int], int] = {}
    for i, group in enumerate(world.groups):
        sees, harvests = _bits(group.sees), _bits(group.harvests)
        # What is seen depends on what can be harvested only where there are colours of access.
        view = (sees if land.visibility_colours else 0, harvests if land.access_colours else 0)
        builder.add(
            group,
            {
                c.TEAM: teams.index(world.team_of(i)),
                c.ROLE: roles.index(group.name),
                c.VIEW: views.setdefault(view, len(views)),
                c.HARVESTS: harvests,
            },
        )
    spawners = _add_npcs(world, builder)
    both = np.array(list(views), np.int64)
    return Tables(
        trait=builder.trait,
        sees=both[:, 0].copy(),
        opens=both[:, 1].copy(),
        starts=builder.starts,
        bonus=_bonus(world, teams),
        material=bordered(land, land.material, tiles.LAVA, world.radius + 1),
        visibility=bordered(land, land.visibility, 0, world.radius + 1),
        access=bordered(land, land.access, 0, world.radius + 1),
        spawners=np.array(spawners, np.int64).reshape(-1, 2),
        rings=nearby.rings(int(world.radius)),
        away=nearby.away(int(world.radius)),
    )


def _add_npcs(world: World, builder: _Builder) -> list[tuple[int, int]]:
    """Add the NPCs; returns the span of starts of each fixed spawner."""
    spawners: list[tuple[int, int]] = []
    first = world.agent_count
    for group in world.npcs:
        delay = -1 if group.respawn_delay is None else group.respawn_delay
        traits = {
            c.BEHAVIOUR: BEHAVIOURS.index(group.behaviour),
            c.VISION: group.vision,
            c.RESPAWN: delay,
            c.TEAM: -1,
            c.HARVESTS: -1,
        }
        builder.add(group, traits)
        if group.spawners:
            rows = builder.trait[first : first + group.size]
            rows[:, c.SPAWNER] = len(spawners) + np.arange(group.size) % group.spawners
            lo, hi = rows[0, [c.START_LO, c.START_HI]].tolist()
            spawners += [(lo, hi)] * group.spawners
        first += group.size
    return spawners


def _bits(colours: Any) -> int:
    return 1 | sum(1 << int(colour) for colour in set(colours))


def _bonus(world: World, teams: list[str]) -> NDArray[np.float64]:
    table = np.zeros((len(teams), len(teams)))
    for bonus in world.bonuses:
        for i, team in enumerate(teams):
            if bonus.to not in (EVERYBODY, team):
                continue
            for j, other in enumerate(teams):
                enemy = bonus.death_of == ENEMIES and i != j
                if enemy or bonus.death_of in (EVERYBODY, other):
                    table[i, j] += bonus.reward
    return table


def bordered(
    land: Land, inner: NDArray[np.uint8] | None, value: int, pad: int
) -> NDArray[np.uint8]:
    """Return a map with its border, row after row; of a random map, the border alone."""
    whole = np.full((land.height + 2 * pad, land.width + 2 * pad), value, np.uint8)
    if inner is not None:
        whole[pad : pad + land.height, pad : pad + land.width] = inner
    return whole.ravel()


def power(style: int, level: int) -> int:
    """Return the base damage (or gain of health) of a style at a level."""
    base, slope = ((7, 63), (3, 32), (1, 24), (3, 32))[style]
    return (99 * base + slope * level) // 99
