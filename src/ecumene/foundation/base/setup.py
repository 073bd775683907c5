"""Checks of an environment's constructor arguments."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ecumene.foundation.base.base_component import component_registry
from ecumene.foundation.base.errors import ensure
from ecumene.foundation.base.parameters import whole


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def sequence(name: str, value: Any) -> Sequence[Any]:
    """Check that a parameter is a list or tuple."""
    ensure(isinstance(value, list | tuple), f"{name} is a list, not {value!r}.")
    return value


def agents(name: str, value: Any) -> int:
    """Check a number of mobile agents."""
    return whole(name, value, 2)


def at_least_one(name: str, value: Any) -> int:
    """Check a number that counts from 1 after truncation to an integer."""
    number = _is_integer(value) or isinstance(value, float | np.floating)
    ensure(number and value == value and value >= 1, f"{name} is at least 1, not {value!r}.")
    return int(value)


def world_size(value: Any) -> list[int]:
    """Check ``[height, width]``."""
    sides = list(sequence("world_size", value))
    ensure(
        len(sides) == 2 and all(_is_integer(side) and side >= 1 for side in sides),
        f"world_size is [height, width], two integers from 1 up, not {value!r}.",
    )
    return [int(side) for side in sides]


def component(value: Any) -> tuple[str, dict[str, Any]]:
    """Check one entry of `components` and return (name, kwargs)."""
    if isinstance(value, Mapping):
        pairs = list(value.items())
    else:
        pairs = [value] if isinstance(value, list | tuple) and len(value) == 2 else []
    ensure(
        len(pairs) == 1 and isinstance(pairs[0][0], str) and isinstance(pairs[0][1], Mapping),
        'components: a component is ("Name", {kwargs}) or {"Name": {kwargs}}, '
        f"not {value!r}.",
    )
    return pairs[0][0], dict(pairs[0][1])


def component_class(name: str) -> Any:
    """Return the component class registered under a name."""
    return component_registry.get(name)
