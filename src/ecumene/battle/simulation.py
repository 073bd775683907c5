"""Copies of a battle: the arrays, and which rule is called when."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene.battle import labelling, overview, portrait, sights
from ecumene.battle import world as worlds
from ecumene.battle.definition import Battle
from ecumene.battle.layout import (
    check_room,
    has_certain_walls,
    is_certain,
    make_layout,
    most_agents,
)
from ecumene.battle.rules import placing, playing, seeing
from ecumene.battle.state import ALIVE, PLAYING, State, allocate_scratch, allocate_state
from ecumene.battle.tables import MOST_SYMBOLS, compile_rewards
from ecumene.engine import (
    Group,
    InvalidParameter,
    Simulation,
    Spec,
    UnknownAgent,
    allocate_output,
    check,
    random,
)
from ecumene.engine.errors import near_match

# One copy with this many agents or more is worked on by several threads at once.
LARGE = 4_096

_GENERATORS = {"philox": random.philox_streams, "minstd": random.minimal_streams}


class BattleSimulation(Simulation):
    """Copies of a `Battle`.

    Parameters
    ----------
    copies, num_threads
        See `Simulation`. A single copy of many agents is split over the threads by agents;
        results never depend on their number.
    battle
        The world.
    id
        Its registered id.
    parameters
        What its constructor was given.
    observations
        ``"float32"``: views as documented. ``"uint8"``: two codes per cell, see
        `ecumene.battle.compact`. ``"none"``: nothing is written; ask `observe_agents`.
    rng
        ``"philox"``, or ``"minstd"``: the minimal standard generator, with which recorded
        episodes replay.
    """

    state: State
    #: Number of the agent through whose eyes pictures are seen; see `watch`.
    watched: int | None = None

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        battle: Battle,
        id: str = "battle/custom-v0",  # noqa: A002
        parameters: Mapping[str, Any] | None = None,
        observations: str = "float32",
        rng: str = "philox",
    ) -> None:
        super().__init__(copies, num_threads)
        self.battle = battle
        check.one_of("rng", rng, tuple(_GENERATORS))
        check.one_of("Battle.unsafe", battle.unsafe, labelling.PROPOSITIONS)
        check.one_of("observations", observations, sights.FORMS)
        self.layout = make_layout(battle)
        check_room(battle, self.layout)
        sizes = self._count_agents()
        self.world = worlds.make_world(battle, sizes)
        names = [group.name for group in battle.groups]
        self.table = compile_rewards(battle.rewards, names, self.world.start.tolist())
        self.state = allocate_state(self.copies, self.world, _GENERATORS[rng](self.copies))
        self.scratch = allocate_scratch(self.copies, self.world, self._symbols())
        self.wanted = np.zeros((self.copies, len(self.world.owner)), np.int16)
        shared = has_certain_walls(self.layout)
        self.sights = sights.Sights(battle, self.world, self.copies, observations, shared)
        groups = tuple(self._group(i, sizes[i]) for i in self.viewers)
        self.spec = Spec(
            id, battle.max_cycles, groups, dict(parameters or {}), labelling.PROPOSITIONS
        )
        self.out = {
            group.name: allocate_output(group, self.copies, reward_dtype=np.float32)
            for group in groups
        }
        self._prepared: dict[int, list[sights.Call]] = {}

    def __getstate__(self) -> dict[str, Any]:
        # What is prepared holds views of arrays, which would be copied apart from the arrays.
        return {**self.__dict__, "_prepared": {}}

    @property
    def viewers(self) -> list[int]:
        """Numbers of the groups that are the user's, in the order of ``spec.groups``."""
        return self.sights.viewers

    def _symbols(self) -> int:
        return max(MOST_SYMBOLS, len(self.battle.groups))

    def _count_agents(self) -> list[int]:
        """Return how many agents of each group a copy may hold."""
        most = most_agents(self.layout, len(self.battle.groups))
        if not is_certain(self.layout):
            return most
        world = worlds.make_world(self.battle, most)
        trial = allocate_state(1, world, random.minimal_streams(1))
        scratch = allocate_scratch(1, world, self._symbols())
        placing.begin(np.ones(1, np.bool_), world, self.layout, trial, scratch, 0, 1)
        self._refuse_crowding(scratch.crowded)
        alive = np.bincount(world.owner[trial.status[0] == ALIVE], minlength=len(most))
        return alive.tolist()

    def _group(self, i: int, size: int) -> Group:
        group = self.battle.groups[i]
        names = worlds.action_names(group.type, self.battle.turn_mode)
        return Group(
            group.name,
            tuple(f"{group.name}_{k}" for k in range(size)),
            self.sights.space(i),
            spaces.Discrete(len(names)),
            names,
            self.sights.channel_names(i),
        )

    # Rules.

    def begin_copies(self, lo: int, hi: int) -> None:
        """Place walls and agents."""
        placing.begin(*self._begin_arguments(), lo, hi)
        self._refuse_crowding(self.scratch.crowded[lo:hi])
        self._play(playing.TELL | playing.FORGET, lo, hi)

    def step_copies(self, lo: int, hi: int) -> None:
        """Play one step."""
        self._take_actions(lo, hi)
        if self._is_large():
            self._step_large()
            self._play(playing.TELL, lo, hi)
        else:
            self._play(playing.STEP | playing.TELL, lo, hi)

    def observe_copies(self, lo: int, hi: int) -> None:
        """Write observations and masks."""
        if self._is_large() and self.sights.form == "float32":
            self._observe_large()
        else:
            self._play(playing.LOOK, lo, hi)

    def _step_and_observe(self, lo: int, hi: int) -> None:
        if self._is_large():
            super()._step_and_observe(lo, hi)
        else:
            self._take_actions(lo, hi)
            self._play(playing.STEP | playing.TELL | playing.LOOK, lo, hi)

    def label_copies(self, lo: int, hi: int) -> None:
        """Write labels."""
        for arguments in self._label_arguments():
            labelling.label(*arguments, lo, hi)

    def rule_calls(self) -> list[tuple[Callable[..., object], tuple[Any, ...]]]:
        """Return the rules with their arguments."""
        self._take_actions(0, self.copies)
        calls = [
            (placing.begin, self._begin_arguments()),
            *self._calls(playing.TELL | playing.FORGET),
            *self._calls(playing.STEP | playing.TELL | playing.LOOK),
        ]
        return [(rule, (*arguments, 0, self.copies)) for rule, arguments in calls]

    def _play(self, what: int, lo: int, hi: int) -> None:
        """Do what `playing.play` does, and what it leaves to others."""
        if what not in self._prepared:
            self._prepared[what] = self._calls(what)
        for rule, arguments in self._prepared[what]:
            rule(*arguments, lo, hi)

    def _calls(self, what: int) -> list[sights.Call]:
        """Return the calls of rules of which `_play` consists, all but their ranges."""
        looks = bool(what & playing.LOOK)
        if self.sights.form == "none":
            what &= ~(playing.FORGET | playing.LOOK)
        densities = self.sights.density_calls(self.chosen, self.state) if looks else []
        if densities:
            step, look = what & ~playing.LOOK, what & playing.LOOK
            calls = [*self._plays(step), *densities, *self._plays(look)]
        else:
            calls = self._plays(what)
        for group, i in zip(self.spec.groups if looks else (), self.viewers, strict=False):
            output = self.out[group.name]
            calls += self.sights.further_calls(self.chosen, self.state, i, output)
        return calls

    def _plays(self, what: int) -> list[sights.Call]:
        return [(playing.play, (what, *self._arguments()))] if what else []

    def _begin_arguments(self) -> tuple[Any, ...]:
        return self.chosen, self.world, self.layout, self.state, self.scratch

    def _arguments(self) -> tuple[Any, ...]:
        """Return what `playing.play` is handed."""
        reports = tuple(
            self.sights.report(i, self.out[group.name])
            for group, i in zip(self.spec.groups, self.viewers, strict=True)
        )
        told = self.wanted, self.state, self.scratch, self.sights.boards, reports
        return self.chosen, self.world, self.table, *told

    def _label_arguments(self) -> Iterator[tuple[Any, ...]]:
        unsafe = labelling.PROPOSITIONS.index(self.battle.unsafe)
        for group, i in zip(self.spec.groups, self.viewers, strict=True):
            yield self.chosen, i, unsafe, self.world, self.state, self.label[group.name]

    def _take_actions(self, lo: int, hi: int) -> None:
        for group, i in zip(self.spec.groups, self.viewers, strict=True):
            first, last = self.world.start[i], self.world.start[i + 1]
            self.wanted[lo:hi, first:last] = self.actions[group.name][lo:hi]

    def _refuse_crowding(self, crowded: NDArray[np.int32]) -> None:
        if crowded.any():
            first = int(crowded[crowded != 0][0])
            what = "wall" if first == 1 else f"agent of {self.battle.groups[first - 2].name!r}"
            raise InvalidParameter(
                f"there is no room for another {what} on the "
                f"{self.battle.width}x{self.battle.height} map: place fewer or enlarge the map."
            )

    def adopt(self, source: Simulation, copies: NDArray[np.int64]) -> None:
        """See `Simulation.adopt`."""
        super().adopt(source, copies)
        self._forget_walls(0, len(copies))

    def _restore_extra(self, copy: int, extra: Any) -> None:
        self._forget_walls(copy, copy + 1)

    def _forget_walls(self, lo: int, hi: int) -> None:
        """Let the boards of other maps be drawn afresh."""
        self.chosen.fill(False)
        self.chosen[lo:hi] = True
        self._play(playing.FORGET, lo, hi)

    # One copy of many agents.

    def _is_large(self) -> bool:
        return self.copies == 1 and len(self.world.owner) >= LARGE

    def _part(self, part: int, items: int = 1, viewer: int = 0) -> None:
        """Do a part of a step for all agents or bands, on several threads where that pays."""
        arguments = part, viewer, *self._arguments()[1:]
        self._split(f"part {part} {viewer}", playing.play_part, arguments, items)

    def _split(
        self, kind: str, rule: Callable[..., object], arguments: tuple[Any, ...], items: int
    ) -> None:
        """Call a rule for ranges of some items, on several threads where that pays."""
        self.runner.run(kind, lambda first, last: rule(*arguments, first, last), items)

    def _step_large(self) -> None:
        """Play one step, what can be done at a time by threads."""
        agents = len(self.world.owner)
        self._part(playing.TICK)
        if self.state.over[0] != PLAYING:
            return
        self._part(playing.PREPARE, agents)
        self._part(playing.FIGHT)
        self._part(playing.RECOVER, agents)
        if self.world.bands > 1 and worlds.bands_are_apart(self.battle):
            self._part(playing.SORT)
            self._part(playing.MOVE_BANDS, self.world.bands)
            self._part(playing.MOVE_EDGES)
        else:
            self._part(playing.MOVE)
        self._part(playing.SCORE)

    def _observe_large(self) -> None:
        """Write observations, the agents divided among threads."""
        for rule, arguments in self.sights.density_calls(self.chosen, self.state):
            rule(*arguments, 0, 1)
        self._part(playing.ERASE, len(self.world.owner))
        self._part(playing.SHOW_GROUND)
        self._part(playing.DRAW, len(self.world.owner))
        for viewer, group in enumerate(self.spec.groups):
            self._part(playing.VIEW, len(group.agents), viewer)

    # What users ask for.

    def observe_agents(
        self,
        group: str,
        agents: Any = None,
        copy: int = 0,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Return the float32 observations of some agents of a group, in the order given.

        Parameters
        ----------
        group
            A controlled group.
        agents
            Their indices within the group; None: all of them.
        copy
            The copy.
        out
            An array like the one returned, of as many agents or more: it is written, and its
            beginning returned.

        Returns
        -------
        ndarray
            ``float32[agents, rows, columns, channels]``. Zero for agents that are gone.

        Raises
        ------
        InvalidParameter
            For a group, copy or index that does not exist, or an `out` that does not fit.
        """
        i = self._viewer(group)
        size = int(self.world.start[i + 1] - self.world.start[i])
        chosen = np.arange(size) if agents is None else np.asarray(agents)
        if chosen.dtype.kind not in "iu" or chosen.ndim != 1:
            raise InvalidParameter(f"agents is a vector of integers, not {agents!r}.")
        if chosen.size and not (chosen.min() >= 0 and chosen.max() < size):
            raise InvalidParameter(f"the agents of {group!r} are 0..{size - 1}.")
        check.integer("copy", copy, 0, self.copies - 1)
        result = self.sights.blank(i, len(chosen), out)
        self._count_densities(i, copy)
        self._observe_some(i, copy, chosen.astype(np.int64), result)
        return result

    def _count_densities(self, i: int, copy: int) -> None:
        if self.battle.minimap_mode:
            everyone = np.ones(self.copies, np.bool_)
            counting = everyone, self.sights.eyes[i], self.world, self.state
            seeing.count_densities(*counting, copy, copy + 1)

    def _observe_some(
        self, i: int, copy: int, agents: NDArray[np.int64], result: NDArray[Any]
    ) -> None:
        rule, arguments = self.sights.observe_some_call(self.state, i, copy, agents, result)
        self._split(f"observe some {i}", rule, arguments, len(agents))

    def observation_chunks(
        self, group: str, size: int = 8_192, copy: int = 0
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[Any]]]:
        """Yield the float32 observations of all living agents of a group, some at a time.

        Neighbours on the map come together, which is the fastest way through a large world.

        Parameters
        ----------
        group
            A controlled group.
        size
            Most agents at a time. On one thread some hundreds are fastest, since their
            observations stay in the processor's cache; threads need thousands to share.
        copy
            The copy.

        Yields
        ------
        agents, observations
            Indices within the group, and an array that the next turn overwrites.
        """
        check.integer("size", size, 1)
        i = self._viewer(group)
        check.integer("copy", copy, 0, self.copies - 1)
        agents = self.sights.neighbours(self.state, i, copy)
        buffer = self.sights.blank(i, min(size, len(agents)), None)
        self._count_densities(i, copy)
        for first in range(0, len(agents), size):
            some = agents[first : first + size]
            observations = buffer[: len(some)]
            self._observe_some(i, copy, some, observations)
            yield some, observations

    def _viewer(self, group: str) -> int:
        names = [each.name for each in self.spec.groups]
        if group not in names:
            raise InvalidParameter(
                f"there is no controlled group {group!r}.{near_match(group, names)} "
                f"Groups: {', '.join(names)}."
            )
        return self.battle.names[group]

    def global_state(self, copy: int) -> NDArray[np.float32]:
        """Return the whole map; see `ecumene.battle.overview`."""
        return overview.write(self.battle, self.world, self.state, copy)

    @property
    def global_state_space(self) -> spaces.Box:
        """Space of `global_state`."""
        return overview.space(self.battle, self.world)

    def frame(self, copy: int) -> NDArray[np.uint8]:
        """Return a picture: walls grey, bodies in the colours of their groups, attacks as lines.

        Above the map stand the numbers of the living. See `watched`.
        """
        window = None
        if self.watched is not None:
            group = int(self.world.owner[self.watched])
            window = self.sights.windows[group]
        return portrait.frame(self.battle, self.world, self.state, copy, self.watched, window)

    def text(self, copy: int) -> str:
        """Return a drawing in coloured characters, two to a cell; for small maps."""
        return portrait.text(self.battle, self.world, self.state, copy)

    def watch(self, agent: str | None) -> None:
        """Let pictures dim what an agent does not see; None: dim nothing.

        Raises
        ------
        UnknownAgent
            For a name that is not an agent's.
        """
        if agent is None:
            self.watched = None
            return
        if agent not in self.spec.place:
            raise UnknownAgent(f"there is no agent {agent!r}.{near_match(agent, self.spec.agents)}")
        group, index = self.spec.place[agent]
        self.watched = int(self.world.start[self.battle.names[group.name]]) + index

    def metrics(self, copies: Any = None) -> dict[str, NDArray[np.float64]]:
        """Return how many agents of each group live."""
        status = self.state.status[slice(None) if copies is None else list(copies)]
        start = self.world.start
        return {
            f"living/{group.name}": (status[:, start[i] : start[i + 1]] == ALIVE)
            .sum(axis=1)
            .astype(np.float64)
            for i, group in enumerate(self.battle.groups)
        }
