"""Events that rewards are paid for: who does what to whom, joined by and, or, not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ecumene.engine import InvalidParameter, check


@dataclass(frozen=True)
class Symbol:
    """An agent in an event; make it with `any_of`, `all_of` or `member`.

    Equal symbols are the same agent; different ones of a group are different agents.
    """

    group: str
    which: str | int
    label: str = ""


def any_of(group: str, label: str = "") -> Symbol:
    """Return a symbol for any one agent of a group; labels tell several of them apart."""
    return Symbol(group, "any", label)


def all_of(group: str) -> Symbol:
    """Return the symbol for all agents of a group together."""
    return Symbol(group, "all")


def member(group: str, index: int) -> Symbol:
    """Return the symbol for one agent of a group, by its index at the reset."""
    return Symbol(group, check.integer("member's index", index, 0))


class Event:
    """Something that is true of a step or not; join with ``&``, ``|`` and ``~``."""

    def __and__(self, other: "Event") -> "And":
        return And(self, other)

    def __or__(self, other: "Event") -> "Or":
        return Or(self, other)

    def __invert__(self) -> "Not":
        return Not(self)


@dataclass(frozen=True)
class Attack(Event):
    """The subject has hit the object, which lives."""

    subject: Symbol
    object: Symbol


@dataclass(frozen=True)
class Kill(Event):
    """The subject has killed the object; the killing blow is no `Attack`."""

    subject: Symbol
    object: Symbol


@dataclass(frozen=True)
class Collide(Event):
    """The subject could not move because of the object."""

    subject: Symbol
    object: Symbol


@dataclass(frozen=True)
class At(Event):
    """The subject's left upper cell is (x, y)."""

    subject: Symbol
    x: int
    y: int


@dataclass(frozen=True)
class In(Event):
    """The subject's left upper cell lies strictly between two opposite corners (x, y)."""

    subject: Symbol
    corner: tuple[int, int]
    opposite: tuple[int, int]


@dataclass(frozen=True)
class Die(Event):
    """The subject has died."""

    subject: Symbol


@dataclass(frozen=True)
class InALine(Event):
    """All agents of a group, ``all_of(group)``, stand side by side in a row or column."""

    subject: Symbol


@dataclass(frozen=True)
class And(Event):
    """Both are true."""

    first: Event
    second: Event


@dataclass(frozen=True)
class Or(Event):
    """One is true, or both."""

    first: Event
    second: Event


@dataclass(frozen=True)
class Not(Event):
    """It is not true."""

    event: Event


@dataclass(frozen=True)
class Reward:
    """What an event pays.

    Every choice of agents for the symbols of which the event is true pays: two attackers of one
    victim are two choices.

    Parameters
    ----------
    event
        The event.
    pays
        Symbol -> value. A symbol of `any_of` or `member` is one of the event's; ``all_of(group)``
        pays each agent of the group.
    terminal
        Whether the event ends the episode.
    """

    event: Event
    pays: Mapping[Symbol, float]
    terminal: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.event, Event):
            raise InvalidParameter(f"Reward.event is an Event, not {self.event!r}.")
        object.__setattr__(self, "pays", _values(self.pays))
        check.flag("Reward.terminal", self.terminal)
        mentioned = symbols_of(self.event)
        for symbol in self.pays:
            if symbol.which != "all" and symbol not in mentioned:
                raise InvalidParameter(f"Reward.pays names {symbol}, which is not in the event.")


def _values(pays: Any) -> dict[Symbol, float]:
    if not isinstance(pays, Mapping) or not all(isinstance(each, Symbol) for each in pays):
        raise InvalidParameter(f"Reward.pays is a mapping from symbols to numbers, not {pays!r}.")
    return {symbol: check.number(f"Reward.pays[{symbol}]", pays[symbol]) for symbol in pays}


def leaves_of(event: Event) -> list[Any]:
    """Return the events that an event is joined from, in reading order."""
    if isinstance(event, And | Or):
        return leaves_of(event.first) + leaves_of(event.second)
    if isinstance(event, Not):
        return leaves_of(event.event)
    return [event]


def symbols_of(event: Event) -> list[Symbol]:
    """Return the symbols of an event in reading order, each once."""
    found: dict[Symbol, None] = {}
    for leaf in leaves_of(event):
        found[leaf.subject] = None
        if isinstance(leaf, Attack | Kill | Collide):
            found[leaf.object] = None
    return list(found)
