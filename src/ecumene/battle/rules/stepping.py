"""Rules of the step: its order of events, its end, and what is told of it."""

from ecumene.battle.rules import fighting, moving, scoring
from ecumene.battle.state import (
    ACTION,
    ALIVE,
    CONTROLLED,
    DIED,
    ENDED,
    GONE,
    OPERATION,
    OVER,
    PARTNER,
    PLAYING,
    PREVIOUS,
    REWARD,
    STATUS,
    STEP_REWARD,
    TEAM,
)
from ecumene.engine import inlined, rule


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
    body = state.body[copy]
    vital = state.vital[copy]
    wanted = actions[copy]
    for group in range(world.kind.shape[0]):
        for agent in range(max(first, world.start[group]), min(last, world.start[group + 1])):
            body[agent, OPERATION] = 0
            body[agent, PARTNER] = -1
            if body[agent, STATUS] == ALIVE:
                vital[agent, PREVIOUS] = vital[agent, REWARD]
                vital[agent, REWARD] = world.power[group, STEP_REWARD]
                if world.kind[group, CONTROLLED]:
                    body[agent, ACTION] = wanted[agent]
            else:
                body[agent, STATUS] = GONE
                vital[agent, PREVIOUS] = 0
                vital[agent, REWARD] = 0


@rule
def finish(world, state, scratch, copy):
    """See whether a team is out, a terminal event has happened, or time is up."""
    ended = scratch.terminal[copy]
    for team in range(world.kind.shape[0]):
        members = False
        living = False
        for group in range(world.kind.shape[0]):
            if world.kind[group, TEAM] == team:
                members = True
                living = living or anyone(world, state, group, copy)
        if members and not living:
            ended = True
    scratch.terminal[copy] = ended
    if ended or state.clock[copy] >= world.horizon:
        state.over[copy] = ENDED


@inlined
def anyone(world, state, group, copy):
    """Whether an agent of a group lives."""
    for agent in range(world.start[group], world.start[group + 1]):
        if state.body[copy, agent, STATUS] == ALIVE:
            return True
    return False


@rule
def tell(
    chosen,
    group,
    first,
    over,
    body,
    vital,
    bonus,
    terminal,
    reward,
    terminated,
    truncated,
    alive,
    lo,
    hi,
):
    """Write the rewards and flags of one group, whose agents begin with `first`.

    over, body, vital, bonus: see `State`. terminal: see `Scratch`.
    """
    for copy in range(lo, hi):
        if chosen[copy]:
            won = over[copy] == ENDED and terminal[copy]
            for i in range(reward.shape[1]):
                status = body[copy, first + i, STATUS]
                listed = status != GONE and over[copy] != OVER
                ended = listed and (status == DIED or won)
                own = vital[copy, first + i, REWARD]
                reward[copy, i] = own + bonus[copy, group] if listed else 0
                terminated[copy, i] = ended
                truncated[copy, i] = listed and over[copy] == ENDED and not ended
                alive[copy, i] = listed and over[copy] == PLAYING and not ended
