"""Policies that need no learning: random and idle, for whole batches."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import Group

Actions = dict[str, NDArray[np.int64]]


def random_actions(
    masks: Mapping[str, NDArray[np.int8]], groups: Iterable[Group], generator: np.random.Generator
) -> Actions:
    """Draw every agent's action uniformly among those its mask allows.

    Parameters
    ----------
    masks
        Group -> ``int8[copies, agents, sum of choices]``; each part of an action has at least
        one choice allowed.
    groups
        The groups to draw for.
    generator
        Where the draws come from.

    Returns
    -------
    dict
        Group -> integers ``[copies, agents]``, or ``[copies, agents, parts]`` for
        `MultiDiscrete`.
    """
    return {group.name: _draw(masks[group.name], group, generator) for group in groups}


def _draw(
    mask: NDArray[np.int8], group: Group, generator: np.random.Generator
) -> NDArray[np.int64]:
    draws = generator.random((*mask.shape[:2], len(group.action_sizes)))
    actions = np.empty(draws.shape, np.int64)
    first = 0
    for part, size in enumerate(group.action_sizes.tolist()):
        allowed = mask[:, :, first : first + size].cumsum(axis=2, dtype=np.int64)
        rank = (draws[:, :, part] * allowed[:, :, -1]).astype(np.int64)
        actions[:, :, part] = (allowed <= rank[:, :, None]).sum(axis=2)
        first += size
    return actions.reshape(*mask.shape[:2], *group.action_shape)


def noop_actions(groups: Iterable[Group], copies: int) -> Actions:
    """Return action 0 (in every part) for every agent: group -> integers."""
    return {
        group.name: np.zeros((copies, len(group.agents), *group.action_shape), np.int64)
        for group in groups
    }
