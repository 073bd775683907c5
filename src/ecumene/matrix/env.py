"""What the environments of all matrix games have in common."""

from abc import abstractmethod
from typing import Any

import numpy as np

from ecumene.api.parallel import ParallelEnv
from ecumene.engine import InvalidParameter, random


class MatrixEnv(ParallelEnv):
    """A matrix game under the names that users of such games know.

    Parameters
    ----------
    simulation
        One copy of the game, with a `random_state` per copy.
    render_mode
        None: matrix games have no renderer.
    seed
        Seed of the first `reset` that is given none.

    Attributes
    ----------
    n_agents
        Number of players.
    n_obs_types
        Number of channels of the observation.
    flatten_observations
        Whether observations are ``(channels,)`` rather than ``(1, 1, channels)``.
    """

    simulation: Any

    def __init__(self, simulation: Any, render_mode: str | None, seed: int | None) -> None:
        super().__init__(simulation, render_mode)
        group = simulation.spec.groups[0]
        self._channel_names = group.channel_names
        self._action_names = group.action_names
        self._first_seed = None if seed is None else random.parse_seed(seed)
        self.n_agents = len(self.possible_agents)
        self.n_obs_types = len(group.channel_names)
        self.flatten_observations = simulation.spec.parameters["flatten_observations"]

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
        """Rounds played since the reset."""
        return self.simulation.state.num_moves[0].item()

    def num_cells(self) -> int:
        """Return 1: a matrix game has no space."""
        return 1

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
        """Return all there is to the game but its clock."""

    @abstractmethod
    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take back what `get_state` returned."""

    def get_rng_state(self) -> Any:
        """Return a state of `numpy.random.RandomState`; equal seeds, equal states.

        The games are deterministic: nothing draws from it.
        """
        return self.simulation.random_state(0).get_state()

    def set_rng_state(self, rng_state: Any) -> None:
        """Take back what `get_rng_state` returned.

        Raises
        ------
        InvalidParameter
            If `numpy.random.RandomState` does not accept it. Nothing has changed then.
        """
        generator = np.random.RandomState(0)
        try:
            generator.set_state(rng_state)
        except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
            raise InvalidParameter(
                f"rng_state is what get_rng_state() returned, not {rng_state!r}: {error}"
            ) from None
        self.simulation.random_states[0] = generator

    def reseed(self, seed: int) -> None:
        """Start the random stream afresh from a seed, in the middle of the episode."""
        random.seed_streams(self.simulation.state.stream, [0], [random.parse_seed(seed)])
        self.simulation.seeded[0] = True
        self.simulation.random_states.pop(0, None)
