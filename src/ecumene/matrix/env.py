"""What the environments of all matrix games have in common."""

from typing import Any

import numpy as np

from ecumene.api.labelled_world import LabelledWorld
from ecumene.engine import InvalidParameter, check


class MatrixEnv(LabelledWorld):
    """A matrix game under the names that users of such games know.

    `LabelledWorld` documents the attributes. The parameters are those of the game, all by keyword,
    and `render_mode` and `seed`. `label_fn` is a pure function of an observation, flat or not,
    that raises ValueError for one of a wrong length.
    """

    simulation: Any

    def _names_of_actions(self) -> tuple[str, ...]:
        return self.simulation.naming.action_names

    def num_cells(self) -> int:
        """Return 1: a matrix game has no space."""
        return 1

    def get_state(self) -> tuple[Any, ...]:
        """Return all there is to the game but its clock.

        Returns
        -------
        tuple
            ``(agents, last_actions, ..., cum_rewards, rng_state)``: the live agents; the last
            action of each player or None; what the game adds; rewards since the reset; a state of
            `numpy.random.RandomState`. Later steps never change it.
        """
        state = self.simulation.state
        last = tuple(None if move < 0 else move for move in state.last_action[0].tolist())
        return (
            tuple(self.agents),
            last,
            *self.simulation.shown(0),
            tuple(state.total_reward[0].tolist()),
            self.get_rng_state(),
        )

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take back what `get_state` returned, here or in an equal game.

        The clock `num_moves` stays as it is; an `rng_state` of None keeps the present one.

        Raises
        ------
        InvalidParameter
            A ValueError that names the field that does not fit. Nothing has changed then.
        """
        names = ("agents", "last_actions", *self.simulation.shown_names, "cum_rewards", "rng_state")
        if not isinstance(state, tuple | list) or len(state) != len(names):
            raise InvalidParameter(
                f"a state is a tuple of {', '.join(names[:-1])} and rng_state, not {state!r}."
            )
        agents, last_actions, *shown, cum_rewards, rng_state = state
        live = self._parse_agents(agents)
        moves = self._parse_last_actions(last_actions)
        parsed = self.simulation.parse_shown(shown, moves)
        rewards = self._parse_cum_rewards(cum_rewards)
        if rng_state is not None:
            self.set_rng_state(rng_state)
        self.simulation.place(0, moves, parsed, rewards, live)
        self._refresh_agents()

    def _parse_agents(self, agents: Any) -> bool:
        everyone = tuple(self.possible_agents)
        if not isinstance(agents, tuple | list) or tuple(agents) not in ((), everyone):
            raise InvalidParameter(f"agents is {everyone} or (), not {agents!r}.")
        return len(agents) > 0

    def _parse_last_actions(self, last_actions: Any) -> tuple[int, ...]:
        given = self._one_each("last_actions", last_actions)
        if all(move is None for move in given):
            return (-1,) * len(given)
        sizes = self.simulation.sizes.tolist()
        return tuple(
            check.integer(f"last_actions[{i}]", move, 0, sizes[i] - 1)
            for i, move in enumerate(given)
        )

    def _parse_cum_rewards(self, cum_rewards: Any) -> list[float]:
        given = self._one_each("cum_rewards", cum_rewards)
        return [check.number(f"cum_rewards[{i}]", reward) for i, reward in enumerate(given)]

    def _one_each(self, name: str, values: Any) -> Any:
        if not isinstance(values, tuple | list) or len(values) != self.n_agents:
            raise InvalidParameter(f"{name} has one entry for each player, not {values!r}.")
        return values

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
        super().reseed(seed)
        self.simulation.random_states.pop(0, None)
