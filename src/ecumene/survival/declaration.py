"""What tells one survival world from another: groups, land, systems, tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar

from ecumene.engine import InvalidParameter, check
from ecumene.engine.errors import near_match
from ecumene.survival.columns import STYLE_NAMES
from ecumene.survival.rules.label import PROPOSITIONS

MODES = ("classic", "balanced")
BEHAVIOURS = ("passive", "neutral", "hostile")
PLACES = ("edge", "anywhere")
EVERYBODY, ENEMIES = "everybody", "enemies"
MOST_COLOURS = 62  # colours are the bits of an integer

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Being:
    """What agents and NPCs have in common.

    Parameters
    ----------
    name
        Letters, digits and ``_``. Agents are called ``<name>_0``, ``<name>_1``, ...
    size
        How many there are, at least 1.
    health
        The most health, and the health at the start; at least 1.
    melee, range, mage, heal, defence
        Levels, 1..99.
    styles
        Attack styles that they may use, of ``"melee"``, ``"range"``, ``"mage"`` and ``"heal"``.
    start
        Where they appear: ``"edge"`` (the outermost cells of the map), ``"anywhere"``, a list
        with one cell ``[row, column]`` for each, or a box of cells
        ``{"rows": [first, last], "columns": [first, last]}``.
    """

    name: str = "agent"
    size: int = 1
    health: int = 10
    melee: int = 1
    range: int = 1
    mage: int = 1
    heal: int = 1
    defence: int = 1
    styles: Sequence[str] = ()
    start: Any = "edge"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise InvalidParameter(f"name is made of letters, digits and _, not {self.name!r}.")
        check.integer(f"{self.name}: size", self.size, 1)
        check.integer(f"{self.name}: health", self.health, 1, 1_000_000)
        for level in (*STYLE_NAMES, "defence"):
            check.integer(f"{self.name}: {level}", getattr(self, level), 1, 99)
        chosen = listed(f"{self.name}: styles", self.styles)
        for style in chosen:
            check.one_of(f"{self.name}: a style", style, STYLE_NAMES)
        object.__setattr__(self, "styles", tuple(s for s in STYLE_NAMES if s in chosen))
        if isinstance(self.start, str):
            check.one_of(f"{self.name}: start", self.start, PLACES)

    @property
    def levels(self) -> list[int]:
        """Levels of the attack styles, in their order."""
        return [getattr(self, style) for style in STYLE_NAMES]

    @property
    def style_bits(self) -> int:
        """The allowed styles; bit k: style k."""
        return sum(1 << k for k, style in enumerate(STYLE_NAMES) if style in self.styles)


@dataclass(frozen=True, kw_only=True)
class AgentGroup(Being):
    """Agents that start alike.

    Groups of the same name share their spaces and are stepped as one array; their agents are
    counted on.

    Parameters
    ----------
    team
        Name of the team; None: a team of its own.
    sees, harvests
        Colours, from 1 up, whose cells they see as they are and may harvest. Cells without a
        colour are open to everybody.
    """

    team: str | None = None
    sees: Sequence[int] = ()
    harvests: Sequence[int] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("sees", "harvests"):
            colours = listed(f"{self.name}: {name}", getattr(self, name))
            for colour in colours:
                check.integer(f"{self.name}: a colour of {name}", colour, 1, MOST_COLOURS)
            object.__setattr__(self, name, colours)


@dataclass(frozen=True, kw_only=True)
class NpcGroup(Being):
    """Creatures that the world itself plays.

    Parameters
    ----------
    behaviour
        ``"hostile"`` (hunts agents), ``"neutral"`` (hunts who attacked it) or ``"passive"``.
    spawners
        Number of fixed cells, drawn anew for each episode, where these NPCs appear; 0: anywhere
        in `start`.
    respawn_delay
        Steps from the removal of a dead one to the next one's appearance, at least 1; None: never.
    """

    name: str = "mob"
    styles: Sequence[str] = ("melee",)
    start: Any = "anywhere"
    behaviour: str = "hostile"
    spawners: int = 0
    respawn_delay: int | None = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.styles:
            raise InvalidParameter(f"{self.name}: an NPC needs at least one style.")
        check.one_of(f"{self.name}: behaviour", self.behaviour, BEHAVIOURS)
        check.integer(f"{self.name}: spawners", self.spawners, 0)
        if self.respawn_delay is not None:
            check.integer(f"{self.name}: respawn_delay", self.respawn_delay, 1)

    @property
    def vision(self) -> int:
        """How many steps away it notices others."""
        strongest = max(self.melee, self.range, self.mage)
        level = int(0.25 * (self.defence + self.health) + 0.5 * strongest)
        return max(5, 1 + level // 10) if self.behaviour == "hostile" else 5


@dataclass(frozen=True, kw_only=True)
class Bonus:
    """A reward that the living get in the step in which somebody dies.

    Parameters
    ----------
    to
        ``"everybody"`` or the name of a team.
    death_of
        ``"everybody"`` (but oneself), ``"enemies"`` (all other teams) or the name of a team.
    reward
        For each death.
    """

    to: str = EVERYBODY
    death_of: str = EVERYBODY
    reward: float = 1.0

    def __post_init__(self) -> None:
        check.number("reward of a bonus", self.reward)


@dataclass(frozen=True, kw_only=True)
class World:
    """The declaration of a survival world. Every field has a default but `groups`.

    Parameters
    ----------
    groups
        The agents: `AgentGroup` or dicts with its fields.
    npcs
        The NPCs: `NpcGroup` or dicts with its fields.
    horizon
        Steps per episode.
    radius
        The window shows ``2 * radius + 1`` rows and columns.
    layout
        A map drawn as text: the text itself, a list of rows, or the path of a file. None: a map is
        made at random for each episode. See `ecumene.survival.LEGEND`.
    size
        ``[height, width]``. None: that of the layout; without one, the square that
        `tiles_per_agent` asks for.
    tiles_per_agent
        Cells per agent on a random map.
    rocks
        Share of rock on a random map before it grows and is thinned out, 0..0.5.
    rivers, forests
        Number of such cells on a random map; None: one river and two forests per agent.
    resource_mode
        ``"classic"``: forests can be walked on and feed who stands there, rivers never run dry.
        ``"balanced"``: the earlier system's; both block the way, are harvested from the four
        neighbouring cells, and are used up.
    metabolism
        Whether agents have food and water, and use one unit of each per step.
    stock
        The most food, and the most water.
    gain
        Units per harvest.
    cooldown
        A source that was harvested in step t can be harvested again from step t + cooldown + 1.
    regeneration
        Whether a tenth of the health comes back per step while both stocks are above half.
    stealing
        Whether an attacker's stocks gain, and its victim's lose, as much as the damage.
    defence_weight
        Share of the target's defence, rather than its skill, in the chance of a full hit; 0..1.
    friendly_fire
        Whether members of a team can be attacked and members of others healed.
    npc_infighting
        Whether hostile NPCs hunt each other, too.
    share
        Amounts that an agent may share: integers from 1 up, or ``"all"``. Empty: no sharing.
    share_reach
        How many rows and columns away the receiver may be.
    build, plant
        Whether agents can turn the cell that they left last into stone, or into a young forest.
    planting_cost
        Food that planting costs.
    visibility, access
        Colours of the sources. An integer from 0 up: so many colours, drawn at random on a random
        map. A list of rows of integers (or of strings of digits): the colour of each cell of the
        layout, 0 for none.
    messages
        Number of messages an agent can send to those who see it, silence not counted.
    bonuses
        Rewards for deaths: `Bonus` or dicts with its fields.
    boss
        Name of an NPC group; when all of it are dead the episode ends for all, and the living get
        `win_reward`.
    survive_reward, death_reward, win_reward
        Given at the horizon to the living, in the step of one's death, and for the boss's death.
    order
        Who acts first: ``"index"``, or ``"rotate"`` (step t begins with agent t mod n).
    flat_actions
        One `Discrete` action (a move or one other deed) instead of a `MultiDiscrete` one.
    max_visible
        Number of rows of `entities`, and of targets; None: all there can be, at least 8.
    hide_others
        Whether others' food and water are left out of the observation.
    unsafe
        Which propositions make an agent ``"unsafe"``.
    """

    groups: Sequence[Any]
    npcs: Sequence[Any] = ()
    horizon: int = 128
    radius: int = 7
    layout: Any = None
    size: Sequence[int] | None = None
    tiles_per_agent: int = 32
    rocks: float = 0.1
    rivers: int | None = None
    forests: int | None = None
    resource_mode: str = "classic"
    metabolism: bool = True
    stock: int = 32
    gain: int = 8
    cooldown: int = 8
    regeneration: bool = True
    stealing: bool = True
    defence_weight: float = 0.3
    friendly_fire: bool = True
    npc_infighting: bool = False
    share: Sequence[Any] = ()
    share_reach: int = 3
    build: bool = False
    plant: bool = False
    planting_cost: int = 8
    visibility: Any = 0
    access: Any = 0
    messages: int = 0
    bonuses: Sequence[Any] = ()
    boss: str | None = None
    survive_reward: float = 1.0
    death_reward: float = -1.0
    win_reward: float = 1.0
    order: str = "index"
    flat_actions: bool = False
    max_visible: int | None = None
    hide_others: bool = False
    unsafe: Sequence[str] = field(default=("starving", "in_danger", "attacked", "dead"))

    def __post_init__(self) -> None:
        for name, kind in (("groups", AgentGroup), ("npcs", NpcGroup), ("bonuses", Bonus)):
            members = listed(name, getattr(self, name))
            made = tuple(build(kind, each, f"{name}[{i}]") for i, each in enumerate(members))
            object.__setattr__(self, name, made)
        if not self.groups:
            raise InvalidParameter("groups: a world needs at least one group of agents.")
        self._check_numbers()
        self._check_names()
        amounts = listed("share", self.share)
        for amount in amounts:
            if amount != "all":
                check.integer("an amount of share", amount, 1)
        object.__setattr__(self, "share", amounts)
        if amounts and not self.metabolism:
            raise InvalidParameter("share: there is nothing to share without metabolism.")
        if self.plant and not self.metabolism:
            raise InvalidParameter("plant: planting costs food, which needs metabolism.")

    def _check_numbers(self) -> None:
        least = {
            "horizon": 1, "radius": 1, "tiles_per_agent": 1, "stock": 1, "gain": 0, "cooldown": 0,
            "share_reach": 1, "planting_cost": 0, "messages": 0,
        }  # fmt: skip
        most = {"radius": 60, "messages": 64}
        for name, bound in least.items():
            check.integer(name, getattr(self, name), bound, most.get(name, 1_000_000))
        for name in ("rivers", "forests", "max_visible"):
            if getattr(self, name) is not None:
                check.integer(name, getattr(self, name), 1 if name == "max_visible" else 0)
        check.number("rocks", self.rocks, 0, 0.5)
        check.number("defence_weight", self.defence_weight, 0, 1)
        for name in ("survive_reward", "death_reward", "win_reward"):
            check.number(name, getattr(self, name))
        for name in (
            "metabolism", "regeneration", "stealing", "friendly_fire", "npc_infighting", "build",
            "plant", "flat_actions", "hide_others",
        ):  # fmt: skip
            check.flag(name, getattr(self, name))
        check.one_of("resource_mode", self.resource_mode, MODES)
        check.one_of("order", self.order, ("index", "rotate"))

    def _check_names(self) -> None:
        alike: dict[str, tuple[str, ...]] = {}
        for group in self.groups:
            if alike.setdefault(group.name, group.styles) != group.styles:
                raise InvalidParameter(
                    f"groups called `{group.name}` share their actions and so their styles: "
                    f"{list(alike[group.name])} and {list(group.styles)} differ."
                )
        for bonus in self.bonuses:
            known_as("to", bonus.to, (EVERYBODY, *self.teams))
            known_as("death_of", bonus.death_of, (EVERYBODY, ENEMIES, *self.teams))
        for name in listed("unsafe", self.unsafe):
            known_as("unsafe", name, PROPOSITIONS)
        if self.boss is not None:
            known_as("boss", self.boss, [group.name for group in self.npcs])
            if any(g.name == self.boss and g.respawn_delay is not None for g in self.npcs):
                raise InvalidParameter(f"{self.boss}: a boss has respawn_delay None (null).")

    @property
    def teams(self) -> list[str]:
        """Names of the teams, in the order of their first groups."""
        return list(dict.fromkeys(self.team_of(i) for i in range(len(self.groups))))

    def team_of(self, i: int) -> str:
        """Return the name of the team of group `i`: ``team_<i>`` where none is given."""
        return self.groups[i].team or f"team_{i}"

    @property
    def agent_count(self) -> int:
        """Number of agents."""
        return sum(group.size for group in self.groups)

    @property
    def npc_count(self) -> int:
        """Number of NPCs."""
        return sum(group.size for group in self.npcs)


def listed(name: str, value: Any) -> tuple[Any, ...]:
    """Return a list parameter as a tuple, or raise `InvalidParameter` naming it."""
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        raise InvalidParameter(f"{name} is a list, not {value!r}.")
    return tuple(value)


def known_as(name: str, value: Any, known: Sequence[str]) -> None:
    """Raise `InvalidParameter` unless a value is one of the known names."""
    if value not in known:
        raise InvalidParameter(
            f"{name}: there is no `{value}`.{near_match(value, known)} Known: {', '.join(known)}."
        )


def build(kind: type[T], given: Any, where: str) -> T:
    """Return a declaration out of itself, or out of a dict with its fields.

    Raises
    ------
    InvalidParameter
        Naming `where`, and the field that is unknown or missing.
    """
    if isinstance(given, kind):
        return given
    if not isinstance(given, Mapping):
        raise InvalidParameter(
            f"{where} is a {kind.__name__} or a dict with its fields, not {given!r}."
        )
    parts = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    for name in given:
        if name not in parts:
            raise InvalidParameter(
                f"{where} has no field `{name}`.{near_match(name, parts)} "
                f"Fields: {', '.join(parts)}."
            )
    for name, part in parts.items():
        if name not in given and part.default is MISSING and part.default_factory is MISSING:
            raise InvalidParameter(f"{where} needs the field `{name}`.")
    return kind(**given)
