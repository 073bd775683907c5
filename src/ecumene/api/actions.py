"""Check one agent's action and turn it into integers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces

from ecumene.engine import Group, InvalidAction
from ecumene.engine.check import as_index
from ecumene.engine.simulation import describe_refusal

NOTHING_STEPPED = "Nothing was stepped."


def action_parser(group: Group) -> Callable[[str, Any], Any]:
    """Return the function ``(agent, action) -> int or list of ints`` that fits a group.

    It raises `InvalidAction` for an action of a wrong type or outside its space.
    """
    if isinstance(group.action_space, spaces.Discrete):
        return partial(_parse_discrete, group, int(group.action_sizes[0]))
    return partial(_parse_multi_discrete, group, group.action_sizes.tolist())


def _parse_discrete(group: Group, size: int, agent: str, action: Any) -> int:
    if type(action) is not int:
        action = _index(group, agent, action)
    if 0 <= action < size:
        return action
    raise _outside(group, agent, action)


def _index(group: Group, agent: str, action: Any) -> int:
    index = as_index(action)
    if index is None:
        raise _wrong_type(group, agent, action)
    return index


def _parse_multi_discrete(group: Group, sizes: list[int], agent: str, action: Any) -> list[int]:
    try:
        given = np.asarray(action)
    except (ValueError, TypeError):  # ragged
        raise _wrong_type(group, agent, action) from None
    mixed = isinstance(action, list | tuple) and any(
        isinstance(part, bool | np.bool_) for part in action
    )
    if given.dtype.kind not in "iu" or given.shape != (len(sizes),) or mixed:
        raise _wrong_type(group, agent, action)
    parts = given.tolist()
    for part, size in zip(parts, sizes, strict=True):
        if not 0 <= part < size:
            raise _outside(group, agent, parts)
    return parts


def _outside(group: Group, agent: str, action: Any) -> InvalidAction:
    return InvalidAction(f"{agent}: action {describe_refusal(group, action)} {NOTHING_STEPPED}")


def _wrong_type(group: Group, agent: str, action: Any) -> InvalidAction:
    if isinstance(group.action_space, spaces.Discrete):
        allowed = f"an integer in 0..{group.action_sizes[0] - 1}"
    else:
        allowed = f"{len(group.action_sizes)} integers, a list, tuple or array"
    given = f"{type(action).__name__} {action!r}"
    return InvalidAction(f"{agent}: an action is {allowed}, not the {given}. {NOTHING_STEPPED}")
