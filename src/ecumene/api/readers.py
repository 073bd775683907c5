"""Read what one agent is told out of the arrays of a simulation, as fresh objects."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces

from ecumene.engine import Group, Output


def observation_reader(output: Output, copy: int, i: int) -> Callable[[], Any]:
    """Return a function that returns a fresh observation of agent `i` of a group."""
    return _reader(output.observation, copy, i)


def mask_reader(group: Group, output: Output, copy: int, i: int) -> Callable[[], Any]:
    """Return a function that returns a fresh action mask, as `space.sample(mask)` takes it."""
    mask = output.action_mask[copy, i]
    if isinstance(group.action_space, spaces.Discrete):
        return mask.copy
    return partial(_copy_parts, np.split(mask, np.cumsum(group.action_sizes)[:-1]))


def crowd_reader(output: Output, copy: int) -> Callable[[Any], list[Any]]:
    """Return a function that returns the fresh observations of many agents of a group at once.

    It takes their indices, or a slice. The observations of one call share a block of memory,
    which takes a fraction of the time that as many arrays of their own would.
    """
    return partial(_rows, output.observation, copy)


def _rows(arrays: Any, copy: int, chosen: Any) -> list[Any]:
    if isinstance(arrays, dict):
        parts = [_rows(part, copy, chosen) for part in arrays.values()]
        return [dict(zip(arrays, row, strict=True)) for row in zip(*parts, strict=True)]
    block = arrays[copy][chosen]  # a copy unless chosen is a slice
    return list(block.copy() if isinstance(chosen, slice) else block)


def _reader(arrays: Any, copy: int, i: int) -> Callable[[], Any]:
    if isinstance(arrays, dict):
        return partial(_call_each, {name: _reader(part, copy, i) for name, part in arrays.items()})
    return arrays[copy, i, ...].copy


def _call_each(readers: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    return {name: read() for name, read in readers.items()}


def _copy_parts(parts: list[Any]) -> tuple[Any, ...]:
    return tuple(part.copy() for part in parts)
