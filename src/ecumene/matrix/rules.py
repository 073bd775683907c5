"""Rules that matrix games share: beginning an episode, and games that are a table of payoffs.

Throughout, ``outcome`` numbers what the players did last: 0 = nothing yet, else 1 + the joint
action, the last player's action counting fastest.
"""

from ecumene.engine import helper, rule


@rule
def begin(
    chosen, last_action, total_reward, num_moves, reward, terminated, truncated, alive, lo, hi
):
    """Start a new episode."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        num_moves[copy] = 0
        for player in range(last_action.shape[1]):
            last_action[copy, player] = -1
            total_reward[copy, player] = 0.0
            reward[copy, player] = 0.0
            terminated[copy, player] = False
            truncated[copy, player] = False
            alive[copy, player] = True


@helper
def rest(reward, truncated):
    """Let an episode that has ended stand still; the arrays are those of one copy."""
    for player in range(reward.shape[0]):
        reward[player] = 0.0
        truncated[player] = False


@helper
def outcome_of(stride, last_action):
    """Return the outcome of one copy."""
    if last_action[0] < 0:
        return 0
    outcome = 1
    for player in range(stride.shape[0]):
        outcome += stride[player] * last_action[player]
    return outcome


@helper
def write_mask(alive, sizes, mask):
    """Allow everything to a live player and the first action to any; arrays of one copy."""
    for player in range(sizes.shape[0]):
        for action in range(1, sizes[player]):
            mask[player, action] = alive[player]


@rule
def step(
    chosen,
    actions,
    stride,
    payoff,
    horizon,
    last_action,
    total_reward,
    num_moves,
    reward,
    truncated,
    alive,
    lo,
    hi,
):
    """Play one round; an ended episode stands still.

    stride: int64[player]; payoff: float64[joint action, player].
    """
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        if not alive[copy, 0]:
            rest(reward[copy], truncated[copy])
            continue
        num_moves[copy] += 1
        over = num_moves[copy] >= horizon
        joint = 0
        for player in range(stride.shape[0]):
            last_action[copy, player] = actions[copy, player]
            joint += stride[player] * actions[copy, player]
        for player in range(stride.shape[0]):
            gain = payoff[joint, player]
            reward[copy, player] = gain
            total_reward[copy, player] += gain
            truncated[copy, player] = over
            alive[copy, player] = not over


@rule
def observe(chosen, stride, seen, sizes, last_action, alive, observation, mask, lo, hi):
    """Show every player the same row; seen: uint8[outcome, channel]."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        row = seen[outcome_of(stride, last_action[copy])]
        for player in range(stride.shape[0]):
            target = observation[copy, player]
            for channel in range(row.shape[0]):
                target[channel] = row[channel]
        write_mask(alive[copy], sizes, mask[copy])


@rule
def play(
    chosen,
    actions,
    stride,
    payoff,
    horizon,
    last_action,
    total_reward,
    num_moves,
    reward,
    truncated,
    alive,
    seen,
    sizes,
    observation,
    mask,
    lo,
    hi,
):
    """`step`, then `observe`: for a few copies one call takes little more time than either."""
    step(
        chosen, actions, stride, payoff, horizon, last_action, total_reward, num_moves,
        reward, truncated, alive, lo, hi,
    )  # fmt: skip
    observe(chosen, stride, seen, sizes, last_action, alive, observation, mask, lo, hi)


@rule
def label(chosen, stride, held, last_action, alive, truncated, label, lo, hi):
    """Say the same of every player that is live or has just ended.

    held: bool[outcome, proposition]; alive, truncated, label: of some players only.
    """
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        row = held[outcome_of(stride, last_action[copy])]
        for player in range(label.shape[1]):
            told = alive[copy, player] or truncated[copy, player]
            target = label[copy, player]
            for proposition in range(row.shape[0]):
                target[proposition] = told and row[proposition]
