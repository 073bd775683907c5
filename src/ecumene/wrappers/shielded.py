"""One labelled world with a shield: joint actions that would lead to harm are corrected."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils import BaseParallelWrapper

from ecumene.engine import InvalidParameter, ResetNeeded, Simulation, check
from ecumene.record.episode_log import ShieldEvent, plain_actions
from ecumene.wrappers.certificate import Certificate, certify
from ecumene.wrappers.labelled import LabelledEnv
from ecumene.wrappers.vetting import FELL_BACK, PASSED, ShieldOptions, Verdicts, Vetting


class ShieldedEnv(BaseParallelWrapper[str, Any, Any]):
    """A labelled environment that executes a joint action only if it is safe enough.

    **Levels.** Level 0 watches. Level k lets a joint action through if it is safe now and the
    agents under control can stay safe k - 1 further steps, whatever the others do; where chance
    plays a part, if the probability of harm is at most `delta`. What a level lets through, every
    lower level does. One that is not let through is replaced by the nearest one that is: fewest
    changed agents, only such under control; of equals, by an order of agents that turns with the
    clock, then the lowest actions. If no joint action is let through, lower levels are tried;
    at last what is safest in the next step is executed.

    **The floor** is the level in force. It never falls and survives `reset`. At the end of a step
    it rises by one, up to `max_level`, if one of the triggers in `raise_on` fired: ``"violation"``
    (the step was not safe), ``"deadend"`` (no joint action was let through), ``"budget"`` (the
    team's cost in the episode has first exceeded `cost_budget`). Each rise is told to the
    labelled environment by `record_shield_raise`.

    ``infos[agent]["shield"]`` holds ``level``, ``intervened``, ``submitted`` and ``executed``. The
    world's own random stream is never looked at, and at level 0, or as long as nothing has to be
    corrected, the world goes bit for bit as without a shield.

    Parameters
    ----------
    env
        A `LabelledEnv` around a world of the library.
    floor, max_level
        Level at first, and at most.
    controlled
        Names of the agents that may be corrected. None: all.
    delta
        Probability of harm that is let through, per step.
    method
        ``"exact"``, ``"sampled"``, or ``"auto"``: exact where the world is deterministic, lists
        what chance can do, or declares that chance has no say in safety at the depth.
    samples, confidence
        Samples of a joint action, and the confidence (of a one-sided Clopper-Pearson bound) with
        which they have to show a probability of harm of at most `delta`.
    raise_on
        Triggers that raise the floor.
    cost_budget
        For the trigger ``"budget"``.
    intervention_penalty
        Taken off the reward of an agent whose action was changed; logs keep the world's rewards.
    max_model_steps
        Most steps of the model for one vetting. What was not verified by then is not let through.
    per_episode
        Whether the floor starts anew at each reset.
    seed
        Of the streams that samples are drawn from.

    Raises
    ------
    InvalidParameter
        Naming what does not fit.
    """

    env: LabelledEnv

    def __init__(
        self,
        env: LabelledEnv,
        *,
        floor: int = 0,
        max_level: int = 3,
        controlled: Sequence[str] | None = None,
        delta: float = 0.0,
        method: str = "auto",
        samples: int = 300,
        confidence: float = 0.95,
        raise_on: Sequence[str] = ("violation", "deadend"),
        cost_budget: float | None = None,
        intervention_penalty: float = 0.0,
        max_model_steps: int = 20_000,
        per_episode: bool = False,
        seed: int = 0,
    ) -> None:
        if not isinstance(env, LabelledEnv):
            raise InvalidParameter(f"a shield goes around a LabelledEnv, not {env!r}.")
        super().__init__(env)
        self._options = ShieldOptions(
            floor, max_level, controlled, delta, method, samples, confidence, raise_on,
            cost_budget, intervention_penalty, max_model_steps, per_episode, seed,
        )  # fmt: skip
        simulation = getattr(env.unwrapped, "simulation", None)
        if not isinstance(simulation, Simulation):
            raise InvalidParameter("a shield looks ahead in worlds of this library only.")
        self._vetting = Vetting(simulation, env.judge, self._options)
        self._floor = floor
        self._over_budget = False
        env.attach_shield(floor)

    @property
    def floor(self) -> int:
        """The level in force."""
        return self._floor

    def raise_floor(self, floor: int) -> None:
        """Raise the level in force by hand.

        Raises
        ------
        InvalidParameter
            A ValueError, unless it is above the present one and at most `max_level`.
        """
        check.integer("floor", floor, 0)
        if not self._floor < floor <= self._options.max_level:
            raise InvalidParameter(
                f"the floor only rises, up to {self._options.max_level}: not from {self._floor} to "
                f"{floor}."
            )
        self.env.record_shield_raise(self._floor, floor)
        self._floor = floor

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a new episode; the floor stays, unless it starts anew per episode."""
        if self._options.per_episode:
            self._floor = self._options.floor
        self.env.attach_shield(self._floor)
        self._over_budget = False
        return self.env.reset(seed=seed, options=options)

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:  # type: ignore[override]
        """Advance the world by one step, under `actions` or what they are corrected to."""
        live = self.env.agents
        if not live or not isinstance(actions, Mapping) or set(actions) != set(live):
            return self.env.step(actions)  # which refuses what is wrong
        verdicts = self._vet(actions)
        executed = self._corrected(actions, verdicts)
        before = self.env.length
        self.env.record_submitted(actions)
        self._note_correction(actions, executed, verdicts)
        observations, rewards, terminations, truncations, infos = self.env.step(executed)
        rewards = self._penalised(rewards, actions, executed)
        self._tell(infos, actions, executed)
        self._raise_if_due(before, verdicts)
        return observations, rewards, terminations, truncations, infos

    def _vet(self, actions: Mapping[str, Any]) -> Verdicts | None:
        row = self._vetting.joint.parse(actions)
        if self._floor == 0:
            return None
        here, clock = np.zeros(1, np.int64), np.array([self.env.length])
        self._steps_before = self._vetting.foresight.model_steps
        return self._vetting.vet(here, row[None], np.array([self._floor]), clock)

    def _corrected(self, actions: dict[str, Any], verdicts: Verdicts | None) -> dict[str, Any]:
        if verdicts is None or verdicts.kind[0] == PASSED:
            return actions
        joint = self._vetting.joint
        submitted, row = joint.parse(actions), verdicts.executed[0]
        return {
            name: actions[name] if row[i] == submitted[i] else joint.unparse(i, row[i])
            for i, name in enumerate(joint.agents)
            if name in actions
        }

    def _note_correction(
        self, submitted: dict[str, Any], executed: dict[str, Any], verdicts: Verdicts | None
    ) -> None:
        if verdicts is None or verdicts.kind[0] == PASSED:
            return
        fell_back = verdicts.kind[0] == FELL_BACK
        self.env.record_event(
            ShieldEvent(
                self.env.length,
                "fallback" if fell_back else "intervene",
                int(verdicts.level[0]),
                plain_actions(submitted),
                plain_actions(executed),
                float(verdicts.risk_submitted[0]),
                float(verdicts.risk_executed[0]),
                bool(verdicts.exact[0]),
                self._vetting.foresight.model_steps - self._steps_before,
                note="" if verdicts.verified[0] else "unverified",
            )
        )

    def _penalised(
        self, rewards: dict[str, float], submitted: dict[str, Any], executed: dict[str, Any]
    ) -> dict[str, float]:
        penalty = self._options.intervention_penalty
        if penalty == 0 or submitted is executed:
            return rewards
        return {
            name: reward - penalty * (executed[name] is not submitted[name])
            for name, reward in rewards.items()
        }

    def _tell(
        self, infos: dict[str, Any], submitted: dict[str, Any], executed: dict[str, Any]
    ) -> None:
        for name, info in infos.items():
            info["shield"] = {
                "level": self._floor,
                "intervened": executed[name] is not submitted[name],
                "submitted": submitted[name],
                "executed": executed[name],
            }

    def _raise_if_due(self, t: int, verdicts: Verdicts | None) -> None:
        fired = set()
        if not self.env.last_step_safe:
            self.env.record_event(ShieldEvent(t, "violation", self._floor))
            fired.add("violation")
        if verdicts is not None and verdicts.kind[0] == FELL_BACK:
            fired.add("deadend")
        budget = self._options.cost_budget
        if budget is not None and not self._over_budget and self.env.total_cost() > budget:
            self._over_budget = True
            fired.add("budget")
        if fired & set(self._options.raise_on) and self._floor < self._options.max_level:
            self.env.record_shield_raise(self._floor, self._floor + 1)
            self._floor += 1

    # Looking ahead without stepping.

    def allowed_joint_actions(self) -> NDArray[np.bool_]:
        """Return which joint actions the level in force lets through now.

        Returns
        -------
        array
            ``bool[|A_1|, |A_2|, ...]``, an axis for each of the possible agents.

        Raises
        ------
        InvalidParameter
            If there are more of them than `max_model_steps`.
        ResetNeeded
            If the episode is over.
        """
        self._need_live()
        return self._vetting.allowed(0, self._floor, self.env.length)

    def action_mask(self, agent: str, mode: str = "some") -> NDArray[np.int8]:
        """Return which actions of an agent the level in force lets through now, as int8.

        For masking before a choice rather than correcting after it.

        Parameters
        ----------
        agent
            The agent.
        mode
            ``"some"``: with some actions of the others; ``"all"``: with all of them.
        """
        check.one_of("mode", mode, ("some", "all"))
        axis = self._vetting.joint.index_of(agent)
        allowed = self.allowed_joint_actions()
        others = tuple(i for i in range(allowed.ndim) if i != axis)
        combine = np.any if mode == "some" else np.all
        return combine(allowed, axis=others).astype(np.int8)

    def _need_live(self) -> None:
        if not self.env.agents:
            raise ResetNeeded("no episode is running: call reset() first.")

    def certify(self, max_states: int = 100_000) -> Certificate:
        """Look at every state that can be reached safely from the present one.

        Parameters
        ----------
        max_states
            Give up beyond this many.

        Raises
        ------
        InvalidParameter
            For a world whose chance has a say in safety and is not listed.
        ResetNeeded
            If the episode is over.
        """
        limit = check.integer("max_states", max_states, 1)
        self._need_live()
        return certify(self._vetting.foresight, self._vetting.simulation, 0, limit)
