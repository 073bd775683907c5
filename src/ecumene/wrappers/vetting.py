"""Let joint actions through that are safe enough, and correct those that are not."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import InvalidParameter, Simulation, check
from ecumene.wrappers.foresight import Foresight, Judge, Values
from ecumene.wrappers.joint import Rows

METHODS = ("auto", "exact", "sampled")
TRIGGERS = ("violation", "deadend", "budget")
PASSED, INTERVENED, FELL_BACK = range(3)
_ROUNDING = 1e-12


@dataclass(frozen=True)
class ShieldOptions:
    """Options of a shield, checked; `ShieldedEnv` documents them."""

    floor: int = 0
    max_level: int = 3
    controlled: Sequence[str] | None = None
    delta: float = 0.0
    method: str = "auto"
    samples: int = 300
    confidence: float = 0.95
    raise_on: Sequence[str] = ("violation", "deadend")
    cost_budget: float | None = None
    intervention_penalty: float = 0.0
    max_model_steps: int = 20_000
    per_episode: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check.integer("max_level", self.max_level, 0)
        check.integer("floor", self.floor, 0, self.max_level)
        check.number("delta", self.delta, 0, 1)
        check.one_of("method", self.method, METHODS)
        check.integer("samples", self.samples, 1)
        if not 0 < check.number("confidence", self.confidence) < 1:
            raise InvalidParameter(f"confidence is between 0 and 1, not {self.confidence}.")
        if isinstance(self.raise_on, str):
            raise InvalidParameter(f"raise_on lists triggers, it is not {self.raise_on!r}.")
        for trigger in self.raise_on:
            check.one_of("raise_on", trigger, TRIGGERS)
        if self.cost_budget is not None:
            check.number("cost_budget", self.cost_budget, 0)
        check.number("intervention_penalty", self.intervention_penalty, 0)
        check.integer("max_model_steps", self.max_model_steps, 1)
        check.flag("per_episode", self.per_episode)
        check.integer("seed", self.seed, 0)


class Verdicts(NamedTuple):
    """What became of some joint actions; first axis: the joint action.

    executed: int64[m, agent]
    kind: int64[m]  # PASSED, INTERVENED or FELL_BACK
    level: int64[m]  # level at which the executed one is allowed; 0: at none
    risk_submitted, risk_executed: float64[m]  # at that level; in one step where it is 0
    exact: bool[m]
    verified: bool[m]  # False: the limit on model steps cut a search short
    """

    executed: Rows
    kind: Rows
    level: Rows
    risk_submitted: NDArray[np.float64]
    risk_executed: NDArray[np.float64]
    exact: NDArray[np.bool_]
    verified: NDArray[np.bool_]


class Vetting:
    """Vets joint actions of the copies of a world.

    Parameters
    ----------
    simulation
        The world.
    judge
        See `Foresight`.
    options
        Options of the shield.
    """

    def __init__(self, simulation: Simulation, judge: Judge, options: ShieldOptions) -> None:
        self.options = options
        self.simulation = simulation
        self.controlled = _columns(simulation, options.controlled)
        self.foresight = Foresight(
            simulation, judge, self.controlled, options.samples, options.seed
        )
        self.joint = self.foresight.joint
        self._most_failures = most_failures(options.samples, options.delta, options.confidence)
        self._check_method()

    def _check_method(self) -> None:
        options, depth = self.options, self.foresight.exact_depth
        world = self.simulation.spec.id
        if options.method == "exact" and options.max_level > depth:
            raise InvalidParameter(
                f'method "exact": {world} is exact up to level {depth:.0f}, and max_level is '
                f"{options.max_level}."
            )
        if self._is_sampled(options.max_level) and self._most_failures < 0:
            least = 1 - (1 - options.confidence) ** (1 / options.samples)
            above = 0 if options.method == "sampled" else int(depth)
            raise InvalidParameter(
                f"levels above {above} are sampled in {world}, and {options.samples} samples at "
                f"confidence {options.confidence} show {least:.5f} at best: let delta be at least "
                f"that, not {options.delta}, or max_level {above}."
            )

    def _is_sampled(self, level: int) -> bool:
        if level == 0:
            return False
        return self.options.method == "sampled" or level > self.foresight.exact_depth

    # Vetting.

    def vet(self, copies: Rows, submitted: Rows, levels: Rows, clocks: Rows) -> Verdicts:
        """Vet joint actions in the present states of some copies.

        Parameters
        ----------
        copies
            ``[m]``.
        submitted
            ``[m, agent]``.
        levels
            Level in force in each copy, from 1 up.
        clocks
            Steps made so far in each copy.
        """
        return _Search(self, copies, submitted, clocks).run(levels)

    def values(
        self, copies: Rows, actions: Rows, level: int, clocks: Rows, most_steps: int
    ) -> Values:
        """Return values Q of joint actions at a level."""
        sampled = self._is_sampled(level)
        return self.foresight.values(copies, actions, level, most_steps, clocks, sampled)

    def accepts(self, values: Values, level: int) -> NDArray[np.bool_]:
        """Return which values are good enough for a level."""
        if self._is_sampled(level):
            failures = np.rint((1 - values.value) * self.options.samples)
            return values.verified & (failures <= self._most_failures)
        return values.verified & (values.value >= 1 - self.options.delta - _ROUNDING)

    def is_exact(self, level: int) -> bool:
        """Return whether values at a level are exact."""
        return not self._is_sampled(max(level, 1))

    def allowed(self, copy: int, level: int, clock: int) -> NDArray[np.bool_]:
        """Return which joint actions a level lets through: ``bool[|A_1|, |A_2|, ...]``."""
        everyone = range(len(self.joint.agents))
        count = self.joint.count(everyone)
        limit = self.options.max_model_steps
        if count > limit:
            raise InvalidParameter(f"{count} joint actions are more than max_model_steps, {limit}.")
        shape = tuple(self.joint.sizes)
        if level == 0:
            return np.ones(shape, np.bool_)
        actions = self.joint.everything(everyone)
        copies, clocks = np.full(count, copy), np.full(count, clock)
        values = self.values(copies, actions, level, clocks, limit * count)
        return self.accepts(values, level).reshape(shape)


class _Search:
    """One call of `Vetting.vet`."""

    def __init__(self, vetting: Vetting, copies: Rows, submitted: Rows, clocks: Rows) -> None:
        self._vetting = vetting
        self._copies = copies
        self._submitted = submitted
        self._clocks = clocks
        count = len(copies)
        self._end = vetting.foresight.model_steps + vetting.options.max_model_steps * count
        self._executed = submitted.copy()
        self._kind = np.zeros(count, np.int64)
        self._level = np.zeros(count, np.int64)
        self._risks = np.zeros((2, count))
        self._verified = np.ones(count, np.bool_)
        self._masks: dict[int, NDArray[np.bool_]] = {}
        outputs = vetting.simulation.out
        self._alive = np.concatenate([out.alive[copies] for out in outputs.values()], axis=1)

    def run(self, levels: Rows) -> Verdicts:
        for level in np.unique(levels):
            lost = np.flatnonzero(levels == level)
            for lower in range(int(level), 0, -1):
                lost = self._settle(lost, lower, lower == level)
                if lost.size == 0:
                    break
            if lost.size:
                self._take_least_risk(lost)
        exact = np.array([self._vetting.is_exact(level) for level in self._level.tolist()], bool)
        submitted, executed = self._risks
        return Verdicts(
            self._executed, self._kind, self._level, submitted, executed, exact, self._verified
        )  # fmt: skip

    def _settle(self, rows: Rows, level: int, in_force: bool) -> Rows:
        """Find the nearest joint action that a level allows; return the rows without one."""
        for distance in range(len(self._vetting.controlled) + 1):
            for part in self._parts(rows, distance):
                settled = self._try(part, level)
                if distance or not in_force:
                    self._kind[settled] = INTERVENED if in_force else FELL_BACK
                rows = rows[~np.isin(rows, settled)]
            if rows.size == 0:
                break
        return rows

    def _try(self, part: "_Candidates", level: int) -> Rows:
        """Execute the first candidate of each row that a level allows; return those rows."""
        if part.row.size == 0:
            return part.row
        values = self._values(part, level)
        if part.distance == 0:
            self._risks[0, part.row] = 1 - values.value
        self._verified[part.row[~values.verified]] = False
        good = np.flatnonzero(self._vetting.accepts(values, level))
        rows, first = np.unique(part.row[good], return_index=True)
        chosen = good[first]
        self._executed[rows] = part.actions[chosen]
        self._risks[1, rows] = 1 - values.value[chosen]
        self._level[rows] = level
        return rows

    def _values(self, part: "_Candidates", level: int) -> Values:
        left = max(self._end - self._vetting.foresight.model_steps, 0)
        clocks = self._clocks[part.row]
        return self._vetting.values(self._copies[part.row], part.actions, level, clocks, left)

    def _take_least_risk(self, rows: Rows) -> None:
        """Execute what is safest in one step; the nearest one of equals."""
        self._kind[rows] = FELL_BACK
        best = np.full(len(self._copies), -1.0)
        for distance in range(len(self._vetting.controlled) + 1):
            for part in self._parts(rows, distance):
                if part.row.size == 0:
                    continue
                values = self._values(part, 1)
                if distance == 0:
                    self._risks[0, part.row] = 1 - values.value
                # The first of the best of each row: by row, then value, then order.
                order = np.lexsort((np.arange(len(part.row)), -values.value, part.row))
                _, first = np.unique(part.row[order], return_index=True)
                chosen = order[first]
                chosen = chosen[values.value[chosen] > best[part.row[chosen]]]
                best[part.row[chosen]] = values.value[chosen]
                self._executed[part.row[chosen]] = part.actions[chosen]
        self._risks[1, rows] = 1 - best[rows]

    def _parts(self, rows: Rows, distance: int) -> list["_Candidates"]:
        """Return candidates at a distance from what was submitted, in the order of preference."""
        if distance == 0:
            return [_Candidates(rows, self._submitted[rows], 0)]
        # The agent that changes most willingly is another one at each step.
        turns = self._clocks[rows] % len(self._vetting.controlled)
        return [
            self._changed(rows[turns == turn], int(turn), distance) for turn in np.unique(turns)
        ]

    def _changed(self, rows: Rows, turn: int, distance: int) -> "_Candidates":
        agents = [*self._vetting.controlled[turn:], *self._vetting.controlled[:turn]]
        limit = self._vetting.options.max_model_steps
        parts = []
        found = 0
        for changed in itertools.combinations(agents, distance):
            found += self._vetting.joint.count(changed)
            if found > limit:
                self._verified[rows] = False
                break
            parts.append(self._changed_by(rows, changed))
        if not parts:
            return _Candidates(rows[:0], self._submitted[:0], distance)
        row = np.concatenate([part.row for part in parts])
        actions = np.concatenate([part.actions for part in parts])
        return _Candidates(row, actions, distance)

    def _changed_by(self, rows: Rows, changed: Sequence[int]) -> "_Candidates":
        """Return candidates in which exactly some agents do otherwise than was submitted."""
        choices = self._vetting.joint.everything(changed)
        row = np.repeat(rows, len(choices))
        actions = self._submitted[row]
        fits = np.ones(len(row), np.bool_)
        for i, agent in enumerate(changed):
            choice = np.tile(choices[:, i], len(rows))
            fits &= (choice != actions[:, agent]) & self._alive[row, agent]
            fits &= self._mask(agent)[row, choice]
            actions[:, agent] = choice
        return _Candidates(row[fits], actions[fits], len(changed))

    def _mask(self, agent: int) -> NDArray[np.bool_]:
        if agent not in self._masks:
            masks = {name: out.action_mask for name, out in self._vetting.simulation.out.items()}
            self._masks[agent] = self._vetting.joint.allowed(masks, self._copies, agent)
        return self._masks[agent]


class _Candidates(NamedTuple):
    """Joint actions to choose from; those of one row in the order of preference."""

    row: Rows
    actions: Rows
    distance: int


def _columns(simulation: Simulation, controlled: Sequence[str] | None) -> list[int]:
    agents = simulation.spec.agents
    if controlled is None:
        return list(range(len(agents)))
    if isinstance(controlled, str) or not controlled:
        raise InvalidParameter(f"controlled lists agents of {agents}, it is not {controlled!r}.")
    for name in controlled:
        check.one_of("controlled", name, agents)
    return sorted({agents.index(name) for name in controlled})


def most_failures(samples: int, delta: float, confidence: float) -> int:
    """Return the most failures in a sample that still show a probability of at most `delta`.

    As many that the one-sided Clopper-Pearson bound is at most `delta`; -1 if none will do.
    """
    if delta <= 0:
        return -1
    if delta >= 1:
        return samples
    at_most, failures = 0.0, -1
    while failures < samples:
        k = failures + 1
        at_most += math.exp(_log_binomial(samples, k, delta))
        if at_most > 1 - confidence:
            break
        failures = k
    return failures


def _log_binomial(n: int, k: int, p: float) -> float:
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return ways + k * math.log(p) + (n - k) * math.log1p(-p)
