"""Rules of the first moment: walls, and agents on the map."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.battle.rules.space import extent, occupy, placeable
from ecumene.battle.state import (
    ACTION,
    ALIVE,
    DIRECTION,
    EAST,
    EMPTY,
    GONE,
    HP,
    LENGTH,
    MAX_HP,
    NORTH,
    NUMBER,
    OPERATION,
    PARTNER,
    PLAYING,
    PREVIOUS,
    REWARD,
    SOUTH,
    STATUS,
    WALL,
    WEST,
    WIDTH,
    X,
    Y,
)
from ecumene.engine import inlined, random, rule

# How an order places: at given cells, anywhere, or (walls) as a maze.
FIXED, ANYWHERE, MAZE = 0, 1, 2
# Group of an order that places walls.
WALLS = -1


class Layout(NamedTuple):
    """What to place, order after order."""

    order: NDArray[np.int64]  # [order, 4]; group, how, first spot or corridor, count
    spot: NDArray[np.int32]  # [spot, 3]; x, y, direction


@rule
def begin(chosen, world, layout, state, scratch, lo, hi):
    """Start a new episode."""
    for copy in range(lo, hi):
        if chosen[copy]:
            state.clock[copy] = 0
            state.over[copy] = PLAYING
            clear_agents(state, copy)
            scratch.crowded[copy] = place_all(world, layout, state, scratch, copy)


@inlined
def clear_agents(state, copy):
    """Take every agent off the map, as if it had never been."""
    for group in range(state.bonus.shape[1]):
        state.bonus[copy, group] = 0
    for agent in range(state.body.shape[1]):
        state.body[copy, agent, X] = 0
        state.body[copy, agent, Y] = 0
        state.body[copy, agent, DIRECTION] = NORTH
        state.vital[copy, agent, HP] = 0
        state.body[copy, agent, STATUS] = GONE
        state.body[copy, agent, NUMBER] = 0
        state.body[copy, agent, ACTION] = -1
        state.body[copy, agent, OPERATION] = 0
        state.body[copy, agent, PARTNER] = -1
        state.vital[copy, agent, REWARD] = 0
        state.vital[copy, agent, PREVIOUS] = 0


@inlined
def clear_map(state, copy):
    """Leave nothing on the map but its border."""
    cell = state.cell[copy]
    for row in range(cell.shape[0]):
        cell[row, :] = EMPTY
        cell[row, 0] = WALL
        cell[row, cell.shape[1] - 1] = WALL
    cell[0, :] = WALL
    cell[cell.shape[0] - 1, :] = WALL
    food = state.food[copy]
    for row in range(food.shape[0]):
        food[row, :] = 0


@inlined
def place_all(world, layout, state, scratch, copy):
    """Follow all orders; return 0, or group + 2 of one that found no room (walls: 1)."""
    clear_map(state, copy)
    placed = scratch.bound[copy]  # how many agents each group has by now
    for group in range(world.kind.shape[0]):
        placed[group] = 0
    total = 0
    for i in range(layout.order.shape[0]):
        group = layout.order[i, 0]
        how = layout.order[i, 1]
        first = layout.order[i, 2]
        count = layout.order[i, 3]
        if how == MAZE:
            grow_maze(state, copy, first)
        elif group == WALLS:
            if not place_walls(layout, state, copy, how, first, count):
                return 1
        else:
            for spot in range(first, first + count):
                if how == ANYWHERE:
                    if not place_anywhere(world, state, copy, group, placed[group], total):
                        return group + 2
                    fits = True
                else:
                    fits = place_at(
                        world, state, copy, group, placed[group], total, layout.spot[spot]
                    )
                if fits:
                    placed[group] += 1
                    total += 1
    return 0


@inlined
def place_walls(layout, state, copy, how, first, count):
    """Build walls at the given spots or anywhere; false if there is no room."""
    cell = state.cell[copy]
    row = state.stream[copy]
    for spot in range(first, first + count):
        if how == ANYWHERE:
            x, y = find_room(row, cell, 1, 1)
            if x < 0:
                return False
            cell[y, x] = WALL
        else:
            x = layout.spot[spot, 0]
            y = layout.spot[spot, 1]
            if cell[y, x] == EMPTY:
                cell[y, x] = WALL
    return True


@inlined
def place_anywhere(world, state, copy, group, index, number):
    """Place an agent at random, or return False."""
    row = state.stream[copy]
    direction = random.bounded(row, 4) if world.turning else NORTH
    columns, rows = extent(direction, world.kind[group, WIDTH], world.kind[group, LENGTH])
    x, y = find_room(row, state.cell[copy], columns, rows)
    if x < 0:
        return False
    put(world, state, copy, group, index, number, x, y, direction)
    return True


@inlined
def place_at(world, state, copy, group, index, number, spot):
    """Place an agent at a spot unless something is in the way; return whether it was placed."""
    direction = spot[2] if world.turning else NORTH
    columns, rows = extent(direction, world.kind[group, WIDTH], world.kind[group, LENGTH])
    if not placeable(state.cell[copy], -1, spot[0], spot[1], columns, rows):
        return False
    put(world, state, copy, group, index, number, spot[0], spot[1], direction)
    return True


@inlined
def put(world, state, copy, group, index, number, x, y, direction):
    """Put an agent on the map, alive and well."""
    agent = world.start[group] + index
    state.body[copy, agent, X] = x
    state.body[copy, agent, Y] = y
    state.body[copy, agent, DIRECTION] = direction
    state.vital[copy, agent, HP] = world.power[group, MAX_HP]
    state.body[copy, agent, STATUS] = ALIVE
    state.body[copy, agent, NUMBER] = number
    columns, rows = extent(direction, world.kind[group, WIDTH], world.kind[group, LENGTH])
    occupy(state.cell[copy], agent, x, y, columns, rows)


@inlined
def find_room(row, cell, columns, rows):
    """Draw a corner where a body fits, (-1, -1) if there is none.

    It draws blindly at first, which is the quickest on any but a crowded map; then among the
    corners that are left.
    """
    wide = cell.shape[1] - columns
    high = cell.shape[0] - rows
    for _ in range(cell.size):
        x = random.bounded(row, wide)
        y = random.bounded(row, high)
        if placeable(cell, -1, x, y, columns, rows):
            return x, y
    left = 0
    for y in range(high):
        for x in range(wide):
            if placeable(cell, -1, x, y, columns, rows):
                left += 1
    if left == 0:
        return -1, -1
    left = random.bounded(row, left)
    for y in range(high):
        for x in range(wide):
            if placeable(cell, -1, x, y, columns, rows):
                if left == 0:
                    return x, y
                left -= 1
    return -1, -1


@inlined
def grow_maze(state, copy, corridor):
    """Build walls so that every corridor cell is reached in one way.

    Pillars stand a corridor apart. From each a wall grows to a neighbouring pillar: up, down,
    left or right from those of the first row, in any direction but up from the others, and
    never where a wall has already grown.
    """
    cell = state.cell[copy]
    row = state.stream[copy]
    pitch = corridor + 1
    for y in range(pitch, cell.shape[0] - pitch, pitch):
        for x in range(pitch, cell.shape[1] - pitch, pitch):
            if cell[y, x] == EMPTY:
                cell[y, x] = WALL
            choices = 4 if y == pitch else 3
            dx, dy = 0, 1
            for _ in range(64):
                dx, dy = _heading(random.bounded(row, choices))
                if cell[y + dy, x + dx] == EMPTY:
                    break
            for k in range(1, corridor + 1):
                if cell[y + k * dy, x + k * dx] == EMPTY:
                    cell[y + k * dy, x + k * dx] = WALL


@inlined
def _heading(direction):
    if direction == EAST:
        return 1, 0
    if direction == SOUTH:
        return 0, 1
    if direction == WEST:
        return -1, 0
    return 0, -1
