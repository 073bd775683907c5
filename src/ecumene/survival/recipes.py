"""The fifteen worlds: the parameters of each, and the declaration they amount to.

A recipe is a frozen dataclass; its fields are the parameters of its world, `declare` turns them
into a `World`. `reference` returns a recipe with the numbers of the earlier system, which its
recorded episodes follow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from ecumene.engine import InvalidParameter, check
from ecumene.survival.columns import STYLE_NAMES
from ecumene.survival.declaration import ENEMIES, PLACES, AgentGroup, Bonus, NpcGroup, World


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Parameters that every world has.

    Parameters
    ----------
    horizon
        Steps per episode.
    radius
        The window shows ``2 * radius + 1`` rows and columns.
    regeneration
        Whether a tenth of the health comes back per step while both stocks are above half.
    order
        Who acts first: ``"index"``, or ``"rotate"`` (step t begins with agent t mod n).
    flat_actions
        One `Discrete` action (a move or one other deed) instead of a `MultiDiscrete` one.
    max_visible
        Number of rows of `entities`, and of targets; None: all there can be, at least 8.
    hide_others
        Whether others' food and water are left out of the observation.
    """

    world_id: ClassVar[str]
    reference_numbers: ClassVar[dict[str, Any]] = {}

    horizon: int = 128
    radius: int = 7
    regeneration: bool = True
    order: str = "index"
    flat_actions: bool = False
    max_visible: int | None = None
    hide_others: bool = False

    @classmethod
    def reference(cls, **changes: Any) -> Self:
        """Return the recipe with the numbers of the earlier system, and with some changes."""
        return cls(**{**cls.reference_numbers, **changes})

    def declare(self) -> World:
        """Return the declaration."""
        raise NotImplementedError

    def common(self) -> dict[str, Any]:
        """Return those parameters that are fields of `World` as they are."""
        known = {each.name for each in fields(World)}
        own = {each.name for each in fields(self)}
        return {name: getattr(self, name) for name in sorted(known & own)}


@dataclass(frozen=True, kw_only=True)
class Gathering(Recipe):
    """Find food and water on a map of rocks, rivers and forests, and live to the end.

    Parameters
    ----------
    n_groups, agents_per_group
        Number of teams and their size. Teams differ in nothing but what the observation says.
    tiles_per_agent
        Cells per agent; the map is a square whose side is a multiple of 4.
    rivers_per_agent, forests_per_agent
        Number of such cells on a random map, per agent.
    layout
        A map drawn as text, a list of rows, or the path of one, in place of random maps.
    size
        ``[height, width]`` of the map, in place of `tiles_per_agent`.
    start
        Where agents appear: ``"edge"`` (the outermost cells of the map; beyond them, once these are
        taken), ``"anywhere"``, or a box ``{"rows": [first, last], "columns": [first, last]}``.
    resource_mode
        ``"classic"`` or ``"balanced"``, the earlier system's impassable, finite sources.
    base_health
        The most health.
    stock, gain, cooldown
        The most food and water; units per harvest; steps until a forest regrows.
    """

    world_id = "survival/gathering-v0"
    reference_numbers = {"resource_mode": "balanced", "gain": 4, "horizon": 20}

    n_groups: int = 4
    agents_per_group: int = 1
    tiles_per_agent: int = 32
    rivers_per_agent: int = 1
    forests_per_agent: int = 2
    layout: Any = None
    size: Sequence[int] | None = None
    start: Any = "edge"
    resource_mode: str = "classic"
    base_health: int = 10
    stock: int = 32
    gain: int = 8
    cooldown: int = 8

    def __post_init__(self) -> None:
        check.integer("n_groups", self.n_groups, 1)
        check.integer("agents_per_group", self.agents_per_group, 1)
        check.integer("rivers_per_agent", self.rivers_per_agent, 0)
        check.integer("forests_per_agent", self.forests_per_agent, 0)
        if not isinstance(self.start, Mapping):
            check.one_of("start", self.start, PLACES)

    def common(self) -> dict[str, Any]:
        """Return what `World` takes as it is, and the sources of a random map."""
        agents = self.n_groups * self.agents_per_group
        sources = {
            "rivers": agents * self.rivers_per_agent,
            "forests": agents * self.forests_per_agent,
        }
        return {**super().common(), **sources}

    def teams(self, **traits: Any) -> list[AgentGroup]:
        """Return the teams; team i sees and harvests colour i + 1 if the map has colours."""

        def of_team(i: int) -> dict[str, Any]:
            return {name: t(i) if callable(t) else t for name, t in traits.items()}

        same = {"size": self.agents_per_group, "health": self.base_health, "start": self.start}
        return [AgentGroup(**same, **of_team(i)) for i in range(self.n_groups)]

    def declare(self) -> World:
        """Return the declaration."""
        return World(groups=self.teams(), **self.common())


def _own_colour(team: int) -> list[int]:
    return [team + 1]


@dataclass(frozen=True, kw_only=True)
class Colors(Gathering):
    """Gathering with coloured sources: a team can only harvest those of its own colour.

    Every team can stand on every forest; the channel `harvestable` shows which sources are one's
    own.
    """

    world_id = "survival/colors-v0"
    reference_numbers = {"resource_mode": "balanced", "horizon": 20}

    stock: int = 40
    gain: int = 12
    cooldown: int = 4

    def declare(self) -> World:
        """Return the declaration."""
        return World(groups=self.teams(harvests=_own_colour), access=self.n_groups, **self.common())


@dataclass(frozen=True, kw_only=True)
class Spying(Gathering):
    """Gathering with hidden sources: a team sees those of its own colour, others look like stone.

    All can be harvested by everybody: watch where others go.
    """

    world_id = "survival/spying-v0"
    reference_numbers = {"resource_mode": "balanced", "horizon": 20}

    def declare(self) -> World:
        """Return the declaration."""
        return World(groups=self.teams(sees=_own_colour), visibility=self.n_groups, **self.common())


@dataclass(frozen=True, kw_only=True)
class Exploring(Gathering):
    """Gathering with colours of both kinds: what a team sees is not what it can harvest.

    Parameters
    ----------
    messages
        Number of messages an agent can send to those who see it (0: no such action).
    """

    world_id = "survival/exploring-v0"
    reference_numbers = {"resource_mode": "balanced", "horizon": 20}

    gain: int = 28
    messages: int = 0

    def declare(self) -> World:
        """Return the declaration."""
        return World(
            groups=self.teams(sees=_own_colour, harvests=_own_colour),
            visibility=self.n_groups,
            access=self.n_groups,
            **self.common(),
        )


@dataclass(frozen=True, kw_only=True)
class Building(Gathering):
    """Gathering where an agent can turn the cell it left last into stone, at no cost."""

    world_id = "survival/building-v0"

    def declare(self) -> World:
        """Return the declaration."""
        return World(groups=self.teams(), build=True, **self.common())


@dataclass(frozen=True, kw_only=True)
class Planting(Gathering):
    """Gathering with half the forests; an agent can plant one on the cell it left last.

    Parameters
    ----------
    planting_cost
        Food that planting costs.
    """

    world_id = "survival/planting-v0"
    reference_numbers = {**Gathering.reference_numbers, "forests_per_agent": 2}

    forests_per_agent: int = 1
    planting_cost: int = 8

    def declare(self) -> World:
        """Return the declaration."""
        return World(groups=self.teams(), plant=True, **self.common())


@dataclass(frozen=True, kw_only=True)
class Arena(Gathering):
    """Gathering where agents can attack and heal each other in four styles.

    A hit takes health, and as much food and water, from its victim to the attacker.

    Parameters
    ----------
    stealing
        Whether food and water change hands with a hit.
    """

    world_id = "survival/arena-v0"
    n_groups: int = 8
    stealing: bool = True

    def declare(self) -> World:
        """Return the declaration."""
        return World(groups=self.teams(styles=STYLE_NAMES), **self.common())


@dataclass(frozen=True, kw_only=True)
class Deathmatch(Arena):
    """Arena with a reward for every living agent when another one dies, whatever the cause.

    Parameters
    ----------
    kill_reward
        That reward.
    """

    world_id = "survival/deathmatch-v0"
    kill_reward: float = 1.0

    def declare(self) -> World:
        """Return the declaration."""
        bonus = Bonus(reward=check.number("kill_reward", self.kill_reward))
        return World(groups=self.teams(styles=STYLE_NAMES), bonuses=[bonus], **self.common())


@dataclass(frozen=True, kw_only=True)
class TeamDeathmatch(Deathmatch):
    """Deathmatch of teams: each death of an enemy is rewarded; one's own team is safe from one.

    Members of a team cannot hurt each other, and heal only each other.

    Parameters
    ----------
    friendly_fire
        Whether they can do otherwise.
    """

    world_id = "survival/team-deathmatch-v0"
    reference_numbers = {**Gathering.reference_numbers, "friendly_fire": True}

    n_groups: int = 2
    agents_per_group: int = 4
    friendly_fire: bool = False

    def declare(self) -> World:
        """Return the declaration."""
        reward = check.number("kill_reward", self.kill_reward)
        bonus = Bonus(death_of=ENEMIES, reward=reward)
        return World(groups=self.teams(styles=STYLE_NAMES), bonuses=[bonus], **self.common())


@dataclass(frozen=True, kw_only=True)
class PredatorPrey(Recipe):
    """Predators are rewarded for each death of a prey; prey are many, weak, and can but heal.

    Parameters
    ----------
    predators, prey
        How many there are.
    predator_health, prey_health
        Their most health.
    kill_reward
        What every living predator gets for each death of a prey.
    tiles_per_agent, layout, size, resource_mode, stock, gain, cooldown, stealing
        See `Gathering` and `Arena`.
    """

    world_id = "survival/predator-prey-v0"
    reference_numbers = Gathering.reference_numbers

    predators: int = 3
    prey: int = 10
    predator_health: int = 10
    prey_health: int = 5
    kill_reward: float = 1.0
    tiles_per_agent: int = 32
    layout: Any = None
    size: Sequence[int] | None = None
    resource_mode: str = "classic"
    stock: int = 32
    gain: int = 8
    cooldown: int = 8
    stealing: bool = True

    def declare(self) -> World:
        """Return the declaration."""
        predators = AgentGroup(
            name="predator",
            size=self.predators,
            health=self.predator_health,
            styles=STYLE_NAMES,
            team="predators",
        )
        prey = AgentGroup(
            name="prey", size=self.prey, health=self.prey_health, styles=["heal"], team="prey"
        )
        reward = check.number("kill_reward", self.kill_reward)
        bonus = Bonus(to="predators", death_of="prey", reward=reward)
        return World(groups=[predators, prey], bonuses=[bonus], **self.common())


@dataclass(frozen=True, kw_only=True)
class Pve(Gathering):
    """Gathering among hostile mobs, which agents can hit at arm's length.

    Parameters
    ----------
    mobs
        How many there are; None: as many as agents.
    spawners
        Number of fixed cells where mobs appear, drawn for each episode; 0: anywhere.
    respawn_delay
        Steps from a mob's removal to the next one's appearance.
    stealing
        Whether hits also take food and water.
    npc_infighting
        Whether mobs hunt each other, too.
    """

    world_id = "survival/pve-v0"
    reference_numbers = {**Gathering.reference_numbers, "npc_infighting": True}

    mobs: int | None = None
    spawners: int = 0
    respawn_delay: int = 1
    stealing: bool = True
    npc_infighting: bool = False

    def beings(self) -> dict[str, Any]:
        """Return agents and mobs."""
        count = self.n_groups * self.agents_per_group if self.mobs is None else self.mobs
        mobs = NpcGroup(
            size=count,
            health=2,
            melee=2,
            spawners=self.spawners,
            respawn_delay=self.respawn_delay,
        )
        return {"groups": self.teams(styles=["melee"]), "npcs": [mobs]}

    def declare(self) -> World:
        """Return the declaration."""
        return World(**self.beings(), **self.common())


@dataclass(frozen=True, kw_only=True)
class Siege(Pve):
    """Pve with fixed places where the mobs appear, and stones to wall oneself in with."""

    world_id = "survival/siege-v0"
    reference_numbers = {**Pve.reference_numbers, "spawners": 0}

    spawners: int = 4

    def declare(self) -> World:
        """Return the declaration."""
        return World(**self.beings(), build=True, **self.common())


CORRIDOR = """
##########
W........F
##########
"""


@dataclass(frozen=True, kw_only=True)
class Corridor(Recipe):
    """Two agents between a river and a forest at the two ends of a corridor: they need to share.

    Parameters
    ----------
    start
        ``"middle"``: side by side in the middle; ``"ends"``: one at each end.
    share
        Amounts that can be shared.
    resource_mode
        See `Gathering`; ``"balanced"`` closes both ends of the corridor.
    base_health, stock, gain, cooldown
        See `Gathering`.
    """

    world_id = "survival/corridor-v0"
    reference_numbers = {"resource_mode": "balanced"}

    horizon: int = 70
    radius: int = 10
    start: str = "middle"
    share: Sequence[Any] = (2, 7, "all")
    max_visible: int | None = 1
    resource_mode: str = "classic"
    base_health: int = 10
    stock: int = 14
    gain: int = 14
    cooldown: int = 5

    def declare(self) -> World:
        """Return the declaration."""
        check.one_of("start", self.start, ("middle", "ends"))
        last = 8 if self.resource_mode == "balanced" else 9
        columns = (4, 5) if self.start == "middle" else (1, last)
        layout = CORRIDOR
        if self.resource_mode == "balanced":
            layout = layout.replace("W", "w").replace("F", "f")
        groups = [AgentGroup(health=self.base_health, start=[[1, column]]) for column in columns]
        return World(groups=groups, **{**self.common(), "layout": layout})


HALL = "\n".join(["#" * 10, *["#" + "." * 8 + "#"] * 10, "#" * 10])
HEROES_START = {"rows": [1, 3], "columns": [3, 6]}
BOSS_START = {"rows": [5, 7], "columns": [3, 7]}


@dataclass(frozen=True, kw_only=True)
class BossFight(Recipe):
    """Two tanks against a boss, in a hall without food or water.

    A recorded exception to the family's rules: agents have no stocks, and everybody regains one
    health per step.

    Parameters
    ----------
    tanks
        How many there are.
    win_reward
        What the living get when the boss dies, which ends the episode. At the horizon they get
        nothing.
    metabolism
        Whether agents have stocks of 32 that fall, as in all other worlds; there is nothing to
        fill them up with.
    """

    world_id = "survival/boss-fight-v0"

    horizon: int = 300
    tanks: int = 2
    win_reward: float = 1.0
    metabolism: bool = False

    def heroes(self) -> list[AgentGroup]:
        """Return the agents, class by class."""
        return [_hero("tank", self.tanks, health=200, melee=5, styles=["melee"])]

    def declare(self) -> World:
        """Return the declaration."""
        heroes = [hero for hero in self.heroes() if hero is not None]
        if not heroes:
            raise InvalidParameter("a boss needs at least one agent against it.")
        sizes = {hero.name: hero.size for hero in heroes}
        health = 125 * sizes.get("tank", 0) + 250 * sizes.get("fighter", 0) + 1
        boss = NpcGroup(
            name="boss",
            health=health,
            melee=min(20 + 5 * sizes.get("healer", 0), 99),
            start=BOSS_START,
            respawn_delay=None,
        )
        return World(
            groups=heroes,
            npcs=[boss],
            boss="boss",
            layout=HALL,
            defence_weight=1.0,
            survive_reward=0.0,
            unsafe=["hurt", "dead"],
            **self.common(),
        )


def _hero(name: str, size: int, **traits: Any) -> Any:
    """Return a class of heroes, or None if there is nobody in it."""
    if check.integer(f"{name}s", size, 0) == 0:
        return None
    return AgentGroup(name=name, size=size, team="heroes", start=HEROES_START, **traits)


@dataclass(frozen=True, kw_only=True)
class Raid(BossFight):
    """Tanks, fighters and healers against a strong boss; see `BossFight`.

    Parameters
    ----------
    fighters, healers
        How many there are; ``"tank"``, ``"fighter"`` and ``"healer"`` are groups with actions of
        their own (melee; melee and range; heal).
    """

    world_id = "survival/raid-v0"

    horizon: int = 500
    fighters: int = 2
    healers: int = 2

    def heroes(self) -> list[AgentGroup]:
        """Return the agents, class by class."""
        return [
            *super().heroes(),
            _hero(
                "fighter", self.fighters, health=50, melee=15, range=20, styles=["melee", "range"]
            ),
            _hero("healer", self.healers, health=50, heal=20, styles=["heal"]),
        ]
