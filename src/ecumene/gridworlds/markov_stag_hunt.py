"""MarkovStagHunt: plants feed one, stags feed those who hunt together and maul those who do not."""

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

PROPOSITIONS = ("safe", "mauled", "unsafe", "hunted_stag", "harvested_plant", "next_to_stag")
SAFE, WAS_MAULED, UNSAFE, HAS_HUNTED, HAS_HARVESTED, NEXT_TO_STAG = range(6)

RESULTS = ("stags_hunted", "plants_harvested", "maulings")
STAGS_HUNTED, PLANTS_HARVESTED, MAULINGS = range(3)

ON_MAUL = ("end", "continue", "remove")
END, CONTINUE, REMOVE = range(3)

# Events of a step, as bits.
HUNTED, HARVESTED = 1, 2


class State(NamedTuple):
    """State of hunts. Plants and stags are sorted, missing ones (-1) at the end."""

    cell: NDArray[np.int64]  # [copy, agent]; -1 = removed
    damaged: NDArray[np.int64]  # [copy, agent]; 1 = mauled in the last step
    plant: NDArray[np.int64]  # [copy, slot]; cell
    stag: NDArray[np.int64]  # [copy, slot]; cell
    results: NDArray[np.int64]  # [copy, 3]; stags hunted, plants harvested, maulings
    num_moves: NDArray[np.int64]  # [copy]
    event: NDArray[np.int64]  # [copy, agent]; bits HUNTED, HARVESTED of the last step
    stream: NDArray[np.uint32]  # [copy, word]


@rule
def begin(
    chosen, occupied, cell, damaged, plant, stag, results, stream,
    num_moves, event, reward, terminated, truncated, alive, lo, hi,
):  # fmt: skip
    """Put agents anywhere, plants and stags on distinct free cells."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        episode.start(copy, num_moves, event, reward, terminated, truncated, alive)
        results[copy, :] = 0
        plant[copy, :] = board.NOWHERE
        stag[copy, :] = board.NOWHERE
        for i in range(cell.shape[1]):
            damaged[copy, i] = 0
            cell[copy, i] = random.bounded(stream[copy], occupied.shape[1])
        respawn(stream[copy], occupied[copy], cell[copy], plant[copy], stag[copy])


@helper
def contains(cells, wanted):
    """Tell whether a cell is among others."""
    for i in range(cells.shape[0]):
        if cells[i] == wanted:
            return True
    return False


@helper
def sort_cells(cells):
    """Sort cells in place, missing ones last."""
    for i in range(1, cells.shape[0]):
        moved = cells[i]
        j = i - 1
        while j >= 0 and moved >= 0 and (cells[j] > moved or cells[j] < 0):
            cells[j + 1] = cells[j]
            j -= 1
        cells[j + 1] = moved


@helper
def harvest(copy, plant_reward, cell, plant, results, event, reward):
    """Pay everyone on a plant; the plant goes and counts once."""
    for k in range(plant.shape[1]):
        if plant[copy, k] < 0 or not contains(cell[copy], plant[copy, k]):
            continue
        for i in range(cell.shape[1]):
            if cell[copy, i] == plant[copy, k]:
                reward[copy, i] += plant_reward
                event[copy, i] |= HARVESTED
        plant[copy, k] = board.NOWHERE
        results[copy, PLANTS_HARVESTED] += 1


@helper
def hunt(copy, min_hunters, stag_reward, maul_penalty, cell, damaged, stag, results, event, reward):
    """Let enough hunters take a stag, and a stag maul too few; return whether one did."""
    mauled = False
    for k in range(stag.shape[1]):
        hunters = 0
        for i in range(cell.shape[1]):
            if stag[copy, k] >= 0 and cell[copy, i] == stag[copy, k]:
                hunters += 1
        if hunters == 0:
            continue
        taken = hunters >= min_hunters
        for i in range(cell.shape[1]):
            if cell[copy, i] == stag[copy, k]:
                if taken:
                    reward[copy, i] += stag_reward
                    event[copy, i] |= HUNTED
                else:
                    reward[copy, i] += maul_penalty
                    damaged[copy, i] = 1
        results[copy, STAGS_HUNTED if taken else MAULINGS] += 1
        if taken:
            stag[copy, k] = board.NOWHERE
        else:
            mauled = True
    return mauled


@helper
def nearest_agent(columns, origin, cell):
    """Return the cell of the agent nearest to a cell, the first of several; -1 if there is none."""
    found = board.NOWHERE
    least = 0
    for i in range(cell.shape[0]):
        if cell[i] >= 0:
            away = board.distance(columns, origin, cell[i])
            if found < 0 or away < least:
                found = cell[i]
                least = away
    return found


@helper
def step_towards(columns, origin, goal, along_rows):
    """Return the neighbour of a cell on the way to another; where both ways lead, as told."""
    down = goal // columns - origin // columns
    right = goal % columns - origin % columns
    if down != 0 and (right == 0 or along_rows):
        return origin + (columns if down > 0 else -columns)
    if right != 0:
        return origin + (1 if right > 0 else -1)
    return origin


@helper
def move_stags(stream, columns, move_prob, before, cell, plant, stag):
    """Move each stag by chance towards the nearest agent, never onto anything.

    Two draws per slot, whether or not there is a stag: does it move, and along rows?
    before: scratch [slot].
    """
    field = random.open_field(stream, 2 * stag.shape[0], stream)
    for k in range(stag.shape[0]):
        before[k] = stag[k]
    for k in range(stag.shape[0]):
        if before[k] < 0 or random.field_value(stream, field, 2 * k, stream) >= move_prob:
            continue
        goal = nearest_agent(columns, before[k], cell)
        if goal < 0:
            continue
        along_rows = random.field_value(stream, field, 2 * k + 1, stream) < 0.5
        target = step_towards(columns, before[k], goal, along_rows)
        # Stags that have not moved yet are where they were before.
        taken = contains(cell, target) or contains(plant, target)
        if not (taken or contains(before, target) or contains(stag, target)):
            stag[k] = target
    sort_cells(stag)


@helper
def mark(occupied, cells, value):
    """Mark cells as occupied or not; return how many of them changed."""
    changed = 0
    for i in range(cells.shape[0]):
        if cells[i] >= 0 and occupied[cells[i]] != value:
            occupied[cells[i]] = value
            changed += 1
    return changed


@helper
def fill_up(stream, occupied, free, cells):
    """Put each missing thing on a uniform free cell; return how many cells are left."""
    for k in range(cells.shape[0]):
        if cells[k] < 0 and free > 0:
            skip = random.bounded(stream, free)
            place = 0
            while occupied[place] or skip > 0:
                if not occupied[place]:
                    skip -= 1
                place += 1
            cells[k] = place
            occupied[place] = True
            free -= 1
    return free


@helper
def respawn(stream, occupied, cell, plant, stag):
    """Bring plants, then stags, back to their numbers on cells that hold nothing.

    occupied: scratch bool[cell], all False before and after.
    """
    if contains(plant, board.NOWHERE) or contains(stag, board.NOWHERE):
        free = occupied.shape[0] - mark(occupied, cell, True)
        free -= mark(occupied, plant, True)
        free -= mark(occupied, stag, True)
        free = fill_up(stream, occupied, free, plant)
        fill_up(stream, occupied, free, stag)
        mark(occupied, cell, False)
        mark(occupied, plant, False)
        mark(occupied, stag, False)
        sort_cells(plant)
        sort_cells(stag)


@rule
def step(
    chosen, actions, target, columns, min_hunters, on_maul, plant_reward, stag_reward, maul_penalty,
    move_prob, horizon, occupied, before, cell, damaged, plant, stag, results, stream,
    num_moves, event, reward, terminated, truncated, alive, lo, hi,
):  # fmt: skip
    """Move, harvest, hunt; then stags move, and what was taken comes back elsewhere."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        episode.clear(copy, event, reward, terminated, truncated)
        playing = False
        for i in range(cell.shape[1]):
            if alive[copy, i]:
                playing = True
                damaged[copy, i] = 0
                cell[copy, i] = target[cell[copy, i], actions[copy, i]]
        if not playing:
            continue
        harvest(copy, plant_reward, cell, plant, results, event, reward)
        mauled = hunt(
            copy, min_hunters, stag_reward, maul_penalty, cell, damaged, stag, results, event,
            reward,
        )  # fmt: skip
        num_moves[copy] += 1
        for i in range(cell.shape[1]):
            if on_maul == END:
                gone = mauled
            else:
                gone = on_maul == REMOVE and damaged[copy, i] == 1
            late = num_moves[copy] >= horizon and not gone
            terminated[copy, i] = gone and alive[copy, i]
            truncated[copy, i] = late and alive[copy, i]
            alive[copy, i] = alive[copy, i] and not (gone or late)
            if gone and on_maul == REMOVE:
                cell[copy, i] = board.NOWHERE
        sort_cells(plant[copy])
        sort_cells(stag[copy])
        if mauled and on_maul == END:
            continue
        move_stags(
            stream[copy], columns, move_prob, before[copy], cell[copy], plant[copy], stag[copy]
        )
        respawn(stream[copy], occupied[copy], cell[copy], plant[copy], stag[copy])


@rule
def observe(
    chosen, cell, damaged, plant, stag,
    template, ones, drawn, shown, alive, terminated, truncated, seen, mask, lo, hi,
):  # fmt: skip
    """Write the channels player_i, plant, stag and player_i_damaged."""
    agents = cell.shape[1]
    channels = 2 * agents + 2
    first_stag = 2 * agents + plant.shape[1]
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for i in range(agents):
            own = cell[copy, i]
            hurt = damaged[copy, i] == 1 and own >= 0
            ones[copy, i] = own * channels + i if own >= 0 else -1
            ones[copy, agents + i] = own * channels + agents + 2 + i if hurt else -1
        for k in range(plant.shape[1]):
            place = plant[copy, k]
            ones[copy, 2 * agents + k] = place * channels + agents if place >= 0 else -1
        for k in range(stag.shape[1]):
            place = stag[copy, k]
            ones[copy, first_stag + k] = place * channels + agents + 1 if place >= 0 else -1
        observation.show(
            copy, template, ones, drawn, shown, alive, terminated, truncated, seen, mask,
            board.STAY,
        )  # fmt: skip


@rule
def label(chosen, columns, cell, damaged, stag, event, alive, terminated, truncated, held, lo, hi):
    """Write the propositions of `MarkovStagHunt`."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for i in range(cell.shape[1]):
            holds = held[copy, i]
            holds[:] = False
            if not (alive[copy, i] or terminated[copy, i] or truncated[copy, i]):
                continue
            hurt = damaged[copy, i] == 1
            holds[SAFE] = not hurt
            holds[WAS_MAULED] = hurt
            holds[UNSAFE] = hurt
            holds[HAS_HUNTED] = event[copy, i] & HUNTED != 0
            holds[HAS_HARVESTED] = event[copy, i] & HARVESTED != 0
            for k in range(stag.shape[1]):
                if cell[copy, i] >= 0 and stag[copy, k] >= 0:
                    holds[NEXT_TO_STAG] |= (
                        board.distance(columns, cell[copy, i], stag[copy, k]) == 1
                    )


class MarkovStagHuntSimulation(GridSimulation):
    """Copies of a world; see `MarkovStagHunt` for its rules and parameters."""

    id = "gridworlds/markov-stag-hunt-v0"
    state_fields = ("results", "damaged", "agent_positions", "agent_counts", "plants", "stags")
    #: How many steps ahead chance has no say in what is unsafe: stags move after the mauling.
    safety_depth_exact = 1
    incidental = GridSimulation.incidental | {"results", "damaged"}

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        grid_size: board.Cell = (5, 5),
        num_agents: int = 2,
        num_plants: int = 2,
        num_stags: int = 1,
        max_moves: int = 500,
        stag_move_prob: float = 0.2,
        min_hunters_for_stag: int = 2,
        plant_reward: float = 2.0,
        stag_reward: float = 10.0,
        maul_penalty: float = -2.0,
        on_maul: str = "end",
        flatten_observations: bool = True,
    ) -> None:
        size = board.grid_size(grid_size)
        agents = check.integer("num_agents", num_agents, 1)
        plants = check.integer("num_plants", num_plants, 0)
        stags = check.integer("num_stags", num_stags, 0)
        if plants + stags >= size[0] * size[1]:
            raise InvalidParameter(
                f"num_plants + num_stags is less than the {size[0] * size[1]} cells of grid_size, "
                f"not {plants + stags}."
            )
        self.move_prob = check.number("stag_move_prob", stag_move_prob, 0, 1)
        self.min_hunters = check.integer("min_hunters_for_stag", min_hunters_for_stag, 1)
        given = {
            "plant_reward": plant_reward,
            "stag_reward": stag_reward,
            "maul_penalty": maul_penalty,
        }
        self.rewards = {name: check.number(name, value) for name, value in given.items()}
        self.on_maul = ON_MAUL.index(check.one_of("on_maul", on_maul, ON_MAUL))
        players = player_names(agents)
        super().__init__(
            copies,
            num_threads,
            size,
            agents,
            channels=(*players, "plant", "stag", *(f"{name}_damaged" for name in players)),
            actions=board.MOVE_NAMES,
            propositions=PROPOSITIONS,
            slots=2 * agents + plants + stags,
            parameters={
                "grid_size": size,
                "num_agents": agents,
                "num_plants": plants,
                "num_stags": stags,
                "max_moves": max_moves,
                "stag_move_prob": self.move_prob,
                "min_hunters_for_stag": self.min_hunters,
                **self.rewards,
                "on_maul": on_maul,
                "flatten_observations": flatten_observations,
            },
        )
        self.target = board.stops(board.targets(*size))
        self.occupied = np.zeros((self.copies, size[0] * size[1]), np.bool_)
        self.before = np.zeros((self.copies, stags), np.int64)
        self.state = State(
            cell=np.full((self.copies, agents), board.NOWHERE, np.int64),
            damaged=np.zeros((self.copies, agents), np.int64),
            plant=np.full((self.copies, plants), board.NOWHERE, np.int64),
            stag=np.full((self.copies, stags), board.NOWHERE, np.int64),
            results=np.zeros((self.copies, 3), np.int64),
            num_moves=np.zeros(self.copies, np.int64),
            event=np.zeros((self.copies, agents), np.int64),
            stream=random.philox_streams(self.copies),
        )

    def _things(self) -> tuple[NDArray[np.int64], ...]:
        state = self.state
        return state.cell, state.damaged, state.plant, state.stag

    def _begin_call(self) -> Any:
        state = self.state
        return begin, (
            self.chosen, self.occupied, *self._things(), state.results, state.stream,
            *self._flags(),
        )  # fmt: skip

    def _step_call(self) -> Any:
        state = self.state
        return step, (
            self.chosen, self.actions["players"], self.target, self.columns, self.min_hunters,
            self.on_maul, *self.rewards.values(), self.move_prob, self.horizon, self.occupied,
            self.before, *self._things(), state.results, state.stream, *self._flags(),
        )  # fmt: skip

    def _observe_call(self) -> Any:
        return observe, (self.chosen, *self._things(), *self._view())

    def _label_call(self) -> Any:
        state = self.state
        return label, (
            self.chosen, self.columns, state.cell, state.damaged, state.stag, state.event,
            *self._held(),
        )  # fmt: skip

    def info_arrays(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Return `position`, `mauled`, `maul_reset`, `hunted_stag`, `harvested_plant`, `results`.

        `results` is ``[copy, agent, 3]``: `stags_hunted`, `plants_harvested`, `maulings`.
        """
        mauled = self.state.damaged == 1
        reset = mauled.any(axis=1, keepdims=True) & (self.on_maul == END)
        return {
            "players": {
                "position": self._position_array(),
                "mauled": mauled,
                "maul_reset": np.repeat(reset, self.num_agents, 1),
                **self._happened({"hunted_stag": HUNTED, "harvested_plant": HARVESTED}),
                "results": np.repeat(self.state.results[:, None], self.num_agents, 1),
            }
        }

    def infos(self, copy: int) -> dict[str, dict[str, Any]]:
        """Return what `info_arrays` does for one copy; positions and results in readable form."""
        state = self.state
        values = [each[copy].tolist() for each in (state.cell, state.damaged, state.event)]
        maul_reset = self.on_maul == END and 1 in values[1]
        results = self.results(copy)
        return {
            name: {
                "position": board.place(cell, self.columns),
                "mauled": damaged == 1,
                "maul_reset": maul_reset,
                "hunted_stag": event & HUNTED != 0,
                "harvested_plant": event & HARVESTED != 0,
                "results": dict(results),
            }
            for name, cell, damaged, event in zip(self.spec.agents, *values, strict=True)
        }

    def results(self, copy: int) -> dict[str, int]:
        """Return the counts of the episode of one copy by name."""
        return dict(zip(RESULTS, self.state.results[copy].tolist(), strict=True))

    def metrics(self, copies: Sequence[int] | None = None) -> dict[str, NDArray[np.float64]]:
        """Return the counts of the episode."""
        chosen = slice(None) if copies is None else list(copies)
        counts = self.state.results[chosen].astype(np.float64)
        return {name: counts[:, i] for i, name in enumerate(RESULTS)}

    def counts(self, cells: Sequence[int]) -> NDArray[np.int16]:
        """Return how many agents are on each cell, ``int16[row, column]``."""
        standing = [cell for cell in cells if cell >= 0]
        counted = np.bincount(standing, minlength=self.rows * self.columns)
        return counted.astype(np.int16).reshape(self.rows, self.columns)

    def read_state(self, copy: int) -> tuple[Any, ...]:
        """Return results, damaged, agent_positions, agent_counts, plants and stags."""
        state = self.state
        return (
            tuple(state.results[copy].tolist()),
            tuple(state.damaged[copy].tolist()),
            self.positions(copy),
            self.counts(state.cell[copy].tolist()),
            self._present(state.plant[copy]),
            self._present(state.stag[copy]),
        )

    def _present(self, cells: NDArray[np.int64]) -> tuple[board.Cell, ...]:
        return tuple(divmod(cell, self.columns) for cell in cells.tolist() if cell >= 0)

    def parse_state(self, live: tuple[bool, ...], *fields: Any) -> dict[str, Any]:
        """Check results, damaged, agent_positions, agent_counts, plants and stags."""
        results, damaged, positions, counts, plants, stags = fields
        if self.on_maul != REMOVE:
            self._parse_together(live)
        if not isinstance(results, tuple | list) or len(results) != len(RESULTS):
            raise InvalidParameter(f"results is a tuple ({', '.join(RESULTS)}), not {results!r}.")
        counted = [check.integer(f"results[{i}]", each, 0) for i, each in enumerate(results)]
        cells = self._parse_positions(live, positions, "agent_positions")
        if not np.array_equal(np.asarray(counts), self.counts(cells)):
            raise InvalidParameter(
                "agent_counts is how many of agent_positions are on each cell, not "
                f"{np.asarray(counts).tolist()!r}."
            )
        arrays = {
            "plant": self._parse_things("plants", plants, self.state.plant.shape[1]),
            "stag": self._parse_things("stags", stags, self.state.stag.shape[1]),
        }
        if set(arrays["plant"]) & set(arrays["stag"]) - {board.NOWHERE}:
            raise InvalidParameter("plants and stags are on distinct cells.")
        return {
            "results": counted,
            "damaged": self._parse_counts("damaged", damaged, 1),
            "cell": cells,
            **arrays,
        }

    def _parse_things(self, name: str, places: Any, most: int) -> list[int]:
        cells = sorted(board.cells(name, places, self.rows, self.columns))
        if len(cells) > most:
            raise InvalidParameter(f"{name} is at most {most} cells, not {places!r}.")
        return cells + [board.NOWHERE] * (most - len(cells))

    def decode(self, seen: NDArray[np.bool_]) -> dict[str, Any]:
        """Return agents, damages, plants and stags; the counts of the episode are not seen."""
        n = self.num_agents
        things = {}
        for offset, name in enumerate(("plant", "stag")):
            slots = getattr(self.state, name).shape[1]
            cells = np.flatnonzero(seen[:, :, n + offset])[:slots].tolist()
            things[name] = cells + [board.NOWHERE] * (slots - len(cells))
        return {
            "cell": [self._cell_of(seen, i) for i in range(n)],
            "damaged": seen[:, :, n + 2 :].any(axis=(0, 1)),
            "results": 0,
            **things,
        }

    def draw(self, picture: drawing.Board, copy: int) -> None:
        """Draw plants, stags and agents; who was mauled is crossed out."""
        state = self.state
        picture.fill(np.ones((self.rows, self.columns), np.bool_), palette.GRASS)
        picture.stamp(self.grid(state.plant[copy]), "plant", palette.TREE)
        picture.stamp(
            self.grid(state.stag[copy]), "stag", palette.mix(palette.FIRE, palette.INK, 0.5)
        )
        marks = ["damaged" if hurt else None for hurt in state.damaged[copy]]
        picture.agents(self.grid(state.cell[copy]), mark=marks)

    def draw_text(self, picture: drawing.TextBoard, copy: int) -> None:
        """Draw plants (``*``), stags (``Y``) and agents; ``!`` marks who was mauled."""
        state = self.state
        everywhere = np.ones((self.rows, self.columns), np.bool_)
        picture.put(everywhere, "", ground=palette.GRASS)
        picture.put(self.grid(state.plant[copy]), "*", palette.TREE, palette.GRASS)
        picture.put(self.grid(state.stag[copy]), "Y", palette.FIRE, palette.GRASS)
        labels = [f"{i}!" if hurt else str(i) for i, hurt in enumerate(state.damaged[copy])]
        picture.agents(self.grid(state.cell[copy]), labels=labels)

    def _caption(self, copy: int) -> str:
        stags, plants, maulings = self.state.results[copy]
        counts = f"  stags {stags}  plants {plants}  mauled {maulings}"
        return super()._caption(copy) + counts


class MarkovStagHunt(GridworldEnv):
    """The stag hunt on a board, a PettingZoo `ParallelEnv`.

    **A step.** Actions: left 0, right 1, up 2, down 3, stay 4.

    1. All agents move at once; the border stops them. They may share and swap cells.
    2. Everyone on a plant gets `plant_reward`; the plant goes and counts once.
    3. Stags: where at least `min_hunters_for_stag` agents are on a stag's cell, each gets
       `stag_reward` and the stag goes. Fewer are mauled: each gets `maul_penalty` (added) and is
       damaged.
    4. If anyone was mauled: with ``on_maul="end"`` the episode terminates for all, at once; with
       ``"remove"`` it terminates for the mauled, who leave the board; with ``"continue"`` it goes
       on.
    5. Each stag moves with probability `stag_move_prob` one cell towards the nearest agent (the
       first of several), along rows or columns with equal chances where both lead there. It stays
       if that cell holds an agent or a plant, or held a stag before the stags moved, or holds one
       that has moved: stags never step onto agents.
    6. Plants, then stags, come back to their numbers on random cells that hold nothing.

    An episode is truncated after `max_moves` steps.

    At the start each agent is anywhere, plants and stags are on distinct cells without agents.

    **Observation**, the same for all: channels `player_i` (n of them), `plant`, `stag`,
    `player_i_damaged` (n; 1 where the agent is), 0 or 1, ``uint8``; shape
    ``(rows * columns * (2 n + 2),)``, or ``(rows, columns, 2 n + 2)`` with
    ``flatten_observations=False``.

    **Infos**: `position` (row, column) or None, `mauled`, `maul_reset` (this step's mauling ended
    the episode), `hunted_stag`, `harvested_plant`, `results` (`stags_hunted`,
    `plants_harvested`, `maulings` of the episode, all agents).

    **Labels** of an agent: `safe`, or `mauled` and `unsafe`; `hunted_stag`, `harvested_plant`,
    `next_to_stag` (one move from one).

    **State tuple**: ``(agents, results, damaged, agent_positions, agent_counts, plants, stags,
    rng_state)``; `agent_counts` is ``int16[row, column]``, plants and stags are sorted.

    Parameters
    ----------
    grid_size
        Rows and columns.
    num_agents
        At least 1.
    num_plants, num_stags
        Together fewer than there are cells.
    max_moves
        Steps per episode, at least 1.
    stag_move_prob
        0..1.
    min_hunters_for_stag
        At least 1.
    plant_reward, stag_reward, maul_penalty
        Any numbers; the penalty is added, so it is negative as a rule.
    on_maul
        ``"end"``, ``"continue"`` or ``"remove"``.
    flatten_observations
        Whether observations are vectors.
    render_mode
        ``"ansi"``, ``"rgb_array"``, ``"human"`` or None.
    seed
        Seed of the first reset that is given none.
    """

    simulation_class = MarkovStagHuntSimulation
    simulation: MarkovStagHuntSimulation

    def env_logging_info(self, suffix: str = "") -> dict[str, int]:
        """Return the counts of the episode, their names with a suffix."""
        return {f"{name}{suffix}": count for name, count in self.simulation.results(0).items()}
