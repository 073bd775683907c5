"""Rules of hit points: attacks, food, recovery and hunger."""

import numpy as np

from ecumene.battle.rules.space import extent, eye_of, occupy, turned
from ecumene.battle.state import ALIVE, ATTACK, DIED, EMPTY, FOOD, KILL
from ecumene.engine import random, rule

_LEAST_FOOD = 0.1


@rule
def fight(world, state, scratch, copy):
    """Let all attacks happen, one after another in random order."""
    row = state.stream[copy]
    order = scratch.order[copy]
    count = list_attackers(world, state, copy, order)
    for i in range(count):
        j = random.bounded(row, i + 1)
        kept = order[i]
        order[i] = order[j]
        order[j] = kept
    status = state.status[copy]
    for i in range(count):
        if status[order[i]] == ALIVE:
            attack(world, state, copy, order[i])


@rule
def list_attackers(world, state, copy, order):
    """Write the agents that attack, in order; return how many there are."""
    status = state.status[copy]
    action = state.action[copy]
    count = 0
    for group in range(world.team.shape[0]):
        if world.controlled[group] and world.offset.shape[1] > world.attack_base[group]:
            base = world.attack_base[group]
            for agent in range(world.start[group], world.start[group + 1]):
                if status[agent] == ALIVE and action[agent] >= base:
                    order[count] = agent
                    count += 1
    return count


@rule
def attack(world, state, copy, me):
    """Let one agent hit the cell it aims at."""
    group = world.owner[me]
    x, y = aim(world, state, copy, me)
    gain = world.attack_penalty[group]
    cell = state.cell[copy]
    if 0 <= x < world.map_width and 0 <= y < world.map_height:
        there = cell[y, x]
        if there >= 0:
            if world.owner[there] != group or world.attack_in_group[group]:
                gain = hit(world, state, copy, me, there, x, y) + gain
        elif there == FOOD:
            eat(world, state, copy, me, x, y)
    state.reward[copy, me] += gain


@rule
def aim(world, state, copy, me):
    """Return the cell that an agent's present action attacks."""
    group = world.owner[me]
    direction = state.direction[copy, me]
    eye_x, eye_y = eye_of(
        direction, state.x[copy, me], state.y[copy, me], world.width[group], world.length[group]
    )
    offset = world.offset[group, state.action[copy, me]]
    dx, dy = turned(direction, offset[0], offset[1])
    return eye_x + dx, eye_y + dy


@rule
def hit(world, state, copy, me, victim, x, y):
    """Take hp from a victim; return what its death pays, 0 if it lives."""
    group = world.owner[me]
    other = world.owner[victim]
    hp = state.hp[copy]
    hp[victim] -= world.damage[group]
    state.partner[copy, me] = victim
    if hp[victim] >= 0:
        state.operation[copy, me] = ATTACK
        return np.float32(0)
    state.operation[copy, me] = KILL
    die(world, state, copy, victim)
    if world.feeding:
        state.cell[copy, y, x] = FOOD
        state.food[copy, y, x] = world.food_supply[other]
    hp[me] = min(world.max_hp[group], hp[me] + world.kill_supply[other])
    return world.kill_reward[other]


@rule
def die(world, state, copy, agent):
    """Take an agent off the map; its reward is the penalty of death, whatever it had earned."""
    group = world.owner[agent]
    state.status[copy, agent] = DIED
    state.reward[copy, agent] = world.dead_penalty[group]
    columns, rows = extent(state.direction[copy, agent], world.width[group], world.length[group])
    occupy(state.cell[copy], EMPTY, state.x[copy, agent], state.y[copy, agent], columns, rows)


@rule
def eat(world, state, copy, me, x, y):
    """Take a bite of food."""
    group = world.owner[me]
    amount = state.food[copy, y, x]
    eaten = min(world.eat_ability[group], amount)
    hp = state.hp[copy]
    hp[me] = min(world.max_hp[group], hp[me] + eaten)
    amount -= eaten
    state.food[copy, y, x] = amount
    if amount < _LEAST_FOOD:
        state.food[copy, y, x] = 0
        state.cell[copy, y, x] = EMPTY


@rule
def recover(world, state, copy, first, last):
    """Let the living agents ``first:last`` gain hp, or lose it to hunger."""
    status = state.status[copy]
    hp = state.hp[copy]
    for group in range(world.team.shape[0]):
        gain = world.step_recover[group]
        begin = max(first, world.start[group])
        end = min(last, world.start[group + 1])
        if gain > 0:
            most = world.max_hp[group]
            for agent in range(begin, end):
                if status[agent] == ALIVE:
                    hp[agent] = min(most, hp[agent] + gain)
        elif gain < 0:
            for agent in range(begin, end):
                if status[agent] == ALIVE:
                    hp[agent] += gain
                    if hp[agent] < 0:
                        die(world, state, copy, agent)
