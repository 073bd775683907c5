"""Rules of the scripted baselines: whom to go for, and which action to take."""

from ecumene.battle.rules.space import covered, eye_of, placeable, turned
from ecumene.battle.state import (
    ACTIONS,
    ALIVE,
    ATTACK_BASE,
    DIRECTION,
    FOOD,
    HP,
    MOVES,
    OVER,
    STATUS,
    WALL,
    X,
    Y,
)
from ecumene.engine import inlined, rule

_NOTHING = -1
_FAR = 1 << 30


@rule
def choose(chosen, group, away, sought, food, world, state, steps, queue, actions, lo, hi):
    """Write an action for every agent of a group.

    away: whether to keep off the sought rather than go for them.
    sought: bool[group]; whom.
    food: whether food in a cell is sought too.
    steps, queue: int32[row, column], int32[cells]; scratch.
    actions: int64[copy, agent]; 0 for those that are not alive.
    """
    for copy in range(lo, hi):
        if chosen[copy]:
            measure(world, state, sought, food, steps, queue, copy)
            for i in range(actions.shape[1]):
                me = world.start[group] + i
                actions[copy, i] = 0
                if state.body[copy, me, STATUS] == ALIVE and state.over[copy] != OVER:
                    hit = _NOTHING if away else best_hit(world, state, sought, food, copy, me)
                    if hit == _NOTHING:
                        hit = best_move(world, state, away, steps, copy, me)
                    actions[copy, i] = hit


@inlined
def measure(world, state, sought, food, steps, queue, copy):
    """Write how many steps to a neighbour lead around the walls to the nearest sought."""
    count = 0
    for y in range(world.map_height):
        for x in range(world.map_width):
            steps[y, x] = _FAR
            if worth(world, state, sought, food, copy, x, y) >= 0:
                steps[y, x] = 0
                queue[count] = y * world.map_width + x
                count += 1
    done = 0
    while done < count:
        y = queue[done] // world.map_width
        x = queue[done] % world.map_width
        done += 1
        for direction in range(4):
            dx, dy = turned(direction, 0, 1)
            if state.cell[copy, y + dy, x + dx] != WALL and steps[y + dy, x + dx] == _FAR:
                steps[y + dy, x + dx] = steps[y, x] + 1
                queue[count] = (y + dy) * world.map_width + x + dx
                count += 1


@inlined
def worth(world, state, sought, food, copy, x, y):
    """Return the hp of what is sought in a cell, 0 for food, -1 if there is nothing."""
    there = state.cell[copy, y, x]
    if there >= 0 and sought[world.owner[there]]:
        return state.vital[copy, there, HP]
    return 0.0 if food and there == FOOD else -1.0


@inlined
def best_hit(world, state, sought, food, copy, me):
    """Return the attack on the weakest that is sought and within reach, -1 if there is none."""
    group = world.owner[me]
    eye_x, eye_y = eye_of(world, state, copy, me)
    best = _NOTHING
    least = -1.0
    for action in range(world.kind[group, ATTACK_BASE], world.kind[group, ACTIONS]):
        offset = world.offset[group, action]
        dx, dy = turned(state.body[copy, me, DIRECTION], offset[0], offset[1])
        x = eye_x + dx
        y = eye_y + dy
        if 0 <= x < world.map_width and 0 <= y < world.map_height:
            hp = worth(world, state, sought, food, copy, x, y)
            if hp >= 0 and (best == _NOTHING or hp < least):
                best = action
                least = hp
    return best


@inlined
def best_move(world, state, away, steps, copy, me):
    """Return the move to where the fewest steps are left, or the most; rather stay than pace."""
    group = world.owner[me]
    eye_x, eye_y = eye_of(world, state, copy, me)
    columns, rows = covered(world, state, copy, me)
    best = _NOTHING
    least = 0
    for action in range(world.kind[group, MOVES]):
        dx, dy = turned(
            state.body[copy, me, DIRECTION],
            world.offset[group, action, 0],
            world.offset[group, action, 1],
        )
        x = state.body[copy, me, X] + dx
        y = state.body[copy, me, Y] + dy
        if placeable(state.cell[copy], me, x, y, columns, rows):
            left = steps[eye_y + dy, eye_x + dx]
            cost = 2 * (-left if away else left) + (1 if dx != 0 or dy != 0 else 0)
            if best == _NOTHING or cost < least:
                best = action
                least = cost
    return best
