"""What labels say of the agents of a battle.

``attacked``: it hit somebody in the last step (or killed); ``attacked_friend``: of its own team;
``killed``: it killed somebody; ``hit``: somebody hit it; ``dead``: it died; ``collided``: somebody
was in its way; ``next_to_enemy``: an agent of another team stands beside its body, diagonally too;
``wounded``: it has less than half of its hit points; ``hungry``: it loses hit points in every step
and has less than half of them; ``unsafe``: what the world counts as a cost, one of these.
"""

from ecumene.battle.rules.space import covered
from ecumene.battle.state import (
    ATTACK,
    COLLIDE,
    DIED,
    GONE,
    HP,
    KILL,
    MAX_HP,
    OPERATION,
    OVER,
    PARTNER,
    STATUS,
    STEP_RECOVER,
    TEAM,
    X,
    Y,
)
from ecumene.engine import inlined, rule

PROPOSITIONS = (
    "attacked",
    "attacked_friend",
    "killed",
    "hit",
    "dead",
    "collided",
    "next_to_enemy",
    "wounded",
    "hungry",
    "unsafe",
)
(
    _ATTACKED, _FRIEND, _KILLED, _HIT, _DEAD, _COLLIDED, _ENEMY, _WOUNDED, _HUNGRY, _UNSAFE
) = range(len(PROPOSITIONS))  # fmt: skip


@rule
def label(chosen, group, unsafe, world, state, held, lo, hi):
    """Write the labels of one group: bool[copy, agent, proposition]."""
    for copy in range(lo, hi):
        if chosen[copy]:
            first = world.start[group]
            over = state.over[copy] == OVER
            for i in range(held.shape[1]):
                held[copy, i, :] = False
                if state.body[copy, first + i, STATUS] != GONE and not over:
                    describe(world, state, copy, first + i, held[copy, i])
            if not over:
                mark_victims(world, state, copy, first, held[copy])
            for i in range(held.shape[1]):
                held[copy, i, _UNSAFE] = held[copy, i, unsafe]


@inlined
def describe(world, state, copy, agent, held):
    """Write what holds of one agent, but for who hit it."""
    group = world.owner[agent]
    operation = state.body[copy, agent, OPERATION]
    partner = state.body[copy, agent, PARTNER]
    held[_ATTACKED] = operation in (ATTACK, KILL)
    if held[_ATTACKED]:
        held[_FRIEND] = world.kind[world.owner[partner], TEAM] == world.kind[group, TEAM]
    held[_KILLED] = operation == KILL
    held[_COLLIDED] = operation == COLLIDE
    held[_DEAD] = state.body[copy, agent, STATUS] == DIED
    held[_ENEMY] = not held[_DEAD] and beside_enemy(world, state, copy, agent)
    held[_WOUNDED] = state.vital[copy, agent, HP] < world.power[group, MAX_HP] / 2
    held[_HUNGRY] = held[_WOUNDED] and world.power[group, STEP_RECOVER] < 0


@inlined
def beside_enemy(world, state, copy, agent):
    """Whether an agent of another team stands beside an agent's body."""
    group = world.owner[agent]
    columns, rows = covered(world, state, copy, agent)
    cell = state.cell[copy]
    x = state.body[copy, agent, X]
    y = state.body[copy, agent, Y]
    for row in range(max(0, y - 1), min(cell.shape[0], y + rows + 1)):
        for column in range(max(0, x - 1), min(cell.shape[1], x + columns + 1)):
            there = cell[row, column]
            if there >= 0 and world.kind[world.owner[there], TEAM] != world.kind[group, TEAM]:
                return True
    return False


@inlined
def mark_victims(world, state, copy, first, held):
    """Mark those of a group, from agent `first` on, that somebody hit."""
    for agent in range(world.owner.shape[0]):
        operation = state.body[copy, agent, OPERATION]
        if operation in (ATTACK, KILL):
            victim = state.body[copy, agent, PARTNER] - first
            if 0 <= victim < held.shape[0]:
                held[victim, _HIT] = True
