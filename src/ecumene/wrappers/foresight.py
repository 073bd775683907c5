"""Look ahead: how likely joint actions lead to harm, found by stepping scratch copies of a world.

With `safe` judged on a transition, and agents C under control, N not:

    Q_1(s, a) = P[safe]
    Q_k(s, a) = sum over s' of P(s' | s, a) [safe] V_{k-1}(s')
    V_j(s)    = max over the actions of C of the min over the actions of N of Q_j

and V = 1 where the episode has ended safely. The clock is ignored: a truncation ends no danger.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import Simulation
from ecumene.engine.random import BLOCK, KEY, USED
from ecumene.engine.state import leaves
from ecumene.wrappers.joint import JointActions, Rows

Judge = Callable[[Simulation, NDArray[np.bool_]], NDArray[np.bool_]]

SCRATCH_BYTES = 64 << 20
MOST_SCRATCH_COPIES = 4096
LEAST_SCRATCH_COPIES = 32


class Values(NamedTuple):
    """Values Q of some joint actions.

    value: float64[m]
    verified: bool[m]; False: the limit on model steps came first, and the value is a lower bound.
    """

    value: NDArray[np.float64]
    verified: NDArray[np.bool_]


class Branches(NamedTuple):
    """What chance makes of some joint actions.

    pair: int64[b]  # which of the joint actions
    actions: int64[b, agent]  # what is played
    weight: float64[b]  # with which probability
    sample: int64[b]  # number of the sample, where chance is drawn
    """

    pair: Rows
    actions: Rows
    weight: NDArray[np.float64]
    sample: Rows

    def part(self, some: slice) -> "Branches":
        """Return some of them."""
        return Branches(self.pair[some], self.actions[some], self.weight[some], self.sample[some])


class Foresight:
    """Values of joint actions by the recursion above.

    Parameters
    ----------
    simulation
        The world that is looked at; it is not touched.
    judge
        Tells which of some scratch copies have just made a safe step.
    controlled
        Columns of the agents C.
    samples
        Number of samples where chance has to be sampled.
    seed
        Of the streams that sampling draws from, plus the number of the copy: never the world's
        own, which would tell the future.

    Attributes
    ----------
    exact_depth
        Up to how many steps ahead values are exact; beyond, they are sampled.
    model_steps
        Steps of scratch copies made so far.
    """

    def __init__(
        self,
        simulation: Simulation,
        judge: Judge,
        controlled: Sequence[int],
        samples: int,
        seed: int,
    ) -> None:
        self.joint = JointActions(simulation.spec)
        self.model_steps = 0
        self._judge = judge
        everyone = range(len(self.joint.agents))
        self._controlled = list(controlled)
        self._others = [agent for agent in everyone if agent not in self._controlled]
        self._samples = samples
        self._seed = seed
        self._keys = np.zeros((0, 2), np.uint32)  # of each copy, once chance is sampled
        self._listed = simulation.outcomes((0,) * len(self.joint.agents)) is not None
        self.exact_depth = np.inf if self._listed else simulation.safety_depth_exact
        self._simulation = simulation
        self._scratch: list[Scratch] = []
        self._left = 0

    # The recursion.

    def values(
        self,
        copies: Rows,
        actions: Rows,
        depth: int,
        most_steps: int,
        salt: Rows | None = None,
        sampled: bool | None = None,
    ) -> Values:
        """Return Q of joint actions in the present states of some copies.

        Parameters
        ----------
        copies
            Copies of the world, ``[m]``.
        actions
            A joint action for each, ``[m, agent]``.
        depth
            The k of Q_k, from 1 up.
        most_steps
            Most steps of the model.
        salt
            Whatever distinguishes the draws of one moment from those of another, ``[m]``.
        sampled
            Whether chance is sampled; None: where values would not be exact else.
        """
        self._left = most_steps
        if sampled is None:
            sampled = depth > self.exact_depth
        salt = np.zeros(len(copies), np.int64) if salt is None else salt
        return self._q(self._simulation, copies, actions, depth, 0, salt if sampled else None)

    def _q(
        self,
        source: Simulation,
        copies: Rows,
        actions: Rows,
        depth: int,
        floor: int,
        salt: Rows | None,
    ) -> Values:
        """Return Q of joint actions in copies of a simulation.

        floor: how many scratch simulations are in use. salt: None, or chance is sampled.
        """
        branches = self._branch(actions, self._samples if salt is not None else 0)
        value = np.zeros(len(copies))
        verified = np.ones(len(copies), np.bool_)
        scratch = self._scratch_at(floor)
        for lo in range(0, len(branches.pair), scratch.copies):
            part = branches.part(slice(lo, lo + scratch.copies))
            count = len(part.pair)
            if count > self._left:
                verified[np.unique(branches.pair[lo:])] = False
                break
            self._left -= count
            self.model_steps += count
            draws = None
            if salt is not None:
                draws = (self._key_of(copies[part.pair]), salt[part.pair], part.sample)
            safe, goes_on = scratch.advance(source, copies[part.pair], part.actions, draws)
            worth = safe.astype(np.float64)
            if depth > 1:
                further = np.flatnonzero(safe & goes_on)
                later = self._v(scratch.simulation, further, depth - 1, floor + 1)
                worth[further] *= later.value
                verified[part.pair[further[~later.verified]]] = False
            np.add.at(value, part.pair, part.weight * worth)
        return Values(np.clip(value, 0.0, 1.0), verified)  # sums of weights may overshoot

    def _key_of(self, copies: Rows) -> NDArray[np.uint32]:
        """Return the key of the streams that are drawn from for some copies of the world."""
        if self._keys.size == 0:
            seeds = range(self._seed, self._seed + self._simulation.copies)
            keys = [np.random.SeedSequence(seed).generate_state(2, np.uint32) for seed in seeds]
            self._keys = np.array(keys, np.uint32)
        return self._keys[copies]

    def _v(self, source: Simulation, copies: Rows, depth: int, floor: int) -> Values:
        """Return V of copies of a simulation; equal states are looked at once."""
        if len(copies) == 0:
            return Values(np.zeros(0), np.ones(0, np.bool_))
        first, inverse = self._scratch[floor - 1].distinct(copies)
        states = copies[first]
        ours = self.joint.count(self._controlled)
        theirs = self.joint.count(self._others)
        if len(states) * ours * theirs > self._left:
            nothing = np.zeros(len(copies))
            return Values(nothing, nothing > 0)
        everything = self._all_joint_actions()
        pairs = np.repeat(states, len(everything))
        actions = np.tile(everything, (len(states), 1))
        q = self._q(source, pairs, actions, depth, floor, None)
        table = q.value.reshape(len(states), ours, theirs)
        value = table.min(axis=2).max(axis=1)
        verified = np.all(q.verified.reshape(len(states), -1), axis=1)
        return Values(value[inverse], verified[inverse])

    def _all_joint_actions(self) -> Rows:
        """Return all joint actions; those of the agents not under control count fastest."""
        order = [*self._controlled, *self._others]
        rows = np.empty((self.joint.count(order), len(order)), np.int64)
        rows[:, order] = self.joint.everything(order)
        return rows

    def _branch(self, actions: Rows, samples: int) -> Branches:
        """Return what chance makes of joint actions."""
        pair = np.arange(len(actions))
        if samples:
            spread = np.repeat(pair, samples)
            weight = np.full(len(spread), 1.0 / samples)
            sample = np.tile(np.arange(samples), len(actions))
            return Branches(spread, actions[spread], weight, sample)
        if not self._listed:
            return Branches(pair, actions, np.ones(len(pair)), np.zeros(len(pair), np.int64))
        distinct, inverse = np.unique(actions, axis=0, return_inverse=True)
        lists = [self._simulation.outcomes(row) or [] for row in distinct.tolist()]
        lengths = np.array([len(each) for each in lists])
        starts = np.cumsum(lengths) - lengths
        flat = [outcome for each in lists for outcome in each]
        inverse = inverse.reshape(-1)
        spread = np.repeat(pair, lengths[inverse])
        within = np.arange(len(spread)) - np.repeat(
            np.cumsum(lengths[inverse]) - lengths[inverse], lengths[inverse]
        )
        place = starts[inverse[spread]] + within
        played = np.array([actions for _, actions in flat], np.int64)[place]
        weight = np.array([probability for probability, _ in flat])[place]
        return Branches(spread, played, weight, np.zeros(len(spread), np.int64))

    def _scratch_at(self, floor: int) -> "Scratch":
        while len(self._scratch) <= floor:
            self._scratch.append(Scratch(self._simulation, self.joint, self._judge))
        return self._scratch[floor]

    # The graph of states, for certificates.

    def scratch(self, floor: int) -> "Scratch":
        """Return scratch copies of the world; each number stands for some of their own."""
        return self._scratch_at(floor)

    def branches(self, actions: Rows) -> Branches:
        """Return what chance makes of joint actions, exactly."""
        return self._branch(actions, 0)

    def all_joint_actions(self) -> Rows:
        """Return all joint actions; those of the agents not under control count fastest."""
        return self._all_joint_actions()

    @property
    def choices(self) -> tuple[int, int]:
        """Number of joint actions of the agents under control, and of the others."""
        return self.joint.count(self._controlled), self.joint.count(self._others)


class Scratch:
    """Copies of a world that are put into states and stepped, and that nobody plays."""

    def __init__(self, original: Simulation, joint: JointActions, judge: Judge) -> None:
        self.copies = _how_many(original)
        parameters = {**original.spec.parameters, **original.without_chance}
        self.simulation = type(original)(copies=self.copies, num_threads=1, **parameters)
        self.simulation.reset(seed=0)
        self._joint = joint
        self._judge = judge
        self._rows = np.zeros((self.copies, len(joint.agents)), np.int64)

    def advance(
        self,
        source: Simulation,
        copies: Rows,
        actions: Rows,
        draws: tuple[Any, Rows, Rows] | None,
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Make one step from the states of some copies of an equal simulation.

        draws: key, salt and number of the sample that the streams are made of; None: they go on.

        Returns
        -------
        safe, goes_on
            ``bool[m]`` each: whether the step was safe, and whether an agent is still live.
        """
        count = len(copies)
        simulation = self.simulation
        simulation.adopt(source, copies)
        if draws is not None:
            self._start_streams(count, *draws)
        self._rows[:count] = actions
        chosen = np.zeros(self.copies, np.bool_)
        chosen[:count] = True
        simulation.foresee(self._joint.to_groups(self._rows), chosen)
        safe = self._judge(simulation, chosen)
        return safe, self._revive(count)

    def _revive(self, count: int) -> NDArray[np.bool_]:
        """Let those live on whom only the clock has stopped; return who goes on."""
        goes_on = np.zeros(count, np.bool_)
        for output in self.simulation.out.values():
            output.alive[:count] |= output.truncated[:count]
            output.truncated[:count] = False
            for agent in range(output.alive.shape[1]):
                goes_on |= output.alive[:count, agent]
        return goes_on

    def _start_streams(
        self, count: int, keys: NDArray[np.uint32], salt: Rows, sample: Rows
    ) -> None:
        # Philox: the key tells moments apart, the high half of the counter the samples.
        stream = self.simulation.state.stream
        stream[:count, KEY] = keys[:, 0] ^ (salt & 0xFFFFFFFF).astype(np.uint32)
        stream[:count, KEY + 1] = keys[:, 1] ^ (salt >> 32).astype(np.uint32)
        stream[:count, BLOCK] = 0
        stream[:count, BLOCK + 1] = sample
        stream[:count, USED] = 0

    def distinct(self, copies: Rows) -> tuple[Rows, Rows]:
        """Return places of copies with distinct states, and for each copy the place among them."""
        keys = self.keys(copies)
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        return first, inverse.reshape(-1)

    def keys(self, copies: Rows) -> NDArray[Any]:
        """Return what tells the future of states apart, as opaque scalars ``[m]``."""
        parts = [
            np.ascontiguousarray(array[copies]).reshape(len(copies), -1).view(np.uint8)
            for path, array in self._arrays()
            if array[:1].size and path.rpartition(".")[2] not in self.simulation.incidental
        ]
        joined = np.ascontiguousarray(np.concatenate(parts, axis=1))
        return joined.view(np.dtype((np.void, joined.shape[1]))).reshape(-1)

    def _arrays(self) -> list[tuple[str, NDArray[Any]]]:
        flags = {name: output.alive for name, output in self.simulation.out.items()}
        return [*leaves(self.simulation.state), *leaves(flags)]

    def rows(self, copies: Rows) -> dict[str, NDArray[Any]]:
        """Return what the arrays hold of some copies, by path."""
        return {path: array[copies] for path, array in self._everything()}

    def load(self, rows: dict[str, NDArray[Any]]) -> None:
        """Put the first copies into states that `rows` returned."""
        for path, array in self._everything():
            array[: len(rows[path])] = rows[path]

    def _everything(self) -> list[tuple[str, NDArray[Any]]]:
        return list(leaves(self.simulation.carried()))


def _how_many(simulation: Simulation) -> int:
    """Return how many scratch copies of a world fit into the memory set apart for them."""
    arrays = {"state": simulation.state, "out": simulation.out}
    each = sum(array.nbytes for _, array in leaves(arrays)) / simulation.copies
    fitting = int(SCRATCH_BYTES / max(each, 1))
    return min(MOST_SCRATCH_COPIES, max(LEAST_SCRATCH_COPIES, fitting))
