"""Play episodes of a simulation: every copy plays the same number, each at its own pace."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import Simulation
from ecumene.record.tally import Tally

EPISODES_KEPT_APART = 10

Policy = Callable[[Mapping[str, Any], Mapping[str, NDArray[np.int8]]], Mapping[str, Any]]


class StepRecord(NamedTuple):
    """One step, as told to those who listen.

    episode, step: int64[copy], counted from 0.
    acted: group -> bool[copy, agent], which agents took part.
    actions: group -> integers [copy, agent] or [copy, agent, part].
    """

    episode: NDArray[np.int64]
    step: NDArray[np.int64]
    acted: dict[str, NDArray[np.bool_]]
    actions: Mapping[str, Any]


class Listener(Protocol):
    """Something that is told of every step and of every beginning and end of an episode."""

    def episodes_begun(self, simulation: Simulation, copies: NDArray[np.int64]) -> None:
        """Look at the copies, in ascending order, in which an episode has begun."""

    def step_made(self, simulation: Simulation, record: StepRecord) -> None:
        """Look at one step; the simulation's outputs are those of that step."""

    def episodes_ended(self, simulation: Simulation, copies: NDArray[np.int64]) -> None:
        """Look at the copies, in ascending order, whose episode has ended, before their reset."""


class Rollout:
    """Episodes being played.

    Parameters
    ----------
    simulation
        The world; it is reset when the rollout is made.
    policy
        Called with observations and masks (group -> arrays), returns actions (group -> integers).
    episodes
        Number of episodes of each copy, at least 1.
    seed
        Seed of copy 0; copy k has ``seed + k``.
    listeners
        Told of every step.
    further
        Returns further quantities of the episodes that have ended in some copies, by name.
    """

    def __init__(
        self,
        simulation: Simulation,
        policy: Policy,
        episodes: int,
        seed: int,
        listeners: Sequence[Listener] = (),
        further: Callable[[NDArray[np.int64]], Mapping[str, NDArray[Any]]] | None = None,
    ) -> None:
        self.simulation = simulation
        self.policy = policy
        self.episodes = episodes
        self.listeners = listeners
        self._further = further
        copies = simulation.copies
        self.episode = np.zeros(copies, np.int64)
        self.step = np.zeros(copies, np.int64)
        self.playing = np.ones(copies, np.bool_)
        self.returns = {
            group.name: np.zeros((copies, len(group.agents))) for group in simulation.spec.groups
        }
        self.overall = Tally()
        self.by_episode: list[Tally] = [Tally() for _ in range(min(episodes, EPISODES_KEPT_APART))]
        self.episodes_ended = 0
        self.copy_steps = 0
        self.agent_steps = 0
        simulation.reset(seed=seed)
        self._tell_of_beginnings(np.arange(copies))

    @property
    def over(self) -> bool:
        """Whether every copy has played all its episodes."""
        return not self.playing.any()

    def advance(self) -> None:
        """Make one step of every copy that still plays."""
        out = self.simulation.out
        all_play = bool(self.playing.all())
        acted = {name: each.alive & self.playing[:, None] for name, each in out.items()}
        actions = self.policy(
            {name: each.observation for name, each in out.items()},
            {name: each.action_mask for name, each in out.items()},
        )
        self.simulation.step(actions, None if all_play else self.playing)
        self.copy_steps += int(np.count_nonzero(self.playing))
        self.agent_steps += sum(int(np.count_nonzero(each)) for each in acted.values())
        for name, sums in self.returns.items():
            np.add(sums, out[name].reward, out=sums, where=self.playing[:, None])
        record = StepRecord(self.episode, self.step, acted, actions)
        for listener in self.listeners:
            listener.step_made(self.simulation, record)
        self.step += self.playing
        ended = np.flatnonzero(finished(self.simulation) & self.playing)
        if ended.size:
            self._end(ended)

    def _end(self, ended: NDArray[np.int64]) -> None:
        for listener in self.listeners:
            listener.episodes_ended(self.simulation, ended)
        self._count(ended)
        self.episodes_ended += ended.size
        self.episode[ended] += 1
        self.step[ended] = 0
        for sums in self.returns.values():
            sums[ended] = 0.0
        self.playing[ended] = self.episode[ended] < self.episodes
        again = np.zeros_like(self.playing)
        again[ended] = self.playing[ended]
        if again.any():
            self.simulation.reset(copies=again)
            self._tell_of_beginnings(np.flatnonzero(again))

    def _tell_of_beginnings(self, copies: NDArray[np.int64]) -> None:
        for listener in self.listeners:
            listener.episodes_begun(self.simulation, copies)

    def _count(self, ended: NDArray[np.int64]) -> None:
        columns: dict[str, NDArray[Any]] = {"length": self.step[ended]}
        for group in self.simulation.spec.groups:
            sums = self.returns[group.name][ended]
            columns.update((return_name(agent), sums[:, i]) for i, agent in enumerate(group.agents))
        if self._further is not None:
            columns.update(self._further(ended))
        columns.update(self.simulation.metrics(ended.tolist()))
        self.overall.add(columns)
        for episode in np.unique(self.episode[ended]):
            if episode < len(self.by_episode):
                chosen = self.episode[ended] == episode
                self.by_episode[episode].add(
                    {name: values[chosen] for name, values in columns.items()}
                )


def return_name(agent: str) -> str:
    """Name under which an agent's return is tallied."""
    return f"return {agent}"


def finished(simulation: Simulation) -> NDArray[np.bool_]:
    """Return, for each copy, whether its episode is over: no agent is live any more."""
    outputs = simulation.out.values()
    if any(out.alive.all() for out in outputs):  # by far the fastest look
        return np.zeros(simulation.copies, np.bool_)
    return ~np.any([out.alive.any(axis=1) for out in outputs], axis=0)
