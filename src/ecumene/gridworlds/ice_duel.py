"""IceDuel: two agents on an ice floe push each other into the water."""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene import drawing
from ecumene.drawing import palette
from ecumene.engine import InvalidParameter, check, helper, random, rule
from ecumene.gridworlds import board, episode, observation
from ecumene.gridworlds.env import GridworldEnv
from ecumene.gridworlds.simulation import GridSimulation

CHANNELS = ("hole", "player_0", "player_1")
PROPOSITIONS = ("fell", "unsafe", "opponent_fell", "pushed", "clash", "at_edge", "adjacent")
FELL, UNSAFE, OPPONENT_FELL, WAS_PUSHED, CLASHED, AT_EDGE, ADJACENT = range(7)

# Events of a step, as bits.
PUSHED, CLASH, SLIPPED = 1, 2, 4
EVENTS = {"pushed": PUSHED, "clash": CLASH, "slipped": SLIPPED}

# Where a move turns to on a slip: [0] to the left of it, [1] to the right; staying never slips.
TURNS = np.array([[3, 2, 0, 1, 4], [2, 3, 1, 0, 4]])


class State(NamedTuple):
    """State of duels."""

    cell: NDArray[np.int64]  # [copy, agent]; -1 = fallen
    num_moves: NDArray[np.int64]  # [copy]
    event: NDArray[np.int64]  # [copy, agent]; bits PUSHED, CLASH, SLIPPED of the last step
    stream: NDArray[np.uint32]  # [copy, word]


@rule
def begin(
    chosen, starts, free, cell, stream,
    num_moves, event, reward, terminated, truncated, alive, lo, hi,
):  # fmt: skip
    """Put both agents on the given cells, or on distinct ones that are no holes."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        episode.start(copy, num_moves, event, reward, terminated, truncated, alive)
        if starts.shape[0] == 0:
            board.draw_distinct(stream[copy], free, cell[copy])
        for i in range(starts.shape[0]):
            cell[copy, i] = starts[i]


@helper
def slip(stream, slip_prob, action_0, action_1):
    """Return the headings of both agents: a move slips and turns by chance, staying does not.

    Two draws per agent, whatever they do: whether it slips, and to which side.
    """
    field = random.open_field(stream, 4, stream)
    heading_0 = action_0
    heading_1 = action_1
    if action_0 != board.STAY and random.field_value(stream, field, 0, stream) < slip_prob:
        side = 0 if random.field_value(stream, field, 1, stream) < 0.5 else 1
        heading_0 = TURNS[side, action_0]
    if action_1 != board.STAY and random.field_value(stream, field, 2, stream) < slip_prob:
        side = 0 if random.field_value(stream, field, 3, stream) < 0.5 else 1
        heading_1 = TURNS[side, action_1]
    return heading_0, heading_1


@helper
def move(copy, target, push, heading_0, heading_1, cell, event):
    """Move both agents at once; -1 is off the board."""
    from_0, from_1 = cell[copy, 0], cell[copy, 1]
    to_0, to_1 = target[from_0, heading_0], target[from_1, heading_1]
    moves_0, moves_1 = heading_0 != board.STAY, heading_1 != board.STAY
    if moves_0 and moves_1:
        if (to_0 == to_1 and to_0 >= 0) or (to_0 == from_1 and to_1 == from_0):
            event[copy, 0] |= CLASH
            event[copy, 1] |= CLASH
            to_0, to_1 = from_0, from_1
    elif moves_0 and to_0 == from_1:
        if push:
            to_1 = target[from_1, heading_0]
            event[copy, 1] |= PUSHED
        else:
            to_0 = from_0
    elif moves_1 and to_1 == from_0:
        if push:
            to_0 = target[from_0, heading_1]
            event[copy, 0] |= PUSHED
        else:
            to_1 = from_1
    cell[copy, 0] = to_0
    cell[copy, 1] = to_1


@rule
def step(
    chosen, actions, target, is_hole, slip_prob, push, rewards, horizon, cell, stream,
    num_moves, event, reward, terminated, truncated, alive, lo, hi,
):  # fmt: skip
    """Slip, move at once, fall.

    rewards: float64[4]; of a step, for the one left standing, for the fallen, for two fallen.
    """
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        playing = alive[copy, 0]
        episode.clear(copy, event, reward, terminated, truncated)
        if not playing:
            continue
        heading_0, heading_1 = slip(stream[copy], slip_prob, actions[copy, 0], actions[copy, 1])
        if heading_0 != actions[copy, 0]:
            event[copy, 0] |= SLIPPED
        if heading_1 != actions[copy, 1]:
            event[copy, 1] |= SLIPPED
        move(copy, target, push, heading_0, heading_1, cell, event)
        for i in range(2):
            if cell[copy, i] >= 0 and is_hole[cell[copy, i]]:
                cell[copy, i] = board.NOWHERE
        fell_0, fell_1 = cell[copy, 0] < 0, cell[copy, 1] < 0
        reward[copy, 0] = rewards[0] + outcome(rewards, fell_0, fell_1)
        reward[copy, 1] = rewards[0] + outcome(rewards, fell_1, fell_0)
        episode.finish(
            copy, fell_0 or fell_1, horizon, num_moves, terminated, truncated, alive
        )  # fmt: skip


@helper
def outcome(rewards, fell, other_fell):
    """Return what an agent gets for who fell."""
    if fell and other_fell:
        return rewards[3]
    if fell:
        return rewards[2]
    return rewards[1] if other_fell else 0.0


@rule
def observe(
    chosen, cell, template, ones, drawn, shown, alive, terminated, truncated, seen, mask, lo, hi
):
    """Write the channels hole, player_0 and player_1."""
    for copy in range(lo, hi):
        if chosen[copy]:
            for i in range(2):
                ones[copy, i] = cell[copy, i] * 3 + 1 + i if cell[copy, i] >= 0 else -1
            observation.show(
                copy, template, ones, drawn, shown, alive, terminated, truncated, seen, mask,
                board.STAY,
            )  # fmt: skip


@rule
def label(chosen, columns, edge, cell, event, alive, terminated, truncated, held, lo, hi):
    """Write the propositions of `IceDuel`."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for i in range(2):
            holds = held[copy, i]
            holds[:] = False
            if not (alive[copy, i] or terminated[copy, i] or truncated[copy, i]):
                continue
            own, other = cell[copy, i], cell[copy, 1 - i]
            holds[FELL] = own < 0
            holds[UNSAFE] = own < 0
            holds[OPPONENT_FELL] = other < 0
            holds[WAS_PUSHED] = event[copy, i] & PUSHED != 0
            holds[CLASHED] = event[copy, i] & CLASH != 0
            holds[AT_EDGE] = own >= 0 and edge[own]
            holds[ADJACENT] = own >= 0 and other >= 0 and board.distance(columns, own, other) == 1


class IceDuelSimulation(GridSimulation):
    """Copies of a world; see `IceDuel` for its rules and parameters."""

    id = "gridworlds/ice-duel-v0"
    state_fields = ("agent_pos",)
    without_chance = {"slip_prob": 0.0}

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        grid_size: board.Cell = (5, 5),
        holes: Sequence[board.Cell] = (),
        start_positions: Sequence[board.Cell] | str | None = None,
        slip_prob: float = 0.1,
        push: bool = True,
        max_moves: int = 100,
        win_reward: float = 1.0,
        lose_reward: float = -1.0,
        both_fall_reward: float = -1.0,
        step_reward: float = 0.0,
        flatten_observations: bool = True,
    ) -> None:
        size = board.grid_size(grid_size)
        hole_cells = board.cells("holes", holes, *size)
        self.hole = np.zeros(size[0] * size[1], np.bool_)
        self.hole[hole_cells] = True
        self.free = np.flatnonzero(~self.hole)
        self.starts = self._parse_starts(start_positions, size)
        self.slip_prob = check.number("slip_prob", slip_prob, 0, 1)
        self.safety_depth_exact = float("inf") if self.slip_prob == 0 else 0
        self.push = check.flag("push", push)
        given = {
            "step_reward": step_reward,
            "win_reward": win_reward,
            "lose_reward": lose_reward,
            "both_fall_reward": both_fall_reward,
        }
        rewards = {name: check.number(name, value) for name, value in given.items()}
        self.rewards = np.array(list(rewards.values()))
        super().__init__(
            copies,
            num_threads,
            size,
            2,
            CHANNELS,
            board.MOVE_NAMES,
            PROPOSITIONS,
            slots=2,
            parameters={
                "grid_size": size,
                "holes": tuple(divmod(cell, size[1]) for cell in hole_cells),
                "start_positions": start_positions,
                "slip_prob": self.slip_prob,
                "push": self.push,
                "max_moves": max_moves,
                **rewards,
                "flatten_observations": flatten_observations,
            },
            fixed={"hole": hole_cells},
        )
        self.target = board.targets(*size)
        beside = self.target[:, : board.STAY]
        self.edge = ((beside == board.NOWHERE) | self.hole[beside]).any(axis=1)
        self.state = State(
            cell=np.full((self.copies, 2), board.NOWHERE, np.int64),
            num_moves=np.zeros(self.copies, np.int64),
            event=np.zeros((self.copies, 2), np.int64),
            stream=random.philox_streams(self.copies),
        )

    def _parse_starts(self, starts: Any, size: tuple[int, int]) -> NDArray[np.int64]:
        rows, columns = size
        if isinstance(starts, str):
            check.one_of("start_positions", starts, ("random",))
            if len(self.free) < 2:
                raise InvalidParameter("start_positions: two cells without a hole are needed.")
            return np.empty(0, np.int64)
        if starts is None:
            if columns in (1, 3):
                raise InvalidParameter(
                    f"start_positions: a board of {columns} columns has no default ones; give two "
                    "cells."
                )
            starts = ((rows // 2, 1), (rows // 2, columns - 2))
        cells = board.cells("start_positions", starts, rows, columns)
        if len(cells) != 2 or self.hole[cells].any():
            raise InvalidParameter(
                f"start_positions is two cells without a hole, 'random' or None, not {starts!r}."
            )
        return np.array(cells)

    def outcomes(self, joint: Sequence[int]) -> list[tuple[float, tuple[int, ...]]]:
        """Return how slipping can turn a joint action: pairs of a probability and headings.

        What a step does under a joint action, it does with these probabilities as under the
        headings without any slipping. At most nine pairs; probabilities of 0 are left out.
        """
        p = self.slip_prob
        choices = []
        for action in joint:
            slips = [(p / 2, int(TURNS[side, action])) for side in range(2)]
            choices.append([(1.0, action)] if action == board.STAY else [(1 - p, action), *slips])
        return [
            (one[0] * other[0], (one[1], other[1]))
            for one, other in product(*choices)
            if one[0] * other[0] > 0
        ]

    def _begin_call(self) -> Any:
        state = self.state
        return begin, (
            self.chosen, self.starts, self.free, state.cell, state.stream, *self._flags()
        )  # fmt: skip

    def _step_call(self) -> Any:
        state = self.state
        return step, (
            self.chosen, self.actions["players"], self.target, self.hole, self.slip_prob,
            self.push, self.rewards, self.horizon, state.cell, state.stream, *self._flags(),
        )  # fmt: skip

    def _observe_call(self) -> Any:
        return observe, (self.chosen, self.state.cell, *self._view())

    def _label_call(self) -> Any:
        state = self.state
        return label, (
            self.chosen, self.columns, self.edge, state.cell, state.event, *self._held()
        )  # fmt: skip

    def info_arrays(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Return `position` (-1 if fallen), `fell`, `pushed`, `clash` and `slipped`."""
        position, fell = self._position_array(), self.state.cell < 0
        return {"players": {"position": position, "fell": fell, **self._happened(EVENTS)}}

    def infos(self, copy: int) -> dict[str, dict[str, Any]]:
        """Return what `info_arrays` does for one copy, positions as (row, column) or None."""
        cells, events = self.state.cell[copy].tolist(), self.state.event[copy].tolist()
        return {
            name: {
                "position": board.place(cell, self.columns),
                "fell": cell < 0,
                **{what: event & bit != 0 for what, bit in EVENTS.items()},
            }
            for name, cell, event in zip(self.spec.agents, cells, events, strict=True)
        }

    def read_state(self, copy: int) -> tuple[Any, ...]:
        """Return `agent_pos`."""
        return (self.positions(copy),)

    def parse_state(self, live: tuple[bool, ...], *fields: Any) -> dict[str, Any]:
        """Check `agent_pos`."""
        (agent_pos,) = fields
        self._parse_together(live)
        cells = self._parse_positions(live, agent_pos)
        standing = [cell for cell in cells if cell >= 0]
        if len(set(standing)) < len(standing) or self.hole[standing].any():
            raise InvalidParameter(
                f"agent_pos is distinct cells without a hole, or None, not {agent_pos!r}."
            )
        return {"cell": cells}

    def decode(self, seen: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the cells of the agents."""
        return {"cell": [self._cell_of(seen, 1 + i) for i in range(2)]}

    def draw(self, picture: drawing.Board, copy: int) -> None:
        """Draw ice, holes and the agents; the pushed and the clashing have a coloured frame."""
        picture.fill(np.ones((self.rows, self.columns), np.bool_), palette.ICE)
        holes = self.grid(np.flatnonzero(self.hole))
        picture.fill(holes, palette.WATER)
        cells = self.grid(self.state.cell[copy])
        event = self.state.event[copy]
        picture.stamp(cells[event & PUSHED != 0], "frame", palette.MARK)
        picture.stamp(cells[event & CLASH != 0], "frame", palette.GOAL)
        picture.agents(cells)

    def draw_text(self, picture: drawing.TextBoard, copy: int) -> None:
        """Draw holes (``~~``) and the agents on the ice."""
        everywhere = np.ones((self.rows, self.columns), np.bool_)
        picture.put(everywhere, "", ground=palette.ICE)
        picture.put(self.grid(np.flatnonzero(self.hole)), "~~", palette.INK, palette.WATER)
        picture.agents(self.grid(self.state.cell[copy]))

    def _caption(self, copy: int) -> str:
        cells = self.state.cell[copy].tolist()
        fallen = [name for name, cell in zip(self.spec.agents, cells, strict=True) if cell < 0]
        return super()._caption(copy) + "".join(f"  {name} fell" for name in fallen)


class IceDuel(GridworldEnv):
    """A duel of two agents on an ice floe, a PettingZoo `ParallelEnv`.

    All around the board is water. Who leaves the board or enters a hole falls in, and the duel is
    over. Standing agents can be pushed; ice is slippery.

    **A step**: left 0, right 1, up 2, down 3, stay 4.

    1. A move slips with probability `slip_prob`: its heading turns by 90 degrees, to the left or
       to the right with equal chances. Who stays does not slip.
    2. Both move at once. Two that move onto one cell, or swap cells, *clash*: both stay where they
       are. A cell that the other leaves can be entered. Who moves onto a standing agent pushes it
       one cell on and takes its cell; with ``push=False`` the mover stays where it is.
    3. Who is off the board or in a hole has fallen.

    **Rewards**: `step_reward` every step; if one fell, `lose_reward` for it and `win_reward` for
    the other; if both fell, `both_fall_reward` each. A fall terminates the episode for both; it
    is truncated after `max_moves` steps.

    **Observation**, the same for both: channels `hole`, `player_0`, `player_1`, 0 or 1, ``uint8``;
    shape ``(rows * columns * 3,)``, or ``(rows, columns, 3)`` with ``flatten_observations=False``.
    A fallen agent has no 1 anywhere.

    **Infos**: `position` (row, column) or None, `fell`, `pushed`, `clash`, `slipped`.

    **Labels** of an agent: `fell` and `unsafe`, `opponent_fell`, `pushed`, `clash`, `at_edge` (a
    neighbouring cell is water), `adjacent` (one move from the other).

    **State tuple**: ``(agents, agent_pos, rng_state)``.

    Parameters
    ----------
    grid_size
        Rows and columns.
    holes
        Cells (row, column) with water.
    start_positions
        Two cells; None: the second cells from the left and from the right of the middle row;
        ``"random"``: distinct random cells without a hole.
    slip_prob
        Probability 0..1 that a move slips.
    push
        Whether standing agents are pushed.
    max_moves
        Steps per episode, at least 1.
    win_reward, lose_reward, both_fall_reward, step_reward
        See above.
    flatten_observations
        Whether observations are vectors.
    render_mode
        ``"ansi"``, ``"rgb_array"``, ``"human"`` or None.
    seed
        Seed of the first reset that is given none.
    """

    simulation_class = IceDuelSimulation
    simulation: IceDuelSimulation

    def outcomes(self, joint: Sequence[int]) -> list[tuple[float, tuple[int, ...]]]:
        """Return the outcomes of slipping; see `IceDuelSimulation.outcomes`."""
        return self.simulation.outcomes(joint)
