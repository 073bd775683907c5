"""One episode with labels, costs and what a shield did: step by step, or in sums."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

Labels = Mapping[str, frozenset[str]]
SHIELD_EVENTS = ("intervene", "fallback", "violation", "raise", "jump")


@dataclass(frozen=True)
class ShieldEvent:
    """Something that a shield did, or that happened to it.

    Parameters
    ----------
    t
        Step it belongs to, from 0. A raise at t is in force from step t on.
    kind
        ``"intervene"`` (a joint action was corrected), ``"fallback"`` (none was allowed at the
        level in force), ``"violation"`` (the step was not safe), ``"raise"`` (of the floor) or
        ``"jump"`` (the state was set from outside).
    level
        Level at which the joint action that was executed is allowed; 0 where it is at none.
    submitted, executed
        Actions by agent.
    risk_submitted, risk_executed
        Probability, at `level`, that the action leads to harm; of the least risk in one step where
        `level` is 0.
    exact
        Whether the risks are exact rather than sampled.
    model_steps
        Steps of the model that it took.
    prev_floor, new_floor
        Of a raise.
    note
        ``"unverified"`` if the limit on model steps cut the search short.
    """

    t: int
    kind: str
    level: int | None = None
    submitted: Mapping[str, Any] | None = None
    executed: Mapping[str, Any] | None = None
    risk_submitted: float | None = None
    risk_executed: float | None = None
    exact: bool | None = None
    model_steps: int | None = None
    prev_floor: int | None = None
    new_floor: int | None = None
    note: str = ""


@dataclass
class Sums:
    """Running sums of an episode."""

    length: int = 0
    returns: dict[str, float] = field(default_factory=dict)
    costs: dict[str, float] = field(default_factory=dict)
    violations: int = 0
    first_violation: int | None = None


@dataclass
class EpisodeLog:
    """What happened in one episode of a labelled world.

    Parameters
    ----------
    world, params
        Id and parameters of the world.
    episode
        Number of the episode, from 0.
    seed
        What the reset was given.
    agents
        Names of all agents.
    floor_start, floor_end
        Floor of the shield at the reset and at the end; None without a shield.
    initial_labels, initial_cost
        Of the first state, by agent; the costs count in totals.
    terminated, truncated
        How each agent ended; agents that have not ended are missing.
    complete
        Whether the episode ran to its end.
    actions, submitted
        Per step: executed actions by agent, and what was submitted to a shield (None without one).
    rewards, labels, costs, safe
        Per step: rewards, labels and costs by agent; whether the step was safe.
    events
        What a shield did.
    sums
        Running sums; all there is if the steps are not kept.
    """

    world: str
    params: dict[str, Any]
    episode: int
    seed: int | None
    agents: tuple[str, ...]
    floor_start: int | None = None
    floor_end: int | None = None
    initial_labels: dict[str, frozenset[str]] = field(default_factory=dict)
    initial_cost: dict[str, float] = field(default_factory=dict)
    terminated: dict[str, bool] = field(default_factory=dict)
    truncated: dict[str, bool] = field(default_factory=dict)
    complete: bool = False
    actions: list[dict[str, Any]] = field(default_factory=list)
    submitted: list[dict[str, Any] | None] = field(default_factory=list)
    rewards: list[dict[str, float]] = field(default_factory=list)
    labels: list[dict[str, frozenset[str]]] = field(default_factory=list)
    costs: list[dict[str, float]] = field(default_factory=list)
    safe: list[bool] = field(default_factory=list)
    events: list[ShieldEvent] = field(default_factory=list)
    sums: Sums = field(default_factory=Sums)

    def __post_init__(self) -> None:
        if not self.sums.returns:
            self.sums.returns = dict.fromkeys(self.agents, 0.0)
            self.sums.costs = {name: self.initial_cost.get(name, 0.0) for name in self.agents}

    def add(
        self,
        actions: Mapping[str, Any],
        submitted: Mapping[str, Any] | None,
        rewards: Mapping[str, float],
        labels: Labels,
        costs: Mapping[str, float],
        safe: bool,
        keep: bool = True,
    ) -> None:
        """Add a step; with ``keep=False`` to the sums alone."""
        for name, reward in rewards.items():
            self.sums.returns[name] += reward
        for name, cost in costs.items():
            self.sums.costs[name] += cost
        if not safe:
            self.sums.violations += 1
            if self.sums.first_violation is None:
                self.sums.first_violation = self.sums.length
        self.sums.length += 1
        if not keep:
            return
        self.actions.append(plain_actions(actions))
        self.submitted.append(None if submitted is None else plain_actions(submitted))
        self.rewards.append(dict(rewards))
        self.labels.append(dict(labels))
        self.costs.append(dict(costs))
        self.safe.append(safe)

    @property
    def length(self) -> int:
        """Number of steps."""
        return self.sums.length

    @property
    def returns(self) -> dict[str, float]:
        """Sum of rewards of each agent."""
        return dict(self.sums.returns)

    @property
    def total_costs(self) -> dict[str, float]:
        """Sum of costs of each agent, that of the first state included."""
        return dict(self.sums.costs)

    @property
    def team_return(self) -> float:
        """Sum of the returns."""
        return sum(self.sums.returns.values())

    @property
    def team_cost(self) -> float:
        """Sum of the total costs."""
        return sum(self.sums.costs.values())

    @property
    def violations(self) -> int:
        """Number of steps that were not safe."""
        return self.sums.violations

    @property
    def first_violation(self) -> int | None:
        """First step that was not safe, from 0; None if all were."""
        return self.sums.first_violation

    @property
    def interventions(self) -> int:
        """Number of steps in which a shield changed the joint action."""
        changed = {"intervene", "fallback"}
        return len({e.t for e in self.events if e.kind in changed and e.submitted != e.executed})

    @property
    def raises(self) -> list[tuple[int, int]]:
        """Raises of the floor in their order: ``(before, after)``."""
        return [
            (e.prev_floor, e.new_floor)
            for e in self.events
            if e.kind == "raise" and e.prev_floor is not None and e.new_floor is not None
        ]

    def level_at(self, t: int) -> int | None:
        """Return the floor in force at a step; None without a shield."""
        level = self.floor_start
        for event in self.events:
            if event.kind == "raise" and event.t <= t:
                level = event.new_floor
        return level

    def summary(self) -> dict[str, Any]:
        """Return what can be said in single numbers and texts, by name."""
        return {
            "world": self.world,
            "episode": self.episode,
            "seed": self.seed,
            "length": self.length,
            "complete": self.complete,
            "team_return": self.team_return,
            "team_cost": self.team_cost,
            "violations": self.violations,
            "first_violation": self.first_violation,
            "interventions": self.interventions,
            "floor_start": self.floor_start,
            "floor_end": self.floor_end,
            **{f"return/{name}": value for name, value in self.returns.items()},
            **{f"cost/{name}": value for name, value in self.total_costs.items()},
        }

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield a row per step and agent that acted.

        Columns: ``episode, t, agent, submitted, action, reward, cost, safe, labels`` (joined with
        ``;``), ``level, intervened``.
        """
        for t, actions in enumerate(self.actions):
            asked = self.submitted[t]
            for agent, action in actions.items():
                submitted = None if asked is None else asked.get(agent)
                yield {
                    "episode": self.episode,
                    "t": t,
                    "agent": agent,
                    "submitted": submitted,
                    "action": action,
                    "reward": self.rewards[t].get(agent, 0.0),
                    "cost": self.costs[t].get(agent, 0.0),
                    "safe": self.safe[t],
                    "labels": ";".join(sorted(self.labels[t].get(agent, ()))),
                    "level": self.level_at(t),
                    "intervened": submitted is not None and submitted != action,
                }

    def to_dict(self) -> dict[str, Any]:
        """Return all there is as JSON can take it; sets become sorted lists."""
        return _as_json(asdict(self))

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "EpisodeLog":
        """Return the log that `to_dict` was asked of.

        Raises
        ------
        ValueError
            Naming a field that is missing or unknown.
        """
        names = {each.name for each in fields(cls)}
        for name in names ^ given.keys():
            fault = "lacks" if name in names else "has the unknown field"
            raise ValueError(f"the log {fault} `{name}`.")
        values = dict(given)
        values["agents"] = tuple(values["agents"])
        values["initial_labels"] = _as_sets(values["initial_labels"])
        values["labels"] = [_as_sets(step) for step in values["labels"]]
        values["events"] = [ShieldEvent(**event) for event in values["events"]]
        values["sums"] = Sums(**values["sums"])
        return cls(**values)


def plain_actions(actions: Mapping[str, Any]) -> dict[str, Any]:
    """Return actions as integers and lists of integers."""
    return {name: np.asarray(action).tolist() for name, action in actions.items()}


def _as_sets(labels: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(held) for name, held in labels.items()}


def _as_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _as_json(part) for name, part in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_as_json(part) for part in value]
    return value
