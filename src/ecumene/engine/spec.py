"""What a world looks like from outside: its groups of agents and their spaces."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray


@dataclass(frozen=True)
class Group:
    """Agents that share their spaces.

    Parameters
    ----------
    name
        Key of the group in the arrays of a batch.
    agents
        Names of the agents, in the order of the agent axis.
    observation_space, action_space
        Spaces of one agent; actions are `Discrete` or `MultiDiscrete`.
    action_names
        Names of the actions; for `MultiDiscrete`, of each part in turn.
    channel_names
        Names of the channels of the observation, where it has channels.
    """

    name: str
    agents: tuple[str, ...]
    observation_space: spaces.Space[Any]
    action_space: spaces.Discrete | spaces.MultiDiscrete
    action_names: tuple[str, ...] = ()
    channel_names: tuple[str, ...] = ()

    @cached_property
    def action_sizes(self) -> NDArray[np.int64]:
        """Number of choices of each part of an action (one part for `Discrete`)."""
        if isinstance(self.action_space, spaces.Discrete):
            return np.array([self.action_space.n], np.int64)
        return np.asarray(self.action_space.nvec, np.int64)

    @property
    def action_shape(self) -> tuple[int, ...]:
        """Shape of one agent's action: ``()`` or ``(parts,)``."""
        return self.action_space.shape or ()


@dataclass(frozen=True)
class Spec:
    """Identity, length and groups of a world.

    Parameters
    ----------
    id
        Registered id, such as ``"matrix/chicken-v0"``.
    horizon
        Number of steps after which an episode is truncated.
    groups
        Groups of agents in fixed order.
    parameters
        Every constructor parameter with its value.
    propositions
        What labels can say of an agent, in the order of the label arrays; `"unsafe"` is what costs.
    """

    id: str
    horizon: int
    groups: tuple[Group, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    propositions: tuple[str, ...] = ()

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """Names of all agents, group after group."""
        return tuple(agent for group in self.groups for agent in group.agents)

    @cached_property
    def place(self) -> dict[str, tuple[Group, int]]:
        """Group and index within it of every agent."""
        return {name: (group, i) for group in self.groups for i, name in enumerate(group.agents)}


class Output(NamedTuple):
    """What the agents of one group are told; first axis the copy, second the agent.

    observation: array, or dict of arrays for a `Dict` space.
    action_mask: int8[copy, agent, sum of choices]; 1 = allowed.
    reward: float[copy, agent].
    terminated, truncated, alive: bool[copy, agent].
    """

    observation: Any
    action_mask: NDArray[np.int8]
    reward: NDArray[np.floating]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    alive: NDArray[np.bool_]


def allocate_output(
    group: Group, copies: int, observation: Any = None, reward_dtype: Any = np.float64
) -> Output:
    """Allocate the arrays of one group; a mask starts with everything allowed."""
    shape = (copies, len(group.agents))
    if observation is None:
        observation = allocate_observation(group.observation_space, shape)
    return Output(
        observation,
        np.ones((*shape, int(group.action_sizes.sum())), np.int8),
        np.zeros(shape, reward_dtype),
        np.zeros(shape, np.bool_),
        np.zeros(shape, np.bool_),
        np.zeros(shape, np.bool_),
    )


def allocate_observation(space: spaces.Space[Any], shape: tuple[int, ...]) -> Any:
    """Allocate an array (or dict of arrays) of observations with the given leading shape."""
    if isinstance(space, spaces.Dict):
        return {name: allocate_observation(part, shape) for name, part in space.items()}
    return np.zeros((*shape, *space.shape), space.dtype)  # type: ignore[misc]
