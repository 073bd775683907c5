"""What labels say of the agents of a battle.

``attacked``: it hit somebody in the last step (or killed); ``attacked_friend``: of its own team;
``killed``: it killed somebody; ``hit``: somebody hit it; ``dead``: it died; ``collided``: somebody
was in its way; ``next_to_enemy``: an agent of another team stands beside its body, diagonally too;
``wounded``: it has less than half of its hit points; ``hungry``: it loses hit points in every step
and has less than half of them; ``unsafe``: what the world counts as a cost, one of these.
"""

from ecumene.battle.rules.space import extent
from ecumene.battle.state import ATTACK, COLLIDE, DIED, GONE, KILL, OVER
from ecumene.engine import rule

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
                if state.status[copy, first + i] != GONE and not over:
                    describe(world, state, copy, first + i, held[copy, i])
            if not over:
                mark_victims(world, state, copy, first, held[copy])
            for i in range(held.shape[1]):
                held[copy, i, _UNSAFE] = held[copy, i, unsafe]


@rule
def describe(world, state, copy, agent, held):
    """Write what holds of one agent, but for who hit it."""
    group = world.owner[agent]
    operation = state.operation[copy, agent]
    partner = state.partner[copy, agent]
    held[_ATTACKED] = operation == ATTACK or operation == KILL  # noqa: PLR1714
    if held[_ATTACKED]:
        held[_FRIEND] = world.team[world.owner[partner]] == world.team[group]
    held[_KILLED] = operation == KILL
    held[_COLLIDED] = operation == COLLIDE
    held[_DEAD] = state.status[copy, agent] == DIED
    held[_ENEMY] = not held[_DEAD] and beside_enemy(world, state, copy, agent)
    held[_WOUNDED] = state.hp[copy, agent] < world.max_hp[group] / 2
    held[_HUNGRY] = held[_WOUNDED] and world.step_recover[group] < 0


@rule
def beside_enemy(world, state, copy, agent):
    """Whether an agent of another team stands beside an agent's body."""
    group = world.owner[agent]
    columns, rows = extent(state.direction[copy, agent], world.width[group], world.length[group])
    cell = state.cell[copy]
    x = state.x[copy, agent]
    y = state.y[copy, agent]
    for row in range(max(0, y - 1), min(cell.shape[0], y + rows + 1)):
        for column in range(max(0, x - 1), min(cell.shape[1], x + columns + 1)):
            there = cell[row, column]
            if there >= 0 and world.team[world.owner[there]] != world.team[group]:
                return True
    return False


@rule
def mark_victims(world, state, copy, first, held):
    """Mark those of a group, from agent `first` on, that somebody hit."""
    for agent in range(world.owner.shape[0]):
        operation = state.operation[copy, agent]
        if operation == ATTACK or operation == KILL:  # noqa: PLR1714
            victim = state.partner[copy, agent] - first
            if 0 <= victim < held.shape[0]:
                held[victim, _HIT] = True
