"""Rules of repeated two-player games with a payoff table."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import rule


class State(NamedTuple):
    """State of a repeated two-player game."""

    last_action: NDArray[np.int64]  # [copy, player]; -1 = none yet
    total_reward: NDArray[np.float64]  # [copy, player]; since the reset
    num_moves: NDArray[np.int64]  # [copy]; rounds played since the reset
    stream: NDArray[np.uint32]  # [copy, word]; nothing draws from it


@rule
def begin(chosen, state, reward, terminated, truncated, alive, lo, hi):
    """Start a new episode."""
    for copy in range(lo, hi):
        if chosen[copy]:
            state.num_moves[copy] = 0
            for player in range(2):
                state.last_action[copy, player] = -1
                state.total_reward[copy, player] = 0.0
                reward[copy, player] = 0.0
                terminated[copy, player] = False
                truncated[copy, player] = False
                alive[copy, player] = True


@rule
def step(chosen, actions, payoff, horizon, state, reward, truncated, alive, lo, hi):
    """Play one round; an ended episode stands still.

    payoff: float64[player, action of player 0, action of player 1].
    """
    for copy in range(lo, hi):
        if chosen[copy]:
            playing = alive[copy, 0]
            if playing:
                state.num_moves[copy] += 1
            over = state.num_moves[copy] >= horizon
            for player in range(2):
                reward[copy, player] = 0.0
                truncated[copy, player] = playing and over
                if playing:
                    gain = payoff[player, actions[copy, 0], actions[copy, 1]]
                    reward[copy, player] = gain
                    state.total_reward[copy, player] += gain
                    state.last_action[copy, player] = actions[copy, player]
                    alive[copy, player] = not over


@rule
def observe(chosen, event, last_action, alive, observation, mask, lo, hi):
    """Write the last actions one-hot, player after player, then the flag; the same for both.

    event: bool[action of player 0, action of player 1]; what the flag shows.
    """
    sizes = event.shape
    for copy in range(lo, hi):
        if chosen[copy]:
            a0 = last_action[copy, 0]
            a1 = last_action[copy, 1]
            for player in range(2):
                seen = observation[copy, player]
                seen[:] = 0
                if a0 >= 0:
                    seen[a0] = 1
                    seen[sizes[0] + a1] = 1
                    seen[sizes[0] + sizes[1]] = event[a0, a1]
                mask[copy, player, 0] = 1
                for action in range(1, sizes[player]):
                    mask[copy, player, action] = alive[copy, player]
