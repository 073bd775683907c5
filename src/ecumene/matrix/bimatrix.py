"""Repeated two-player games: declare a `Game`, get a simulation and its environment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene.engine import Group, InvalidParameter, Simulation, Spec, allocate_output, check, random
from ecumene.matrix import rules
from ecumene.matrix.env import MatrixEnv

PLAYERS = ("player_0", "player_1")
GROUP = "players"


@dataclass(frozen=True)
class Game:
    """What tells one two-player game from another, its payoffs apart.

    Parameters
    ----------
    id
        Registered id.
    moves
        Names of the moves of each player, as they appear in outcomes.
    action_names
        Names of the action ids.
    channel_names
        Names of the channels: the moves of player 0, those of player 1, the event.
    event
        Name of the event that the last channel and the infos show.
    event_at
        The pair of moves that makes the event.
    """

    id: str
    moves: tuple[tuple[str, ...], tuple[str, ...]]
    action_names: tuple[str, ...]
    channel_names: tuple[str, ...]
    event: str
    event_at: tuple[int, int]


class BimatrixSimulation(Simulation):
    """Copies of a repeated two-player game.

    Parameters
    ----------
    payoff
        Rewards ``[player, move of player 0, move of player 1]``.
    parameters
        What the constructor of the game was given; `num_agents`, `max_moves` and
        `flatten_observations` are checked here.
    """

    game: ClassVar[Game]
    state: rules.State

    def __init__(
        self,
        copies: int,
        num_threads: int | None,
        payoff: Any,
        parameters: Mapping[str, Any],
    ) -> None:
        super().__init__(copies, num_threads)
        check.integer("num_agents", parameters["num_agents"], 2, 2)
        self.horizon = check.integer("max_moves", parameters["max_moves"], 1)
        flat = check.flag("flatten_observations", parameters["flatten_observations"])
        self.payoff = np.array(payoff, np.float64)
        self.event = np.zeros(self.payoff.shape[1:], np.bool_)
        self.event[self.game.event_at] = True
        self.spec = Spec(self.game.id, self.horizon, (self._group(flat),), dict(parameters))
        self.state = rules.State(
            last_action=np.full((self.copies, 2), -1, np.int64),
            total_reward=np.zeros((self.copies, 2)),
            num_moves=np.zeros(self.copies, np.int64),
            stream=random.philox_streams(self.copies),
        )
        self.out = {GROUP: allocate_output(self.spec.groups[0], self.copies)}
        self.random_states: dict[int, Any] = {}

    def _group(self, flat: bool) -> Group:
        channels = len(self.game.channel_names)
        shape = (channels,) if flat else (1, 1, channels)
        return Group(
            GROUP,
            PLAYERS,
            spaces.Box(0, 1, shape, np.uint8),
            spaces.Discrete(len(self.game.action_names)),
            self.game.action_names,
            self.game.channel_names,
        )

    def begin_copies(self, lo: int, hi: int) -> None:
        """Start a new episode."""
        rules.begin(*self._begin_arguments(lo, hi))

    def step_copies(self, lo: int, hi: int) -> None:
        """Play one round."""
        rules.step(*self._step_arguments(lo, hi))

    def observe_copies(self, lo: int, hi: int) -> None:
        """Write observations and masks."""
        rules.observe(*self._observe_arguments(lo, hi))

    def rule_calls(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """Return the rules with their arguments."""
        return [
            (rules.begin, self._begin_arguments(0, self.copies)),
            (rules.step, self._step_arguments(0, self.copies)),
            (rules.observe, self._observe_arguments(0, self.copies)),
        ]

    def _begin_arguments(self, lo: int, hi: int) -> tuple[Any, ...]:
        out = self.out[GROUP]
        flags = out.reward, out.terminated, out.truncated, out.alive
        return self.chosen, self.state, *flags, lo, hi

    def _step_arguments(self, lo: int, hi: int) -> tuple[Any, ...]:
        out = self.out[GROUP]
        game = self.actions[GROUP], self.payoff, self.horizon
        return self.chosen, *game, self.state, out.reward, out.truncated, out.alive, lo, hi

    def _observe_arguments(self, lo: int, hi: int) -> tuple[Any, ...]:
        out = self.out[GROUP]
        channels = out.observation.reshape(self.copies, 2, -1)
        seen = self.event, self.state.last_action, out.alive
        return self.chosen, *seen, channels, out.action_mask, lo, hi

    def reset(
        self, seed: int | Sequence[int] | None = None, copies: NDArray[np.bool_] | None = None
    ) -> None:
        """Start a new episode; a seed also starts the copy's `random_state` afresh."""
        super().reset(seed, copies)
        if seed is not None:
            for copy in np.flatnonzero(self.chosen):
                self.random_states.pop(int(copy), None)

    def random_state(self, copy: int) -> np.random.RandomState:
        """Return the generator that the game's state tuple shows, made from the copy's seed."""
        if copy not in self.random_states:
            key = self.state.stream[copy, random.KEY : random.KEY + 2]
            self.random_states[copy] = np.random.RandomState(key)
        return self.random_states[copy]

    def _copy_extra(self, copy: int) -> Any:
        return self.random_states.get(copy)

    def _restore_extra(self, copy: int, extra: Any) -> None:
        self.random_states.pop(copy, None)
        if extra is not None:
            self.random_states[copy] = extra

    def place(
        self, copy: int, last_action: tuple[int, int], total_reward: tuple[float, float], live: bool
    ) -> None:
        """Put one copy after the given moves; its clock stays as it is."""
        out = self.out[GROUP]
        self.state.last_action[copy] = last_action
        self.state.total_reward[copy] = total_reward
        for flags in (out.reward, out.terminated, out.truncated):
            flags[copy] = 0
        out.alive[copy] = live
        self.started[copy] = True
        self._observe_one(copy)

    def event_happened(self, copy: int) -> bool:
        """Return whether the last moves made the event."""
        return tuple(self.state.last_action[copy].tolist()) == self.game.event_at

    def info_arrays(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Return `round`, `last_actions` (own first; -1 = none yet) and the event."""
        last = self.state.last_action
        event = (last[:, 0] == self.game.event_at[0]) & (last[:, 1] == self.game.event_at[1])
        return {
            GROUP: {
                "round": np.stack([self.state.num_moves] * 2, axis=1),
                "last_actions": np.stack([last, last[:, ::-1]], axis=1),
                self.game.event: np.stack([event] * 2, axis=1),
            }
        }

    def infos(self, copy: int) -> dict[str, dict[str, Any]]:
        """Return `round`, `last_actions` (own first), the event and, once played, `outcome`."""
        a0, a1 = self.state.last_action[copy].tolist()
        shared: dict[str, Any] = {"round": self.state.num_moves[copy].item()}
        if a0 < 0:
            shared["last_actions"] = None
            shared[self.game.event] = False
            return {PLAYERS[0]: shared, PLAYERS[1]: dict(shared)}
        names = self.game.moves
        shared[self.game.event] = (a0, a1) == self.game.event_at
        shared["outcome"] = f"{names[0][a0]}-{names[1][a1]}"
        return {
            PLAYERS[0]: {**shared, "last_actions": (a0, a1)},
            PLAYERS[1]: {**shared, "last_actions": (a1, a0)},
        }

    def metrics(self, copies: Sequence[int] | None = None) -> dict[str, NDArray[np.float64]]:
        """Return the rewards of each player since the reset."""
        chosen = slice(None) if copies is None else list(copies)
        total = self.state.total_reward[chosen]
        return {f"total_reward/{name}": total[:, i].copy() for i, name in enumerate(PLAYERS)}

    def global_state(self, copy: int) -> NDArray[np.uint8]:
        """Return what every player sees."""
        return self.out[GROUP].observation[copy, 0].copy()

    @property
    def global_state_space(self) -> spaces.Space[Any]:
        """The observation space."""
        return self.spec.groups[0].observation_space


class BimatrixEnv(MatrixEnv):
    """One repeated two-player game."""

    simulation: BimatrixSimulation

    def get_state(self) -> tuple[Any, ...]:
        """Return all there is to the game but its clock.

        Returns
        -------
        tuple
            ``(agents, last_actions, last_event, cum_rewards, rng_state)``: live agents; the last
            move of each player or None; whether these made the game's event; rewards since the
            reset; a state of `numpy.random.RandomState`.
        """
        state = self.simulation.state
        last = tuple(None if move < 0 else move for move in state.last_action[0].tolist())
        return (
            tuple(self.agents),
            last,
            self.simulation.event_happened(0),
            tuple(state.total_reward[0].tolist()),
            self.get_rng_state(),
        )

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take back what `get_state` returned, here or in an equal game.

        The clock `num_moves` stays as it is; an `rng_state` of None keeps the present one.

        Raises
        ------
        InvalidParameter
            Naming the field that does not fit. Nothing has changed then.
        """
        if not isinstance(state, tuple | list) or len(state) != 5:
            raise InvalidParameter(
                "a state is a tuple of agents, last_actions, "
                f"last_{self.simulation.game.event}, cum_rewards and rng_state, not {state!r}."
            )
        agents, last_actions, event, cum_rewards, rng_state = state
        live = self._parse_agents(agents)
        moves = self._parse_last_actions(last_actions)
        self._check_event(event, moves)
        rewards = _parse_cum_rewards(cum_rewards)
        if rng_state is not None:
            self.set_rng_state(rng_state)
        self.simulation.place(0, moves, rewards, live)
        self._refresh_agents()

    def _parse_agents(self, agents: Any) -> bool:
        if not isinstance(agents, tuple | list) or tuple(agents) not in ((), PLAYERS):
            raise InvalidParameter(f"agents is {PLAYERS} or (), not {agents!r}.")
        return len(agents) > 0

    def _parse_last_actions(self, last_actions: Any) -> tuple[int, int]:
        if not isinstance(last_actions, tuple | list) or len(last_actions) != 2:
            raise InvalidParameter(f"last_actions is a pair, not {last_actions!r}.")
        if all(move is None for move in last_actions):
            return (-1, -1)
        sizes = [len(names) for names in self.simulation.game.moves]
        first, second = (
            check.integer(f"last_actions[{i}]", move, 0, sizes[i] - 1)
            for i, move in enumerate(last_actions)
        )
        return first, second

    def _check_event(self, event: Any, moves: tuple[int, int]) -> None:
        game = self.simulation.game
        if check.flag(f"last_{game.event}", event) != (moves == game.event_at):
            raise InvalidParameter(
                f"last_{game.event} is {not event} after the last_actions {moves}, not {event}."
            )


def _parse_cum_rewards(cum_rewards: Any) -> tuple[float, float]:
    if not isinstance(cum_rewards, tuple | list) or len(cum_rewards) != 2:
        raise InvalidParameter(f"cum_rewards is a pair of numbers, not {cum_rewards!r}.")
    first, second = (
        check.number(f"cum_rewards[{i}]", reward) for i, reward in enumerate(cum_rewards)
    )
    return first, second
