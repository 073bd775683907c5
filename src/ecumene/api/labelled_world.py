"""What the gridworlds and the matrix games have in common under their documented names."""

import inspect
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ecumene.api.labels import cost_fn
from ecumene.api.parallel import ParallelEnv
from ecumene.engine import InvalidParameter, Simulation, random
from ecumene.engine.errors import near_match


class LabelledWorld(ParallelEnv):
    """One copy of a world of a single group, with labels and state tuples.

    A subclass names the class of its simulation and takes that one's parameters, by keyword; its
    signature shows them.

    Parameters
    ----------
    render_mode
        ``"ansi"``, ``"rgb_array"``, ``"human"`` or None.
    seed
        Seed of the first `reset` that is given none.
    **parameters
        Those of the simulation; each is an attribute as well.

    Attributes
    ----------
    n_agents
        Number of agents, live or not.
    n_obs_types
        Number of channels of the observation.
    flatten_observations
        Whether observations are vectors rather than ``(rows, columns, channels)``.
    """

    simulation_class: ClassVar[type[Simulation]]
    simulation: Any
    max_moves: int
    flatten_observations: bool
    cost_fn = staticmethod(cost_fn)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "simulation_class" in cls.__dict__:
            cls.__signature__ = _signature(cls.simulation_class)  # type: ignore[attr-defined]
            cls.simulation_class.env_class = cls

    def __init__(
        self, *, render_mode: str | None = None, seed: int | None = None, **parameters: Any
    ) -> None:
        known = list(inspect.signature(type(self)).parameters)
        for name in parameters:
            if name not in known:
                raise InvalidParameter(
                    f"{type(self).__name__} has no parameter `{name}`."
                    f"{near_match(name, known)} Parameters: {', '.join(known)}."
                )
        self._adopt(self.simulation_class(**parameters), render_mode)
        self._first_seed = None if seed is None else random.parse_seed(seed)

    @classmethod
    def of(
        cls, simulation: Simulation, render_mode: str | None = None, *, labels: bool = False
    ) -> Self:
        """See `ParallelEnv.of`."""
        env = cls.__new__(cls)
        env._adopt(simulation, render_mode, labels)
        env._first_seed = None
        return env

    def _adopt(self, simulation: Simulation, render_mode: str | None, labels: bool = False) -> None:
        super().__init__(simulation, render_mode, labels=labels)
        group = simulation.spec.groups[0]
        self._channel_names = group.channel_names
        self._action_names = self._names_of_actions()
        self.n_agents = len(self.possible_agents)
        self.n_obs_types = len(group.channel_names)
        for name, value in simulation.spec.parameters.items():
            # PettingZoo's `num_agents` are the live ones; a method may have a parameter's name.
            if not hasattr(type(self), name):
                setattr(self, name, value)

    def _names_of_actions(self) -> tuple[str, ...]:
        return self.simulation.spec.groups[0].action_names

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a new episode; see `ParallelEnv.reset`."""
        if seed is None:
            seed = self._first_seed
        result = super().reset(seed, options)
        self._first_seed = None
        return result

    @property
    def num_moves(self) -> int:
        """Steps since the reset."""
        return self.simulation.state.num_moves[0].item()

    @abstractmethod
    def num_cells(self) -> int:
        """Return the number of cells of the observation."""

    def channel_names(self) -> list[str]:
        """Return the names of the observation's channels, by index."""
        return list(self._channel_names)

    def action_names(self, action: int) -> str:
        """Return the name of an action id, ``"action_<id>"`` for an unknown one."""
        if 0 <= action < len(self._action_names):
            return self._action_names[action]
        return f"action_{action}"

    @abstractmethod
    def get_state(self) -> tuple[Any, ...]:
        """Return all there is to the world but its clock."""

    @abstractmethod
    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take back what `get_state` returned."""

    @abstractmethod
    def get_rng_state(self) -> Any:
        """Return the state of the random stream."""

    @abstractmethod
    def set_rng_state(self, rng_state: Any) -> None:
        """Take back what `get_rng_state` returned."""

    def reseed(self, seed: int) -> None:
        """Start the random stream afresh from a seed, in the middle of the episode."""
        random.seed_streams(self.simulation.state.stream, [0], [random.parse_seed(seed)])
        self.simulation.seeded[0] = True


def name_held(propositions: tuple[str, ...], held: NDArray[np.bool_]) -> frozenset[str]:
    """Return the names of the propositions that a boolean vector marks."""
    return frozenset(propositions[i] for i in np.flatnonzero(held))


def _signature(simulation: type[Simulation]) -> inspect.Signature:
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [
        each.replace(kind=keyword)
        for name, each in inspect.signature(simulation).parameters.items()
        if name not in ("copies", "num_threads")
    ]
    common = [
        inspect.Parameter(name, keyword, default=None, annotation=annotation)
        for name, annotation in (("render_mode", str | None), ("seed", int | None))
    ]
    return inspect.Signature([*own, *common])
