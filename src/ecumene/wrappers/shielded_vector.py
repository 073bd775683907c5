"""Many copies of a labelled world, each behind a shield; all are vetted together."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import InvalidParameter
from ecumene.record.episode_log import ShieldEvent
from ecumene.wrappers.labelled_vector import LabelledVectorEnv
from ecumene.wrappers.vetting import FELL_BACK, PASSED, ShieldOptions, Verdicts, Vetting


class ShieldedVectorEnv:
    """Copies of a labelled world that execute joint actions only if they are safe enough.

    Levels, floors, triggers and corrections are those of `ShieldedEnv`; each copy has a floor of
    its own. All joint actions are vetted together, as batches of scratch copies.

    ``infos["shield"]`` holds ``level`` (int64[num_envs], the level that was in force), ``vetted``
    (bool[num_envs]), ``intervened`` (group -> bool[num_envs, agents]) and ``executed`` (group ->
    actions). Copy k does what a `ShieldedEnv` with the seed ``seed + k`` does, as long as the limit
    on model steps, which is `max_model_steps` per vetted copy here, does not come first.

    Parameters
    ----------
    env
        A `LabelledVectorEnv`.
    **options
        Those of `ShieldedEnv`.

    Attributes
    ----------
    floor : array
        Level in force in each copy, ``int64[num_envs]``.
    """

    def __init__(self, env: LabelledVectorEnv, **options: Any) -> None:
        if not isinstance(env, LabelledVectorEnv):
            raise InvalidParameter(f"a shield goes around a LabelledVectorEnv, not {env!r}.")
        self.env = env
        self._options = ShieldOptions(**options)
        self._vetting = Vetting(env.simulation, env.judge, self._options)
        self.floor = np.full(env.num_envs, self._options.floor)
        self._over_budget = np.zeros(env.num_envs, np.bool_)
        env.attach_shield(self.floor)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "env":
            raise AttributeError(name)
        return getattr(self.env, name)

    def reset(
        self,
        seed: int | Sequence[int] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start new episodes; see `LabelledVectorEnv.reset`."""
        mask = (options or {}).get("reset_mask")
        self._begin(np.ones(self.env.num_envs, np.bool_) if mask is None else mask)
        return self.env.reset(seed, options)

    def raise_floor(self, floor: int, copies: Sequence[int] | None = None) -> None:
        """Raise the level in force by hand, in some copies or in all.

        Raises
        ------
        InvalidParameter
            A ValueError, unless it is above each present one and at most `max_level`.
        """
        chosen = np.arange(self.env.num_envs) if copies is None else np.array(copies)
        highest = int(self.floor[chosen].max())
        if not highest < floor <= self._options.max_level:
            raise InvalidParameter(
                f"the floor only rises, up to {self._options.max_level}: not from {highest} to "
                f"{floor}."
            )
        self._raise(chosen, np.full(len(chosen), floor), self.env.length[chosen])

    def _raise(
        self, copies: NDArray[np.int64], floors: NDArray[np.int64], t: NDArray[np.int64]
    ) -> None:
        for copy in self.env.logged_copies:
            for i in np.flatnonzero(copies == copy):
                before = int(self.floor[copy])
                event = ShieldEvent(int(t[i]), "raise", prev_floor=before, new_floor=int(floors[i]))
                self.env.record_event(copy, event)
        self.floor[copies] = floors

    def step(self, actions: Mapping[str, Any]) -> tuple[Any, ...]:
        """Advance every copy by one step, under `actions` or what they are corrected to."""
        live = ~self.env.over
        vetted = np.flatnonzero(live & (self.floor > 0))
        levels = self.floor.copy()
        executed, verdicts = self._vet(actions, vetted)
        self._note(actions, executed, vetted, verdicts)
        self.env.record_submitted(actions)
        lengths = self.env.length.copy()
        self.env.renewed[:] = False
        result = self.env.step(executed)
        observations, rewards, terminations, truncations, infos = result
        changed = self._changed(actions, executed)
        penalty = self._options.intervention_penalty
        if penalty:
            for name, each in changed.items():
                rewards[name] -= penalty * each
        infos["shield"] = {
            "level": levels,
            "vetted": np.isin(np.arange(self.env.num_envs), vetted),
            "intervened": changed,
            "executed": executed,
        }
        dead_end = np.zeros(self.env.num_envs, np.bool_)
        if verdicts is not None:
            dead_end[vetted] = verdicts.kind == FELL_BACK
        self._raise_where_due(live, lengths, dead_end, infos)
        self._begin(~live | self.env.renewed)
        return observations, rewards, terminations, truncations, infos

    def _vet(
        self, actions: Mapping[str, Any], vetted: NDArray[np.int64]
    ) -> tuple[dict[str, Any], Verdicts | None]:
        if vetted.size == 0:
            return dict(actions), None
        self.env.simulation.check_actions(actions)
        rows = self._vetting.joint.of_groups(actions)
        verdicts = self._vetting.vet(
            vetted, rows[vetted], self.floor[vetted], self.env.length[vetted]
        )
        rows[vetted] = verdicts.executed
        return self._vetting.joint.to_groups(rows), verdicts

    @staticmethod
    def _changed(
        submitted: Mapping[str, Any], executed: Mapping[str, Any]
    ) -> dict[str, NDArray[np.bool_]]:
        changed = {}
        for name, each in executed.items():
            differs = np.asarray(each) != np.asarray(submitted[name])
            changed[name] = differs if differs.ndim == 2 else differs.any(axis=2)
        return changed

    def _note(
        self,
        submitted: Mapping[str, Any],
        executed: Mapping[str, Any],
        vetted: NDArray[np.int64],
        verdicts: Verdicts | None,
    ) -> None:
        if verdicts is None:
            return
        for copy in self.env.logged_copies:
            at = np.flatnonzero(vetted == copy)
            if at.size and verdicts.kind[at[0]] != PASSED:
                self.env.record_event(copy, self._event(copy, at[0], submitted, executed, verdicts))

    def _event(
        self, copy: int, row: int, submitted: Any, executed: Any, verdicts: Verdicts
    ) -> ShieldEvent:
        groups = self.env.groups
        asked, done = (
            {
                name: np.asarray(arrays[group.name])[copy, i].tolist()
                for group in groups
                for i, name in enumerate(group.agents)
            }
            for arrays in (submitted, executed)
        )
        return ShieldEvent(
            int(self.env.length[copy]),
            "fallback" if verdicts.kind[row] == FELL_BACK else "intervene",
            int(verdicts.level[row]),
            asked,
            done,
            float(verdicts.risk_submitted[row]),
            float(verdicts.risk_executed[row]),
            bool(verdicts.exact[row]),
            note="" if verdicts.verified[row] else "unverified",
        )

    def _raise_where_due(
        self,
        live: NDArray[np.bool_],
        lengths: NDArray[np.int64],
        dead_end: NDArray[np.bool_],
        infos: Mapping[str, Any],
    ) -> None:
        harmed = live & ~infos["safe"]
        for copy in self.env.logged_copies:
            if harmed[copy]:
                event = ShieldEvent(int(lengths[copy]), "violation", int(self.floor[copy]))
                self.env.record_event(copy, event)
        fired = {"violation": harmed, "deadend": dead_end, "budget": self._spent(live, infos)}
        due = np.zeros(self.env.num_envs, np.bool_)
        for trigger in self._options.raise_on:
            due |= fired[trigger]
        due &= self.floor < self._options.max_level
        if due.any():
            copies = np.flatnonzero(due)
            self._raise(copies, self.floor[copies] + 1, lengths[copies] + 1)

    def _spent(self, live: NDArray[np.bool_], infos: Mapping[str, Any]) -> NDArray[np.bool_]:
        """Return which copies have just exceeded the cost budget for the first time."""
        spent = np.zeros(self.env.num_envs)
        if self._options.cost_budget is None:
            return spent > 0
        ended = self.env.renewed
        for name, total in self.env.total_cost.items():
            if ended.any():
                total = np.where(ended[:, None], infos["final_info"]["total_cost"][name], total)
            spent += total.sum(axis=1)
        over = live & (spent > self._options.cost_budget)
        first = over & ~self._over_budget
        self._over_budget |= over
        return first

    def _begin(self, begun: NDArray[np.bool_]) -> None:
        """Start budgets, and floors if they are per episode, anew where an episode has begun."""
        self._over_budget[begun] = False
        if self._options.per_episode:
            self.floor[begun] = self._options.floor
