"""Components: the parts that an economy is put together from."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.foundation.base.base_agent import agent_registry
from ecumene.foundation.base.errors import ensure
from ecumene.foundation.base.observation import Slots
from ecumene.foundation.base.registrar import Registry
from ecumene.foundation.base.world import World


class BaseComponent(ABC):
    """Base class of all components.

    A component written in plain Python implements the documented methods; they see one copy of the
    world at a time. A component may also define ``reset_rules``, ``step_rules`` and
    ``observe_rules``, each returning a list of (rule, arguments): the rules are called as
    ``rule(*arguments, lo, hi)`` and handle the chosen copies ``lo:hi``. With ``metrics_copies`` it
    returns metric -> one value per copy. Batches and single environments then use these.

    Parameters
    ----------
    world
        The world that it acts on.
    episode_length
        Steps per episode.
    inventory_scale
        Factor for observations of inventories.

    Attributes
    ----------
    name : str
        Name in the registry.
    component_type : str or None
        Short name for metrics and logs; None: the name.
    agent_subclasses : list of str
        Agent classes that it serves.
    required_entities : list of str
        Entities that it needs.
    arrays : NamedTuple or None
        What it holds per copy, arrays with the copy as first axis. They are part of snapshots.
    """

    name = ""
    component_type: str | None = None
    agent_subclasses: Sequence[str] = ()
    required_entities: Sequence[str] | None = None
    #: What its actions are called, NO-OP apart, if it has one subspace of them; they are numbered
    #: otherwise.
    action_names: Sequence[str] = ()
    arrays: Any = None
    #: Fields of mobile agents' state that live in arrays: name -> [copy, agent].
    state_columns: dict[str, NDArray[Any]]
    slots: Slots

    def __init__(self, world: World, episode_length: int, inventory_scale: float = 1) -> None:
        self.check_world(world)
        check_declaration(self)
        ensure(
            isinstance(episode_length, int) and episode_length > 0,
            f"episode_length is an integer from 1 up, not {episode_length!r}.",
        )
        self._world = world
        self._episode_length = episode_length
        self._inventory_scale = inventory_scale
        self.n_agents = world.n_agents
        self.resources = world.resources
        self.landmarks = world.landmarks
        self.timescale = 1
        self.state_columns = {}

    @staticmethod
    def check_world(world: Any) -> None:
        """Refuse anything but a `World`."""
        ensure(isinstance(world, World), f"a component acts on a World, not on {world!r}.")

    @property
    def world(self) -> World:
        """The world that the component acts on."""
        return self._world

    @property
    def episode_length(self) -> int:
        """Steps per episode."""
        return self._episode_length

    @property
    def inv_scale(self) -> float:
        """Factor for observations of inventories."""
        return self._inventory_scale

    @property
    def shorthand(self) -> str:
        """Name used for metrics and logs."""
        return self.name if self.component_type is None else self.component_type

    # The documented methods, for the copy in view.

    @abstractmethod
    def get_n_actions(self, agent_cls_name: str) -> Any:
        """Return the number of actions of an agent class: None, an int or [(name, int), ...]."""

    @abstractmethod
    def get_additional_state_fields(self, agent_cls_name: str) -> dict[str, Any]:
        """Return the state fields that an agent class gets at each reset."""

    @abstractmethod
    def component_step(self) -> None:
        """Act on the world for one step."""

    @abstractmethod
    def generate_observations(self) -> dict[Any, dict[str, Any]]:
        """Return agent index -> field -> value."""

    def generate_masks(self, completions: int = 0) -> dict[Any, Any]:
        """Return agent index -> mask without NO-OP, or subspace -> mask; all ones by default."""
        masks = {}
        for agent in [*self.world.agents, self.world.planner]:
            count = self.get_n_actions(agent.name)
            if isinstance(count, int | np.integer):
                masks[agent.idx] = np.ones(int(count))
            elif isinstance(count, list | tuple):
                masks[agent.idx] = {sub: np.ones(size) for sub, size in count}
            elif count is not None:
                raise TypeError(f"`{self.name}`.get_n_actions returned {count!r}.")
        return masks

    def additional_reset_steps(self) -> None:
        """Do what else a reset of the component takes; nothing by default."""

    def get_metrics(self) -> dict[str, Any] | None:
        """Return metric -> value, or None."""
        return None

    def get_dense_log(self) -> Any:
        """Return the log of the episode: a list or tuple, an entry per step; a dict; or None."""
        return None

    def reset(self) -> None:
        """Give every agent its state fields, then take the additional reset steps."""
        for agent in [*self.world.agents, self.world.planner]:
            agent.state.update(self.get_additional_state_fields(agent.name))
        self.additional_reset_steps()

    def obs(self) -> dict[str, dict[str, Any]]:
        """Return `generate_observations` with string keys."""
        observations = self.generate_observations()
        ensure(
            isinstance(observations, dict),
            f"`{self.name}`.generate_observations returns a dict, not {observations!r}.",
        )
        return {str(idx): fields for idx, fields in observations.items()}

    def observe(self) -> None:
        """Write the documented observations and masks into `slots`."""
        self.slots.write(self.generate_observations())
        self.slots.write_masks(self.generate_masks(completions=self.world.completed))

    def bind(self) -> None:
        """Look up the places in `slots`; called once they are known."""

    def keep_log(self, copy: int) -> None:
        """Keep the events of the step just made by a copy, for `get_dense_log`."""

    def clear_log(self, copy: int) -> None:
        """Forget the kept events of a copy: an episode begins."""


def check_declaration(owner: Any) -> None:
    """Check the class attributes that components and scenarios declare."""
    cls = type(owner).__name__
    ensure(isinstance(owner.name, str) and owner.name, f"{cls} needs a class attribute `name`.")
    names = owner.agent_subclasses
    ensure(
        isinstance(names, list | tuple) and names,
        f"`{owner.name}`.agent_subclasses is a list with at least one name, not {names!r}.",
    )
    classes = [agent_registry.get(name) for name in names]
    for i, one in enumerate(classes):
        for other in classes[:i] + classes[i + 1 :]:
            ensure(
                not issubclass(one, other),
                f"`{owner.name}`.agent_subclasses: {one.name} is a subclass of {other.name}.",
            )
    entities = owner.required_entities
    ensure(
        isinstance(entities, list | tuple),
        f"`{owner.name}`.required_entities is a list of names, not {entities!r}.",
    )


component_registry: Registry = Registry(BaseComponent)
