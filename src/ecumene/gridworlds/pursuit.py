"""Pursuit: a guard, and one or two others, on a map with walls and a goal region."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene import drawing
from ecumene.drawing import palette
from ecumene.engine import InvalidParameter, check, helper, random, rule
from ecumene.gridworlds import board, episode, observation
from ecumene.gridworlds.env import GridworldEnv
from ecumene.gridworlds.simulation import GridSimulation, player_names

DEFAULT_LAYOUT = "......./.#####./.#GG.../.#####./....#../.#####./......."

GUARD = 0
WALL, GOAL, FIRST_PLAYER = 0, 1, 2  # channels

COLLISION, UNSAFE, COLLISION_EVER, AT_GOAL, FIRST_IN_GOAL = range(5)  # propositions


class State(NamedTuple):
    """State of pursuits."""

    cell: NDArray[np.int64]  # [copy, agent]
    collision_ever: NDArray[np.bool_]  # [copy]
    num_moves: NDArray[np.int64]  # [copy]
    event: NDArray[np.int64]  # [copy, agent]; 0: everything can be seen from the cells
    stream: NDArray[np.uint32]  # [copy, word]


@rule
def begin(
    chosen, starts, free, cell, collision_ever, stream,
    num_moves, event, reward, terminated, truncated, alive, lo, hi,
):  # fmt: skip
    """Put everyone on the given cells, or on distinct free ones."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        episode.start(copy, num_moves, event, reward, terminated, truncated, alive)
        collision_ever[copy] = False
        if starts.shape[0] == 0:
            board.draw_distinct(stream[copy], free, cell[copy])
        for i in range(starts.shape[0]):
            cell[copy, i] = starts[i]


@helper
def shares_cell(copy, cell, i):
    """Tell whether an agent is on one cell with another."""
    for j in range(cell.shape[1]):
        if j != i and cell[copy, j] == cell[copy, i]:
            return True
    return False


@helper
def any_collision(copy, cell):
    """Tell whether any two agents are on one cell."""
    for i in range(1, cell.shape[1]):
        if shares_cell(copy, cell, i):
            return True
    return False


@helper
def goal_holds(copy, cell, is_goal):
    """Tell whether the guard or player 1 is in the goal region; player 2 does not count."""
    return is_goal[max(cell[copy, 0], 0)] or is_goal[max(cell[copy, 1], 0)]


@rule
def step(
    chosen, actions, target, is_goal, rewards, ends, horizon, cell, collision_ever,
    num_moves, event, reward, terminated, truncated, alive, lo, hi,
):  # fmt: skip
    """Move everyone at once, then look who shares a cell and who is in the goal region.

    rewards: float64[of a step, at the goal, of a collision; agent].
    ends: bool[2]; whether a collision, and the goal, end the episode.
    """
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        if not alive[copy, 0]:
            episode.clear(copy, event, reward, terminated, truncated)
            continue
        for i in range(cell.shape[1]):
            cell[copy, i] = target[cell[copy, i], actions[copy, i]]
        collision = any_collision(copy, cell)
        goal = goal_holds(copy, cell, is_goal)
        collision_ever[copy] |= collision
        for i in range(cell.shape[1]):
            gain = rewards[0, i]
            if goal:
                gain += rewards[1, i]
            if collision and shares_cell(copy, cell, i):
                gain += rewards[2, i]
            reward[copy, i] = gain
        over = (collision and ends[0]) or (goal and ends[1])
        episode.finish(copy, over, horizon, num_moves, terminated, truncated, alive)


@rule
def observe(
    chosen, cell, template, ones, drawn, shown, alive, terminated, truncated, seen, mask, lo, hi
):
    """Write the channels wall, goal and one per agent."""
    channels = FIRST_PLAYER + cell.shape[1]
    for copy in range(lo, hi):
        if chosen[copy]:
            for i in range(cell.shape[1]):
                ones[copy, i] = cell[copy, i] * channels + FIRST_PLAYER + i
            observation.show(
                copy, template, ones, drawn, shown, alive, terminated, truncated, seen, mask,
                board.STAY,
            )  # fmt: skip


@rule
def label(
    chosen, columns, is_goal, cell, collision_ever, alive, terminated, truncated, held, lo, hi
):
    """Write the propositions of `Pursuit`."""
    agents = cell.shape[1]
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for i in range(agents):
            holds = held[copy, i]
            holds[:] = False
            if not (alive[copy, i] or terminated[copy, i] or truncated[copy, i]):
                continue
            shares = shares_cell(copy, cell, i)
            holds[COLLISION] = shares
            holds[UNSAFE] = shares
            holds[COLLISION_EVER] = collision_ever[copy]
            holds[AT_GOAL] = goal_holds(copy, cell, is_goal)
            for j in range(agents):
                holds[FIRST_IN_GOAL + j] = is_goal[cell[copy, j]]
            near = board.distance(columns, cell[copy, i], cell[copy, GUARD]) <= 1
            holds[FIRST_IN_GOAL + agents] = i != GUARD and near


class PursuitSimulation(GridSimulation):
    """Copies of a world; see `Pursuit` for its rules and parameters."""

    id = "gridworlds/pursuit-v0"
    state_fields = ("collision_ever", "agent_pos")
    dtype = np.float32
    #: How many steps ahead chance has no say in what is unsafe: nothing is random in a step.
    safety_depth_exact = float("inf")

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        layout: str | Sequence[str] = DEFAULT_LAYOUT,
        num_agents: int = 2,
        start_positions: Sequence[board.Cell] | None = None,
        max_moves: int = 100,
        goal_reward: float | Sequence[float] = 0.0,
        collision_reward: float | Sequence[float] = 0.0,
        step_reward: float | Sequence[float] = 0.0,
        terminate_on_collision: bool = False,
        terminate_on_goal: bool = False,
        flatten_observations: bool = True,
    ) -> None:
        agents = check.integer("num_agents", num_agents, 2, 3)
        symbols = _parse_layout(layout)
        size = symbols.shape
        self.wall, self.goal = (symbols.ravel() == symbol for symbol in "#G")
        self.free = np.flatnonzero(~(self.wall | self.goal))
        self.starts = self._parse_starts(start_positions, agents, size)
        rewards = {
            "step_reward": step_reward,
            "goal_reward": goal_reward,
            "collision_reward": collision_reward,
        }
        self.rewards = np.array([_per_agent(name, rewards[name], agents) for name in rewards])
        ends = {
            "terminate_on_collision": terminate_on_collision,
            "terminate_on_goal": terminate_on_goal,
        }
        self.ends = np.array([check.flag(name, end) for name, end in ends.items()])
        players = player_names(agents)
        super().__init__(
            copies,
            num_threads,
            size,
            agents,
            channels=("wall", "goal", "player_0_guard", *players[1:]),
            actions=board.MOVE_NAMES,
            propositions=(
                "collision",
                "unsafe",
                "collision_ever",
                "goal",
                *(f"{name}_in_goal" for name in players),
                "guard_adjacent",
            ),
            slots=agents,
            parameters={
                "layout": "/".join(map("".join, symbols.tolist())),
                "num_agents": agents,
                "start_positions": start_positions,
                "max_moves": max_moves,
                **rewards,
                **ends,
                "flatten_observations": flatten_observations,
            },
            fixed={"wall": np.flatnonzero(self.wall), "goal": np.flatnonzero(self.goal)},
        )
        self.target = board.stops(board.targets(*size), self.wall)
        self.state = State(
            cell=np.full((self.copies, agents), board.NOWHERE, np.int64),
            collision_ever=np.zeros(self.copies, np.bool_),
            num_moves=np.zeros(self.copies, np.int64),
            event=np.zeros((self.copies, agents), np.int64),
            stream=random.philox_streams(self.copies),
        )

    def _parse_starts(self, starts: Any, agents: int, size: tuple[int, int]) -> NDArray[np.int64]:
        if starts is None:
            if len(self.free) < agents:
                raise InvalidParameter(
                    f"layout has {len(self.free)} floor cells for {agents} agents to start on."
                )
            return np.empty(0, np.int64)
        cells = board.cells("start_positions", starts, *size, distinct=False)
        if len(cells) != agents:
            raise InvalidParameter(f"start_positions is {agents} cells, not {starts!r}.")
        return np.array(cells)

    def _begin_call(self) -> Any:
        state = self.state
        return begin, (
            self.chosen, self.starts, self.free, state.cell, state.collision_ever, state.stream,
            *self._flags(),
        )  # fmt: skip

    def _step_call(self) -> Any:
        state = self.state
        return step, (
            self.chosen, self.actions["players"], self.target, self.goal, self.rewards, self.ends,
            self.horizon, state.cell, state.collision_ever, *self._flags(),
        )  # fmt: skip

    def _observe_call(self) -> Any:
        return observe, (self.chosen, self.state.cell, *self._view())

    def _label_call(self) -> Any:
        state = self.state
        return label, (
            self.chosen, self.columns, self.goal, state.cell, state.collision_ever, *self._held()
        )  # fmt: skip

    def _collisions(self) -> NDArray[np.bool_]:
        """Return who shares a cell, ``[copy, agent]``."""
        cell = self.state.cell
        return (cell[:, :, None] == cell[:, None, :]).sum(axis=2) > 1

    def info_arrays(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Return `position`, `collision`, `collision_any`, `collision_ever` and `goal`."""
        collision = self._collisions()
        shape = collision.shape
        goal = self.goal[self.state.cell[:, :2]].any(axis=1)
        shared = {
            "collision_any": collision.any(axis=1),
            "collision_ever": self.state.collision_ever,
            "goal": goal,
        }
        return {
            "players": {
                "position": self._position_array(),
                "collision": collision,
                **{name: np.repeat(each[:, None], shape[1], 1) for name, each in shared.items()},
            }
        }

    def infos(self, copy: int) -> dict[str, dict[str, Any]]:
        """Return what `info_arrays` does for one copy, positions as (row, column)."""
        cells = self.state.cell[copy].tolist()
        alone = [cells.count(cell) == 1 for cell in cells]
        shared = {
            "collision_any": not all(alone),
            "collision_ever": self.state.collision_ever[copy].item(),
            "goal": bool(self.goal[cells[0]] or self.goal[cells[1]]),
        }
        return {
            name: {"position": divmod(cell, self.columns), "collision": not by_itself, **shared}
            for name, cell, by_itself in zip(self.spec.agents, cells, alone, strict=True)
        }

    def metrics(self, copies: Sequence[int] | None = None) -> dict[str, NDArray[np.float64]]:
        """Return whether there was a collision in the episode."""
        chosen = slice(None) if copies is None else list(copies)
        return {"collision_ever": self.state.collision_ever[chosen].astype(np.float64)}

    def read_state(self, copy: int) -> tuple[Any, ...]:
        """Return `collision_ever` and `agent_pos`."""
        return self.state.collision_ever[copy].item(), self.positions(copy)

    def parse_state(self, live: tuple[bool, ...], *fields: Any) -> dict[str, Any]:
        """Check `collision_ever` and `agent_pos`."""
        collision_ever, agent_pos = fields
        self._parse_together(live)
        ever = check.flag("collision_ever", collision_ever)
        cells = self._parse_positions(live, agent_pos)
        return {"collision_ever": ever, "cell": cells}

    def decode(self, seen: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the cells of the agents."""
        cells = [self._cell_of(seen, FIRST_PLAYER + i) for i in range(self.num_agents)]
        return {"cell": cells, "collision_ever": False}

    def draw(self, picture: drawing.Board, copy: int) -> None:
        """Draw walls, the goal region and the agents; the guard has a frame, collisions a cross."""
        picture.fill(self.grid(np.flatnonzero(self.wall)), palette.WALL)
        picture.fill(self.grid(np.flatnonzero(self.goal)), palette.GOAL)
        cells = self.state.cell[copy]
        marks = ["damaged" if hit else None for hit in self._collisions()[copy]]
        picture.stamp(self.grid(cells[GUARD]), "frame", palette.player(GUARD))
        picture.agents(self.grid(cells), mark=marks)

    def draw_text(self, picture: drawing.TextBoard, copy: int) -> None:
        """Draw walls (``##``), goal (``G``) and agents."""
        dim = palette.mix(palette.WALL, palette.PAPER, 0.3)
        picture.put(self.grid(np.flatnonzero(self.wall)), "##", dim, palette.WALL)
        picture.put(self.grid(np.flatnonzero(self.goal)), "G", palette.INK, palette.GOAL)
        picture.agents(self.grid(self.state.cell[copy]))

    def _caption(self, copy: int) -> str:
        goal = "  goal" if self.infos(copy)["player_0"]["goal"] else ""
        ever = "  collided" if self.state.collision_ever[copy] else ""
        return super()._caption(copy) + ever + goal


class Pursuit(GridworldEnv):
    """Pursuit and evasion for two or three agents, a PettingZoo `ParallelEnv`.

    Agent 0 is the guard; it may be after the others, or they after it: rewards say so. The layout
    is a ring to run on with three dead ends and the goal region at the bottom of one.

    **A step.** All agents move at once: left 0, right 1, up 2, down 3, stay 4. A move into a wall
    or off the board leaves the agent where it is. Agents do not block each other, and two that
    swap cells do not collide: a *collision* is two agents on one cell after the move. The *goal*
    holds while agent 0 or agent 1 is in the goal region. Nothing in a step is random.

    **Rewards** are 0 unless the constructor says otherwise. An episode is truncated after
    `max_moves` steps, and terminates where the two switches say so.

    **Observation**, the same for all: channels `wall`, `goal`, `player_0_guard`, `player_1` and
    `player_2`, 0 or 1, ``float32``; shape ``(rows * columns * channels,)``, or ``(rows, columns,
    channels)`` with ``flatten_observations=False``. Neither the clock nor `collision_ever` is in
    it.

    **Infos**: `position` (row, column), `collision` (one's own), `collision_any`,
    `collision_ever`, `goal`.

    **Labels** of an agent: `collision` and `unsafe` while it shares a cell; `guard_adjacent` when
    it is not the guard and at most one move from it. Of all: `collision_ever`, `goal`,
    `player_i_in_goal`.

    **State tuple**: ``(agents, collision_ever, agent_pos, rng_state)``.

    Parameters
    ----------
    layout
        Rows of ``#`` (wall), ``G`` (goal) and ``.`` (floor), joined by ``/`` or in a sequence.
    num_agents
        2 or 3.
    start_positions
        A cell (row, column) per agent; one that starts in a wall can walk out of it. None:
        distinct random cells that are neither wall nor goal.
    max_moves
        Steps per episode, at least 1.
    step_reward, goal_reward, collision_reward
        Paid every step; to everyone while the goal holds; to those who share a cell. A number, or
        one per agent.
    terminate_on_collision, terminate_on_goal
        Whether a collision, or the goal, ends the episode for all.
    flatten_observations
        Whether observations are vectors.
    render_mode
        ``"ansi"``, ``"rgb_array"``, ``"human"`` or None.
    seed
        Seed of the first reset that is given none.
    """

    simulation_class = PursuitSimulation


def _parse_layout(layout: Any) -> NDArray[np.str_]:
    """Return the symbols of a layout, ``[row, column]``, or raise `InvalidParameter`."""
    rows = layout.split("/") if isinstance(layout, str) else layout
    if not isinstance(rows, Sequence) or not rows or not all(isinstance(r, str) for r in rows):
        raise InvalidParameter(
            f"layout is rows joined by '/' or a sequence of rows, not {layout!r}."
        )
    width = len(rows[0])
    for i, row in enumerate(rows):
        if len(row) != width or width == 0:
            raise InvalidParameter(
                f"layout: row {i} has {len(row)} cells and row 0 has {width}; all rows are equally "
                "long, at least one cell."
            )
        strange = [(j, symbol) for j, symbol in enumerate(row) if symbol not in "#G."]
        if strange:
            j, symbol = strange[0]
            raise InvalidParameter(
                f"layout: row {i}, column {j} is {symbol!r}, not '#', 'G' or '.'."
            )
    return np.array([list(row) for row in rows])


def _per_agent(name: str, value: Any, agents: int) -> list[float]:
    """Return a number, or one per agent, as one per agent."""
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str):
        return [check.number(name, value)] * agents
    if len(value) != agents:
        raise InvalidParameter(f"{name} is a number or {agents} of them, not {value!r}.")
    return [check.number(f"{name}[{i}]", each) for i, each in enumerate(value)]
