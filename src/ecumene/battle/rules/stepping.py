"""Rules of the step: its order of events, its end, and what is told of it."""

from ecumene.battle.rules import fighting, moving, scoring
from ecumene.battle.state import ALIVE, DIED, ENDED, GONE, OVER, PLAYING
from ecumene.engine import rule


@rule
def step(chosen, world, table, actions, state, scratch, lo, hi):
    """Advance by one step; an ended episode stands still.

    actions: int[copy, agent]; what uncontrolled and dead agents do is ignored.
    """
    agents = world.owner.shape[0]
    for copy in range(lo, hi):
        if chosen[copy] and tick(state, copy):
            prepare(world, state, actions, copy, 0, agents)
            fighting.fight(world, state, scratch, copy)
            fighting.recover(world, state, copy, 0, agents)
            moving.move_all(world, state, scratch, copy)
            scoring.score(world, state, scratch, table, copy)
            finish(world, state, scratch, copy)


@rule
def tick(state, copy):
    """Count the step; return whether the episode goes on."""
    if state.over[copy] != PLAYING:
        state.over[copy] = OVER
        return False
    state.clock[copy] += 1
    for group in range(state.bonus.shape[1]):
        state.bonus[copy, group] = 0
    return True


@rule
def prepare(world, state, actions, copy, first, last):
    """Let go of the dead of the last step and its rewards, and take in the actions."""
    status = state.status[copy]
    action = state.action[copy]
    operation = state.operation[copy]
    partner = state.partner[copy]
    reward = state.reward[copy]
    previous = state.previous[copy]
    wanted = actions[copy]
    for group in range(world.team.shape[0]):
        for agent in range(max(first, world.start[group]), min(last, world.start[group + 1])):
            operation[agent] = 0
            partner[agent] = -1
            if status[agent] == ALIVE:
                previous[agent] = reward[agent]
                reward[agent] = world.step_reward[group]
                if world.controlled[group]:
                    action[agent] = wanted[agent]
            else:
                status[agent] = GONE
                previous[agent] = 0
                reward[agent] = 0


@rule
def finish(world, state, scratch, copy):
    """See whether a team is out, a terminal event has happened, or time is up."""
    status = state.status[copy]
    ended = scratch.terminal[copy]
    for team in range(world.team.shape[0]):
        members = False
        living = False
        for group in range(world.team.shape[0]):
            if world.team[group] == team:
                members = True
                living = living or anyone(status, world.start[group], world.start[group + 1])
        if members and not living:
            ended = True
    scratch.terminal[copy] = ended
    if ended or state.clock[copy] >= world.horizon:
        state.over[copy] = ENDED


@rule
def anyone(status, first, last):
    """Whether one of the agents ``first:last`` lives."""
    for agent in range(first, last):
        if status[agent] == ALIVE:
            return True
    return False


@rule
def tell(chosen, group, world, state, scratch, reward, terminated, truncated, alive, lo, hi):
    """Write the rewards and flags of one group."""
    first = world.start[group]
    for copy in range(lo, hi):
        if chosen[copy]:
            status = state.status[copy]
            own = state.reward[copy]
            shared = state.bonus[copy, group]
            over = state.over[copy]
            won = over == ENDED and scratch.terminal[copy]
            for i in range(reward.shape[1]):
                listed = status[first + i] != GONE and over != OVER
                died = status[first + i] == DIED
                reward[copy, i] = own[first + i] + shared if listed else 0
                terminated[copy, i] = listed and (died or won)
                truncated[copy, i] = listed and over == ENDED and not (died or won)
                alive[copy, i] = listed and over == PLAYING and not died
