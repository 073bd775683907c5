"""Monitors of constraints: each reads labels, from the reset on, and says whether all is well.

Every monitor watches `copies` copies of a world at once; a single world is the case of one. It is
told labels with `reset` and `update`, in either form:

- of a single world, a mapping agent -> labels. Agents that are missing have left: they add nothing;
- of a batch, an array ``bool[copies, agents, proposition]`` over the `propositions` the monitor was
  made with, and with ``present``, ``bool[copies, agents]``, who is told anything.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.api.labels import UNSAFE
from ecumene.engine import InvalidParameter, check
from ecumene.wrappers.guards import Guard, holds

Told = Mapping[str, Iterable[str]] | NDArray[np.bool_]
CostFn = Callable[[frozenset[str]], float]
Flags = NDArray[np.bool_]
HARM = 0.5


class Monitor(ABC):
    """What all monitors have in common.

    Parameters
    ----------
    agents
        Names of the agents, in the order of the agent axis.
    propositions
        What the columns of label arrays stand for. None: labels come as mappings alone.
    copies
        Number of copies, at least 1.
    """

    def __init__(
        self,
        agents: Sequence[str],
        propositions: Sequence[str] | None = None,
        copies: int = 1,
    ) -> None:
        self.agents = tuple(agents)
        if not self.agents or len(set(self.agents)) < len(self.agents):
            raise InvalidParameter(f"agents are distinct names, at least one, not {agents!r}.")
        self.propositions = None if propositions is None else tuple(propositions)
        self.copies = check.integer("copies", copies, 1)
        self.shape = (self.copies, len(self.agents))

    # What a monitor does.

    @abstractmethod
    def _begin(self, rows: Flags) -> None:
        """Forget what was seen in the copies that `rows` marks."""

    @abstractmethod
    def _see(self, labels: "LabelsOf", rows: Flags) -> None:
        """Take in labels, in the copies that `rows` marks."""

    @property
    @abstractmethod
    def satisfied(self) -> Flags:
        """Whether the constraint is met so far, ``bool[copies]``."""

    @abstractmethod
    def metrics(self) -> dict[str, NDArray[Any]]:
        """Return what is known by name, first axis the copy."""

    # How it is told.

    def reset(
        self, labels: Told, present: Flags | None = None, copies: Flags | None = None
    ) -> None:
        """Begin anew with the labels of the first state, which count.

        Parameters
        ----------
        labels, present
            See the module.
        copies
            Which copies begin anew, ``bool[copies]``; None: all.
        """
        rows = self._rows(copies)
        self._begin(rows)
        self._see(LabelsOf(self, labels, present), rows)

    def update(
        self, labels: Told, present: Flags | None = None, copies: Flags | None = None
    ) -> dict[str, NDArray[Any]]:
        """Take in the labels after a step, and return `metrics`.

        Parameters
        ----------
        labels, present
            See the module.
        copies
            Which copies made a step, ``bool[copies]``; None: all.
        """
        self._see(LabelsOf(self, labels, present), self._rows(copies))
        return self.metrics()

    def _rows(self, copies: Flags | None) -> Flags:
        if copies is None:
            return np.ones(self.copies, np.bool_)
        rows = np.asarray(copies)
        if rows.dtype != np.bool_ or rows.shape != (self.copies,):
            raise InvalidParameter(f"copies is a boolean vector of length {self.copies}.")
        return rows


class LabelsOf:
    """Labels in either form, behind one face."""

    def __init__(self, monitor: Monitor, labels: Told, present: Flags | None) -> None:
        self._monitor = monitor
        self._labels = labels
        if isinstance(labels, Mapping):
            if monitor.copies != 1:
                raise InvalidParameter(
                    f"labels of {monitor.copies} copies come as an array, not as a mapping."
                )
            for name in labels:
                if name not in monitor.agents:
                    raise InvalidParameter(
                        f"labels name the unknown agent {name!r}; agents: {monitor.agents}."
                    )
            self.present = np.array([[name in labels for name in monitor.agents]])
        else:
            self.present = self._check_arrays(labels, present)

    def _check_arrays(self, labels: NDArray[np.bool_], present: Flags | None) -> Flags:
        monitor = self._monitor
        if monitor.propositions is None:
            raise InvalidParameter("make the monitor with propositions to tell it arrays.")
        shape = (*monitor.shape, len(monitor.propositions))
        if labels.shape != shape:
            raise InvalidParameter(f"labels are of shape {shape}, not {labels.shape}.")
        if present is None:
            return np.ones(monitor.shape, np.bool_)
        if present.shape != monitor.shape:
            raise InvalidParameter(f"present is of shape {monitor.shape}, not {present.shape}.")
        return present

    def read(self, name: str) -> Flags:
        """Return of whom a proposition holds, ``bool[copies, agents]``."""
        monitor = self._monitor
        if isinstance(self._labels, Mapping):
            return np.array([[name in self._labels.get(each, ()) for each in monitor.agents]])
        propositions = monitor.propositions or ()
        if name not in propositions:
            return np.zeros(monitor.shape, np.bool_)  # nobody ever says so
        return self._labels[:, :, propositions.index(name)] & self.present

    def costs(self, cost: CostFn | None) -> NDArray[np.float64]:
        """Return the cost of each agent; 0 for those that have left."""
        if cost is None:
            return self.read(UNSAFE).astype(np.float64)
        if isinstance(self._labels, Mapping):
            held = self._labels
            return np.array(
                [
                    [float(cost(frozenset(held[name]))) if name in held else 0.0 for name in names]
                    for names in [self._monitor.agents]
                ]
            )
        return self._costs_of_rows(cost)

    def _costs_of_rows(self, cost: CostFn) -> NDArray[np.float64]:
        # Few label sets occur: each is priced once.
        propositions = self._monitor.propositions or ()
        rows = np.asarray(self._labels).reshape(-1, len(propositions))
        distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
        prices = np.array(
            [
                float(cost(frozenset(propositions[i] for i in np.flatnonzero(row))))
                for row in distinct
            ]
        )
        costs = prices[inverse.reshape(-1)].reshape(self._monitor.shape)
        return np.where(self.present, costs, 0.0)


class CostBudget(Monitor):
    """A constrained Markov decision process: each agent's total cost stays within a budget.

    Parameters
    ----------
    agents, propositions, copies
        See `Monitor`.
    budget
        Most cost of one agent, at least 0; equality is within it.
    cost
        Labels -> cost; None: 1 if ``"unsafe"`` is among them, else 0.
    """

    def __init__(
        self,
        agents: Sequence[str],
        budget: float = 20.0,
        *,
        cost: CostFn | None = None,
        propositions: Sequence[str] | None = None,
        copies: int = 1,
    ) -> None:
        super().__init__(agents, propositions, copies)
        self.budget = check.number("budget", budget, 0)
        self._cost_fn = cost
        #: Cost of the last labels and since the reset, ``float64[copies, agents]``.
        self.cost, self.total = np.zeros(self.shape), np.zeros(self.shape)

    def _begin(self, rows: Flags) -> None:
        self.total[rows] = 0.0

    def _see(self, labels: LabelsOf, rows: Flags) -> None:
        self.cost[rows] = labels.costs(self._cost_fn)[rows]
        self.total[rows] += self.cost[rows]

    @property
    def satisfied(self) -> Flags:
        """Whether every agent is within its budget."""
        return np.all(self.total <= self.budget, axis=1)

    def metrics(self) -> dict[str, NDArray[Any]]:
        """Return ``cost``, ``violation`` (a cost of at least 0.5) and ``cum_cost``, by agent."""
        return {
            "cost": self.cost.copy(),
            "violation": self.cost >= HARM,
            "cum_cost": self.total.copy(),
        }


@dataclass(frozen=True)
class Budget:
    """A budget that some agents share.

    Parameters
    ----------
    amount
        Most cost of them together, at least 0; equality is within it.
    agents
        Their names; one that is named twice counts once.
    name
        Name of the budget.
    """

    amount: float
    agents: Sequence[str]
    name: str


class SharedBudgets(Monitor):
    """A constrained Markov game: sets of agents, which may overlap, stay within budgets.

    Parameters
    ----------
    agents, propositions, copies
        See `Monitor`.
    budgets
        The budgets, each under a name of its own.
    cost
        Labels -> cost; None: 1 if ``"unsafe"`` is among them, else 0.

    Raises
    ------
    InvalidParameter
        Naming a budget of nobody, of unknown agents, of a negative amount, or named twice.
    """

    def __init__(
        self,
        agents: Sequence[str],
        budgets: Iterable[Budget],
        *,
        cost: CostFn | None = None,
        propositions: Sequence[str] | None = None,
        copies: int = 1,
    ) -> None:
        super().__init__(agents, propositions, copies)
        self.budgets = tuple(budgets)
        if not self.budgets:
            raise InvalidParameter("budgets are empty: nothing would be constrained.")
        members = [self._members(i) for i in range(len(self.budgets))]
        self._members_of = np.array(members, np.float64)  # [budget, agent]
        self._amounts = np.array([budget.amount for budget in self.budgets])
        self._cost_fn = cost
        self.cost = np.zeros(self.shape)
        self._total = np.zeros((self.copies, len(self.budgets)))

    def _members(self, i: int) -> list[bool]:
        budget = self.budgets[i]
        name = budget.name
        if any(name == other.name for other in self.budgets[:i]):
            raise InvalidParameter(f"budget {name!r} is named twice.")
        check.number(f"the amount of budget {name!r}", budget.amount, 0)
        if isinstance(budget.agents, str) or not budget.agents:
            raise InvalidParameter(
                f"budget {name!r} lists its agents, at least one, not {budget.agents!r}."
            )
        for agent in budget.agents:
            if agent not in self.agents:
                raise InvalidParameter(
                    f"budget {name!r} names the unknown agent {agent!r}; agents: {self.agents}."
                )
        return [agent in budget.agents for agent in self.agents]

    def _begin(self, rows: Flags) -> None:
        self._total[rows] = 0.0

    def _see(self, labels: LabelsOf, rows: Flags) -> None:
        self.cost[rows] = labels.costs(self._cost_fn)[rows]
        self._total[rows] += (self.cost @ self._members_of.T)[rows]

    @property
    def totals(self) -> dict[str, NDArray[np.float64]]:
        """Cost of each budget's agents since the reset: name -> ``float64[copies]``."""
        return {budget.name: self._total[:, i].copy() for i, budget in enumerate(self.budgets)}

    @property
    def satisfied(self) -> Flags:
        """Whether every budget is kept."""
        return np.all(self._total <= self._amounts, axis=1)

    def metrics(self) -> dict[str, NDArray[Any]]:
        """Return ``cost`` and ``violation`` by agent, ``total/<name>`` and ``left/<name>``."""
        metrics: dict[str, NDArray[Any]] = {
            "cost": self.cost.copy(),
            "violation": self.cost >= HARM,
        }
        for name, total in self.totals.items():
            metrics[f"total/{name}"] = total
        for i, budget in enumerate(self.budgets):
            metrics[f"left/{budget.name}"] = budget.amount - self._total[:, i]
        return metrics


class SafetyAutomaton(Monitor):
    """A property of safety in linear temporal logic, as an automaton that must not turn bad.

    Each agent has an automaton of its own, which reads its labels from the reset on: the first
    edge of the present state whose guard is met is taken; if none is, the state stays. A step in a
    bad state costs 1.

    Parameters
    ----------
    agents, propositions, copies
        See `Monitor`.
    states
        Names of the states.
    initial
        The first one.
    bad
        Those that must not be reached.
    edges
        ``(from, guard, to)``; a guard is a `Guard`, or the name of a proposition.
    """

    def __init__(
        self,
        agents: Sequence[str],
        states: Sequence[str],
        initial: str,
        bad: Iterable[str],
        edges: Iterable[tuple[str, Guard | str, str]],
        *,
        propositions: Sequence[str] | None = None,
        copies: int = 1,
    ) -> None:
        super().__init__(agents, propositions, copies)
        self.states = tuple(states)
        if not self.states or len(set(self.states)) < len(self.states):
            raise InvalidParameter(f"states are distinct names, at least one, not {states!r}.")
        self._initial = self._index("initial", initial)
        self._bad = np.zeros(len(self.states), np.bool_)
        for name in bad:
            self._bad[self._index("bad", name)] = True
        self._edges = [
            (
                self._index("edges", source),
                holds(guard) if isinstance(guard, str) else guard,
                self._index("edges", target),
            )
            for source, guard, target in edges
        ]
        #: State of each agent's automaton, ``int64[copies, agents]``.
        self.state = np.full(self.shape, self._initial)
        self._broken = np.zeros(self.shape, np.bool_)

    def _index(self, what: str, name: str) -> int:
        if name not in self.states:
            raise InvalidParameter(f"{what}: there is no state {name!r}; states: {self.states}.")
        return self.states.index(name)

    def _begin(self, rows: Flags) -> None:
        self.state[rows] = self._initial
        self._broken[rows] = False

    def _see(self, labels: LabelsOf, rows: Flags) -> None:
        waiting = rows[:, None] & labels.present
        following = self.state.copy()
        for source, guard, target in self._edges:
            met = np.broadcast_to(guard.evaluate(labels.read), self.shape)
            taken = waiting & (self.state == source) & met
            following[taken] = target
            waiting = waiting & ~taken
        self.state = following
        self._broken |= rows[:, None] & self._bad[self.state]

    @property
    def satisfied(self) -> Flags:
        """Whether no automaton was ever in a bad state."""
        return ~np.any(self._broken, axis=1)

    def one_hot(self) -> NDArray[np.uint8]:
        """Return the states as ``uint8[copies, agents, states]``, to extend observations by."""
        return np.eye(len(self.states), dtype=np.uint8)[self.state]

    def metrics(self) -> dict[str, NDArray[Any]]:
        """Return ``state`` and ``cost`` (1 in a bad state) by agent."""
        return {
            "state": self.state.copy(),
            "cost": self._bad[self.state].astype(np.float64),
            "violation": self._broken.copy(),
        }


class ReachAvoid(Monitor):
    """Reach one label before ever meeting another.

    An agent succeeds once it has reached, not having violated before; what comes later does not
    undo it. Labels that bring both at once are a violation.

    Parameters
    ----------
    agents, propositions, copies
        See `Monitor`.
    reach, avoid
        The labels.
    """

    def __init__(
        self,
        agents: Sequence[str],
        reach: str = "target",
        avoid: str = UNSAFE,
        *,
        propositions: Sequence[str] | None = None,
        copies: int = 1,
    ) -> None:
        super().__init__(agents, propositions, copies)
        self.reach, self.avoid = reach, avoid
        #: By agent, ``bool[copies, agents]``: what was met since the reset, and who has succeeded.
        self.reached, self.violated, self.succeeded = (
            np.zeros(self.shape, np.bool_) for _ in range(3)
        )

    def _begin(self, rows: Flags) -> None:
        for latched in (self.reached, self.violated, self.succeeded):
            latched[rows] = False

    def _see(self, labels: LabelsOf, rows: Flags) -> None:
        self.violated |= rows[:, None] & labels.read(self.avoid)
        self.reached |= rows[:, None] & labels.read(self.reach)
        self.succeeded |= self.reached & ~self.violated

    @property
    def satisfied(self) -> Flags:
        """Whether every agent has succeeded."""
        return np.all(self.succeeded, axis=1)

    def metrics(self) -> dict[str, NDArray[Any]]:
        """Return ``reached``, ``violated`` and ``satisfied`` by agent."""
        return {
            "reached": self.reached.copy(),
            "violated": self.violated.copy(),
            "satisfied": self.succeeded.copy(),
        }


class StepwiseProbability(Monitor):
    """At most a share of what is observed, the first state included, does harm.

    Parameters
    ----------
    agents, propositions, copies
        See `Monitor`.
    alpha
        The share, 0..1; equality is within it.
    cost
        Labels -> cost, of which at least 0.5 is harm; None: 1 if ``"unsafe"`` is among them.
    """

    def __init__(
        self,
        agents: Sequence[str],
        alpha: float = 0.01,
        *,
        cost: CostFn | None = None,
        propositions: Sequence[str] | None = None,
        copies: int = 1,
    ) -> None:
        super().__init__(agents, propositions, copies)
        self.alpha = check.number("alpha", alpha, 0, 1)
        self._cost_fn = cost
        self._harmed, self._seen = (np.zeros(self.shape, np.int64) for _ in range(2))

    def _begin(self, rows: Flags) -> None:
        self._harmed[rows] = 0
        self._seen[rows] = 0

    def _see(self, labels: LabelsOf, rows: Flags) -> None:
        here = rows[:, None] & labels.present
        self._harmed += here & (labels.costs(self._cost_fn) >= HARM)
        self._seen += here

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of observations with harm, ``float64[copies, agents]``; 0 before the first."""
        return self._harmed / np.maximum(self._seen, 1)

    @property
    def satisfied(self) -> Flags:
        """Whether no agent's share is above `alpha`."""
        return np.all(self.share <= self.alpha, axis=1)

    def metrics(self) -> dict[str, NDArray[Any]]:
        """Return ``share`` and ``observations`` by agent."""
        return {"share": self.share, "observations": self._seen.copy()}


class EventualHarm(Monitor):
    """The probability that an episode ever does harm is at most `alpha` (a PCTL property).

    Whether it is can only be told over many episodes: `satisfied` says that the running one has
    done no harm; `estimate` and `bounds` tell of all that have begun.

    Parameters
    ----------
    agents, propositions, copies
        See `Monitor`.
    alpha
        The probability, 0..1.
    cost
        Labels -> cost, of which at least 0.5 is harm; None: 1 if ``"unsafe"`` is among them.
    """

    def __init__(
        self,
        agents: Sequence[str],
        alpha: float = 0.01,
        *,
        cost: CostFn | None = None,
        propositions: Sequence[str] | None = None,
        copies: int = 1,
    ) -> None:
        super().__init__(agents, propositions, copies)
        self.alpha = check.number("alpha", alpha, 0, 1)
        self._cost_fn = cost
        self._harm = np.zeros(self.copies, np.bool_)
        self.episodes = 0
        self.harmful_episodes = 0

    def _begin(self, rows: Flags) -> None:
        self._harm[rows] = False
        self.episodes += int(rows.sum())

    def _see(self, labels: LabelsOf, rows: Flags) -> None:
        harmed = np.any(labels.costs(self._cost_fn) >= HARM, axis=1)
        fresh = rows & harmed & ~self._harm
        self.harmful_episodes += int(fresh.sum())
        self._harm |= fresh

    @property
    def satisfied(self) -> Flags:
        """Whether the running episode has done no harm so far."""
        return ~self._harm

    @property
    def estimate(self) -> float:
        """Share of the episodes that did harm; NaN before the first."""
        return self.harmful_episodes / self.episodes if self.episodes else math.nan

    def bounds(self, z: float = 1.96) -> tuple[float, float]:
        """Return Wilson's interval for the probability, of `z` standard deviations.

        Before the first episode, nothing is known: 0 and 1.
        """
        if self.episodes == 0:
            return 0.0, 1.0
        n, p = self.episodes, self.estimate
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    def metrics(self) -> dict[str, NDArray[Any]]:
        """Return ``violation``, whether the running episode has done harm."""
        return {"violation": self._harm.copy()}
