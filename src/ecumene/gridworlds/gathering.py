"""Gathering: agents pick apples that grow back, and freeze each other with beams."""

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

ACTIONS = (*board.MOVE_NAMES, "tag_left", "tag_right", "tag_up", "tag_down")
FIRST_TAG = 5

PROPOSITIONS = (
    "active", "frozen", "collected_apple", "fired", "tagged", "unsafe", "got_frozen", "apples_gone"
)  # fmt: skip
ACTIVE, FROZEN, COLLECTED_APPLE, HAS_FIRED, WAS_TAGGED, UNSAFE, WAS_FROZEN, APPLES_GONE = range(8)

# Events of a step, as bits.
COLLECTED, FIRED, TAGGED, GOT_FROZEN = 1, 2, 4, 8
EVENTS = {"collected": COLLECTED, "tagged": TAGGED, "got_frozen": GOT_FROZEN}


class State(NamedTuple):
    """State of gatherings."""

    cell: NDArray[np.int64]  # [copy, agent]
    tag_hits: NDArray[np.int64]  # [copy, agent]; below hits_to_freeze
    frozen_timer: NDArray[np.int64]  # [copy, agent]; steps still frozen, 0 = active
    apple: NDArray[np.bool_]  # [copy, site]
    num_moves: NDArray[np.int64]  # [copy]
    event: NDArray[np.int64]  # [copy, agent]; bits of the last step
    stream: NDArray[np.uint32]  # [copy, word]


@rule
def begin(
    chosen, starts, free, cell, tag_hits, frozen_timer, apple, stream,
    num_moves, event, reward, terminated, truncated, alive, lo, hi,
):  # fmt: skip
    """Put an apple on every site, and everyone on the given cells or on distinct other ones."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        episode.start(copy, num_moves, event, reward, terminated, truncated, alive)
        apple[copy, :] = True
        tag_hits[copy, :] = 0
        frozen_timer[copy, :] = 0
        if starts.shape[0] == 0:
            board.draw_distinct(stream[copy], free, cell[copy])
        for i in range(starts.shape[0]):
            cell[copy, i] = starts[i]


@helper
def clear_ways(cell, goal, refused):
    """Set back everyone whose way is contested, until nobody's is.

    cell, goal: int64[agent]; where everyone is and wants to be. Contested is a cell that two want
    (who stands wants its own), and the way of two that would swap.
    """
    contested = True
    while contested:
        contested = False
        for i in range(cell.shape[0]):
            refused[i] = False
            if goal[i] != cell[i]:
                for j in range(cell.shape[0]):
                    swap = goal[i] == cell[j] and goal[j] == cell[i]
                    if j != i and (goal[j] == goal[i] or swap):
                        refused[i] = True
                        contested = True
        for i in range(cell.shape[0]):
            if refused[i]:
                goal[i] = cell[i]


@helper
def first_hit(columns, beam_range, direction, shooter, cell, frozen_timer):
    """Return the nearest active agent in a beam's way, or -1; frozen ones let it pass."""
    row = cell[shooter] // columns
    column = cell[shooter] % columns
    hit = -1
    nearest = beam_range + 1
    for j in range(cell.shape[0]):
        if j == shooter or frozen_timer[j] > 0:
            continue
        down = cell[j] // columns - row
        right = cell[j] % columns - column
        away = 0
        if down == 0:
            away = -right if direction == 0 else (right if direction == 1 else 0)
        elif right == 0:
            away = -down if direction == 2 else (down if direction == 3 else 0)
        if 0 < away < nearest:
            nearest = away
            hit = j
    return hit


@rule
def step(
    chosen, actions, target, site, columns, beam_range, hits_to_freeze, freeze_time,
    apple_reward, respawn_prob, horizon, goal, refused, hits,
    cell, tag_hits, frozen_timer, apple, stream,
    num_moves, event, reward, terminated, truncated, alive, lo, hi,
):  # fmt: skip
    """Move, pick apples, fire, freeze and thaw, grow apples.

    site: int64[cell]; number of the apple site on a cell, -1 = none.
    goal, refused, hits: scratch [copy, agent].
    """
    agents = cell.shape[1]
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        playing = alive[copy, 0]
        episode.clear(copy, event, reward, terminated, truncated)
        if not playing:
            continue
        timer = frozen_timer[copy]
        for i in range(agents):
            hits[copy, i] = 0
            goal[copy, i] = cell[copy, i]
            if timer[i] == 0 and actions[copy, i] < FIRST_TAG:
                goal[copy, i] = target[cell[copy, i], actions[copy, i]]
        clear_ways(cell[copy], goal[copy], refused[copy])
        for i in range(agents):
            cell[copy, i] = goal[copy, i]
            here = site[cell[copy, i]]
            if timer[i] == 0 and here >= 0 and apple[copy, here]:
                apple[copy, here] = False
                reward[copy, i] = apple_reward
                event[copy, i] |= COLLECTED
        for i in range(agents):
            if timer[i] == 0 and actions[copy, i] >= FIRST_TAG:
                event[copy, i] |= FIRED
                direction = actions[copy, i] - FIRST_TAG
                hit = first_hit(columns, beam_range, direction, i, cell[copy], timer)
                if hit >= 0:
                    hits[copy, hit] += 1
                    event[copy, hit] |= TAGGED
        for i in range(agents):
            if timer[i] > 0:
                timer[i] -= 1
                continue
            tag_hits[copy, i] += hits[copy, i]
            if tag_hits[copy, i] >= hits_to_freeze:
                tag_hits[copy, i] = 0
                timer[i] = freeze_time
                event[copy, i] |= GOT_FROZEN
        grow(stream[copy], respawn_prob, site, cell[copy], apple[copy])
        episode.finish(copy, False, horizon, num_moves, terminated, truncated, alive)


@helper
def grow(stream, respawn_prob, site, cell, apple):
    """Let each free site bear an apple by chance; one draw per site, looked at where it counts."""
    field = random.open_field(stream, apple.shape[0], stream)
    for k in range(apple.shape[0]):
        if not apple[k] and random.field_value(stream, field, k, stream) < respawn_prob:
            apple[k] = not stood_on(k, site, cell)


@helper
def stood_on(k, site, cell):
    """Tell whether an agent stands on apple site `k`."""
    for i in range(cell.shape[0]):
        if site[cell[i]] == k:
            return True
    return False


@rule
def observe(
    chosen, sites, cell, frozen_timer, apple,
    template, ones, drawn, shown, alive, terminated, truncated, seen, mask, lo, hi,
):  # fmt: skip
    """Write the channels player_i_active, player_i_frozen and apple."""
    agents = cell.shape[1]
    channels = 2 * agents + 1
    for copy in range(lo, hi):
        if chosen[copy]:
            for i in range(agents):
                channel = i if frozen_timer[copy, i] == 0 else agents + i
                ones[copy, i] = cell[copy, i] * channels + channel
            for k in range(sites.shape[0]):
                place = sites[k] * channels + 2 * agents
                ones[copy, agents + k] = place if apple[copy, k] else -1
            observation.show(
                copy, template, ones, drawn, shown, alive, terminated, truncated, seen, mask,
                board.STAY,
            )  # fmt: skip


@rule
def label(chosen, frozen_timer, apple, event, alive, terminated, truncated, held, lo, hi):
    """Write the propositions of `Gathering`."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        gone = True
        for k in range(apple.shape[1]):
            if apple[copy, k]:
                gone = False
        for i in range(alive.shape[1]):
            holds = held[copy, i]
            holds[:] = False
            if not (alive[copy, i] or terminated[copy, i] or truncated[copy, i]):
                continue
            happened = event[copy, i]
            holds[ACTIVE] = frozen_timer[copy, i] == 0
            holds[FROZEN] = frozen_timer[copy, i] > 0
            holds[COLLECTED_APPLE] = happened & COLLECTED != 0
            holds[HAS_FIRED] = happened & FIRED != 0
            holds[WAS_TAGGED] = happened & TAGGED != 0
            holds[UNSAFE] = happened & TAGGED != 0
            holds[WAS_FROZEN] = happened & GOT_FROZEN != 0
            holds[APPLES_GONE] = gone


class GatheringSimulation(GridSimulation):
    """Copies of a world; see `Gathering` for its rules and parameters."""

    id = "gridworlds/gathering-v0"
    state_fields = ("agent_pos", "tag_hits", "frozen_timer", "apples")
    #: How many steps ahead chance has no say in what is unsafe: it only grows apples.
    safety_depth_exact = float("inf")
    incidental = GridSimulation.incidental | {"apple"}

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        grid_size: board.Cell = (7, 11),
        num_agents: int = 2,
        max_moves: int = 1000,
        apple_sites: Sequence[board.Cell] | None = None,
        apple_reward: float = 1.0,
        apple_respawn_prob: float = 0.1,
        hits_to_freeze: int = 2,
        freeze_time: int = 25,
        beam_range: int = 5,
        start_positions: Sequence[board.Cell] | None = None,
        flatten_observations: bool = True,
    ) -> None:
        size = board.grid_size(grid_size)
        agents = check.integer("num_agents", num_agents, 1)
        if apple_sites is None:
            apple_sites = _diamond(size)
        self.sites = np.array(sorted(board.cells("apple_sites", apple_sites, *size)), np.int64)
        self.site = np.full(size[0] * size[1], -1, np.int64)
        self.site[self.sites] = np.arange(len(self.sites))
        self.free = np.flatnonzero(self.site < 0)
        self.starts = self._parse_starts(start_positions, agents, size)
        self.apple_reward = check.number("apple_reward", apple_reward)
        self.respawn_prob = check.number("apple_respawn_prob", apple_respawn_prob, 0, 1)
        self.hits_to_freeze = check.integer("hits_to_freeze", hits_to_freeze, 1)
        self.freeze_time = check.integer("freeze_time", freeze_time, 1)
        self.beam_range = check.integer("beam_range", beam_range, 1)
        players = player_names(agents)
        super().__init__(
            copies,
            num_threads,
            size,
            agents,
            channels=(
                *(f"{name}_active" for name in players),
                *(f"{name}_frozen" for name in players),
                "apple",
            ),
            actions=ACTIONS,
            propositions=PROPOSITIONS,
            slots=agents + len(self.sites),
            parameters={
                "grid_size": size,
                "num_agents": agents,
                "max_moves": max_moves,
                "apple_sites": tuple(divmod(cell, size[1]) for cell in self.sites.tolist()),
                "apple_reward": self.apple_reward,
                "apple_respawn_prob": self.respawn_prob,
                "hits_to_freeze": self.hits_to_freeze,
                "freeze_time": self.freeze_time,
                "beam_range": self.beam_range,
                "start_positions": start_positions,
                "flatten_observations": flatten_observations,
            },
        )
        self.target = board.stops(board.targets(*size))
        shape = (self.copies, agents)
        self.scratch = (
            np.zeros(shape, np.int64),
            np.zeros(shape, np.bool_),
            np.zeros(shape, np.int64),
        )
        self.state = State(
            cell=np.full(shape, board.NOWHERE, np.int64),
            tag_hits=np.zeros(shape, np.int64),
            frozen_timer=np.zeros(shape, np.int64),
            apple=np.zeros((self.copies, len(self.sites)), np.bool_),
            num_moves=np.zeros(self.copies, np.int64),
            event=np.zeros(shape, np.int64),
            stream=random.philox_streams(self.copies),
        )

    def _parse_starts(self, starts: Any, agents: int, size: tuple[int, int]) -> NDArray[np.int64]:
        if starts is None:
            if len(self.free) < agents:
                raise InvalidParameter(
                    f"num_agents is {agents}, but only {len(self.free)} cells are no apple sites: "
                    "give start_positions or a larger grid_size."
                )
            return np.empty(0, np.int64)
        cells = board.cells("start_positions", starts, *size)
        if len(cells) != agents:
            raise InvalidParameter(f"start_positions is {agents} cells, not {starts!r}.")
        return np.array(cells)

    def _begin_call(self) -> Any:
        state = self.state
        return begin, (
            self.chosen, self.starts, self.free, state.cell, state.tag_hits, state.frozen_timer,
            state.apple, state.stream, *self._flags(),
        )  # fmt: skip

    def _step_call(self) -> Any:
        state = self.state
        return step, (
            self.chosen, self.actions["players"], self.target, self.site, self.columns,
            self.beam_range, self.hits_to_freeze, self.freeze_time, self.apple_reward,
            self.respawn_prob, self.horizon, *self.scratch, state.cell, state.tag_hits,
            state.frozen_timer, state.apple, state.stream, *self._flags(),
        )  # fmt: skip

    def _observe_call(self) -> Any:
        state = self.state
        seen = self.sites, state.cell, state.frozen_timer, state.apple
        return observe, (self.chosen, *seen, *self._view())

    def _label_call(self) -> Any:
        state = self.state
        return label, (
            self.chosen, state.frozen_timer, state.apple, state.event, *self._held()
        )  # fmt: skip

    def info_arrays(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Return `position`, `collected`, `tagged`, `got_frozen`, `frozen` and `tag_hits`."""
        return {
            "players": {
                "position": self._position_array(),
                **self._happened(EVENTS),
                "frozen": self.state.frozen_timer > 0,
                "tag_hits": self.state.tag_hits,
            }
        }

    def infos(self, copy: int) -> dict[str, dict[str, Any]]:
        """Return what `info_arrays` does for one copy, positions as (row, column)."""
        state = self.state
        names = ("cell", "event", "frozen_timer", "tag_hits")
        values = [getattr(state, name)[copy].tolist() for name in names]
        return {
            name: {
                "position": divmod(cell, self.columns),
                "collected": event & COLLECTED != 0,
                "tagged": event & TAGGED != 0,
                "got_frozen": event & GOT_FROZEN != 0,
                "frozen": timer > 0,
                "tag_hits": hits,
            }
            for name, cell, event, timer, hits in zip(self.spec.agents, *values, strict=True)
        }

    def metrics(self, copies: Sequence[int] | None = None) -> dict[str, NDArray[np.float64]]:
        """Return how many apples there are and how many agents are frozen."""
        chosen = slice(None) if copies is None else list(copies)
        apples = self.state.apple[chosen].sum(axis=1)
        frozen = (self.state.frozen_timer[chosen] > 0).sum(axis=1)
        return {"apples": apples.astype(np.float64), "frozen": frozen.astype(np.float64)}

    def read_state(self, copy: int) -> tuple[Any, ...]:
        """Return `agent_pos`, `tag_hits`, `frozen_timer` and `apples`."""
        state = self.state
        apples = self.sites[state.apple[copy]].tolist()
        return (
            self.positions(copy),
            tuple(state.tag_hits[copy].tolist()),
            tuple(state.frozen_timer[copy].tolist()),
            tuple(divmod(cell, self.columns) for cell in apples),
        )

    def parse_state(self, live: tuple[bool, ...], *fields: Any) -> dict[str, Any]:
        """Check `agent_pos`, `tag_hits`, `frozen_timer` and `apples`."""
        agent_pos, tag_hits, frozen_timer, apples = fields
        self._parse_together(live)
        cells = self._parse_positions(live, agent_pos)
        standing = [cell for cell in cells if cell >= 0]
        if len(set(standing)) < len(standing):
            raise InvalidParameter(f"agent_pos is distinct cells, not {agent_pos!r}.")
        sites = board.cells("apples", apples, self.rows, self.columns)
        for cell, place in zip(sites, apples, strict=True):
            if self.site[cell] < 0:
                raise InvalidParameter(f"apples: {place!r} is no apple site.")
        apple = np.zeros(len(self.sites), np.bool_)
        apple[self.site[sites]] = True
        return {
            "cell": cells,
            "tag_hits": self._parse_counts("tag_hits", tag_hits, self.hits_to_freeze - 1),
            "frozen_timer": self._parse_counts("frozen_timer", frozen_timer, self.freeze_time),
            "apple": apple,
        }

    def decode(self, seen: NDArray[np.bool_]) -> dict[str, Any]:
        """Return cells, who is frozen (for how long is not seen), and apples."""
        n = self.num_agents
        active = [self._cell_of(seen, i) for i in range(n)]
        frozen = [self._cell_of(seen, n + i) for i in range(n)]
        return {
            "cell": [max(pair) for pair in zip(active, frozen, strict=True)],
            "tag_hits": 0,
            "frozen_timer": [int(cell >= 0) for cell in frozen],
            "apple": seen[:, :, 2 * n].ravel()[self.sites],
        }

    def draw(self, picture: drawing.Board, copy: int) -> None:
        """Draw sites, apples and agents: bars of hits, frost on the frozen, a frame when tagged."""
        state = self.state
        picture.fill(np.ones((self.rows, self.columns), np.bool_), palette.GRASS)
        picture.stamp(self.grid(self.sites), "dot", palette.mix(palette.GRASS, palette.INK, 0.15))
        picture.stamp(self.grid(self.sites[state.apple[copy]]), "apple", palette.MARK)
        cells = self.grid(state.cell[copy])
        picture.stamp(cells[state.event[copy] & TAGGED != 0], "frame", palette.FIRE)
        frozen = state.frozen_timer[copy] > 0
        picture.agents(cells, mark=["frozen" if cold else None for cold in frozen])
        hit = state.tag_hits[copy] > 0
        parts = state.tag_hits[copy][hit] / self.hits_to_freeze
        picture.bars(cells[hit], parts, palette.FIRE)

    def draw_text(self, picture: drawing.TextBoard, copy: int) -> None:
        """Draw apples (``o``) and agents; a frozen one has a ``*``."""
        state = self.state
        picture.put(self.grid(self.sites), ".", palette.INK, palette.GRASS)
        picture.put(self.grid(self.sites[state.apple[copy]]), "o", palette.MARK, palette.GRASS)
        frozen = state.frozen_timer[copy] > 0
        labels = [f"{i}*" if cold else str(i) for i, cold in enumerate(frozen)]
        picture.agents(self.grid(state.cell[copy]), labels=labels)


class Gathering(GridworldEnv):
    """Agents that gather apples and can freeze each other, a PettingZoo `ParallelEnv`.

    After Leibo et al., "Multi-agent reinforcement learning in sequential social dilemmas" (2017,
    arXiv 1702.03037). Beams are aimed by the action, apples grow back by chance, and who was hit
    often enough is frozen where it stands.

    **A step.** Actions: left 0, right 1, up 2, down 3, stay 4, tag left 5, right 6, up 7, down 8.
    An agent whose timer runs at the start of the step is *frozen* and stays; the others are
    *active*.

    1. All move at once, one agent per cell. Everyone whose target another one wants too (who
       stands wants its own cell), or who would swap with another, is set back to its own cell, all
       at once; this is repeated until nobody is. So nobody gets a contested cell, who follows
       moves if the leader does, and rings turn.
    2. An active agent on an apple takes it: `apple_reward`.
    3. Active agents fire from where they are now, all at once. A beam reaches `beam_range` cells
       and ends at the first active agent, who takes a hit; frozen ones let it pass.
    4. Timers of the frozen go down by 1. Who has taken `hits_to_freeze` hits, in however many
       steps, is frozen for `freeze_time` steps, and its hits are forgotten.
    5. A site without apple and agent bears an apple with probability `apple_respawn_prob`.

    Tagging pays nothing. An episode is truncated after `max_moves` steps.

    **Observation**, the same for all: channels `player_i_active` (n of them), `player_i_frozen`
    (n), `apple`, 0 or 1, ``uint8``; shape ``(rows * columns * (2 n + 1),)``, or ``(rows, columns,
    2 n + 1)`` with ``flatten_observations=False``. Hits taken are not in it.

    **Infos**: `position` (row, column), `collected`, `tagged`, `got_frozen`, `frozen`, `tag_hits`.

    **Labels** of an agent: `active` or `frozen`; `collected_apple`, `fired`, `tagged` and `unsafe`
    (it took a hit in this step), `got_frozen`. Of all: `apples_gone`.

    **State tuple**: ``(agents, agent_pos, tag_hits, frozen_timer, apples, rng_state)``, `apples`
    sorted.

    Parameters
    ----------
    grid_size
        Rows and columns.
    num_agents
        At least 1.
    max_moves
        Steps per episode, at least 1.
    apple_sites
        Cells that bear apples, all of them at the start. None: those at most two moves from
        ``(rows // 2, columns // 2)``.
    apple_reward
        For an apple.
    apple_respawn_prob
        Probability 0..1 per step and free site.
    hits_to_freeze, freeze_time, beam_range
        At least 1 each.
    start_positions
        Distinct cells, one per agent. None: random ones that are no apple sites.
    flatten_observations
        Whether observations are vectors.
    render_mode
        ``"ansi"``, ``"rgb_array"``, ``"human"`` or None.
    seed
        Seed of the first reset that is given none.
    """

    simulation_class = GatheringSimulation


def _diamond(size: tuple[int, int]) -> list[board.Cell]:
    """Return the cells at most two moves from the middle."""
    rows, columns = size
    return [
        (row, column)
        for row in range(rows)
        for column in range(columns)
        if abs(row - rows // 2) + abs(column - columns // 2) <= 2
    ]
