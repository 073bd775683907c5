"""Certify a shield: enumerate the states a game can reach safely, and which of them are doomed."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import InvalidParameter, Simulation, Snapshot
from ecumene.wrappers.foresight import Foresight
from ecumene.wrappers.joint import Rows

UNSAFE, ENDED = -1, -2
Arrays = dict[str, NDArray]


@dataclass(frozen=True)
class Certificate:
    """What looking at every state has shown.

    Parameters
    ----------
    complete
        Whether all states were looked at; else there were more than the limit, and nothing
        follows.
    states
        Number of states, reached from the present one by safe steps.
    winning_by_level
        In how many of them the agents under control can stay safe k more steps, k = 1, 2, ...,
        whatever the others and chance do; up to the fixpoint.
    fixpoint_level
        The first level whose shield is safe for ever where it is safe at all.
    present_is_winning
        Whether that holds in the present state.
    doomed
        Snapshots of the states in which it does not.
    """

    complete: bool
    states: int
    winning_by_level: tuple[int, ...] = ()
    fixpoint_level: int | None = None
    present_is_winning: bool | None = None
    doomed: list[Snapshot] = field(default_factory=list)


def certify(
    foresight: Foresight, simulation: Simulation, copy: int, max_states: int
) -> Certificate:
    """Certify the shield of a copy of a world in its present state.

    Raises
    ------
    InvalidParameter
        For a world whose chance has a say in safety and is not listed.
    """
    if foresight.exact_depth < np.inf:
        raise InvalidParameter(
            f"{simulation.spec.id} draws what its safety depends on: no certificate is possible."
        )
    graph = _Graph(foresight, simulation, copy)
    while graph.open:
        if len(graph.known) > max_states:
            return Certificate(False, len(graph.known))
        graph.expand()
    return graph.certificate(simulation.spec.id)


class _Graph:
    """States and what steps lead to; grows by the states that have not been expanded yet."""

    def __init__(self, foresight: Foresight, simulation: Simulation, copy: int) -> None:
        self._foresight = foresight
        self._here, self._there = foresight.scratch(0), foresight.scratch(1)
        self._actions = foresight.all_joint_actions()
        self._branches = foresight.branches(self._actions)
        self.known: dict[bytes, int] = {}
        self.open: list[int] = []
        self._rows: list[Arrays] = []
        self._successors: list[Rows] = []  # [branch]
        self._here.simulation.adopt(simulation, np.array([copy]))
        self._learn(self._here, np.array([0]))

    def _learn(self, scratch: object, copies: Rows) -> Rows:
        """Return the numbers of the states of some scratch copies; new states become open."""
        keys = scratch.keys(copies)  # type: ignore[attr-defined]
        distinct, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        numbers = np.empty(len(distinct), np.int64)
        for i, key in enumerate(distinct):
            text = key.tobytes()
            if text not in self.known:
                self.known[text] = len(self.known)
                self.open.append(self.known[text])
                row = scratch.rows(copies[first[i] : first[i] + 1])  # type: ignore[attr-defined]
                self._rows.append(row)
            numbers[i] = self.known[text]
        return numbers[inverse.reshape(-1)]

    def expand(self) -> None:
        """Make every step from some open states."""
        room = self._here.copies
        states, self.open = self.open[:room], self.open[room:]
        self._here.load(
            {
                path: np.concatenate([self._rows[state][path] for state in states])
                for path in self._rows[states[0]]
            }
        )
        count = len(self._branches.pair)
        pairs = np.repeat(np.arange(len(states)), count)
        actions = np.tile(self._branches.actions, (len(states), 1))
        found = np.empty(len(pairs), np.int64)
        for lo in range(0, len(pairs), self._there.copies):
            part = slice(lo, lo + self._there.copies)
            safe, goes_on = self._there.advance(
                self._here.simulation, pairs[part], actions[part], None
            )
            numbers = np.where(safe, ENDED, UNSAFE)
            further = np.flatnonzero(safe & goes_on)
            if further.size:
                numbers[further] = self._learn(self._there, further)
            found[part] = numbers
        self._successors.extend(found.reshape(len(states), count))

    def certificate(self, world: str) -> Certificate:
        """Return what follows, all states being expanded."""
        table = np.array(self._successors)
        ours, theirs = self._foresight.choices
        winning: NDArray[np.bool_] = np.ones(len(table), np.bool_)
        counts: list[int] = []
        while True:
            good = np.where(table >= 0, winning[np.maximum(table, 0)], table == ENDED)
            joint = np.ones((len(table), len(self._actions)), np.bool_)
            for branch, pair in enumerate(self._branches.pair):
                joint[:, pair] &= good[:, branch]
            following = np.any(np.all(joint.reshape(len(table), ours, theirs), axis=2), axis=1)
            if counts and (following == winning).all():
                break
            winning = following
            counts.append(int(winning.sum()))
        doomed = [
            Snapshot(world, {path: array[0].copy() for path, array in self._rows[state].items()})
            for state in np.flatnonzero(~winning)
        ]
        return Certificate(
            True, len(table), tuple(counts), len(counts), bool(winning[0]), doomed
        )  # fmt: skip
