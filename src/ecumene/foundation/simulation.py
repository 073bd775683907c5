"""Economies as simulations: any number of copies, each on a random stream of its own."""

import inspect
import random as python_random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene.engine import Group, InvalidParameter, Output, Simulation, Spec
from ecumene.engine.random import seed_streams
from ecumene.engine.state import copy_in, copy_out
from ecumene.foundation import picture
from ecumene.foundation.base.base_env import BaseEnvironment, scenario_registry
from ecumene.foundation.base.construct import misfit_of, parameters_of
from ecumene.foundation.base.errors import Refused, UnfitArguments
from ecumene.foundation.base.logs import DenseLog, empty_dense_log
from ecumene.foundation.base.observation import AGENTS, PLANNER, SEEN, TIME
from ecumene.foundation.labels import BROKE_BELOW, OVERWORKED_ABOVE, Labelling
from ecumene.foundation.rules import episode

KINDS = (AGENTS, PLANNER)
# Options of the documented interface that have no meaning for arrays: name -> (value, remedy).
_FIXED = {
    "flatten_masks": (True, "masks are arrays here"),
    "collate_agent_step_and_reset_data": (False, "arrays hold all agents of a group anyway"),
    "seed": (None, "seed by reset(seed=...)"),
    "dense_log_frequency": (None, "dense logs are made by enable_dense_log"),
}


class EconomyState(NamedTuple):
    """What an economy holds per copy, first axis the copy.

    stream: uint32[copy, 9]  # Philox row
    spare: float64[copy, 2]  # spare Gaussian
    clock: int64[copy]
    completions: int64[copy]  # episodes completed
    location: int64[copy, agent, 2]
    inventory: float64[copy, agent + planner, resource]
    escrow: float64[copy, agent + planner, resource]
    endogenous: float64[copy, agent + planner, variable]
    tile: float32[copy, channel, row, column]
    marks: int16[copy, private + 1, row, column]  # owners + 2, agents + 2
    parts: scenario and components -> their arrays
    """

    stream: NDArray[np.uint32]
    spare: NDArray[np.float64]
    clock: NDArray[np.int64]
    completions: NDArray[np.int64]
    location: NDArray[np.int64]
    inventory: NDArray[np.float64]
    escrow: NDArray[np.float64]
    endogenous: NDArray[np.float64]
    tile: NDArray[np.float32]
    marks: NDArray[np.int16]
    parts: dict[str, Any]


class EconomySimulation(Simulation):
    """Copies of an economy.

    Groups: ``agents`` (mobile agents "0", "1", ...) and ``planner`` ("p"). Actions are those of the
    scenario: in single-action mode `Discrete` over all subspaces end to end, in multi-action mode
    `MultiDiscrete`. Observations are a `Dict` of the documented fields; with
    ``flatten_observations`` scalars and vectors are joined in ``flat``. In single-action mode the
    mask is among them as ``action_mask`` (int8). Episodes are truncated after `episode_length`
    steps. Copy k of a batch reset with seed s goes exactly as a single copy reset with seed s + k.

    A subclass names its `scenario`, and can be handed to `ecumene.register`::

        class MySimulation(foundation.EconomySimulation):
            scenario = "example/my_scenario"
            defaults = {"n_agents": 4, "world_size": (10, 10), "components": [("Gather", {})]}

    Parts written in plain Python are run copy by copy; NumPy's and Python's global generators are
    seeded for them from the copy's stream whenever one of their methods is called.

    Parameters
    ----------
    copies, num_threads
        See `Simulation`. With plain Python parts there is one thread.
    broke_below
        Coin, escrow included, below which an agent is labelled `broke`.
    overworked_above
        Labor in the episode above which an agent is labelled `overworked` and `unsafe`.
    **parameters
        Those of the scenario.
    """

    #: Name in ``foundation.scenarios``.
    scenario = ""
    #: Id under which the class is registered; the scenario's name if it is not.
    id = ""
    #: Parameters of the scenario that differ from its own defaults.
    defaults: Mapping[str, Any] = {}

    def __init_subclass__(cls) -> None:
        # What `make` and `ecumene info` can tell of a world's parameters, they read here.
        super().__init_subclass__()
        scenario = scenario_registry.get(cls.scenario)
        cls.__signature__ = _signature(scenario, cls.defaults)  # type: ignore[attr-defined]

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        broke_below: float = BROKE_BELOW,
        overworked_above: float = OVERWORKED_ABOVE,
        **parameters: Any,
    ) -> None:
        super().__init__(copies, num_threads)
        cls = scenario_registry.get(self.scenario)
        given = {**self.defaults, **parameters}
        self._check_parameters(given)
        with _own_generators():
            self.environment: BaseEnvironment = cls.batch(self.copies, **given)
            self.world = self.environment.world
            self.world.chosen = self.chosen
            self._runtime = self.environment._runtime
            self._adopt_plain_parts()
            self._learn_layout()
        self._choices = {kind: self._choices_of(self._agent_of(kind)) for kind in KINDS}
        self._noops = {kind: self._noops_of(self._agent_of(kind)) for kind in KINDS}
        self.state = self._state()
        self.out = self._outputs()
        self._labelling = Labelling(self.environment, broke_below, overworked_above)
        self.spec = Spec(
            self.id or self.scenario,
            self.environment.episode_length,
            self._groups(),
            {**given, "broke_below": broke_below, "overworked_above": overworked_above},
            self._labelling.propositions,
        )
        self._dense: dict[int, DenseLog] = {}
        self._last_dense: dict[int, dict[str, Any]] = {}

    @classmethod
    def page(cls) -> type:
        """See `Simulation.page`."""
        return scenario_registry.get(cls.scenario)

    def parts(self) -> dict[str, type]:
        """See `Simulation.parts`."""
        return {f"component {part.name}": type(part) for part in self.environment.components}

    # Construction.

    @classmethod
    def _check_parameters(cls, given: Mapping[str, Any]) -> None:
        for name, (value, remedy) in _FIXED.items():
            if given.get(name, value) != value:
                raise Refused(f"{name} is {value!r} in a batch, not {given[name]!r}: {remedy}.")
        known = _parameters(cls.page(), cls.defaults)
        misfit = misfit_of(set(given) - set(_FIXED), known)
        if misfit is not None:
            raise UnfitArguments(f"`{cls.id or cls.scenario}` {misfit}")

    def _learn_layout(self) -> None:
        # A throw-away episode of the first copy shows which fields there are.
        world, plain = self.world, self.world.plain
        seed_streams(world.streams, range(self.copies), [0] * self.copies)
        arrays, attributes = copy_out(self._state(), 0), plain.extra(0)
        self.chosen[0] = True
        self._runtime.stages.begin(0, 1)
        observer = self._runtime.observer
        observer.learn(observer.collect())
        if observer.observations is None:
            raise InvalidParameter(
                f"{self.scenario}: mobile agents differ in what they observe or can do, so they "
                "have no arrays in common; use foundation.make_env_instance."
            )
        self.chosen[0] = False
        # Nothing remains of that episode: no copy is to differ from the others.
        copy_in(self._state(), 0, arrays)
        for fields in world.fields_of(0):
            fields.clear()
        slots = [part.slots for part in plain.parts]
        plain.restore(0, attributes)
        plain.share("slots", slots)
        for copy in range(self.copies):
            with plain.in_view(copy):
                for part in plain.parts:
                    part.bind()

    def _adopt_plain_parts(self) -> None:
        self._runtime.stages.calls("begin")  # finds out which parts are plain
        plain = self._runtime.stages.plain_parts
        if plain:
            self.runner.num_threads = 1
            environment = self.environment
            shared = [environment, self._runtime, *environment.components]
            self.world.plain.adopt(plain, shared)

    def _state(self) -> EconomyState:
        world, maps = self.world, self.world.maps
        parts = {part.name: part.arrays for part in self._parts() if part.arrays is not None}
        return EconomyState(
            world.streams,
            world.spare,
            world.clock,
            world.completions,
            maps.location,
            world.inventory,
            world.escrow,
            world.endogenous,
            maps.tile,
            maps.marks,
            parts,
        )

    def _parts(self) -> list[Any]:
        return [self.environment, *self.environment.components]

    def _outputs(self) -> dict[str, Output]:
        rewards, n = self._runtime.rewards, self.environment.n_agents
        return {
            AGENTS: self._output(AGENTS, rewards[:, :n]),
            PLANNER: self._output(PLANNER, rewards[:, n:]),
        }

    def _output(self, kind: str, reward: NDArray[np.float64]) -> Output:
        observations = self._observations()
        flags = [np.zeros(reward.shape, np.bool_) for _ in range(3)]
        return Output(self._fields(kind), observations.masks[kind], reward, *flags)

    def _observations(self) -> Any:
        return self._runtime.observer.observations

    def _fields(self, kind: str) -> dict[str, NDArray[Any]]:
        observations = self._observations()
        table = observations.tables[kind]
        fields = dict(table.kept)
        fields.update(self._numbers(table, "flat", ""))
        if kind == PLANNER:
            seen = observations.tables[SEEN]
            for i in range(self.environment.n_agents):
                fields.update(self._numbers(seen, f"p{i}", f"p{i}-", slice(i, i + 1)))
        if isinstance(self._action_space(kind), spaces.Discrete):
            fields["action_mask"] = observations.masks[kind]
        return fields

    def _numbers(
        self, table: Any, joined: str, prefix: str, rows: slice = slice(None)
    ) -> dict[str, NDArray[np.float32]]:
        if not table.columns:
            return {}
        if self.environment._flatten_observations:
            return {joined: table.flat[:, rows]}
        return {
            prefix + name: table.flat[:, rows, place]
            for name, place in table.columns.items()
            if name not in table.kept
        }

    def _action_space(self, kind: str) -> Any:
        agent = self._agent_of(kind)
        if agent.multi_action_mode and len(agent.action_dim) > 1:
            return spaces.MultiDiscrete(agent.action_spaces)
        # One subspace alone is a plain choice, whatever the mode.
        return spaces.Discrete(int(np.sum(agent.action_spaces)))

    def _agent_of(self, kind: str) -> Any:
        return self.world.agents[0] if kind == AGENTS else self.world.planner

    def _groups(self) -> tuple[Group, ...]:
        names = {AGENTS: tuple(str(i) for i in range(self.environment.n_agents)), PLANNER: ("p",)}
        return tuple(
            Group(
                kind,
                names[kind],
                self._observation_space(kind),
                self._action_space(kind),
                tuple(_action_names(self._agent_of(kind), self.environment.components)),
                self._channel_names(kind),
            )
            for kind in KINDS
        )

    def _channel_names(self, kind: str) -> tuple[str, ...]:
        seen = self.out[kind].observation.get("world-map")
        if seen is None:
            return ()
        names = tuple(self.world.maps.keys())
        # A window of the map also tells which of its tiles are in the world.
        return names if seen.shape[2] == len(names) else (*names, "InWorld")

    def _observation_space(self, kind: str) -> spaces.Dict:
        return spaces.Dict(
            {
                name: _space_of(name, array, self.environment)
                for name, array in self.out[kind].observation.items()
            }
        )

    # Episodes.

    def begin_copies(self, lo: int, hi: int) -> None:
        """See `Simulation.begin_copies`."""
        self._runtime.stages.begin(lo, hi)
        episode.begin(self.chosen, *self._flags(), self._runtime.rewards, lo, hi)

    def label_copies(self, lo: int, hi: int) -> None:
        """See `Simulation.label_copies`."""
        self._labelling.write(self.chosen, self.out, self.label, lo, hi)

    def step_copies(self, lo: int, hi: int) -> None:
        """See `Simulation.step_copies`."""
        self._decode(lo, hi)
        self._runtime.stages.advance(lo, hi)
        horizon = self.spec.horizon
        episode.finish(self.chosen, self.world.clock, horizon, *self._flags(), lo, hi)

    def _flags(self) -> tuple[NDArray[np.bool_], ...]:
        agents, planner = self.out[AGENTS], self.out[PLANNER]
        return agents.truncated, agents.alive, planner.truncated, planner.alive

    def _decode(self, lo: int, hi: int) -> None:
        n = self.environment.n_agents
        action = self.world.action
        rows = {AGENTS: action[:, :n], PLANNER: action[:, n:]}
        for kind, target in rows.items():
            given = self.actions[kind]
            if given.ndim == 3:
                episode.decode_parts(self.chosen, given, target, lo, hi)
            else:
                episode.decode(self.chosen, given, target, self._choices[kind], lo, hi)

    def _choices_of(self, agent: Any) -> NDArray[np.int64]:
        # Of each action index: column of the subspace and action within it.
        columns = {name: i for i, name in enumerate(agent.action_dim)}
        if agent.multi_action_mode:
            return np.array([[0, action] for action in range(agent.action_spaces[0])])
        choices = [(columns[name], action) for name, action in agent.single_action_map.values()]
        return np.array([(0, 0), *choices], np.int64)

    def observe_copies(self, lo: int, hi: int) -> None:
        """See `Simulation.observe_copies`."""
        self._runtime.observer.write(lo, hi)
        for kind in KINDS:
            output = self.out[kind]
            alive, mask = output.alive, output.action_mask
            episode.mask_the_dead(self.chosen, alive, mask, self._noops[kind], lo, hi)

    def _noops_of(self, agent: Any) -> NDArray[np.int64]:
        if not agent.multi_action_mode:
            return np.zeros(1, np.int64)
        return np.cumsum([0, *agent.action_spaces[:-1]]).astype(np.int64)

    def _step_and_observe(self, lo: int, hi: int) -> None:
        # The documented order: observations see the world before rewards are computed.
        self.step_copies(lo, hi)
        self.observe_copies(lo, hi)
        self._runtime.stages.reward(lo, hi)
        world, horizon = self.world, self.spec.horizon
        episode.count_completions(self.chosen, world.clock, horizon, world.completions, lo, hi)

    def _run(self, kind: str, which: NDArray[np.bool_] | None, work: Any) -> None:
        lent = self.world.plain.generators() if self.world.plain.parts else nullcontext()
        with lent:
            super()._run(kind, which, work)

    def _observe_one(self, copy: int) -> None:
        with self.world.plain.generators():
            super()._observe_one(copy)

    def rule_calls(self) -> list[Any]:
        """See `Simulation.rule_calls`."""
        stages = self._runtime.stages
        calls = [
            call
            for stage in ("begin", "advance", "observe", "reward")
            for call in stages.calls(stage)
        ]
        return [
            (function, (*arguments, 0, self.copies))
            for function, arguments in calls
            if function not in (self.world.each, self.world.each_looks)
        ]

    def metrics(self, copies: Sequence[int] | None = None) -> dict[str, NDArray[np.float64]]:
        """See `Simulation.metrics`."""
        chosen = np.arange(self.copies) if copies is None else np.asarray(copies, np.int64)
        with self.world.plain.generators():
            return self._runtime.stages.metrics(chosen)

    def frame(self, copy: int) -> NDArray[np.uint8]:
        """See `Simulation.frame`: the map, houses in their owners' colours, and the agents."""
        return picture.frame(self.world, copy)

    def text(self, copy: int) -> str:
        """See `Simulation.text`."""
        return picture.text(self.world, copy)

    # What the arrays do not hold.

    def _extra_counts(self) -> bool:
        return bool(self.world.plain.parts)

    def _copy_extra(self, copy: int) -> Any:
        return self.world.fields_of(copy), self.world.plain.extra(copy)

    def _restore_extra(self, copy: int, extra: Any) -> None:
        fields, attributes = extra
        for own, kept in zip(self.world.fields_of(copy), fields, strict=True):
            own.clear()
            own.update(kept)
        self.world.plain.restore(copy, attributes)

    # Dense logs.

    def enable_dense_log(self, copy: int = 0) -> None:
        """Log every episode of a copy that begins from now on; see `dense_log`."""
        every = self.environment._runtime.dense.every
        self._dense[copy] = DenseLog(self.environment, every)

    def dense_log(self, copy: int = 0) -> dict[str, Any]:
        """Return the dense log of a copy's last ended episode, as JSON can take it."""
        return self._last_dense.get(copy, empty_dense_log())

    def reset(self, seed: Any = None, copies: NDArray[np.bool_] | None = None) -> None:
        """See `Simulation.reset`."""
        self.world.logged = list(self._dense)
        super().reset(seed, copies)
        for copy, log in self._dense.items():
            if self.chosen[copy]:
                log.begin(True)

    def _seed_copies(self, copies: NDArray[np.int64], seeds: Sequence[int]) -> None:
        super()._seed_copies(copies, seeds)
        self.world.spare[copies] = 0  # a Gaussian left over belongs to the old stream

    def advance(self, actions: dict[str, NDArray[np.int64]], copies: Any = None) -> None:
        """See `Simulation.advance`."""
        if not self._dense:
            super().advance(actions, copies)
            return
        self.actions = actions
        self.chosen[:] = True if copies is None else self._mask(copies)
        self._decode(0, self.copies)
        logged = [copy for copy in self._dense if self.chosen[copy]]
        for copy in logged:
            self.world.plain.look(copy, self._dense[copy].before_step)
        super().advance(actions, copies)
        for copy in logged:
            self.world.plain.look(copy, self._log_step)

    def _log_step(self) -> None:
        copy = self.world.focus.copy
        log = self._dense[copy]
        log.after_step(
            dict(zip(self._runtime.rows, self._runtime.rewards[copy].tolist(), strict=True))
        )
        if self.world.timestep >= self.spec.horizon:
            self._last_dense[copy] = log.finish()

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        # Views do not survive pickling: let outputs and observations share their arrays again.
        flags = {name: output[3:] for name, output in self.out.items()}
        fresh = self._outputs()
        self.out = {name: Output(*output[:3], *flags[name]) for name, output in fresh.items()}


def _space_of(name: str, array: NDArray[Any], environment: BaseEnvironment) -> spaces.Box:
    shape = array.shape[2:]
    if name == "action_mask":
        return spaces.Box(0, 1, shape, np.int8)
    if name == TIME:
        longest = environment.episode_length if environment.inv_scale == 1 else 1
        return spaces.Box(0, longest, shape, np.float64)
    if array.dtype.kind == "i":
        bounds = np.iinfo(array.dtype)
        most = environment.n_agents + 1 if name == "world-idx_map" else bounds.max
        return spaces.Box(
            0 if name == "world-idx_map" else bounds.min, most, shape, array.dtype.type
        )
    return spaces.Box(0 if name == "world-map" else -np.inf, np.inf, shape, array.dtype.type)


def _action_names(agent: Any, components: Sequence[Any]) -> Iterator[str]:
    names = {component.name: component.action_names for component in components}
    if not agent.multi_action_mode:
        yield "no-op"
        for subspace, action in agent.single_action_map.values():
            yield _named(subspace, action, names)
        return
    for subspace, size in agent.action_dim.items():
        yield from ["no-op", *(_named(subspace, action, names) for action in range(1, size))]


def _named(subspace: str, action: int, names: Mapping[str, Sequence[str]]) -> str:
    known = names.get(subspace, ())
    return f"{subspace}.{known[action - 1] if action <= len(known) else action}"


def _signature(cls: type, defaults: Mapping[str, Any]) -> inspect.Signature:
    keyword = inspect.Parameter.KEYWORD_ONLY
    engine = [
        inspect.Parameter("copies", keyword, default=1),
        inspect.Parameter("num_threads", keyword, default=None),
        inspect.Parameter("broke_below", keyword, default=BROKE_BELOW),
        inspect.Parameter("overworked_above", keyword, default=OVERWORKED_ABOVE),
    ]
    # The last one lets the fixed ones through to where their remedies are named.
    further = inspect.Parameter("parameters", inspect.Parameter.VAR_KEYWORD)
    return inspect.Signature([*engine, *_parameters(cls, defaults).values(), further])


def _parameters(cls: type, defaults: Mapping[str, Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a scenario that mean something in a batch."""
    return {
        name: each.replace(default=defaults[name]) if name in defaults else each
        for name, each in parameters_of(cls).items()
        if name not in _FIXED
    }


@contextmanager
def _own_generators() -> Iterator[None]:
    """Let plain Python draw from generators of a fixed seed, and put the global ones back."""
    numpy_state, python_state = np.random.get_state(), python_random.getstate()
    np.random.seed(0)
    python_random.seed(0)
    try:
        yield
    finally:
        np.random.set_state(numpy_state)
        python_random.setstate(python_state)
