"""Rules of hit points: attacks, food, recovery and hunger."""

import numpy as np

from ecumene.battle.rules.space import covered, eye_of, occupy, turned
from ecumene.battle.state import (
    ACTION,
    ALIVE,
    ATTACK,
    ATTACK_BASE,
    ATTACK_PENALTY,
    CONTROLLED,
    DAMAGE,
    DEAD_PENALTY,
    DIED,
    DIRECTION,
    EAT_ABILITY,
    EMPTY,
    FOOD,
    FOOD_SUPPLY,
    HP,
    IN_GROUP,
    KILL,
    KILL_REWARD,
    KILL_SUPPLY,
    MAX_HP,
    OPERATION,
    PARTNER,
    REWARD,
    STATUS,
    STEP_RECOVER,
    X,
    Y,
)
from ecumene.engine import inlined, random

_LEAST_FOOD = 0.1


@inlined
def fight(world, state, scratch, copy):
    """Let all attacks happen, one after another in random order."""
    row = state.stream[copy]
    order = scratch.order[copy]
    count = take_aim(world, state, copy, order)
    for i in range(count):
        j = random.bounded(row, i + 1)
        kept = order[i]
        order[i] = order[j]
        order[j] = kept
    body = state.body[copy]
    for i in range(count):
        me = order[i]
        if me >= 0 and body[me, STATUS] == ALIVE:
            attack(world, state, copy, me)


@inlined
def take_aim(world, state, copy, order):
    """List the agents that attack, those that cannot hit anything as ``-1 - agent``.

    Most attacks of a large battle hit nothing. They are over with that: only their price is to be
    paid, and who dies afterwards loses what was paid anyway. Returns the length of the list.
    """
    count = list_attackers(world, state, copy, order)
    for i in range(count):
        agent = order[i]
        if not may_hit(world, state, copy, agent):
            order[i] = -1 - agent
            price = world.power[world.owner[agent], ATTACK_PENALTY]
            state.vital[copy, agent, REWARD] += price
    return count


@inlined
def list_attackers(world, state, copy, order):
    """List the living agents whose action is an attack; return how many there are.

    Who attacks cannot be foreseen by a processor, so there is no branch on it.
    """
    body = state.body[copy]
    count = 0
    for group in range(world.kind.shape[0]):
        if world.kind[group, CONTROLLED]:
            base = world.kind[group, ATTACK_BASE]
            for agent in range(world.start[group], world.start[group + 1]):
                order[count] = agent
                count += (body[agent, STATUS] == ALIVE) & (body[agent, ACTION] >= base)
    return count


@inlined
def may_hit(world, state, copy, me):
    """Whether there is anything to hit where an agent aims, or may be by its turn."""
    x, y = aim(world, state, copy, me)
    if not (0 <= x < world.map_width and 0 <= y < world.map_height):
        return False
    there = state.cell[copy, y, x]
    if there < 0:
        return there == FOOD
    group = world.owner[me]
    # A friend may be killed before, and leave food.
    return world.feeding or world.owner[there] != group or world.kind[group, IN_GROUP] != 0


@inlined
def attack(world, state, copy, me):
    """Let one agent hit the cell it aims at, whatever is there by now."""
    group = world.owner[me]
    x, y = aim(world, state, copy, me)
    gain = world.power[group, ATTACK_PENALTY]
    there = state.cell[copy, y, x]
    if there >= 0:
        if world.owner[there] != group or world.kind[group, IN_GROUP]:
            gain = hit(world, state, copy, me, there, x, y) + gain
    elif there == FOOD:
        eat(world, state, copy, me, x, y)
    state.vital[copy, me, REWARD] += gain


@inlined
def aim(world, state, copy, me):
    """Return the cell that an agent's present action attacks."""
    eye_x, eye_y = eye_of(world, state, copy, me)
    offset = world.offset[world.owner[me], state.body[copy, me, ACTION]]
    dx, dy = turned(state.body[copy, me, DIRECTION], offset[0], offset[1])
    return eye_x + dx, eye_y + dy


@inlined
def hit(world, state, copy, me, victim, x, y):
    """Take hp from a victim; return what its death pays, 0 if it lives."""
    group = world.owner[me]
    other = world.owner[victim]
    vital = state.vital[copy]
    vital[victim, HP] -= world.power[group, DAMAGE]
    state.body[copy, me, PARTNER] = victim
    if vital[victim, HP] >= 0:
        state.body[copy, me, OPERATION] = ATTACK
        return np.float32(0)
    state.body[copy, me, OPERATION] = KILL
    die(world, state, copy, victim)
    if world.feeding:
        state.cell[copy, y, x] = FOOD
        state.food[copy, y, x] = world.power[other, FOOD_SUPPLY]
    vital[me, HP] = min(world.power[group, MAX_HP], vital[me, HP] + world.power[other, KILL_SUPPLY])
    return world.power[other, KILL_REWARD]


@inlined
def die(world, state, copy, agent):
    """Take an agent off the map; its reward is the penalty of death, whatever it had earned."""
    group = world.owner[agent]
    state.body[copy, agent, STATUS] = DIED
    state.vital[copy, agent, REWARD] = world.power[group, DEAD_PENALTY]
    columns, rows = covered(world, state, copy, agent)
    x = state.body[copy, agent, X]
    y = state.body[copy, agent, Y]
    occupy(state.cell[copy], EMPTY, x, y, columns, rows)


@inlined
def eat(world, state, copy, me, x, y):
    """Take a bite of food."""
    group = world.owner[me]
    amount = state.food[copy, y, x]
    eaten = min(world.power[group, EAT_ABILITY], amount)
    vital = state.vital[copy]
    vital[me, HP] = min(world.power[group, MAX_HP], vital[me, HP] + eaten)
    amount -= eaten
    state.food[copy, y, x] = amount
    if amount < _LEAST_FOOD:
        state.food[copy, y, x] = 0
        state.cell[copy, y, x] = EMPTY


@inlined
def recover(world, state, copy, first, last):
    """Let the living agents ``first:last`` gain hp, or lose it to hunger."""
    body = state.body[copy]
    vital = state.vital[copy]
    for group in range(world.kind.shape[0]):
        gain = world.power[group, STEP_RECOVER]
        begin = max(first, world.start[group])
        end = min(last, world.start[group + 1])
        if gain > 0:
            most = world.power[group, MAX_HP]
            for agent in range(begin, end):
                if body[agent, STATUS] == ALIVE:
                    vital[agent, HP] = min(most, vital[agent, HP] + gain)
        elif gain < 0:
            for agent in range(begin, end):
                if body[agent, STATUS] == ALIVE:
                    vital[agent, HP] += gain
                    if vital[agent, HP] < 0:
                        die(world, state, copy, agent)
