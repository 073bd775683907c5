"""Read the labels of many copies as sets, for predicates that are written for sets."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.api.labels import LabelReader, told
from ecumene.api.readers import observation_reader
from ecumene.engine import Simulation

LabelFns = Mapping[str, Callable[[Any], Any]]


def labels_in_copies(
    simulation: Simulation, copies: NDArray[np.bool_], label_fns: LabelFns | None
) -> list[dict[str, frozenset[str]]]:
    """Return the labels of every chosen copy by agent, for agents that were told anything.

    Parameters
    ----------
    simulation
        Copies of a world.
    copies
        The chosen ones, ``bool[copies]``.
    label_fns
        Agent -> function observation -> labels. None: the world's own labels.
    """
    chosen = np.flatnonzero(copies).tolist()
    if label_fns is None:
        simulation.labels(copies)
        reader = LabelReader(simulation)
        return [reader.read(copy, fresh=False) for copy in chosen]
    simulation.observe(copies)
    return [_by_functions(simulation, copy, label_fns) for copy in chosen]


def _by_functions(
    simulation: Simulation, copy: int, label_fns: LabelFns
) -> dict[str, frozenset[str]]:
    labels = {}
    for group in simulation.spec.groups:
        output = simulation.out[group.name]
        heard = told(output)[copy].tolist()
        for i, name in enumerate(group.agents):
            if heard[i]:
                seen = observation_reader(output, copy, i)()
                labels[name] = frozenset(label_fns[name](seen))
    return labels
