"""The base class of all economies."""

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.foundation.base import construct, entity_lists, setup
from ecumene.foundation.base.base_agent import BaseAgent
from ecumene.foundation.base.base_component import BaseComponent, check_declaration
from ecumene.foundation.base.collate import collate_info, collate_observations, collate_rewards
from ecumene.foundation.base.errors import InvalidChoice, UnknownName, ensure
from ecumene.foundation.base.global_stream import parse_seed_state
from ecumene.foundation.base.observation import Slots
from ecumene.foundation.base.registrar import Registry
from ecumene.foundation.base.runtime import Runtime
from ecumene.foundation.base.world import World


class BaseEnvironment(ABC):
    """An economy: a world, its agents, and the components that give it dynamics.

    Subclasses (scenarios) declare `name`, `agent_subclasses` and `required_entities` and implement
    the five abstract methods. The environment holds one copy of its world and draws from NumPy's
    global generator; `ecumene.make_vec` runs many copies of the same class on streams of their own.

    Parameters
    ----------
    components : list
        ``("Name", {kwargs})`` or ``{"Name": {kwargs}}`` each. Reset, step and observation follow
        the order of the list.
    n_agents : int
        Number of mobile agents (the planner not counted), at least 2.
    world_size : list
        ``[height, width]``.
    episode_length : int
        Steps per episode, at least 1.
    multi_action_mode_agents : bool
        Mobile agents choose one action per subspace and step, rather than one of all together.
    multi_action_mode_planner : bool
        The same for the planner.
    flatten_observations : bool
        Join scalar and vector fields to one field ``flat``.
    flatten_masks : bool
        Join the masks of all subspaces to one array; else a dict subspace -> mask.
    allow_observation_scaling : bool
        Scale some fields (inventories by 0.01) to a range that suits learning.
    dense_log_frequency : int or None
        Log every this many completed episodes in full; None: never by itself.
    world_dense_log_frequency : int
        Steps between snapshots of the world in a dense log.
    collate_agent_step_and_reset_data : bool
        Collate the data of all mobile agents under the key ``"a"``.
    seed : int or float or None
        Seed NumPy's and Python's generators at construction; above 0.

    Raises
    ------
    Refused
        An `AssertionError` that names the parameter, the value and what is allowed.
    UnknownName
        A `KeyError` for component, entity or agent class names that are not registered.
    UnfitArguments
        A `TypeError` for an argument that a component does not know, or lacks.
    """

    name = ""
    agent_subclasses: Sequence[str] = ()
    required_entities: Sequence[str] | None = None
    arrays: Any = None
    slots: Slots
    #: Attributes, besides those of this class, that all copies of a batch have in common.
    held_in_common: Sequence[str] = ()
    _copies = 1
    _batched = False

    def __init__(
        self,
        components: Sequence[Any],
        n_agents: int,
        world_size: Sequence[int],
        episode_length: int = 1000,
        multi_action_mode_agents: bool = False,
        multi_action_mode_planner: bool = True,
        flatten_observations: bool = True,
        flatten_masks: bool = True,
        allow_observation_scaling: bool = True,
        dense_log_frequency: int | None = None,
        world_dense_log_frequency: int = 50,
        collate_agent_step_and_reset_data: bool = False,
        seed: int | float | None = None,
    ) -> None:
        check_declaration(self)
        self._n_agents = setup.agents("n_agents", n_agents)
        self.world_size = setup.world_size(world_size)
        self._episode_length = setup.at_least_one("episode_length", episode_length)
        if dense_log_frequency is not None:
            dense_log_frequency = setup.at_least_one("dense_log_frequency", dense_log_frequency)
        every = setup.at_least_one("world_dense_log_frequency", world_dense_log_frequency)
        requested = [setup.component(each) for each in setup.sequence("components", components)]
        self.multi_action_mode_agents = bool(multi_action_mode_agents)
        self.multi_action_mode_planner = bool(multi_action_mode_planner)
        self.collate_agent_step_and_reset_data = bool(collate_agent_step_and_reset_data)
        self._allow_observation_scaling = bool(allow_observation_scaling)
        self._flatten_observations = bool(flatten_observations)
        self._flatten_masks = bool(flatten_masks)
        self._create_dense_log_every = dense_log_frequency
        self.num_agents = self._n_agents + 1
        classes = [(setup.component_class(name), kwargs) for name, kwargs in requested]
        if seed is not None:
            self.seed(seed)
        self._entities = entity_lists.required([self, *(cls for cls, _ in classes)])
        self._world = World(
            self.world_size,
            self._n_agents,
            self.resources,
            self.landmarks,
            self.multi_action_mode_agents,
            self.multi_action_mode_planner,
            self._copies,
        )
        self._components = [
            construct.component(cls, kwargs, self._world, self._episode_length, self.inv_scale)
            for cls, kwargs in classes
        ]
        self._by_name = {
            key: component
            for component in self._components
            for key in (component.name, component.shorthand)
        }
        self._register_agents()
        self._runtime = Runtime(self, every)

    def _register_agents(self) -> None:
        for agent in self.all_agents:
            agent.register_inventory(self.resources)
            if agent is not self._world.planner:
                agent.register_endogenous(self.endogenous)
            agent.register_components(self._components)
        self._world.attach(self.endogenous)
        for component in self._components:
            for field, column in component.state_columns.items():
                self._world.show_column(field, column)

    # Properties.

    @property
    def world(self) -> World:
        """The world."""
        return self._world

    @property
    def all_agents(self) -> list[BaseAgent]:
        """Mobile agents, then the planner."""
        return [*self._world.agents, self._world.planner]

    @property
    def episode_length(self) -> int:
        """Steps per episode."""
        return self._episode_length

    @property
    def n_agents(self) -> int:
        """Number of mobile agents."""
        return self._n_agents

    @property
    def components(self) -> list[BaseComponent]:
        """Components in order."""
        return self._components

    @property
    def resources(self) -> list[str]:
        """Sorted names of the resources; Coin is one of them."""
        return list(self._entities.resources)

    @property
    def landmarks(self) -> list[str]:
        """Sorted names of the landmarks."""
        return list(self._entities.landmarks)

    @property
    def endogenous(self) -> list[str]:
        """Sorted names of the endogenous variables; Labor is one of them."""
        return list(self._entities.endogenous)

    @property
    def inv_scale(self) -> float:
        """Factor for observations of inventories: 0.01, or 1 without observation scaling."""
        return 0.01 if self._allow_observation_scaling else 1

    @property
    def generate_rewards(self) -> Any:
        """The method that computes the rewards of a step."""
        return self._generate_rewards

    @property
    def metrics(self) -> dict[str, Any]:
        """The scenario's metrics, then each component's as ``<shorthand>/<metric>``."""
        columns = self._runtime.stages.metrics([self._world.focus.copy])
        return {name: values[0].item() for name, values in columns.items()}

    @property
    def previous_episode_metrics(self) -> dict[str, Any] | None:
        """Metrics at the end of the last completed episode."""
        return self._runtime.last_metrics

    @property
    def dense_log(self) -> dict[str, Any]:
        """Dense log of the running episode; empty lists where logging is off."""
        return self._runtime.dense.content

    @property
    def previous_episode_dense_log(self) -> dict[str, Any]:
        """Dense log of the last completed episode that had one."""
        return self._runtime.last_dense_log

    @property
    def replay_log(self) -> dict[str, Any]:
        """Replay log of the running episode."""
        return self._runtime.replay.content()

    @property
    def previous_episode_replay_log(self) -> dict[str, Any]:
        """Replay log of the last completed episode.

        Its ``reset`` and ``step`` entries are keyword arguments: `reset` with the one and `step`
        with each of the others make exactly that episode again.
        """
        last = self._runtime.last_replay
        return last.content() if last else {"reset": {"seed_state": None}, "step": []}

    # Looking things up.

    @staticmethod
    def seed(seed: int | float) -> None:
        """Seed NumPy's and Python's global generators.

        Parameters
        ----------
        seed
            Above 0 after truncation to an integer, and below ``2**32``.
        """
        number = isinstance(seed, int | float | np.integer | np.floating)
        ensure(
            number and not isinstance(seed, bool) and 1 <= seed < 2**32,
            f"a seed is a number with its integer part above 0, and below 2**32, not {seed!r}.",
        )
        np.random.seed(int(seed))
        random.seed(int(seed))

    def get_component(self, component_name: str) -> BaseComponent:
        """Return a component of this environment by its name or shorthand."""
        if component_name not in self._by_name:
            raise UnknownName("component here is named", component_name, self._by_name)
        return self._by_name[component_name]

    def get_agent(self, agent_idx: int | str) -> BaseAgent:
        """Return an agent by its index, as int or str; ``"p"`` is the planner."""
        return self.all_agents[self._row(agent_idx)]

    def _row(self, agent_idx: Any) -> int:
        row = self._runtime.rows.get(str(agent_idx))
        if row is None or isinstance(agent_idx, bool | float):
            known = ", ".join(self._runtime.rows)
            raise InvalidChoice(f"there is no agent {agent_idx!r}; the agents are {known}.")
        return row

    def set_agent_component_action(
        self, agent_idx: int | str, component_name: str, action: int
    ) -> None:
        """Set the action of one subspace directly; the next step executes it."""
        self.get_agent(agent_idx).set_component_action(component_name, action)

    def parse_actions(self, action_dictionary: dict[Any, Any]) -> None:
        """Load ``{agent index: action}`` into the agents' buffers.

        Raises
        ------
        InvalidChoice
            Naming agent, value and what is allowed; no buffer has changed then.
        """
        ensure(
            isinstance(action_dictionary, dict),
            f"actions are a dict agent index -> action, not {action_dictionary!r}.",
        )
        agents = self.all_agents
        chosen: dict[int, list[tuple[str, int]]] = {}
        for idx, action in action_dictionary.items():
            row = self._row(idx)
            if row in chosen:
                raise InvalidChoice(f"agent {idx} is given two actions, by its int and its str.")
            chosen[row] = agents[row].read_actions(action)
        for row, choices in chosen.items():
            for subspace, action in choices:
                agents[row].action[subspace] = action

    # The episode.

    def reset(
        self, seed_state: Sequence[Any] | None = None, force_dense_logging: bool = False
    ) -> dict[str, Any]:
        """Begin a new episode.

        Parameters
        ----------
        seed_state
            State of length 5 for ``np.random.set_state``, restored before anything is reset.
        force_dense_logging
            Log this episode in full, whatever `dense_log_frequency` says.

        Returns
        -------
        dict
            Agent index (str) -> observation.
        """
        state = None if seed_state is None else parse_seed_state(seed_state)
        return self._runtime.begin(state, seed_state, force_dense_logging)

    def step(
        self, actions: dict[Any, Any] | None = None, seed_state: Sequence[Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any], dict[str, bool], dict[str, Any]]:
        """Advance by one step: components, scenario, then observations and rewards.

        Parameters
        ----------
        actions
            Agent index (int or str) -> action: an integer of the joined space, or in multi-action
            mode a list with one per subspace. Agents left out do nothing; None: nobody does.
        seed_state
            State of length 5 for ``np.random.set_state``, restored before the step.

        Returns
        -------
        obs, rew, done, info : dict
            `done` has the one key ``"__all__"``: whether `episode_length` is reached.
        """
        return self._runtime.step(actions, seed_state)

    def collate_agent_obs(self, obs: dict[str, Any]) -> dict[str, Any]:
        """Stack the mobile agents' observations on a new last axis, under ``"a"``."""
        return collate_observations(obs)

    def collate_agent_rew(self, rew: dict[str, Any]) -> dict[str, Any]:
        """List the mobile agents' rewards under ``"a"``."""
        return collate_rewards(rew)

    def collate_agent_info(self, info: dict[str, Any]) -> dict[str, Any]:
        """Gather the mobile agents' infos under ``"a"``."""
        return collate_info(info)

    def _generate_rewards(self) -> dict[str, float]:
        return {str(idx): reward for idx, reward in self.compute_reward().items()}

    @classmethod
    def batch(cls, copies: int, *args: Any, **kwargs: Any) -> Any:
        """Return an environment that holds copies and draws from streams of their own.

        It has the same constructor arguments; `ecumene.make_vec` and `ecumene.make` step it.
        """
        environment = cls.__new__(cls)
        environment._copies = copies
        environment._batched = True
        environment.__init__(*args, **kwargs)
        return environment

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._runtime.after_unpickling()

    # What a scenario writes.

    @abstractmethod
    def reset_starting_layout(self) -> None:
        """Part 1 of a reset: resources and landmarks on the map."""

    @abstractmethod
    def reset_agent_states(self) -> None:
        """Part 2 of a reset: inventories, locations and so on."""

    @abstractmethod
    def scenario_step(self) -> None:
        """Passive dynamics, after all components and before observations and rewards."""

    @abstractmethod
    def generate_observations(self) -> dict[Any, dict[str, Any]]:
        """Return agent index -> field -> value, for none, some or all types of agents."""

    @abstractmethod
    def compute_reward(self) -> dict[Any, float]:
        """Return agent index -> reward for every agent, the planner included."""

    def additional_reset_steps(self) -> None:
        """Do what else a reset takes, after the components' resets."""

    def scenario_metrics(self) -> dict[str, Any] | None:
        """Return metric -> scalar, or None."""
        return None

    def observe(self) -> None:
        """Write the documented observations into `slots`."""
        self.slots.write(self.generate_observations())

    def write_rewards(self) -> None:
        """Write the documented rewards into the runtime's array."""
        rewards = self._runtime.rewards[self._world.focus.copy]
        for idx, reward in self.compute_reward().items():
            rewards[self._row(idx)] = reward

    def bind(self) -> None:
        """Look up the places in `slots`; called once they are known."""

    def shared_observations(self) -> dict[tuple[str, str], NDArray[Any]]:
        """Return (kind, field) -> array that holds an observation anyway, so that none is made."""
        return {}

    @property
    def observes_by_arrays(self) -> bool:
        """Whether the layout of observations is known, so that they are written into arrays."""
        return self._runtime.observer.observations is not None

    def carried_over(self) -> dict[str, NDArray[Any]]:
        """Return arrays ``[copy, ...]`` that outlive an episode and shape later ones."""
        return {"completions": self._world.completions}


scenario_registry: Registry = Registry(BaseEnvironment)
