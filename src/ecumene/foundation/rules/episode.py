"""Actions in, flags out: rules for batches."""

from ecumene.engine.compile import rule


@rule
def decode(chosen, given, action, choices, lo, hi):
    """Translate indices of the joined action space into one action per subspace."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for agent in range(given.shape[1]):
            for column in range(action.shape[2]):
                action[copy, agent, column] = 0
            choice = choices[given[copy, agent]]
            if choice[1] > 0:
                action[copy, agent, choice[0]] = choice[1]


@rule
def decode_parts(chosen, given, action, lo, hi):
    """Take over one action per subspace."""
    for copy in range(lo, hi):
        if chosen[copy]:
            for agent in range(given.shape[1]):
                for column in range(given.shape[2]):
                    action[copy, agent, column] = given[copy, agent, column]


@rule
def begin(chosen, truncated, alive, planner_truncated, planner_alive, rewards, lo, hi):
    """Everybody is alive, and has no reward yet."""
    for copy in range(lo, hi):
        if chosen[copy]:
            rewards[copy] = 0.0
            truncated[copy] = False
            alive[copy] = True
            planner_truncated[copy] = False
            planner_alive[copy] = True


@rule
def finish(chosen, clock, horizon, truncated, alive, planner_truncated, planner_alive, lo, hi):
    """Truncate episodes that have lasted long enough."""
    for copy in range(lo, hi):
        if chosen[copy]:
            over = clock[copy] >= horizon
            truncated[copy] = over
            alive[copy] = not over
            planner_truncated[copy] = over
            planner_alive[copy] = not over


@rule
def mask_the_dead(chosen, alive, mask, noops, lo, hi):
    """Leave agents that no longer act nothing but NO-OP."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for agent in range(alive.shape[1]):
            if not alive[copy, agent]:
                mask[copy, agent] = 0
                for column in noops:
                    mask[copy, agent, column] = 1


@rule
def count_completions(chosen, clock, horizon, completions, lo, hi):
    """Count the episodes that have lasted long enough."""
    for copy in range(lo, hi):
        if chosen[copy] and clock[copy] >= horizon:
            completions[copy] += 1


@rule
def tell_time(clock, scale, kept, flat, column, lo, hi):
    """Write the time, in units of `scale` steps, for every observer of a kind."""
    for copy in range(lo, hi):
        now = clock[copy] / scale
        for row in range(kept.shape[1]):
            kept[copy, row, 0] = now
            flat[copy, row, column] = now
