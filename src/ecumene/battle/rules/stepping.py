"""Rules of the step: its order of events, its end, and what is told of it."""

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
from ecumene.engine import inlined


@inlined
def tick(state, copy):
    """Count the step; return whether the episode goes on."""
    if state.over[copy] != PLAYING:
        state.over[copy] = OVER
        return False
    state.clock[copy] += 1
    for group in range(state.bonus.shape[1]):
        state.bonus[copy, group] = 0
    return True


@inlined
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


@inlined
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


@inlined
def tell(world, state, scratch, report, copy):
    """Write the rewards and flags of one group."""
    group = report.eye.group
    over = state.over[copy]
    won = over == ENDED and scratch.terminal[copy]
    bonus = state.bonus[copy, group]
    for i in range(report.reward.shape[1]):
        agent = world.start[group] + i
        status = state.body[copy, agent, STATUS]
        listed = status != GONE and over != OVER
        ended = listed and (status == DIED or won)
        own = state.vital[copy, agent, REWARD]
        report.reward[copy, i] = own + bonus if listed else 0
        report.terminated[copy, i] = ended
        report.truncated[copy, i] = listed and over == ENDED and not ended
        report.alive[copy, i] = listed and over == PLAYING and not ended
