"""Joint actions as rows of numbers, whatever the groups of a world and the parts of an action."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene.api.actions import action_parser
from ecumene.engine import InvalidParameter, Spec

Rows = NDArray[np.int64]


class JointActions:
    """The joint actions of a world: one column for each agent, in the order of ``spec.agents``.

    An action of several parts is one number, its last part counting fastest.

    Attributes
    ----------
    sizes
        Number of actions of each agent.
    """

    def __init__(self, spec: Spec) -> None:
        self._groups = spec.groups
        self.agents = spec.agents
        self.sizes = [
            int(np.prod(group.action_sizes)) for group in spec.groups for _ in group.agents
        ]
        self._columns = {}
        first = 0
        for group in spec.groups:
            self._columns[group.name] = slice(first, first + len(group.agents))
            first += len(group.agents)
        self._parsers = {
            name: (action_parser(group), group.action_sizes, self._is_plain(group))
            for group in spec.groups
            for name in group.agents
        }

    @staticmethod
    def _is_plain(group: Any) -> bool:
        return isinstance(group.action_space, spaces.Discrete)

    def count(self, agents: Sequence[int]) -> int:
        """Return how many joint actions some agents have together."""
        total = 1
        for agent in agents:
            total *= self.sizes[agent]
        return total

    def of_groups(self, actions: Mapping[str, Any]) -> Rows:
        """Return group -> integers ``[m, agents, ...]`` as rows."""
        columns = []
        for group in self._groups:
            given = np.asarray(actions[group.name], np.int64)
            if not self._is_plain(group):
                parts = np.moveaxis(given, -1, 0)
                given = np.ravel_multi_index(tuple(parts), tuple(group.action_sizes.tolist()))
            columns.append(given)
        return np.concatenate(columns, axis=1)

    def to_groups(self, rows: Rows) -> dict[str, Rows]:
        """Return rows as group -> integers ``[m, agents, ...]``."""
        actions = {}
        for group in self._groups:
            numbers = np.ascontiguousarray(rows[:, self._columns[group.name]])
            if not self._is_plain(group):
                sizes = tuple(group.action_sizes.tolist())
                numbers = np.stack(np.unravel_index(numbers, sizes), axis=-1)
            actions[group.name] = numbers
        return actions

    def parse(self, actions: Mapping[str, Any]) -> NDArray[np.int64]:
        """Return one joint action given by agent as a row; agents without one have 0.

        Raises
        ------
        InvalidAction
            For an action of a wrong type or out of range.
        """
        row = np.zeros(len(self.agents), np.int64)
        for i, name in enumerate(self.agents):
            if name in actions:
                parse, sizes, plain = self._parsers[name]
                given = parse(name, actions[name])
                row[i] = given if plain else np.ravel_multi_index(tuple(given), tuple(sizes))
        return row

    def unparse(self, agent: int, number: int) -> Any:
        """Return the action of an agent that a number stands for, as its space has it."""
        _, sizes, plain = self._parsers[self.agents[agent]]
        if plain:
            return int(number)
        return np.array(np.unravel_index(int(number), tuple(sizes)), np.int64)

    def allowed(
        self, masks: Mapping[str, NDArray[np.int8]], copies: Rows, agent: int
    ) -> NDArray[np.bool_]:
        """Return which actions the mask of an agent allows in some copies: ``bool[m, action]``."""
        for group in self._groups:
            columns = self._columns[group.name]
            if columns.start <= agent < columns.stop:
                mask = masks[group.name][copies, agent - columns.start] != 0
                if self._is_plain(group):
                    return mask
                return _all_parts(mask, group.action_sizes.tolist())
        raise InvalidParameter(f"there is no agent {agent}.")

    def everything(self, agents: Sequence[int]) -> Rows:
        """Return every combination of actions of some agents, the last one's counting fastest."""
        ranges = [range(self.sizes[agent]) for agent in agents]
        return np.array(list(itertools.product(*ranges)), np.int64).reshape(-1, len(agents))

    def index_of(self, name: str) -> int:
        """Return the column of an agent."""
        if name not in self.agents:
            raise InvalidParameter(f"there is no agent {name!r}; they are {self.agents}.")
        return self.agents.index(name)


def _all_parts(mask: NDArray[np.bool_], sizes: list[int]) -> NDArray[np.bool_]:
    """Return which combinations of parts are allowed, from what is allowed of each part."""
    allowed = np.ones((len(mask), 1), np.bool_)
    first = 0
    for size in sizes:
        part = mask[:, first : first + size]
        allowed = (allowed[:, :, None] & part[:, None, :]).reshape(len(mask), -1)
        first += size
    return allowed
