"""The parts a battle is built from: types of agents, groups, what stands where, what pays."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.battle.events import Reward
from ecumene.battle.ranges import Circle, Range, Sector
from ecumene.engine import InvalidParameter, check
from ecumene.engine.errors import near_match

_DIRECTIONS = 4
_NEIGHBOURS = Circle(1)
WALLS = "walls"


@dataclass(frozen=True)
class AgentType:
    """What the agents of a group can do. All numbers are kept as float32.

    Parameters
    ----------
    width, length
        Cells of the body, 1 to 32, when it looks north.
    hp
        Hit points at first and at most, above 0. An agent dies when it has less than 0.
    speed
        Reach of a move: `Circle` ``(speed)``, 0 to 32.
    view_range
        `Circle` or `Sector` of what it sees.
    attack_range
        `Circle` or `Sector` of the cells it can attack; None: it cannot.
    damage
        Hit points that an attack takes, at least 0.
    step_recover
        Hit points gained in every step; negative: lost.
    kill_supply
        Hit points that whoever kills it gains.
    food_supply, eat_ability
        Food it leaves when killed, and food it eats with one attack (only with ``food_mode``).
    attack_in_group
        Whether it can hit its own group.
    step_reward
        Reward of every step.
    kill_reward
        Reward of whoever kills it.
    dead_penalty
        Reward of the step in which it dies, in place of what it had earned (negative to punish).
    attack_penalty
        Added to its reward for every attack (negative to punish).
    """

    width: int = 1
    length: int = 1
    hp: float = 1.0
    speed: float = 1.0
    view_range: Range = _NEIGHBOURS
    attack_range: Range | None = None
    damage: float = 0.0
    step_recover: float = 0.0
    kill_supply: float = 0.0
    food_supply: float = 0.0
    eat_ability: float = 0.0
    attack_in_group: bool = False
    step_reward: float = 0.0
    kill_reward: float = 0.0
    dead_penalty: float = 0.0
    attack_penalty: float = 0.0

    def __post_init__(self) -> None:
        for name in ("width", "length"):
            check.integer(f"AgentType.{name}", getattr(self, name), 1, 32)
        if check.number("AgentType.hp", self.hp) <= 0:
            raise InvalidParameter(f"AgentType.hp is above 0, not {self.hp}.")
        check.number("AgentType.speed", self.speed, 0, 32)
        for name in ("damage", "kill_supply", "food_supply", "eat_ability"):
            check.number(f"AgentType.{name}", getattr(self, name), 0)
        for name in (*REWARDS, "step_recover"):
            check.number(f"AgentType.{name}", getattr(self, name))
        check.flag("AgentType.attack_in_group", self.attack_in_group)
        if not isinstance(self.view_range, Circle | Sector):
            raise InvalidParameter(f"view_range is a Circle or Sector, not {self.view_range!r}.")
        if self.attack_range is not None and not isinstance(self.attack_range, Circle | Sector):
            raise InvalidParameter(
                f"attack_range is a Circle, a Sector or None, not {self.attack_range!r}."
            )


REWARDS = ("step_reward", "kill_reward", "dead_penalty", "attack_penalty")


@dataclass(frozen=True)
class AgentGroup:
    """Agents of one type on one side.

    Parameters
    ----------
    name
        Name of the group; its agents are ``<name>_0``, ``<name>_1`` ...
    type
        What they can do.
    team
        Groups of one team are friends, and the episode ends when all agents of a team have
        died. None: a team of its own.
    controlled
        Whether its agents are the user's; others stand still, like food.
    colour
        Red, green and blue in pictures, 0 to 255 each; None: one of the palette's.
    """

    name: str
    type: AgentType
    team: str | None = None
    controlled: bool = True
    colour: tuple[int, int, int] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name or self.name == WALLS:
            raise InvalidParameter(
                f'AgentGroup.name is a name other than "{WALLS}", not {self.name!r}.'
            )
        if not isinstance(self.type, AgentType):
            raise InvalidParameter(f"AgentGroup.type is an AgentType, not {self.type!r}.")
        check.flag("AgentGroup.controlled", self.controlled)
        if self.colour is not None:
            red, green, blue = (check.integer("colour", part, 0, 255) for part in self.colour)
            object.__setattr__(self, "colour", (red, green, blue))


@dataclass(frozen=True)
class Custom:
    """Spots given one by one.

    Parameters
    ----------
    spots
        ``(x, y)`` or ``(x, y, direction)``: the left upper cell of a body, and where it looks
        (0 east, 1 south, 2 west, 3 north; without ``turn_mode`` everyone looks north). Integers
        ``[n, 2]`` or ``[n, 3]``. An agent whose spot is taken is left out.
    """

    spots: Any

    def __post_init__(self) -> None:
        spots = np.asarray(self.spots, dtype=object if _is_ragged(self.spots) else None)
        if spots.size == 0:
            spots = np.zeros((0, 2), np.int64)
        fits = spots.dtype.kind in "iu" and spots.ndim == 2 and spots.shape[1] in (2, 3)
        if not fits:
            raise InvalidParameter(
                f"Custom.spots are pairs (x, y) or triples (x, y, direction) of integers, all "
                f"alike, not {self.spots!r}."
            )
        directions = spots[:, 2] if spots.shape[1] == 3 else np.zeros(len(spots), int)
        if ((directions < 0) | (directions >= _DIRECTIONS)).any():
            raise InvalidParameter("a direction is 0 east, 1 south, 2 west or 3 north.")
        spots = np.column_stack([spots[:, :2], directions]).astype(np.int32)
        spots.flags.writeable = False
        object.__setattr__(self, "spots", spots)


def _is_ragged(spots: Any) -> bool:
    return isinstance(spots, Sequence) and len({np.shape(each) for each in spots}) > 1


@dataclass(frozen=True)
class Random:
    """Anywhere on the map, drawn afresh in every episode.

    Parameters
    ----------
    count
        How many, from 0 up.
    """

    count: int

    def __post_init__(self) -> None:
        check.integer("Random.count", self.count, 0)


@dataclass(frozen=True)
class Fill:
    """As many as stand side by side in a rectangle, column by column.

    Parameters
    ----------
    position
        Left upper cell (x, y).
    size
        Columns and rows.
    direction
        Where the agents look; see `Custom`.
    """

    position: tuple[int, int]
    size: tuple[int, int]
    direction: int = 0

    def __post_init__(self) -> None:
        for name, pair, least in (("position", self.position, 0), ("size", self.size, 1)):
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise InvalidParameter(f"Fill.{name} is a pair of integers, not {pair!r}.")
            object.__setattr__(
                self, name, tuple(check.integer(f"Fill.{name}", part, least) for part in pair)
            )
        check.integer("Fill.direction", self.direction, 0, _DIRECTIONS - 1)

    def spots(self, columns: int, rows: int) -> NDArray[np.int32]:
        """Return the spots of bodies of a given size."""
        x = np.arange(self.position[0], self.position[0] + self.size[0], columns)
        y = np.arange(self.position[1], self.position[1] + self.size[1], rows)
        grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=2).reshape(-1, 2)
        return np.column_stack([grid, np.full(len(grid), self.direction)]).astype(np.int32)


@dataclass(frozen=True)
class Maze:
    """Walls only: a maze over the whole map, grown afresh in every episode.

    Parameters
    ----------
    corridor
        Width of its corridors, from 1 up. It comes out even where the map's inner width and
        height plus one are multiples of ``corridor + 1``.
    """

    corridor: int = 1

    def __post_init__(self) -> None:
        check.integer("Maze.corridor", self.corridor, 1)


Method = Custom | Random | Fill | Maze


@dataclass(frozen=True)
class Place:
    """One order to place something; orders are followed one after another.

    Parameters
    ----------
    what
        Name of a group, or ``"walls"``.
    where
        How: `Custom`, `Random`, `Fill`, or for walls `Maze`.
    """

    what: str
    where: Method

    def __post_init__(self) -> None:
        if not isinstance(self.where, Custom | Random | Fill | Maze):
            raise InvalidParameter(
                f"Place.where is Custom, Random, Fill or Maze, not {self.where!r}."
            )
        if isinstance(self.where, Maze) and self.what != WALLS:
            raise InvalidParameter(f"Maze is for {WALLS!r}, not for {self.what!r}.")


@dataclass(frozen=True)
class Battle:
    """A whole world of agents that move or attack.

    Parameters
    ----------
    width, height
        Columns and rows of the map, 3 to 32,767, with its border of walls.
    groups
        One group or more, in the order in which they act.
    places
        What stands where at first, in the order of placing.
    rewards
        What pays, besides the rewards of the types, in the order of paying.
    max_cycles
        Steps after which an episode is truncated.
    turn_mode
        Whether agents have a direction and two actions more to turn.
    food_mode
        Whether the killed leave food.
    minimap_mode
        Whether agents are shown the density of every group over the map and their position.
    extra_features
        Whether agents are shown their number, last action and last reward.
    embedding_size
        Bits of the agent's number among the features.
    reward_bounds
        Least and greatest last reward, for the bounds of the observation space.
    unsafe
        Which of the propositions costs.
    """

    width: int
    height: int
    groups: tuple[AgentGroup, ...]
    places: tuple[Place, ...]
    rewards: tuple[Reward, ...] = ()
    max_cycles: int = 500
    turn_mode: bool = False
    food_mode: bool = False
    minimap_mode: bool = False
    extra_features: bool = False
    embedding_size: int = 0
    reward_bounds: tuple[float, float] = (-np.inf, np.inf)
    unsafe: str = "dead"
    names: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            check.integer(name, getattr(self, name), 3, 32_767)
        check.integer("max_cycles", self.max_cycles, 1)
        check.integer("embedding_size", self.embedding_size, 0, 31)
        for name in ("turn_mode", "food_mode", "minimap_mode", "extra_features"):
            check.flag(name, getattr(self, name))
        object.__setattr__(self, "groups", _tuple("groups", self.groups, AgentGroup))
        object.__setattr__(self, "places", _tuple("places", self.places, Place))
        object.__setattr__(self, "rewards", _tuple("rewards", self.rewards, Reward))
        names = {group.name: i for i, group in enumerate(self.groups)}
        object.__setattr__(self, "names", names)
        if len(names) < len(self.groups) or not names:
            raise InvalidParameter("a battle has one group or more, of different names.")
        if not any(group.controlled for group in self.groups):
            raise InvalidParameter("at least one group of a battle is controlled.")
        for place in self.places:
            if place.what != WALLS and place.what not in names:
                raise InvalidParameter(
                    f"Place.what is {WALLS!r} or a group, not {place.what!r}."
                    f"{near_match(place.what, [WALLS, *names])} Groups: {', '.join(names)}."
                )


def _tuple(name: str, given: Any, kind: type) -> tuple[Any, ...]:
    items = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(each, kind) for each in items):
        raise InvalidParameter(f"{name} is a sequence of {kind.__name__}, not {given!r}.")
    return items


TYPE_OPTIONS = tuple(each.name for each in fields(AgentType))
