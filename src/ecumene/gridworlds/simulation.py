"""What the simulations of all gridworlds have in common."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene import drawing
from ecumene.engine import Group, InvalidParameter, Simulation, Spec, allocate_output, check
from ecumene.gridworlds import board, observation

GROUP = "players"

Rule = Callable[..., object]


def player_names(count: int) -> tuple[str, ...]:
    """Return ``player_0``, ``player_1``, ..."""
    return tuple(f"player_{i}" for i in range(count))


class GridSimulation(Simulation):
    """Copies of a board that every agent sees whole.

    A world assigns `state`, a named tuple with at least ``cell[copy, agent]`` (-1 = not on the
    board), ``event[copy, agent]`` (bits: what happened in the last step), `num_moves` and
    `stream`; and names its rules with their arguments.

    Parameters
    ----------
    size
        Rows and columns.
    agents
        Number of agents.
    channels
        Names of the channels of the observation.
    actions
        Names of the actions.
    propositions
        What labels can say.
    slots
        Most ones that move about in an observation; see `observation`.
    fixed
        Channels that never change: name -> cells.
    parameters
        Every parameter of the world; `max_moves` and `flatten_observations` are checked here.
    """

    id: ClassVar[str]
    #: Names of the items of a state tuple, between `agents` and `rng_state`.
    state_fields: ClassVar[tuple[str, ...]]
    #: Dtype of the observations.
    dtype: ClassVar[type] = np.uint8
    incidental = frozenset({"stream", "num_moves", "event"})

    def __init__(
        self,
        copies: int,
        num_threads: int | None,
        size: tuple[int, int],
        agents: int,
        channels: Sequence[str],
        actions: Sequence[str],
        propositions: Sequence[str],
        slots: int,
        parameters: Mapping[str, Any],
        fixed: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(copies, num_threads)
        self.rows, self.columns = size
        self.num_agents = agents
        self.horizon = check.integer("max_moves", parameters["max_moves"], 1)
        flat = check.flag("flatten_observations", parameters["flatten_observations"])
        shape = (*size, len(channels))
        group = Group(
            GROUP,
            player_names(agents),
            spaces.Box(0, 1, (int(np.prod(shape)),) if flat else shape, self.dtype),
            spaces.Discrete(len(actions)),
            tuple(actions),
            tuple(channels),
        )
        self.spec = Spec(self.id, self.horizon, (group,), dict(parameters), tuple(propositions))
        self.out = {GROUP: allocate_output(group, self.copies)}
        template = np.zeros((self.rows * self.columns, len(channels)), np.bool_)
        for name, cells in (fixed or {}).items():
            template[list(cells), list(channels).index(name)] = True
        self.scene = observation.allocate(self.copies, agents, slots, template.ravel())

    # Rules.

    @abstractmethod
    def _begin_call(self) -> tuple[Rule, tuple[Any, ...]]:
        """Return the rule that starts an episode, with its arguments up to `lo` and `hi`."""

    @abstractmethod
    def _step_call(self) -> tuple[Rule, tuple[Any, ...]]:
        """Return the rule of a step."""

    @abstractmethod
    def _observe_call(self) -> tuple[Rule, tuple[Any, ...]]:
        """Return the rule that writes observations and masks."""

    @abstractmethod
    def _label_call(self) -> tuple[Rule, tuple[Any, ...]]:
        """Return the rule that writes labels."""

    def begin_copies(self, lo: int, hi: int) -> None:
        """Start a new episode."""
        rule, arguments = self._begin_call()
        rule(*arguments, lo, hi)

    def step_copies(self, lo: int, hi: int) -> None:
        """Play one step."""
        rule, arguments = self._step_call()
        rule(*arguments, lo, hi)

    def observe_copies(self, lo: int, hi: int) -> None:
        """Write observations and masks."""
        rule, arguments = self._observe_call()
        rule(*arguments, lo, hi)

    def label_copies(self, lo: int, hi: int) -> None:
        """Write labels."""
        rule, arguments = self._label_call()
        rule(*arguments, lo, hi)

    def rule_calls(self) -> list[tuple[Rule, tuple[Any, ...]]]:
        """Return the rules with their arguments."""
        calls = (self._begin_call(), self._step_call(), self._observe_call())
        return [(rule, (*arguments, 0, self.copies)) for rule, arguments in calls]

    def _flags(self) -> tuple[NDArray[Any], ...]:
        """Return `num_moves`, `event` and the outputs that a step writes."""
        out = self.out[GROUP]
        state = self.state
        return state.num_moves, state.event, out.reward, out.terminated, out.truncated, out.alive

    def _view(self) -> tuple[NDArray[Any], ...]:
        """Return what `observation.show` takes, from the template on."""
        out = self.out[GROUP]
        seen = out.observation.reshape(self.copies, self.num_agents, -1)
        return *self.scene, out.alive, out.terminated, out.truncated, seen, out.action_mask

    def _held(self) -> tuple[NDArray[Any], ...]:
        """Return who is told anything by way of flags, and the labels to write."""
        out = self.out[GROUP]
        return out.alive, out.terminated, out.truncated, self.label[GROUP]

    # The whole board.

    def global_state(self, copy: int) -> NDArray[Any]:
        """Return what every agent sees, whether or not one is left to see it."""
        seen = self.scene.template.astype(self.dtype)
        ones = self.scene.drawn[copy]
        seen[ones[ones >= 0]] = 1
        return seen.reshape(self.global_state_space.shape or ())

    @property
    def global_state_space(self) -> spaces.Space[Any]:
        """The observation space."""
        return self.spec.groups[0].observation_space

    def positions(self, copy: int) -> tuple[board.Cell | None, ...]:
        """Return the cell of each agent as (row, column), None where it is on none."""
        columns = self.columns
        return tuple(board.place(cell, columns) for cell in self.state.cell[copy].tolist())

    def _position_array(self) -> NDArray[np.int64]:
        """Return ``[copy, agent, 2]``, row and column, both -1 where an agent is on no cell."""
        cell = self.state.cell
        place = np.stack(np.divmod(cell, self.columns), axis=2)
        place[cell < 0] = -1
        return place

    def _happened(self, bits: Mapping[str, int]) -> dict[str, NDArray[np.bool_]]:
        """Return the named events of the last step, ``bool[copy, agent]`` each."""
        return {name: (self.state.event & bit) != 0 for name, bit in bits.items()}

    # State tuples.

    @abstractmethod
    def read_state(self, copy: int) -> tuple[Any, ...]:
        """Return the values of `state_fields` for one copy."""

    @abstractmethod
    def parse_state(self, live: tuple[bool, ...], *fields: Any) -> dict[str, Any]:
        """Check the values of `state_fields`; return array -> what it holds for the copy."""

    def _parse_positions(
        self, live: tuple[bool, ...], positions: Any, name: str = "agent_pos"
    ) -> list[int]:
        """Check a tuple of cells or None, one per agent; only agents that are not live may be None.

        Unless the world says more, all are None (before the first reset) or none is.
        """
        if not isinstance(positions, tuple | list) or len(positions) != self.num_agents:
            raise InvalidParameter(
                f"{name} is a tuple of {self.num_agents} cells or None, not {positions!r}."
            )
        for agent, alive, position in zip(self.spec.agents, live, positions, strict=True):
            if alive and position is None:
                raise InvalidParameter(f"{name}: {agent} is live and so on a cell, not None.")
        return [
            board.NOWHERE
            if each is None
            else board.cell(f"{name}[{i}]", each, self.rows, self.columns)
            for i, each in enumerate(positions)
        ]

    def _parse_counts(self, name: str, values: Any, most: int) -> list[int]:
        """Check a tuple of integers in 0..most, one per agent."""
        if not isinstance(values, tuple | list) or len(values) != self.num_agents:
            raise InvalidParameter(
                f"{name} is a tuple of {self.num_agents} integers, not {values!r}."
            )
        return [check.integer(f"{name}[{i}]", value, 0, most) for i, value in enumerate(values)]

    def _parse_together(self, live: tuple[bool, ...]) -> None:
        """Check that either all agents are live or none is."""
        if len(set(live)) > 1:
            raise InvalidParameter(f"agents is {self.spec.agents} or (): all end together.")

    def place(self, copy: int, live: tuple[bool, ...], arrays: Mapping[str, Any]) -> None:
        """Put one copy where `parse_state` says; its clock stays as it is."""
        for name, value in arrays.items():
            getattr(self.state, name)[copy] = value
        self.state.event[copy] = 0
        out = self.out[GROUP]
        for flags in (out.reward, out.terminated, out.truncated):
            flags[copy] = 0
        out.alive[copy] = live
        self.started[copy] = True
        self._observe_one(copy)

    # Labels of an observation.

    @abstractmethod
    def decode(self, seen: NDArray[np.bool_]) -> dict[str, Any]:
        """Return array -> what it holds of a board ``[row, column, channel]``, for one copy.

        What no observation shows is 0.
        """

    def labels_of(self, seen: Any) -> NDArray[np.bool_]:
        """Return the labels that an observation shows, ``bool[agent, proposition]``.

        The first copy is changed for it.
        """
        shape = (self.rows, self.columns, len(self.spec.groups[0].channel_names))
        array = np.asarray(seen)
        if array.shape not in (shape, (int(np.prod(shape)),)):
            raise InvalidParameter(
                f"an observation of {self.id} has shape {shape}, or is flat, not {array.shape}."
            )
        self.place(0, (True,) * self.num_agents, self.decode(array.reshape(shape) != 0))
        return self.labels()[GROUP][0]

    def _cell_of(self, seen: NDArray[np.bool_], channel: int) -> int:
        """Return the first cell of which a channel is 1, or -1."""
        cells = np.flatnonzero(seen[:, :, channel])
        return int(cells[0]) if cells.size else board.NOWHERE

    # Pictures.

    def frame(self, copy: int) -> NDArray[np.uint8]:
        """Return a picture of the board with a line of text below it."""
        picture = drawing.Board(self.rows, self.columns)
        self.draw(picture, copy)
        return drawing.captioned(picture.pixels, (self._caption(copy),), width=168)

    def text(self, copy: int) -> str:
        """Return the board in coloured characters."""
        picture = drawing.TextBoard(self.rows, self.columns)
        self.draw_text(picture, copy)
        return "\n".join([*picture.lines(), self._caption(copy)])

    @abstractmethod
    def draw(self, picture: drawing.Board, copy: int) -> None:
        """Draw what is on the board."""

    @abstractmethod
    def draw_text(self, picture: drawing.TextBoard, copy: int) -> None:
        """Draw what is on the board in characters."""

    def _caption(self, copy: int) -> str:
        return f"step {self.state.num_moves[copy]}"

    def grid(self, cells: Any) -> NDArray[np.int64]:
        """Return cells as ``[count, 2]`` (row, column); negative ones stay negative."""
        numbers = np.asarray(cells, np.int64).reshape(-1)
        places = np.stack(np.divmod(numbers, self.columns), axis=1)
        places[numbers < 0] = -1
        return places
