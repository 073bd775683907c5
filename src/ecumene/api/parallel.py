"""One copy of a world as a PettingZoo `ParallelEnv`."""

import copy as copying
from collections.abc import Mapping
from itertools import compress
from typing import Any, Self

import numpy as np
import pettingzoo
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene.api.actions import NOTHING_STEPPED, action_parser
from ecumene.api.labels import LabelReader, cost_fn
from ecumene.api.readers import crowd_reader, mask_reader, observation_reader
from ecumene.drawing.window import Window
from ecumene.engine import (
    InvalidAction,
    InvalidParameter,
    ResetNeeded,
    Simulation,
    Snapshot,
    UnknownAgent,
    check,
)
from ecumene.engine.errors import near_match
from ecumene.engine.random import parse_seed

FRAMES_PER_SECOND = 10
# A group of as many agents is read and told all at once.
CROWD = 16
_EVERYONE = slice(None)

StepResult = tuple[
    dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]


class ParallelEnv(pettingzoo.ParallelEnv[str, Any, Any]):
    """One copy of a world, stepped with dicts keyed by the names of the agents.

    Agents leave `agents` after the step in which they terminate or are truncated; that step
    still returns entries for them. `infos[agent]["action_mask"]` is always there: an int8 array
    for `Discrete` actions, a tuple of them for `MultiDiscrete`, 1 = allowed.

    Parameters
    ----------
    simulation
        A simulation of exactly one copy.
    render_mode
        One of ``metadata["render_modes"]``: ``"rgb_array"`` (`render` returns a picture),
        ``"ansi"`` (it returns text), ``"human"`` (a window follows every reset and step), or None.
    labels
        Whether `infos` also hold `labels` (a frozenset) and `cost` (1.0 if ``"unsafe"`` is among
        them, else 0.0).

    Attributes
    ----------
    possible_agents
        Names of all agents, group after group.
    agents
        Names of the live agents, in the order of `possible_agents`; empty before the first reset.
    """

    def __init__(
        self, simulation: Simulation, render_mode: str | None = None, *, labels: bool = False
    ) -> None:
        if simulation.copies != 1:
            raise InvalidParameter(
                f"a ParallelEnv holds 1 copy, not {simulation.copies}: use VectorEnv for more."
            )
        self.simulation = simulation
        self.render_mode = self._parse_render_mode(render_mode)
        self.metadata = {
            "name": simulation.spec.id,
            "render_modes": list(simulation.render_modes),
            "render_fps": FRAMES_PER_SECOND,
            "is_parallelizable": True,
        }
        self._window = Window(simulation.spec.id, FRAMES_PER_SECOND) if self._is_human() else None
        self.possible_agents: list[str] = list(simulation.spec.agents)
        self.agents: list[str] = []
        self._labelled = check.flag("labels", labels)
        self._observation_spaces: dict[str, spaces.Space[Any]] = {}
        self._action_spaces: dict[str, spaces.Space[Any]] = {}
        self._bind()

    @classmethod
    def of(
        cls, simulation: Simulation, render_mode: str | None = None, *, labels: bool = False
    ) -> Self:
        """Make the environment of a simulation; subclasses may have constructors of their own."""
        return cls(simulation, render_mode, labels=labels)

    def _parse_render_mode(self, render_mode: str | None) -> str | None:
        world, modes = self.simulation.spec.id, self.simulation.render_modes
        if render_mode is None or render_mode in modes:
            return render_mode
        if not modes:
            raise InvalidParameter(f"{world} has no renderer: render_mode is None.")
        listed = ", ".join(map(repr, modes))
        raise InvalidParameter(f"render_mode is {listed} or None, not {render_mode!r}.")

    def _is_human(self) -> bool:
        return self.render_mode == "human"

    def _bind(self) -> None:
        """Look up once, per agent, all that a step needs of the simulation's arrays."""
        self._given = {}
        self._members = []
        self._crowds = []
        self._parsers = {}
        self._labels = LabelReader(self.simulation)
        kind = type(self.simulation)
        self._tells_more = (
            kind.infos is not Simulation.infos or kind.info_arrays is not Simulation.info_arrays
        )
        for group in self.simulation.spec.groups:
            output = self.simulation.out[group.name]
            shape = (1, len(group.agents), *group.action_shape)
            self._given[group.name] = np.zeros(shape, np.int64)
            self._parsers.update(dict.fromkeys(group.agents, action_parser(group)))
            readers = [
                (name, observation_reader(output, 0, i), mask_reader(group, output, 0, i))
                for i, name in enumerate(group.agents)
            ]
            flags = tuple(each[0] for each in (output.reward, output.terminated, output.truncated))
            alive = output.alive[0]
            self._members.append((self._given[group.name][0], alive, flags, readers, group.agents))
            if len(group.agents) >= CROWD and isinstance(group.action_space, spaces.Discrete):
                size = int(group.action_space.n)
                self._crowds.append((size, crowd_reader(output, 0), output.action_mask[0]))
        self._crowded = len(self._crowds) == len(self._members)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent: the same object at every call."""
        return self._space(self._observation_spaces, "observation_space", agent)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of an agent: the same object at every call."""
        return self._space(self._action_spaces, "action_space", agent)

    def _space(self, known: dict[str, spaces.Space[Any]], kind: str, agent: str) -> Any:
        # A space of its own per agent, so that seeding one leaves the others alone.
        if agent not in known:
            place = self.simulation.spec.place.get(agent)
            if place is None:
                raise self._unknown_agent(agent)
            known[agent] = copying.deepcopy(getattr(place[0], kind))
        return known[agent]

    @property
    def state_space(self) -> spaces.Space[Any]:
        """Space of `state`, where the world has a global state."""
        space = self.simulation.global_state_space
        if space is None:
            raise AttributeError(f"{self.simulation.spec.id} has no global state.")
        return space

    def state(self) -> NDArray[Any]:
        """Return a fresh observation of the whole world.

        Raises
        ------
        NotImplementedError
            If the world has no global state.
        """
        self._need_reset()
        return self.simulation.global_state(0)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a new episode.

        Parameters
        ----------
        seed
            Integer from 0 up. None: the random stream goes on (from the operating system's
            entropy the first time).
        options
            Ignored.

        Returns
        -------
        observations, infos
            Dicts keyed by agent.

        Raises
        ------
        InvalidSeed
            For any other seed. Nothing has changed then.
        """
        del options
        self.simulation.reset(None if seed is None else parse_seed(seed))
        self.agents = list(self.possible_agents)
        observations, _, _, _, infos = self._collect()
        self._refresh_agents()
        if self._window is not None:
            self.render()
        return observations, infos

    def step(self, actions: Mapping[str, Any]) -> StepResult:
        """Advance the world by one step.

        Parameters
        ----------
        actions
            One action per live agent: for `Discrete` any integer scalar; for `MultiDiscrete` a
            list, tuple or array of integers.

        Returns
        -------
        observations, rewards, terminations, truncations, infos
            Dicts keyed by the agents that were live before the step; all empty when none was.

        Raises
        ------
        InvalidAction
            For a missing, unknown or superfluous agent, or an action of a wrong type or out of
            range. Nothing has changed then.
        ResetNeeded
            Before the first reset.
        """
        if not self.agents:
            self._need_reset()
            return {}, {}, {}, {}, {}
        self._read(actions)
        self.simulation.advance(self._given)
        result = self._collect()
        self._refresh_agents()
        if self._window is not None:
            self.render()
        return result

    def _read(self, actions: Mapping[str, Any]) -> None:
        if self._crowded and self._read_crowds(actions):
            return
        try:
            fits = len(actions) == len(self.agents)
            self._read_each(actions)
        except (KeyError, TypeError):
            fits = False
        if not fits:
            raise self._misfit(actions)

    def _read_each(self, actions: Mapping[str, Any]) -> None:
        everyone = len(self.agents) == len(self.possible_agents)
        told = self.possible_agents if everyone else set(self.agents)
        for given, _, _, _, names in self._members:
            for i, name in enumerate(names):
                acts = everyone or name in told
                given[i] = self._parsers[name](name, actions[name]) if acts else 0

    def _read_crowds(self, actions: Mapping[str, Any]) -> bool:
        """Read plain actions of large groups; return False if there is anything else to them."""
        if type(actions) is not dict or len(actions) != len(self.agents):
            return False
        values = list(map(actions.get, self.agents))
        if set(map(type, values)) != {int}:
            return False
        parsed = np.array(values, np.int64)
        first = 0
        parts = zip(self._members, self._crowds, self._told(), strict=True)
        for (given, _, _, _, names), (size, _, _), chosen in parts:
            last = first + len(names if chosen is _EVERYONE else chosen)
            part = parsed[first:last]
            if (part.view(np.uint64) >= size).any():  # negative ones are huge
                return False
            given[:] = 0
            given[chosen] = part
            first = last
        return True

    def _told(self) -> list[Any]:
        """Return, for every group, which of its agents are in `agents`: indices or all of them."""
        if len(self.agents) == len(self.possible_agents):
            return [_EVERYONE] * len(self._members)
        told = set(self.agents)
        return [[i for i, name in enumerate(names) if name in told] for *_, names in self._members]

    def _misfit(self, actions: Any) -> InvalidAction:
        """Say what is wrong with the keys of `actions`."""
        if not isinstance(actions, Mapping):
            kind = type(actions).__name__
            return InvalidAction(
                f"actions is a dict agent -> action, not {kind}. {NOTHING_STEPPED}"
            )
        for name in actions:
            if name not in self._parsers:
                return self._unknown_agent(name, f" {NOTHING_STEPPED}")
            if name not in self.agents:
                return InvalidAction(
                    f"{name} is no longer live and takes no action. {NOTHING_STEPPED}"
                )
        missing = ", ".join(name for name in self.agents if name not in actions)
        return InvalidAction(f"no action for {missing}. {NOTHING_STEPPED}")

    def _unknown_agent(self, name: object, remedy: str = "") -> UnknownAgent:
        hint = near_match(name, self.possible_agents)
        shown = self.possible_agents[:8]
        more = ", ..." if len(self.possible_agents) > len(shown) else ""
        listed = ", ".join(map(repr, shown)) + more
        return UnknownAgent(f"there is no agent {name!r}.{hint} Agents: {listed}.{remedy}")

    def _collect(self) -> StepResult:
        """Return the five dicts for the agents that are in `agents`."""
        result = self._collect_crowds() if self._crowded else self._collect_each()
        if self._labelled:
            for name, held in self.labels().items():
                result[4][name].update(labels=held, cost=cost_fn(held))
        return result

    def _collect_each(self) -> StepResult:
        observations, rewards, terminations, truncations, infos = result = {}, {}, {}, {}, {}
        further = self.simulation.infos(0)  # fresh dicts
        everyone = len(self.agents) == len(self.possible_agents)
        told = self.possible_agents if everyone else set(self.agents)
        for _, _, flags, readers, _ in self._members:
            reward, terminated, truncated = [each.tolist() for each in flags]
            for i, (name, observe, mask) in enumerate(readers):
                if everyone or name in told:
                    observations[name] = observe()
                    rewards[name] = reward[i]
                    terminations[name] = terminated[i]
                    truncations[name] = truncated[i]
                    infos[name] = info = further[name]
                    info["action_mask"] = mask()
        return result

    def _collect_crowds(self) -> StepResult:
        seen: list[Any] = []
        masks: list[Any] = []
        numbers: tuple[list[Any], ...] = ([], [], [])
        parts = zip(self._members, self._crowds, self._told(), strict=True)
        for (_, _, flags, *_), (_, read, mask), chosen in parts:
            seen += read(chosen)
            masks += list(np.array(mask[chosen]))
            for values, flag in zip(numbers, flags, strict=True):
                values += flag[chosen].tolist()
        rewards, terminations, truncations = (self._by_name(values) for values in numbers)
        infos = {name: {"action_mask": mask} for name, mask in zip(self.agents, masks, strict=True)}
        if self._tells_more:
            for name, info in self.simulation.infos(0).items():
                if name in infos:
                    infos[name].update(info)
        observations = dict(zip(self.agents, seen, strict=True))
        return observations, rewards, terminations, truncations, infos

    def _by_name(self, values: list[Any]) -> dict[str, Any]:
        """Return the values of the live agents by name; mostly they are all alike."""
        if any(values):
            return dict(zip(self.agents, values, strict=True))
        return dict.fromkeys(self.agents, values[0])

    def _refresh_agents(self) -> None:
        living: list[bool] = []
        for _, alive, *_ in self._members:
            living += alive.tolist()
        self.agents = list(
            self.possible_agents if all(living) else compress(self.possible_agents, living)
        )

    @property
    def propositions(self) -> tuple[str, ...]:
        """Everything that labels can say."""
        return self.simulation.spec.propositions

    def labels(self) -> dict[str, frozenset[str]]:
        """Return what holds of each agent that the last step (or reset) told anything."""
        self._need_reset()
        return self._labels.read()

    def _need_reset(self) -> None:
        if not self.simulation.started[0]:
            raise ResetNeeded(f"{self.simulation.spec.id}: call reset() first.")

    def snapshot(self) -> Snapshot:
        """Return everything about this moment, random stream and clock included."""
        self._need_reset()
        return self.simulation.snapshot(0)

    def restore(self, snapshot: Snapshot) -> None:
        """Go to the moment of a snapshot; the future is then the same.

        Raises
        ------
        SnapshotMismatch
            If it is of another world or of other parameters. Nothing has changed then.
        """
        self.simulation.restore(0, snapshot)
        self._refresh_agents()

    def state_hash(self) -> str:
        """Return a digest of the state; equal states, equal digests."""
        return self.simulation.state_hash(0)

    def metrics(self) -> dict[str, float]:
        """Return the world's metrics of the present moment."""
        return {name: float(each[0]) for name, each in self.simulation.metrics([0]).items()}

    def render(self) -> NDArray[np.uint8] | str | None:
        """Draw the present moment; draws no random numbers.

        Returns
        -------
        ndarray, str or None
            A picture ``uint8[height, width, 3]`` whose size never changes (``"rgb_array"``), text
            with ANSI colours (``"ansi"``), or None once the window shows it (``"human"``).

        Raises
        ------
        NotImplementedError
            If the world has no renderer.
        InvalidParameter
            If `render_mode` is None.
        ResetNeeded
            Before the first reset.
        """
        if not self.simulation.render_modes:
            raise NotImplementedError(f"{self.simulation.spec.id} has no renderer.")
        if self.render_mode is None:
            raise InvalidParameter(
                'render_mode is None: make the world with render_mode="rgb_array" or another of '
                'metadata["render_modes"].'
            )
        self._need_reset()
        if self.render_mode == "ansi":
            return self.simulation.text(0)
        picture = self.simulation.frame(0)
        if self._window is None:
            return picture
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Let go of threads and of the window; may be called more than once."""
        if self._window is not None:
            self._window.close()
        self.simulation.close()

    def __getstate__(self) -> dict[str, Any]:
        # Views of the simulation's arrays would not be views any more in a copy.
        bound = ("_given", "_members", "_crowds", "_parsers", "_labels")
        return {name: value for name, value in self.__dict__.items() if name not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()
