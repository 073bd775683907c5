"""One world with labels, costs, a safety predicate and a log of every episode."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pettingzoo
from numpy.typing import NDArray
from pettingzoo.utils import BaseParallelWrapper

from ecumene.api import labels as labelling
from ecumene.engine import InvalidParameter, Simulation, check
from ecumene.record.episode_log import EpisodeLog, ShieldEvent
from ecumene.wrappers.judging import labels_in_copies

Labels = Mapping[str, frozenset[str]]
LabelFn = Callable[[Any], Any]
LOGS = ("steps", "totals", "off")


class LabelledEnv(BaseParallelWrapper[str, Any, Any]):
    """A parallel environment whose `infos` tell labels, cost and safety, with a log per episode.

    Subclasses implement `safe`; `for_world` returns the subclass that fits every world of the
    library. At a reset and after every step ``infos[agent]`` holds ``labels`` (a frozenset),
    ``cost`` (a float) and ``safe`` (whether the team's step was safe), for the agents that were
    told anything. Rewards and observations are left alone; every other attribute is the world's.

    Parameters
    ----------
    env
        A PettingZoo `ParallelEnv`.
    label_fn
        Observation -> labels: one function, or a dict agent -> function. None: the world's own
        `labels()`.
    cost_fn
        Labels -> cost. None: 1.0 if ``"unsafe"`` is among them, else 0.0.
    log
        ``"steps"``: logs hold every step; ``"totals"``: sums and events alone; ``"off"``: none are
        kept.
    keep_episodes
        How many logs of finished episodes are kept, at least 1.

    Attributes
    ----------
    episodes : deque of EpisodeLog
        Logs of the last finished episodes, those that a reset broke off included.
    """

    def __init__(
        self,
        env: pettingzoo.ParallelEnv[str, Any, Any],
        *,
        label_fn: LabelFn | Mapping[str, LabelFn] | None = None,
        cost_fn: Callable[[frozenset[str]], float] | None = None,
        log: str = "steps",
        keep_episodes: int = 100,
    ) -> None:
        super().__init__(env)
        if label_fn is None and not hasattr(env, "labels"):
            raise InvalidParameter("the world tells no labels of its own: give a label_fn.")
        self._label_fns = _by_agent(label_fn, env.possible_agents)
        self._cost_fn = labelling.cost_fn if cost_fn is None else cost_fn
        self._log = check.one_of("log", log, LOGS)
        keep = check.integer("keep_episodes", keep_episodes, 1)
        self.episodes: deque[EpisodeLog] = deque(maxlen=keep)
        self._running: EpisodeLog | None = None
        self._begun = 0
        self._submitted: Mapping[str, Any] | None = None
        self._floor: int | None = None
        self._labels: dict[str, frozenset[str]] = {}
        self._costs: dict[str, float] = {}
        self._safe = True

    @classmethod
    def for_world(
        cls, env: pettingzoo.ParallelEnv[str, Any, Any], **options: Any
    ) -> "UnsafeFreeEnv":
        """Return a labelled form of a world of the library: safe while nobody is ``unsafe``."""
        return UnsafeFreeEnv(env, **options)

    def safe(self, labels: Labels) -> bool:
        """Return whether a transition was safe, by the labels right after it; pure.

        Parameters
        ----------
        labels
            Of every agent that the transition told anything.
        """
        raise NotImplementedError("a subclass of LabelledEnv says what is safe.")

    # Stepping.

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a new episode and its log; the first state's costs count."""
        observations, infos = self.env.reset(seed=seed, options=options)
        self._break_off()
        self._begin_log(observations, seed)
        self._tell(infos)
        return observations, infos

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:  # type: ignore[override]
        """Advance the world by one step; see its own `step`."""
        submitted, self._submitted = self._submitted, None
        result = self.env.step(actions)
        observations, rewards, terminations, truncations, infos = result
        if self._running is None or not infos:
            return result
        self._look_at(observations)
        self._running.add(
            actions, submitted, rewards, self._labels, self._costs, self._safe,
            self._log == "steps",
        )  # fmt: skip
        self._note_ends(terminations, truncations)
        self._tell(infos)
        return result

    def _begin_log(self, observations: Mapping[str, Any], seed: int | None) -> None:
        self._look_at(observations)
        world, params = _identity(self.env)
        self._running = EpisodeLog(
            world, params, self._begun, seed, tuple(self.env.possible_agents),
            self._floor, self._floor, dict(self._labels), dict(self._costs),
        )  # fmt: skip
        self._begun += 1

    def _break_off(self) -> None:
        if self._running is not None and not self._running.complete and self._log != "off":
            self.episodes.append(self._running)

    def _note_ends(self, terminations: Mapping[str, bool], truncations: Mapping[str, bool]) -> None:
        log = self._running
        assert log is not None
        for name, terminated in terminations.items():
            if terminated or truncations[name]:
                log.terminated[name] = bool(terminated)
                log.truncated[name] = bool(truncations[name])
        if not self.env.agents:
            log.complete = True
            if self._log != "off":
                self.episodes.append(log)

    def _tell(self, infos: Mapping[str, dict[str, Any]]) -> None:
        for name, held in self._labels.items():
            infos[name].update(labels=held, cost=self._costs[name], safe=self._safe)

    def _look_at(self, observations: Mapping[str, Any]) -> None:
        self._labels = self._read_labels(observations)
        self._costs = {name: float(self._cost_fn(held)) for name, held in self._labels.items()}
        self._safe = bool(self.safe(self._labels))

    def _read_labels(self, observations: Mapping[str, Any]) -> dict[str, frozenset[str]]:
        if self._label_fns is None:
            return self.env.labels()  # type: ignore[attr-defined]
        return {name: frozenset(self._label_fns[name](seen)) for name, seen in observations.items()}

    # What was counted.

    @property
    def episode(self) -> EpisodeLog | None:
        """Log of the running episode, or of the one that has just ended; None if logs are off."""
        return None if self._log == "off" else self._running

    @property
    def last_step_safe(self) -> bool:
        """Whether the last step (or the first state) was safe."""
        return self._safe

    @property
    def length(self) -> int:
        """Steps since the reset."""
        return 0 if self._running is None else self._running.length

    def cost(self, agent: str) -> float:
        """Return the last cost of an agent; 0.0 for one that has left."""
        if agent not in self.env.possible_agents:
            raise InvalidParameter(f"there is no agent {agent!r}.")
        return self._costs.get(agent, 0.0)

    def total_cost(self, agent: str | None = None) -> float:
        """Return the cost of an agent since the reset, or of all together."""
        if self._running is None:
            return 0.0
        if agent is None:
            return self._running.team_cost
        if agent not in self._running.total_costs:
            raise InvalidParameter(f"there is no agent {agent!r}.")
        return self._running.total_costs[agent]

    # Being put somewhere else.

    def set_state(self, state: Any) -> None:
        """Put the world into a state; a running episode's log notes a ``jump``."""
        self.env.set_state(state)  # type: ignore[attr-defined]
        self._jumped()

    def restore(self, snapshot: Any) -> None:
        """Go to the moment of a snapshot; a running episode's log notes a ``jump``."""
        self.env.restore(snapshot)  # type: ignore[attr-defined]
        self._jumped()

    def _jumped(self) -> None:
        if self._running is not None and self.env.agents:
            if self._running.complete:  # the jump led back into an episode that had ended
                self._begin_log({}, None)
            self.record_event(ShieldEvent(self.length, "jump"))

    # What a shield around it tells.

    def attach_shield(self, floor: int) -> None:
        """Take down the floor of a shield, for the logs that begin from now on."""
        self._floor = floor
        if self._running is not None and not self._running.complete and not self.length:
            self._running.floor_start = self._running.floor_end = floor

    def record_submitted(self, actions: Mapping[str, Any]) -> None:
        """Take down what a shield was asked for, for the step that follows."""
        self._submitted = dict(actions)

    def record_event(self, event: ShieldEvent) -> None:
        """Append an event to the log of the episode."""
        if self._running is not None and self._log != "off":
            self._running.events.append(event)

    def record_shield_raise(self, prev_floor: int, new_floor: int) -> None:
        """Take down that the level of a shield around this environment has risen.

        Parameters
        ----------
        prev_floor, new_floor
            The level before and after.

        Raises
        ------
        InvalidParameter
            A ValueError, unless the level rises from at least the last one that was recorded.
        """
        prev_floor = check.integer("prev_floor", prev_floor, 0)
        new_floor = check.integer("new_floor", new_floor, 0)
        least = 0 if self._floor is None else self._floor
        if not new_floor > prev_floor >= least:
            raise InvalidParameter(
                f"a raise goes up from at least the last recorded floor, {least}: not from "
                f"{prev_floor} to {new_floor}."
            )
        self.record_event(
            ShieldEvent(self.length, "raise", prev_floor=prev_floor, new_floor=new_floor)
        )
        if self._running is not None:
            if self._running.floor_start is None:
                self._running.floor_start = prev_floor
            self._running.floor_end = new_floor
        self._floor = new_floor

    def forget_floor(self, floor: int) -> None:
        """Let a shield that starts anew in each episode begin at a floor again."""
        self._floor = floor

    # Judging many copies at once, for a shield.

    def judge(self, simulation: Simulation, copies: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each chosen copy of an equal simulation whether its last step was safe.

        Parameters
        ----------
        simulation
            Copies of the world.
        copies
            The chosen ones, ``bool[copies]``.

        Returns
        -------
        array
            ``bool[chosen]``.
        """
        labels = labels_in_copies(simulation, copies, self._label_fns)
        return np.array([self.safe(each) for each in labels], np.bool_)


class UnsafeFreeEnv(LabelledEnv):
    """A labelled world that is safe while no label set of the last step holds ``unsafe``."""

    def safe(self, labels: Labels) -> bool:
        """Return whether nobody is unsafe."""
        return not any(labelling.UNSAFE in held for held in labels.values())

    def judge(self, simulation: Simulation, copies: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """See `LabelledEnv.judge`; in arrays, as long as the labels are the world's own."""
        propositions = simulation.spec.propositions
        if self._label_fns is not None or type(self).safe is not UnsafeFreeEnv.safe:
            return super().judge(simulation, copies)
        if labelling.UNSAFE not in propositions:
            return np.ones(int(np.count_nonzero(copies)), np.bool_)
        at = propositions.index(labelling.UNSAFE)
        labels = simulation.labels(copies)
        harmed = np.zeros(simulation.copies, np.bool_)
        for held in labels.values():
            for agent in range(held.shape[1]):  # `any` over an axis is slow
                harmed |= held[:, agent, at]
        return ~harmed[copies]


def _by_agent(
    label_fn: LabelFn | Mapping[str, LabelFn] | None, agents: Any
) -> dict[str, LabelFn] | None:
    if label_fn is None:
        return None
    if not isinstance(label_fn, Mapping):
        if not callable(label_fn):
            raise InvalidParameter(f"label_fn is a function or a dict of them, not {label_fn!r}.")
        return dict.fromkeys(agents, label_fn)
    for name in set(agents) ^ set(label_fn):
        fault = "has none for" if name in agents else "names the unknown agent"
        raise InvalidParameter(f"label_fn {fault} {name!r}.")
    return dict(label_fn)


def _identity(env: Any) -> tuple[str, dict[str, Any]]:
    """Return id and parameters of a world."""
    simulation = getattr(env.unwrapped, "simulation", None)
    if simulation is None:
        return str(env.metadata.get("name", type(env.unwrapped).__name__)), {}
    return simulation.spec.id, dict(simulation.spec.parameters)
