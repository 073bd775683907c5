"""Rules of reward: who is paid for which event.

A reward rule is a row of tables (`RewardTable`). Its agents are *symbols*: any agent of a group,
every agent of it, or one. For every choice of agents for its free symbols, different agents all,
the rule looks whether the event is true and then pays.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.battle.state import DIED, GONE, NONE, OPERATION, PARTNER, REWARD, STATUS, X, Y
from ecumene.engine import inlined

# What a symbol stands for.
ANY, ALL, ONE = 0, 1, 2

# Parts of an event, in reverse Polish notation. The first three are operations of the state.
IS_ATTACK, IS_KILL, IS_COLLIDE, IS_AT, IS_IN, IS_DEAD, IS_LINE, AND, OR, NOT = range(1, 11)


class RewardTable(NamedTuple):
    """Compiled reward rules; lists end with -1 where they are shorter than the table."""

    symbol: NDArray[np.int32]  # [rule, symbol, 3]; group, ANY/ALL/ONE, agent if ONE
    free: NDArray[np.int32]  # [rule, symbol]; symbols to choose agents for
    tied: NDArray[np.int32]  # [rule, pair, 2]; symbol, and the one its operation determines
    part: NDArray[np.int32]  # [rule, part, 7]; what, subject, object, x1, y1, x2, y2
    receiver: NDArray[np.int32]  # [rule, receiver]
    value: NDArray[np.float32]  # [rule, receiver]
    terminal: NDArray[np.bool_]  # [rule]


@inlined
def score(world, state, scratch, table, copy):
    """Evaluate all reward rules in order."""
    scratch.terminal[copy] = False
    for number in range(table.terminal.shape[0]):
        if choose_all(world, state, scratch, table, number, copy) and table.terminal[number]:
            scratch.terminal[copy] = True


@inlined
def choose_all(world, state, scratch, table, number, copy):
    """Go through every choice of agents for the free symbols; return whether one paid."""
    bound = scratch.bound[copy]
    cursor = scratch.cursor[copy]
    symbol = table.symbol[number]
    free = table.free[number]
    body = state.body[copy]
    if not bind_named(world, state, table, number, bound, copy):
        return False
    count = 0
    while count < free.shape[0] and free[count] >= 0:
        count += 1
    if count == 0:
        return settle(world, state, table, number, bound, copy)
    paid = False
    depth = 0
    cursor[0] = world.start[symbol[free[0], 0]]
    while depth >= 0:
        which = free[depth]
        group = symbol[which, 0]
        binds = determines(table.tied[number], which)
        agent = cursor[depth]
        end = world.start[group + 1]
        while agent < end and (
            body[agent, STATUS] == GONE or (binds and body[agent, OPERATION] == NONE)
        ):
            agent += 1
        if agent == end:
            depth -= 1
            continue
        cursor[depth] = agent + 1
        bound[which] = agent
        if taken(free, bound, depth) or not follow(world, state, table, number, bound, which, copy):
            continue
        if depth + 1 < count:
            depth += 1
            cursor[depth] = world.start[symbol[free[depth], 0]]
        elif settle(world, state, table, number, bound, copy):
            paid = True
    return paid


@inlined
def bind_named(world, state, table, number, bound, copy):
    """Bind the symbols that name one agent, and what they determine; false if one is gone."""
    symbol = table.symbol[number]
    for which in range(symbol.shape[0]):
        if symbol[which, 1] == ONE:
            bound[which] = symbol[which, 2]
            if state.body[copy, bound[which], STATUS] == GONE:
                return False
    for which in range(symbol.shape[0]):
        if symbol[which, 1] == ONE and not follow(world, state, table, number, bound, which, copy):
            return False
    return True


@inlined
def determines(tied, which):
    """Whether the operation of a symbol's agent determines another symbol."""
    for pair in range(tied.shape[0]):
        if tied[pair, 0] == which:
            return True
    return False


@inlined
def taken(free, bound, depth):
    """Whether the agent chosen at this depth has been chosen before."""
    for earlier in range(depth):
        if bound[free[earlier]] == bound[free[depth]]:
            return True
    return False


@inlined
def follow(world, state, table, number, bound, which, copy):
    """Bind what a bound symbol determines, and so on; false if some agent does not fit."""
    tied = table.tied[number]
    symbol = table.symbol[number]
    last = which
    for pair in range(tied.shape[0]):
        if tied[pair, 0] == last:
            subject = bound[last]
            last = tied[pair, 1]
            met = state.body[copy, subject, PARTNER]
            if met < 0 or world.owner[met] != symbol[last, 0]:
                return False
            if symbol[last, 1] == ONE and symbol[last, 2] != met:
                return False
            bound[last] = met
    return True


@inlined
def settle(world, state, table, number, bound, copy):
    """Pay the receivers if the event is true of the bound agents; return whether it is."""
    if not holds(world, state, table, number, bound, copy):
        return False
    symbol = table.symbol[number]
    for i in range(table.receiver.shape[1]):
        which = table.receiver[number, i]
        if which >= 0:
            if symbol[which, 1] == ALL:
                state.bonus[copy, symbol[which, 0]] += table.value[number, i]
            else:
                state.vital[copy, bound[which], REWARD] += table.value[number, i]
    return True


@inlined
def holds(world, state, table, number, bound, copy):
    """Whether the event of a rule is true of the bound agents."""
    truths = 0  # a stack of bits
    for i in range(table.part.shape[1]):
        part = table.part[number, i]
        what = part[0]
        if what == AND:
            truths = (truths >> 1) & (truths | ~1)
        elif what == OR:
            truths = (truths >> 1) | (truths & 1)
        elif what == NOT:
            truths ^= 1
        elif what > 0:
            truth = holds_of_symbol(world, state, table.symbol[number], part, bound, copy)
            truths = (truths << 1) | (1 if truth else 0)
    return truths & 1 == 1


@inlined
def holds_of_symbol(world, state, symbol, part, bound, copy):
    """Whether an event without and, or, not is true: of all of a group, or of one."""
    subject = part[1]
    if part[0] == IS_LINE:
        return in_line(world, state, symbol[subject, 0], copy)
    other = bound[part[2]] if part[2] >= 0 else -1
    if symbol[subject, 1] != ALL:
        return holds_of_agent(state, part, bound[subject], other, copy)
    group = symbol[subject, 0]
    for agent in range(world.start[group], world.start[group + 1]):
        if state.body[copy, agent, STATUS] != GONE and not holds_of_agent(
            state, part, agent, other, copy
        ):
            return False
    return True


@inlined
def holds_of_agent(state, part, agent, other, copy):
    """Whether an event without and, or, not is true of an agent."""
    what = part[0]
    if what <= IS_COLLIDE:
        return (
            state.body[copy, agent, OPERATION] == what and state.body[copy, agent, PARTNER] == other
        )
    x = state.body[copy, agent, X]
    y = state.body[copy, agent, Y]
    if what == IS_AT:
        return x == part[3] and y == part[4]
    if what == IS_IN:
        return part[3] < x < part[5] and part[4] < y < part[6]
    return state.body[copy, agent, STATUS] == DIED


@inlined
def in_line(world, state, group, copy):
    """Whether the agents of a group stand side by side on one row or column, without gaps."""
    count = 0
    left = world.map_width
    right = -1
    top = world.map_height
    bottom = -1
    for agent in range(world.start[group], world.start[group + 1]):
        if state.body[copy, agent, STATUS] != GONE:
            count += 1
            left = min(left, state.body[copy, agent, X])
            right = max(right, state.body[copy, agent, X])
            top = min(top, state.body[copy, agent, Y])
            bottom = max(bottom, state.body[copy, agent, Y])
    if count < 2:
        return True
    if left == right:
        return bottom - top + 1 == count
    return top == bottom and right - left + 1 == count
