"""Checks of what comes in at the door: parameters of constructors, and actions."""

import math
import operator
from numbers import Integral, Real
from typing import Any

import numpy as np

from ecumene.engine.errors import InvalidParameter


def integer(name: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    """Return an integer parameter as an int, or raise `InvalidParameter` naming it."""
    whole = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
    if not whole or not _within(value, least, most):
        raise InvalidParameter(f"{name} is an integer{_range(least, most)}, not {value!r}.")
    return int(value)


def number(name: str, value: Any, least: float | None = None, most: float | None = None) -> float:
    """Return a real parameter as a float, or raise `InvalidParameter` naming it."""
    real = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not real or not math.isfinite(value) or not _within(value, least, most):
        raise InvalidParameter(f"{name} is a finite number{_range(least, most)}, not {value!r}.")
    return float(value)


def flag(name: str, value: Any) -> bool:
    """Return a boolean parameter, or raise `InvalidParameter` naming it."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidParameter(f"{name} is True or False, not {value!r}.")
    return bool(value)


def one_of(name: str, value: Any, choices: tuple[Any, ...]) -> Any:
    """Return a parameter that is one of a few values, or raise `InvalidParameter` naming it."""
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise InvalidParameter(f"{name} is one of {listed}, not {value!r}.")
    return value


def as_index(value: Any) -> int | None:
    """Return a value as an int if it is one integer, else None.

    Integers of Python and NumPy, members of an `IntEnum`, 0-d arrays and scalars of other libraries
    are; bools, floats and arrays that happen to hold one element are not.
    """
    if type(value) is int:
        return value
    dtype = getattr(value, "dtype", None)
    is_bool = isinstance(value, bool) or (dtype is not None and "bool" in str(dtype))
    if is_bool or getattr(value, "shape", ()) != ():
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def _within(value: Any, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


def _range(least: float | None, most: float | None) -> str:
    if most is not None:
        return f" in {least}..{most}" if least is not None else f" up to {most}"
    return f" from {least} up" if least is not None else ""
