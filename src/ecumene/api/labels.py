"""Read labels out of the arrays of a simulation, as sets and as costs."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import Simulation

UNSAFE = "unsafe"
_MOST_SETS_KEPT = 4096


def cost_fn(labels: Iterable[str]) -> float:
    """Return the cost of a set of labels: 1.0 if ``"unsafe"`` is among them, else 0.0."""
    return 1.0 if UNSAFE in labels else 0.0


def cost_arrays(
    propositions: tuple[str, ...], labels: dict[str, NDArray[np.bool_]]
) -> dict[str, NDArray[np.float64]]:
    """Return `cost_fn` of labels in arrays: group -> ``float64[copy, agent]``."""
    if UNSAFE not in propositions:
        return {name: np.zeros(held.shape[:2]) for name, held in labels.items()}
    at = propositions.index(UNSAFE)
    return {name: held[:, :, at].astype(np.float64) for name, held in labels.items()}


def told(output: Any) -> NDArray[np.bool_]:
    """Return who was told anything by the last step: the live and those that ended in it."""
    return output.alive | output.terminated | output.truncated


class SetMaker:
    """Turns rows of truth values into frozensets of names; equal rows share one set."""

    def __init__(self, propositions: tuple[str, ...]) -> None:
        self._propositions = propositions
        self._known: dict[bytes, frozenset[str]] = {}

    def __call__(self, row: NDArray[np.bool_]) -> frozenset[str]:
        """Return the names of the propositions that a row marks."""
        key = row.tobytes()
        held = self._known.get(key)
        if held is None:
            if len(self._known) >= _MOST_SETS_KEPT:
                self._known.clear()
            held = frozenset(self._propositions[i] for i in np.flatnonzero(row))
            self._known[key] = held
        return held


class LabelReader:
    """Returns the labels of any copy of a simulation by agent."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._make = SetMaker(simulation.spec.propositions)

    def read(self, copy: int = 0, fresh: bool = True) -> dict[str, frozenset[str]]:
        """Return what holds of each agent that the last step (or reset) told anything.

        Parameters
        ----------
        copy
            The copy.
        fresh
            False: take the arrays as the last call of ``Simulation.labels`` left them.
        """
        simulation = self._simulation
        arrays = simulation.labels() if fresh else simulation.label
        labels = {}
        for group in simulation.spec.groups:
            rows = arrays[group.name][copy]
            output = simulation.out[group.name]
            live = output.alive[copy].tolist()
            heard = live if all(live) else told(output)[copy].tolist()
            for i, name in enumerate(group.agents):
                if heard[i]:
                    labels[name] = self._make(rows[i])
        return labels
