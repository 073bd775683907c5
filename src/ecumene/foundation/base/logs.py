"""Logs of an episode: the dense one of all that happened, the replay log to repeat it with."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np


def empty_dense_log() -> dict[str, Any]:
    """Return a dense log of nothing."""
    return {"world": [], "states": [], "actions": [], "rewards": []}


def plain(value: Any) -> Any:
    """Return a value as dicts, lists and plain scalars, which JSON can take.

    Raises
    ------
    NotImplementedError
        For anything else.
    """
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise NotImplementedError(f"a log cannot hold {value!r} ({type(value).__name__}).")


class RecordedState(tuple):
    """A generator state of length 5 that also carries what else an exact replay needs.

    The replay log of an episode is documented to reproduce it exactly. Completed episodes and
    running averages that outlive an episode are therefore put back when a state that the
    environment recorded itself is handed to `reset`; any other state of length 5 sets the
    generator only.
    """

    carried: Any

    def __new__(cls, state: tuple[Any, ...], carried: Any) -> "RecordedState":
        """Return a state together with what it carries."""
        self = super().__new__(cls, state)
        self.carried = carried
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "RecordedState":
        return RecordedState(deepcopy(tuple(self), memo), deepcopy(self.carried, memo))

    def __reduce__(self) -> Any:
        return RecordedState, (tuple(self), self.carried)


class DenseLog:
    """The dense log of the running episode.

    Parameters
    ----------
    environment
        Whose world, agents and components are logged.
    every
        Steps between snapshots of the world.
    """

    def __init__(self, environment: Any, every: int) -> None:
        self._environment = environment
        self.every = every
        self.active = False
        self.content = empty_dense_log()

    def begin(self, active: bool) -> None:
        """Start the log of a new episode."""
        self.active = active
        self.content = empty_dense_log()

    def before_step(self) -> None:
        """Log the world (where due), the agents' states and their actions."""
        if not self.active:
            return
        environment, content = self._environment, self.content
        due = environment.world.timestep % self.every == 0
        content["world"].append(self._world() if due else {})
        content["states"].append(self._states())
        content["actions"].append(
            {
                str(agent.idx): {name: a for name, a in agent.action.items() if a > 0}
                for agent in environment.all_agents
            }
        )

    def after_step(self, rewards: dict[str, float]) -> None:
        """Log the rewards."""
        if self.active:
            self.content["rewards"].append(dict(rewards))

    def finish(self) -> dict[str, Any]:
        """Add the last frame and the components' logs; return the log as JSON can take it."""
        content = self.content
        content["world"].append(self._world())
        content["states"].append(self._states())
        for component in self._environment.components:
            log = component.get_dense_log()
            if isinstance(log, Mapping):
                content.update({f"{component.shorthand}-{k}": v for k, v in log.items()})
            elif log is not None:
                content[component.shorthand] = list(log)
        self.content = plain(content)
        return self.content

    def _world(self) -> Any:
        return deepcopy(self._environment.world.maps.state_dict)

    def _states(self) -> dict[str, Any]:
        return {str(agent.idx): deepcopy(agent.state) for agent in self._environment.all_agents}


class ReplayLog:
    """The replay log of an episode; entries keep the generator's raw words until read.

    Parameters
    ----------
    stream
        The generator.
    state
        Its state before the episode's reset; None before the first episode.
    spare
        The spare Gaussian (whether there is one, and its value) after that reset.
    """

    def __init__(self, stream: Any, state: RecordedState | None, spare: tuple[Any, ...]) -> None:
        self._stream = stream
        self._reset = state
        self._spare = spare
        self._steps: list[tuple[Any, bytes]] = []

    def add(self, actions: Any) -> None:
        """Log a step's actions and the generator before it."""
        # A caller may fill the same dict, or the same lists in it, anew at every step.
        if actions is not None:
            actions = {
                idx: action if isinstance(action, int | np.integer) else deepcopy(action)
                for idx, action in actions.items()
            }
        self._steps.append((actions, self._stream.bytes()))

    def content(self) -> dict[str, Any]:
        """Return ``{"reset": {"seed_state"}, "step": [{"actions", "seed_state"}, ...]}``."""
        return {
            "reset": {"seed_state": self._reset},
            "step": [
                {"actions": actions, "seed_state": self._state(words)}
                for actions, words in self._steps
            ],
        }

    def _state(self, words: bytes) -> tuple[Any, ...]:
        # A step draws no Gaussians, so the spare one is still that of the reset.
        array = np.frombuffer(words, np.uint32)
        return ("MT19937", array[:624].copy(), int(array[624]), *self._spare)
