"""The base class of every world: some number of copies, stepped together."""

import copy as copying
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene.engine import check, random, state
from ecumene.engine.errors import InvalidAction, InvalidParameter, ResetNeeded, SnapshotMismatch
from ecumene.engine.runner import Runner
from ecumene.engine.spec import Group, Output, Spec


@dataclass(frozen=True)
class Snapshot:
    """Everything about one copy of a world at one moment; see `Simulation.snapshot`."""

    id: str
    arrays: state.Arrays
    extra: Any = field(default=None)


class Simulation(ABC):
    """Copies of one world, held in arrays and stepped by rules.

    An author assigns `spec`, `state` (a named tuple of arrays, first axis the copy, with a field
    ``stream`` of Philox rows) and `out` (one `Output` per group), and writes `begin_copies`,
    `step_copies` and `observe_copies`. All three treat the copies ``lo:hi`` for which
    ``self.chosen`` is set, touch nothing of other copies, and may run on any thread.

    Parameters
    ----------
    copies
        Number of copies, at least 1.
    num_threads
        Most threads to use; see `Runner`.
    """

    spec: Spec
    state: Any
    out: dict[str, Output]
    #: How many steps ahead chance has no say in what is unsafe; infinite where nothing is random.
    safety_depth_exact: float = 0
    #: Parameters with which the world plays without chance; see `outcomes`.
    without_chance: Mapping[str, Any] = {}
    #: Fields of the state that have no say in what can be unsafe later: clock, stream, sums of
    #: rewards, events of the last step.
    incidental: frozenset[str] = frozenset({"stream"})
    #: Class that shows one copy as an environment, where the world has one of its own.
    env_class: ClassVar[Any] = None

    def __init__(self, copies: int = 1, num_threads: int | None = None) -> None:
        self.copies = check.integer("copies", copies, least=1)
        self.runner = Runner(num_threads)
        self.chosen = np.zeros(self.copies, np.bool_)
        self.started = np.zeros(self.copies, np.bool_)
        self.actions: dict[str, NDArray[np.int64]] = {}
        self.label: dict[str, NDArray[np.bool_]] = {}
        self.seeded = np.zeros(self.copies, np.bool_)

    # What an author writes.

    @abstractmethod
    def begin_copies(self, lo: int, hi: int) -> None:
        """Start a new episode: state, rewards, flags; `alive` included."""

    @abstractmethod
    def step_copies(self, lo: int, hi: int) -> None:
        """Advance by one step under ``self.actions``; set rewards and flags."""

    @abstractmethod
    def observe_copies(self, lo: int, hi: int) -> None:
        """Write observations and masks from the state alone."""

    def info_arrays(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Return further facts about the present state: group -> name -> [copy, agent, ...]."""
        return {}

    def infos(self, copy: int) -> dict[str, dict[str, Any]]:
        """Return the `infos` entry of every agent of one copy, without its mask."""
        arrays = self.info_arrays()
        if not arrays:
            return {agent: {} for agent in self.spec.agents}
        return {
            agent: {
                name: values[copy, i].copy() for name, values in arrays.get(group.name, {}).items()
            }
            for group in self.spec.groups
            for i, agent in enumerate(group.agents)
        }

    def metrics(self, copies: Sequence[int] | None = None) -> dict[str, NDArray[np.float64]]:
        """Return the world's metrics: name -> one value per chosen copy (default: all)."""
        return {}

    def global_state(self, copy: int) -> NDArray[Any]:
        """Return an observation of the whole of one copy, where the world has one."""
        raise NotImplementedError(f"{self.spec.id} has no global state.")

    @property
    def global_state_space(self) -> spaces.Space[Any] | None:
        """Space of `global_state`, or None."""
        return None

    def label_copies(self, lo: int, hi: int) -> None:
        """Write which propositions hold into ``self.label``, from the state alone."""

    def outcomes(self, joint: Sequence[int]) -> list[tuple[float, tuple[int, ...]]] | None:
        """Return what chance can make of a joint action, where there are few possibilities.

        Pairs of a probability and a joint action: a step under `joint` does with that probability
        what the other does in a world made with `without_chance`. None: no list is known.
        """
        return None

    def frame(self, copy: int) -> NDArray[np.uint8]:
        """Return a picture of one copy, ``uint8[height, width, 3]``; draws no random numbers."""
        raise NotImplementedError(f"{self.spec.id} cannot be drawn.")

    def text(self, copy: int) -> str:
        """Return a drawing of one copy in characters, with ANSI colours."""
        raise NotImplementedError(f"{self.spec.id} cannot be drawn in characters.")

    @property
    def render_modes(self) -> tuple[str, ...]:
        """What of `frame` and `text` the world has: ``"rgb_array"`` and ``"human"``, ``"ansi"``."""
        cls = type(self)
        drawn = ("rgb_array", "human") if cls.frame is not Simulation.frame else ()
        return (*drawn, "ansi") if cls.text is not Simulation.text else drawn

    def rule_calls(self) -> list[tuple[Callable[..., object], tuple[Any, ...]]]:
        """Return every rule of this world with arguments it is called with, `lo` and `hi` last.

        In the order begin, step, observe, with ``self.actions`` set. It is how rules are
        compiled or run somewhere else than on the processor; rules that only plain Python calls
        are left out.
        """
        return []

    @classmethod
    def page(cls) -> type:
        """Return the class whose docstring is the page about this world.

        It is the one to which this class's docstring refers by "see `Name`", in the same module;
        without such words it is this class.
        """
        other = re.search(r"\bsee `(\w+)`", cls.__doc__ or "")
        return getattr(sys.modules[cls.__module__], other[1], cls) if other else cls

    def parts(self) -> dict[str, type]:
        """Return further classes with documented parameters that the world is made of, by name."""
        return {}

    def _copy_extra(self, copy: int) -> Any:
        """Return what one copy holds outside the arrays (nothing, for compiled worlds)."""
        return None

    def _restore_extra(self, copy: int, extra: Any) -> None:
        """Take back what `_copy_extra` returned."""

    # What the engine does with it.

    def reset(
        self,
        seed: int | Sequence[int] | None = None,
        copies: NDArray[np.bool_] | None = None,
    ) -> None:
        """Start a new episode in every copy, or in those that a boolean vector marks.

        Parameters
        ----------
        seed
            An integer s gives copy k the seed s + k; a sequence gives one seed per copy. None:
            each copy's stream goes on (from the operating system's entropy the first time).
        copies
            ``bool[copies]``; None means all.

        Raises
        ------
        InvalidSeed
            For anything but integers from 0 up. Nothing has changed then.
        """
        seeds = None if seed is None else random.parse_seeds(seed, self.copies)
        which = np.ones(self.copies, np.bool_) if copies is None else self._mask(copies)
        if seeds is None:
            fresh = np.flatnonzero(which & ~self.seeded)
            first = random.entropy_seed() if fresh.size else 0
            self._seed_copies(fresh, [first + int(copy) for copy in fresh])
        else:
            marked = np.flatnonzero(which)
            self._seed_copies(marked, [seeds[copy] for copy in marked])
        self.seeded |= which
        self.started |= which
        self._run("begin", which, self._begin_and_observe)

    def _begin_and_observe(self, lo: int, hi: int) -> None:
        self.begin_copies(lo, hi)
        self.observe_copies(lo, hi)

    def _seed_copies(self, copies: NDArray[np.int64], seeds: Sequence[int]) -> None:
        """Start the random streams of some copies afresh, one seed each."""
        random.seed_streams(self.state.stream, copies, seeds)

    def step(self, actions: Mapping[str, Any], copies: NDArray[np.bool_] | None = None) -> None:
        """Advance every copy, or those that a boolean vector marks, by one step.

        Parameters
        ----------
        actions
            Group -> integers ``[copies, agents]`` (``[copies, agents, parts]`` for
            `MultiDiscrete`). Entries of agents that are not alive are ignored by the rules, but
            must be in range.

        Raises
        ------
        InvalidAction
            Naming the copy, agent, value and what is allowed; nothing was stepped then.
        """
        self._need_reset(copies)
        self.advance(self.check_actions(actions), copies)

    def check_actions(self, actions: Mapping[str, Any]) -> dict[str, NDArray[np.int64]]:
        """Return actions as `advance` takes them.

        Raises
        ------
        InvalidAction
            As `step` does.
        """
        if not isinstance(actions, Mapping):
            raise InvalidAction(
                f"actions is a dict group -> integers, not {type(actions).__name__}. "
                "Nothing was stepped."
            )
        checked = {group.name: self._check(group, actions) for group in self.spec.groups}
        self._refuse_unknown(actions, self.spec)
        return checked

    def advance(
        self, actions: dict[str, NDArray[np.int64]], copies: NDArray[np.bool_] | None = None
    ) -> None:
        """`step` without its checks, for callers that have made them."""
        self.actions = actions
        self._run("step", None if copies is None else self._mask(copies), self._step_and_observe)

    def _step_and_observe(self, lo: int, hi: int) -> None:
        self.step_copies(lo, hi)
        self.observe_copies(lo, hi)

    def _run(self, kind: str, which: NDArray[np.bool_] | None, work: Any) -> None:
        busy = self.copies
        if which is None:
            self.chosen.fill(True)
        else:
            self.chosen[:] = which
            busy = int(np.count_nonzero(which))
        self.runner.run(kind, work, self.copies, busy)

    def _mask(self, copies: Any) -> NDArray[np.bool_]:
        mask = np.asarray(copies)
        if mask.dtype != np.bool_ or mask.shape != (self.copies,):
            raise InvalidParameter(
                f"copies is a boolean vector of length {self.copies}, "
                f"not {mask.dtype}{list(mask.shape)}."
            )
        return mask

    def labels(self, copies: NDArray[np.bool_] | None = None) -> dict[str, NDArray[np.bool_]]:
        """Return which propositions hold of whom: group -> bool[copy, agent, proposition].

        The arrays are written anew by the next call; with `copies`, a boolean vector, for those
        copies only. All are False where an agent is not alive,
        but in the step in which it ended.
        """
        if not self.label:
            count = len(self.spec.propositions)
            shapes = {group.name: (self.copies, len(group.agents)) for group in self.spec.groups}
            self.label = {name: np.zeros((*s, count), np.bool_) for name, s in shapes.items()}
        self._run("label", None if copies is None else self._mask(copies), self.label_copies)
        return self.label

    def costs(self) -> dict[str, NDArray[np.float64]]:
        """Return 1.0 where ``"unsafe"`` holds, else 0.0: group -> float64[copy, agent]."""
        if "unsafe" not in self.spec.propositions:
            return {name: np.zeros(output.alive.shape) for name, output in self.out.items()}
        unsafe = self.spec.propositions.index("unsafe")
        return {name: held[:, :, unsafe].astype(np.float64) for name, held in self.labels().items()}

    def _need_reset(self, copies: NDArray[np.bool_] | None = None) -> None:
        started = self.started if copies is None else self.started[self._mask(copies)]
        if not started.all():
            raise ResetNeeded(f"{self.spec.id}: call reset() before the first step.")

    def _check(self, group: Group, actions: Mapping[str, Any]) -> NDArray[np.int64]:
        if group.name not in actions:
            raise InvalidAction(f"no actions for group `{group.name}`. Nothing was stepped.")
        given = np.asarray(actions[group.name])
        shape = (self.copies, len(group.agents), *group.action_shape)
        if given.dtype.kind not in "iu" or given.shape != shape:
            raise InvalidAction(
                f"actions of group `{group.name}` are integers{list(shape)}, "
                f"not {given.dtype}{list(given.shape)}. Nothing was stepped."
            )
        outside = (given < 0) | (given >= group.action_sizes.reshape(group.action_shape))
        if outside.any():
            place = tuple(int(i) for i in np.argwhere(outside)[0])
            raise InvalidAction(
                f"copy {place[0]}, {group.agents[place[1]]}: action "
                f"{describe_refusal(group, given[place[:2]])} Nothing was stepped."
            )
        return given.astype(np.int64)

    @staticmethod
    def _refuse_unknown(actions: Mapping[str, Any], spec: Spec) -> None:
        unknown = set(actions) - {group.name for group in spec.groups}
        if unknown:
            names = ", ".join(f"`{group.name}`" for group in spec.groups)
            raise InvalidAction(
                f"there is no group `{min(unknown, key=str)}`; the groups are {names}. "
                "Nothing was stepped."
            )

    # Snapshots.

    def carried(self) -> dict[str, Any]:
        """Return everything of which a snapshot is made: observations follow from it."""
        flags = ("reward", "terminated", "truncated", "alive")
        outputs = {
            name: {flag: getattr(output, flag) for flag in flags}
            for name, output in self.out.items()
        }
        return {"state": self.state, "out": outputs}

    def snapshot(self, copy: int = 0) -> Snapshot:
        """Return all there is to one copy: state, clock, random stream, last rewards and flags."""
        extra = copying.deepcopy(self._copy_extra(copy))
        return Snapshot(self.spec.id, state.copy_out(self.carried(), copy), extra)

    def restore(self, copy: int, snapshot: Snapshot) -> None:
        """Put one copy into the moment of a snapshot; its future is then the same.

        Raises
        ------
        SnapshotMismatch
            If the snapshot is of another world or of other parameters. Nothing has changed then.
        """
        if snapshot.id != self.spec.id:
            raise SnapshotMismatch(f"a snapshot of {snapshot.id} does not fit {self.spec.id}.")
        carried = self.carried()
        state.check_fit(carried, snapshot.arrays)
        state.copy_in(carried, copy, snapshot.arrays)
        self._restore_extra(copy, copying.deepcopy(snapshot.extra))
        self.started[copy] = True
        self.seeded[copy] = True
        self._observe_one(copy)

    def adopt(self, source: "Simulation", copies: NDArray[np.int64]) -> None:
        """Make the first copies equal to some copies of a simulation of the same parameters.

        Everything but observations and masks is taken over: this is for looking ahead.
        """
        count = len(copies)
        theirs = dict(state.leaves(source.carried()))
        for path, array in state.leaves(self.carried()):
            array[:count] = theirs[path][copies]
        if self._extra_counts():
            for target, each in enumerate(copies.tolist()):
                self._restore_extra(target, copying.deepcopy(source._copy_extra(each)))
        self.started[:count] = True
        self.seeded[:count] = True

    def _extra_counts(self) -> bool:
        """Return whether the future depends on what `_copy_extra` returns."""
        return False

    def foresee(self, actions: dict[str, NDArray[np.int64]], copies: NDArray[np.bool_]) -> None:
        """`advance`, but for observations and masks, which nobody looks at."""
        self.actions = actions
        self._run("foresee", self._mask(copies), self.step_copies)

    def observe(self, copies: NDArray[np.bool_]) -> None:
        """Write observations and masks of the copies that a boolean vector marks."""
        self._run("observe", self._mask(copies), self.observe_copies)

    def fork(self, source: int, target: int) -> None:
        """Make copy `target` equal to copy `source`, its random stream included."""
        self.restore(target, self.snapshot(source))

    def state_hash(self, copy: int = 0) -> str:
        """Return a digest of the state of one copy; equal states, equal digests."""
        return state.hash_copy(self.state, copy)

    def _observe_one(self, copy: int) -> None:
        self.chosen[:] = False
        self.chosen[copy] = True
        self.observe_copies(copy, copy + 1)

    def close(self) -> None:
        """Let go of threads."""
        self.runner.close()


def describe_refusal(group: Group, value: Any) -> str:
    """Say which space an action lies outside of."""
    space = group.action_space
    sizes = group.action_sizes
    if isinstance(space, spaces.Discrete):
        return f"{value} is outside Discrete({sizes[0]}) (0..{sizes[0] - 1})."
    return f"{list(map(int, value))} is outside MultiDiscrete({sizes.tolist()}) (0..n-1 each)."
