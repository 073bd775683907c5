"""Measures of a society's wealth."""

import numpy as np
from numpy.typing import ArrayLike

from ecumene.foundation.rules import scoring


def _sorted(endowments: ArrayLike) -> np.ndarray:
    return np.sort(np.asarray(endowments, np.float64))


def get_gini(endowments: ArrayLike) -> float:
    """Return the normalised Gini index: 0 = equal, 1 = one agent has everything.

    From 30 agents on another formula is used than below, as documented for these economies. It
    jumps there, and it calls thirty agents with nothing at all fully unequal. `consistent_gini` is
    the index without these oddities.

    Parameters
    ----------
    endowments
        One number per agent, not negative.
    """
    return float(scoring.gini(_sorted(endowments)))


def consistent_gini(endowments: ArrayLike) -> float:
    """Return the normalised Gini index by one formula for any number of agents.

    0 where everybody has the same (nothing included), 1 where one agent has everything.

    Raises
    ------
    ValueError
        For a negative endowment, for which the index means nothing.
    """
    ordered = _sorted(endowments)
    if ordered.size and ordered[0] < 0:
        raise ValueError(f"the Gini index is of endowments from 0 up, not {ordered[0]}.")
    return float(scoring.consistent_gini(ordered))


def get_equality(endowments: ArrayLike) -> float:
    """Return ``1 - get_gini(endowments)``."""
    return 1 - get_gini(endowments)


def get_productivity(coin_endowments: ArrayLike) -> float:
    """Return the sum of all coin."""
    return float(np.sum(np.asarray(coin_endowments, np.float64)))
