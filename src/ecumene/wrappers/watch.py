"""Watch the safety of a rollout: costs, violations, and a shield between policy and world."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.api.labels import UNSAFE, cost_arrays
from ecumene.engine import Simulation
from ecumene.record.rollout import Policy, StepRecord
from ecumene.wrappers.vetting import PASSED, ShieldOptions, Vetting


def cost_name(agent: str) -> str:
    """Name under which an agent's cost is tallied."""
    return f"cost {agent}"


class SafetyWatch:
    """A policy behind a shield of a fixed level, and a listener that counts what harm is done.

    Parameters
    ----------
    simulation
        The world that is going to be played.
    policy
        The policy that is asked; the watch itself is the policy of the rollout.
    level
        Level of the shield, see `ShieldedEnv`; 0 only watches.
    delta
        Probability of harm that it lets through, per step.
    seed
        Of the streams that samples are drawn from.

    Raises
    ------
    InvalidParameter
        If the shield does not fit the world.
    """

    def __init__(
        self,
        simulation: Simulation,
        policy: Policy,
        level: int = 0,
        delta: float = 0.0,
        seed: int = 0,
    ) -> None:
        options = ShieldOptions(floor=level, max_level=level, delta=delta, seed=seed)
        self._simulation = simulation
        self._policy = policy
        self._level = level
        self._vetting = Vetting(simulation, self._judge, options)
        copies = simulation.copies
        self._length, self._violations, self._interventions = (
            np.zeros(copies, np.int64) for _ in range(3)
        )
        self._costs = {
            group.name: np.zeros((copies, len(group.agents))) for group in simulation.spec.groups
        }

    @staticmethod
    def _judge(simulation: Simulation, copies: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return ~_harmed(simulation, simulation.labels(copies))[copies]

    def __call__(
        self, observations: Mapping[str, Any], masks: Mapping[str, NDArray[np.int8]]
    ) -> Mapping[str, Any]:
        """Return the policy's actions, corrected."""
        actions = self._policy(observations, masks)
        if self._level == 0:
            return actions
        outputs = self._simulation.out.values()
        live = np.flatnonzero(np.any([out.alive.any(axis=1) for out in outputs], axis=0))
        if live.size == 0:
            return actions
        rows = self._vetting.joint.of_groups(self._simulation.check_actions(actions))
        levels = np.full(live.size, self._level)
        verdicts = self._vetting.vet(live, rows[live], levels, self._length[live])
        changed = (verdicts.kind != PASSED) & (verdicts.executed != rows[live]).any(axis=1)
        self._interventions[live] += changed
        rows[live] = verdicts.executed
        return self._vetting.joint.to_groups(rows)

    # What a rollout tells.

    def episodes_begun(self, simulation: Simulation, copies: NDArray[np.int64]) -> None:
        """Begin to count; the first state's costs count."""
        for counts in (self._length, self._violations, self._interventions):
            counts[copies] = 0
        costs = cost_arrays(simulation.spec.propositions, simulation.labels())
        for name, total in self._costs.items():
            total[copies] = costs[name][copies]

    def step_made(self, simulation: Simulation, record: StepRecord) -> None:
        """Count what harm a step did."""
        labels = simulation.labels()
        costs = cost_arrays(simulation.spec.propositions, labels)
        played = np.any([acted.any(axis=1) for acted in record.acted.values()], axis=0)
        for name, total in self._costs.items():
            np.add(total, costs[name], out=total, where=played[:, None])
        self._violations += played & _harmed(simulation, labels)
        self._length += played

    def episodes_ended(self, simulation: Simulation, copies: NDArray[np.int64]) -> None:
        """Nothing to do: `columns` is asked."""

    def columns(self, copies: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Return what was counted in the running episodes of some copies, by name."""
        found: dict[str, NDArray[Any]] = {
            cost_name(agent): self._costs[group.name][copies, i]
            for group in self._simulation.spec.groups
            for i, agent in enumerate(group.agents)
        }
        found["violations"] = self._violations[copies]
        if self._level:
            found["interventions"] = self._interventions[copies]
        return found


def _harmed(simulation: Simulation, labels: Mapping[str, NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Return in which copies somebody is unsafe."""
    harmed = np.zeros(simulation.copies, np.bool_)
    if UNSAFE in simulation.spec.propositions:
        at = simulation.spec.propositions.index(UNSAFE)
        for held in labels.values():
            harmed |= held[:, :, at].any(axis=1)
    return harmed
