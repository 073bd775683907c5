"""Checks of what comes in at the door: parameters of constructors, and actions."""

import operator
from numbers import Integral, Real
from typing import Any

import numpy as np

from ecumene.engine.errors import InvalidParameter


def integer(name: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    """Return an integer parameter as an int, or raise `InvalidParameter` naming it."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise InvalidParameter(f"{name} is an integer, not {value!r}.")
    _in_range(name, value, least, most)
    return int(value)


def number(name: str, value: Any, least: float | None = None, most: float | None = None) -> float:
    """Return a real parameter as a float, or raise `InvalidParameter` naming it."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real) or value != value:
        raise InvalidParameter(f"{name} is a number, not {value!r}.")
    _in_range(name, value, least, most)
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


def _in_range(name: str, value: Any, least: float | None, most: float | None) -> None:
    if (least is not None and value < least) or (most is not None and value > most):
        bounds = f"from {least} up" if most is None else f"in {least}..{most}"
        raise InvalidParameter(f"{name} is {bounds}, not {value}.")
