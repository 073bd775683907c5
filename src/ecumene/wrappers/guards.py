"""Conditions on labels, built of propositions with ``&``, ``|`` and ``~``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Read = Callable[[str], NDArray[np.bool_]]


@dataclass(frozen=True)
class Guard:
    """A condition on labels.

    Parameters
    ----------
    names
        Propositions it reads.
    evaluate
        Takes a function name -> truth values, and returns truth values.
    """

    names: frozenset[str]
    evaluate: Callable[[Read], Any]

    def __and__(self, other: "Guard") -> "Guard":
        return Guard(
            self.names | other.names, lambda read: self.evaluate(read) & other.evaluate(read)
        )

    def __or__(self, other: "Guard") -> "Guard":
        return Guard(
            self.names | other.names, lambda read: self.evaluate(read) | other.evaluate(read)
        )

    def __invert__(self) -> "Guard":
        return Guard(self.names, lambda read: ~self.evaluate(read))


def holds(name: str) -> Guard:
    """Return the condition that a label holds."""
    return Guard(frozenset({name}), lambda read: read(name))


always = Guard(frozenset(), lambda read: np.True_)
"""The condition that is always met."""
