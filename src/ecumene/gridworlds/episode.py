"""Rules that all gridworlds share: how an episode starts, stands still and ends."""

from ecumene.engine import helper


@helper
def start(copy, num_moves, event, reward, terminated, truncated, alive):
    """Set clock, events, rewards and flags of one copy to those of a new episode."""
    num_moves[copy] = 0
    for i in range(alive.shape[1]):
        alive[copy, i] = True
    clear(copy, event, reward, terminated, truncated)


@helper
def clear(copy, event, reward, terminated, truncated):
    """Forget the last step of one copy."""
    for i in range(reward.shape[1]):
        event[copy, i] = 0
        reward[copy, i] = 0.0
        terminated[copy, i] = False
        truncated[copy, i] = False


@helper
def finish(copy, over, horizon, num_moves, terminated, truncated, alive):
    """Count a step, and end the episode of every agent if it is over or at the horizon."""
    num_moves[copy] += 1
    late = num_moves[copy] >= horizon and not over
    for i in range(alive.shape[1]):
        terminated[copy, i] = over
        truncated[copy, i] = late
        alive[copy, i] = not (over or late)
