"""Compile reward rules into the tables that the rules of a step read."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ecumene.battle import events
from ecumene.battle.events import Event, Reward, Symbol, leaves_of, symbols_of
from ecumene.battle.rules import scoring
from ecumene.battle.rules.scoring import RewardTable
from ecumene.engine import InvalidParameter
from ecumene.engine.errors import near_match

MOST_SYMBOLS = 8
# A stack of bits in a 64-bit word holds the truths of the parts of an event.
MOST_PARTS = 60

_OPERATIONS = {
    events.Attack: scoring.IS_ATTACK,
    events.Kill: scoring.IS_KILL,
    events.Collide: scoring.IS_COLLIDE,
}


class _Compiled:
    """One reward rule: its symbols, which of them are free, and its event as a list of parts."""

    def __init__(self, reward: Reward, groups: Mapping[str, int], start: Sequence[int]) -> None:
        self.groups = groups
        self.start = start
        self.reward = reward
        self.symbols = symbols_of(reward.event)
        for symbol in reward.pays:
            if symbol not in self.symbols:
                self.symbols.append(symbol)
        self.rows = [self._row(symbol) for symbol in self.symbols]
        self.free: list[int] = []
        self.tied: list[tuple[int, int]] = []
        self._order_symbols()
        self.parts = self._parts(reward.event)
        if len(self.symbols) > MOST_SYMBOLS or len(self.parts) > MOST_PARTS:
            raise InvalidParameter(
                f"an event has at most {MOST_SYMBOLS} symbols and {MOST_PARTS} parts, "
                f"not {len(self.symbols)} and {len(self.parts)}."
            )

    def _row(self, symbol: Symbol) -> tuple[int, int, int]:
        if symbol.group not in self.groups:
            raise InvalidParameter(
                f"a reward names the group {symbol.group!r}."
                f"{near_match(symbol.group, self.groups)} Groups: {', '.join(self.groups)}."
            )
        group = self.groups[symbol.group]
        if symbol.which == "any":
            return group, scoring.ANY, 0
        if symbol.which == "all":
            return group, scoring.ALL, 0
        agent = self.start[group] + int(symbol.which)
        if agent >= self.start[group + 1]:
            raise InvalidParameter(
                f"a reward names agent {symbol.which} of {symbol.group!r}, which has "
                f"{self.start[group + 1] - self.start[group]}."
            )
        return group, scoring.ONE, agent

    def _order_symbols(self) -> None:
        """Find which symbols an operation determines; the other `any` symbols are free."""
        known = {i for i, row in enumerate(self.rows) if row[1] != scoring.ANY}
        determining: set[int] = set()
        for leaf in leaves_of(self.reward.event):
            subject = self.symbols.index(leaf.subject)
            if subject not in known:
                known.add(subject)
                self.free.append(subject)
            if type(leaf) not in _OPERATIONS:
                continue
            other = self.symbols.index(leaf.object)
            if self.rows[other][1] == scoring.ALL:
                raise InvalidParameter(f"all_of(...) cannot be the object of {leaf}.")
            single = self.rows[subject][1] != scoring.ALL
            if single and subject not in determining and other not in self.free:
                determining.add(subject)
                known.add(other)
                self.tied.append((subject, other))
            elif other not in known:
                known.add(other)
                self.free.append(other)

    def _parts(self, event: Event) -> list[tuple[int, ...]]:
        if isinstance(event, events.And | events.Or):
            joint = scoring.AND if isinstance(event, events.And) else scoring.OR
            return [*self._parts(event.first), *self._parts(event.second), _part(joint)]
        if isinstance(event, events.Not):
            return [*self._parts(event.event), _part(scoring.NOT)]
        return [self._leaf(event)]

    def _leaf(self, event: Any) -> tuple[int, ...]:
        subject = self.symbols.index(event.subject)
        if type(event) in _OPERATIONS:
            return _part(_OPERATIONS[type(event)], subject, self.symbols.index(event.object))
        if isinstance(event, events.At):
            return _part(scoring.IS_AT, subject, -1, event.x, event.y)
        if isinstance(event, events.In):
            (x1, x2), (y1, y2) = (
                sorted(pair) for pair in zip(event.corner, event.opposite, strict=True)
            )
            return _part(scoring.IS_IN, subject, -1, x1, y1, x2, y2)
        if isinstance(event, events.Die):
            return _part(scoring.IS_DEAD, subject)
        if self.rows[subject][1] != scoring.ALL:
            raise InvalidParameter(f"InALine is an event of all_of(...), not of {event.subject}.")
        return _part(scoring.IS_LINE, subject)


def _part(what: int, subject: int = -1, other: int = -1, *place: int) -> tuple[int, ...]:
    return (what, subject, other, *place, *[0] * (4 - len(place)))


def compile_rewards(
    rewards: Sequence[Reward], groups: Sequence[str], start: Sequence[int]
) -> RewardTable:
    """Compile reward rules.

    Parameters
    ----------
    rewards
        The rules, in the order in which they are to pay.
    groups
        Names of the groups.
    start
        First agent of each group, then the number of agents.

    Raises
    ------
    InvalidParameter
        For a group or agent that does not exist, or an event without a meaning.
    """
    numbers = {name: i for i, name in enumerate(groups)}
    compiled = [_Compiled(reward, numbers, start) for reward in rewards]
    pays = [
        ([each.symbols.index(symbol) for symbol in each.reward.pays], each.reward.pays.values())
        for each in compiled
    ]
    return RewardTable(
        symbol=_pad([each.rows for each in compiled], (3,)),
        free=_pad([each.free for each in compiled]),
        tied=_pad([each.tied for each in compiled], (2,)),
        part=_pad([each.parts for each in compiled], (7,), 0),
        receiver=_pad([receivers for receivers, _ in pays]),
        value=_pad([list(values) for _, values in pays], (), 0, np.float32),
        terminal=np.array([each.reward.terminal for each in compiled], np.bool_),
    )


def _pad(
    lists: Sequence[Any], tail: tuple[int, ...] = (), filler: int = -1, dtype: Any = np.int32
) -> Any:
    """Return lists of unequal length as one array, padded at their ends."""
    longest = max([1, *map(len, lists)])
    table = np.full((len(lists), longest, *tail), filler, dtype)
    for row, values in zip(table, lists, strict=True):
        if len(values):
            row[: len(values)] = np.asarray(values, dtype).reshape(len(values), *tail)
    return table
