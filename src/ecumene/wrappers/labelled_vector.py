"""Many copies of a labelled world: labels, costs and safety in arrays, logs of chosen copies."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ecumene.api.labels import UNSAFE, SetMaker
from ecumene.api.vector import VectorEnv
from ecumene.engine import InvalidParameter, Simulation, check
from ecumene.record.episode_log import EpisodeLog, ShieldEvent

Arrays = dict[str, Any]


class LabelledVectorEnv:
    """A `VectorEnv` whose `infos` tell labels, costs and safety, with running totals.

    ``infos[group]`` holds ``labels`` (bool[num_envs, agents, proposition]) and ``cost``
    (float64[num_envs, agents]), ``infos["safe"]`` is bool[num_envs]: whether each copy's step was
    safe. A subclass may override `safe`; by itself a step is safe while no label set holds
    ``unsafe``. Every other attribute is that of the `VectorEnv`.

    Parameters
    ----------
    env
        Made with ``labels=True``.
    log_copies
        Copies of which every episode is logged in full.
    keep_episodes
        How many logs of finished episodes are kept for each of them, at least 1.

    Attributes
    ----------
    total_cost : dict
        Group -> cost since the reset, ``float64[num_envs, agents]``; the first state's included.
    length : array
        Steps since the reset, ``int64[num_envs]``.
    episodes : dict
        Copy -> logs of its last finished episodes.
    """

    def __init__(
        self, env: VectorEnv, *, log_copies: Iterable[int] = (), keep_episodes: int = 100
    ) -> None:
        if not env.labelled:
            raise InvalidParameter("make the VectorEnv with labels=True.")
        self.env = env
        keep = check.integer("keep_episodes", keep_episodes, 1)
        self._logged = [
            check.integer("log_copies", copy, 0, env.num_envs - 1) for copy in log_copies
        ]
        self.episodes = {copy: deque[EpisodeLog](maxlen=keep) for copy in self._logged}
        self._running: dict[int, EpisodeLog] = {}
        self._begun = dict.fromkeys(self._logged, 0)
        self._sets = SetMaker(env.propositions)
        self.length = np.zeros(env.num_envs, np.int64)
        self.total_cost = {
            group.name: np.zeros((env.num_envs, len(group.agents))) for group in env.groups
        }
        self.last_step_safe = np.ones(env.num_envs, np.bool_)
        self.over = np.zeros(env.num_envs, np.bool_)
        #: Copies whose episode ended in the last step and was followed by another at once.
        self.renewed = np.zeros(env.num_envs, np.bool_)
        self._floors: NDArray[np.int64] | None = None
        self._submitted: Mapping[str, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "env":
            raise AttributeError(name)
        return getattr(self.env, name)

    def safe(self, labels: Mapping[str, NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """Return whether the last step of each copy was safe, by the labels right after it; pure.

        Parameters
        ----------
        labels
            Group -> ``bool[copies, agents, proposition]``.
        """
        held = next(iter(labels.values()))
        harmed = np.zeros(len(held), np.bool_)
        if UNSAFE in self.env.propositions:
            at = self.env.propositions.index(UNSAFE)
            for held in labels.values():
                for agent in range(held.shape[1]):  # `any` over an axis is slow
                    harmed |= held[:, agent, at]
        return ~harmed

    def judge(self, simulation: Simulation, copies: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each chosen copy of an equal simulation whether its last step was safe."""
        return self.safe(simulation.labels(copies))[copies]

    # Stepping.

    def reset(
        self,
        seed: int | Sequence[int] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Arrays, dict[str, Any]]:
        """Start a new episode in every copy, or in those that a mask marks."""
        observations, infos = self.env.reset(seed, options)
        mask = (options or {}).get("reset_mask")
        begun = np.ones(self.env.num_envs, np.bool_) if mask is None else mask
        self._begin(begun, infos, seed)
        infos["safe"] = self.last_step_safe.copy()
        return observations, infos

    def step(self, actions: Mapping[str, Any]) -> tuple[Any, ...]:
        """Advance every copy by one step; see `VectorEnv.step`."""
        submitted, self._submitted = self._submitted, None
        skipped = self.over.copy()  # these are reset by this step, or it is refused
        result = self.env.step(actions)
        infos = result[-1]
        ended = infos.get("_final_info", np.zeros(self.env.num_envs, np.bool_))
        last = self._with_final(infos, ended)
        stepped = ~skipped
        self.last_step_safe = self.safe(_labels(last))
        self.length += stepped
        for name, total in self.total_cost.items():
            np.add(total, last[name]["cost"], out=total, where=stepped[:, None])
        for copy in self._logged:
            if stepped[copy]:
                self._log_step(copy, actions, submitted, result, last)
        infos["safe"] = self.last_step_safe.copy()
        self.over = ~self._live(last)
        self._end_logs(self.over & stepped)
        if ended.any():
            infos["final_info"]["total_cost"] = {
                name: np.where(ended[:, None], total, 0.0)
                for name, total in self.total_cost.items()
            }
        self.renewed = ended
        again = ended if self.env.autoreset_mode is AutoresetMode.SAME_STEP else skipped
        if again.any():
            safe = self.last_step_safe
            self._begin(again, infos, None)
            if self.env.autoreset_mode is AutoresetMode.SAME_STEP:
                self.last_step_safe = safe  # what is told of this step is how the old one ended
        return result

    def _with_final(self, infos: Mapping[str, Any], ended: NDArray[np.bool_]) -> dict[str, Arrays]:
        """Return labels, costs and who lives right after the step, before any reset in it."""
        names = ("labels", "cost", "alive")
        last = {}
        for group in self.env.groups:
            told = {name: infos[group.name][name] for name in names}
            if ended.any():
                final = infos["final_info"][group.name]
                told = {name: _where(ended, final[name], told[name]) for name in names}
            last[group.name] = told
        return last

    def _live(self, told: Mapping[str, Arrays]) -> NDArray[np.bool_]:
        live = np.zeros(self.env.num_envs, np.bool_)
        for arrays in told.values():
            live |= arrays["alive"].any(axis=1)
        return live

    def _begin(self, begun: NDArray[np.bool_], infos: Mapping[str, Any], seed: Any) -> None:
        self.length[begun] = 0
        self.over[begun] = False
        labels = {group.name: infos[group.name]["labels"] for group in self.env.groups}
        self.last_step_safe = np.where(begun, self.safe(labels), self.last_step_safe)
        for name, total in self.total_cost.items():
            total[begun] = infos[name]["cost"][begun]
        for copy in self._logged:
            if begun[copy]:
                self._begin_log(copy, infos, seed)

    # Logs.

    def _begin_log(self, copy: int, infos: Mapping[str, Any], seed: Any) -> None:
        broken_off = self._running.get(copy)
        if broken_off is not None and not broken_off.complete:
            self.episodes[copy].append(broken_off)
        spec = self.env.simulation.spec
        floor = None if self._floors is None else int(self._floors[copy])
        own_seed = None
        if seed is not None:
            own_seed = seed + copy if np.ndim(seed) == 0 else int(seed[copy])
        self._running[copy] = EpisodeLog(
            spec.id, dict(spec.parameters), self._begun[copy], own_seed, spec.agents, floor, floor,
            self._sets_of(infos, copy, None), self._by_agent(infos, "cost", copy, None),
        )  # fmt: skip
        self._begun[copy] += 1

    def _log_step(
        self, copy: int, actions: Any, submitted: Any, result: Any, last: Mapping[str, Arrays]
    ) -> None:
        _, rewards, terminations, truncations, _ = result
        log = self._running[copy]
        acted = {name: log.terminated.get(name) is None for name in log.agents}
        log.add(
            self._actions_of(actions, copy, acted),
            None if submitted is None else self._actions_of(submitted, copy, acted),
            self._values_of(rewards, copy, acted),
            self._sets_of(last, copy, acted),
            self._by_agent(last, "cost", copy, acted),
            bool(self.last_step_safe[copy]),
        )
        ended, cut = (self._values_of(flags, copy, acted) for flags in (terminations, truncations))
        for name in ended:
            if ended[name] or cut[name]:
                log.terminated[name], log.truncated[name] = bool(ended[name]), bool(cut[name])

    def _end_logs(self, ended: NDArray[np.bool_]) -> None:
        for copy in self._logged:
            if ended[copy]:
                self._running[copy].complete = True
                self.episodes[copy].append(self._running[copy])

    def _values_of(self, arrays: Any, copy: int, acted: Mapping[str, bool]) -> dict[str, Any]:
        return {
            name: np.asarray(arrays[group.name])[copy, i].item()
            for group in self.env.groups
            for i, name in enumerate(group.agents)
            if acted[name]
        }

    def _actions_of(self, arrays: Any, copy: int, acted: Mapping[str, bool]) -> dict[str, Any]:
        return {
            name: np.asarray(arrays[group.name])[copy, i]
            for group in self.env.groups
            for i, name in enumerate(group.agents)
            if acted[name]
        }

    def _by_agent(
        self, infos: Any, what: str, copy: int, acted: Mapping[str, bool] | None
    ) -> dict[str, Any]:
        return {
            name: infos[group.name][what][copy, i].item()
            for group in self.env.groups
            for i, name in enumerate(group.agents)
            if acted is None or acted[name]
        }

    def _sets_of(
        self, infos: Any, copy: int, acted: Mapping[str, bool] | None
    ) -> dict[str, frozenset[str]]:
        return {
            name: self._sets(infos[group.name]["labels"][copy, i])
            for group in self.env.groups
            for i, name in enumerate(group.agents)
            if acted is None or acted[name]
        }

    def episode(self, copy: int) -> EpisodeLog:
        """Return the log of the running episode of a copy, or of the one that has just ended.

        Raises
        ------
        InvalidParameter
            If the copy is not logged.
        """
        if copy not in self._running:
            raise InvalidParameter(f"copy {copy!r} is not logged: name it in log_copies.")
        return self._running[copy]

    # What a shield around it tells.

    def attach_shield(self, floors: NDArray[np.int64]) -> None:
        """Take down the floors of a shield, for the logs that begin from now on."""
        self._floors = floors

    def record_submitted(self, actions: Mapping[str, Any]) -> None:
        """Take down what a shield was asked for, for the step that follows."""
        self._submitted = actions

    @property
    def logged_copies(self) -> list[int]:
        """Copies of which every episode is logged."""
        return list(self._logged)

    def record_event(self, copy: int, event: ShieldEvent) -> None:
        """Append an event to the log of the episode a copy made its last step in, if it is logged.

        An event before a step belongs to the episode that the step is of, too.
        """
        log = self._running.get(copy)
        if log is None:
            return
        if self.renewed[copy] and event.kind in ("violation", "raise"):
            if event.kind == "raise":
                log.floor_start = log.floor_end = event.new_floor
            log = self.episodes[copy][-1]
        log.events.append(event)
        if event.kind == "raise":
            log.floor_end = event.new_floor


def _labels(told: Mapping[str, Arrays]) -> dict[str, NDArray[np.bool_]]:
    return {name: arrays["labels"] for name, arrays in told.items()}


def _where(rows: NDArray[np.bool_], one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    return np.where(rows.reshape(-1, *[1] * (one.ndim - 1)), one, other)
