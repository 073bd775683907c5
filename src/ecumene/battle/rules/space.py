"""Rules of space: directions, bodies, and what stands in a cell."""

from ecumene.battle.state import DIRECTION, EAST, EMPTY, LENGTH, NORTH, SOUTH, WIDTH, X, Y
from ecumene.engine import inlined


@inlined
def turned(direction, dx, dy):
    """Return an offset as the agent means it, on the map."""
    if direction == NORTH:
        return dx, dy
    if direction == SOUTH:
        return -dx, -dy
    if direction == EAST:
        return -dy, dx
    return dy, -dx


@inlined
def extent(direction, width, length):
    """Return the columns and rows that a body covers."""
    if direction in (NORTH, SOUTH):
        return width, length
    return length, width


@inlined
def covered(world, state, copy, agent):
    """Return the columns and rows that an agent's body covers."""
    group = world.owner[agent]
    direction = state.body[copy, agent, DIRECTION]
    return extent(direction, world.kind[group, WIDTH], world.kind[group, LENGTH])


@inlined
def head_of(direction, x, y, width, length):
    """Return the cell of a body that stays where it is when the body turns."""
    if direction == NORTH:
        return x, y
    if direction == SOUTH:
        return x + width - 1, y + length - 1
    if direction == EAST:
        return x + length - 1, y
    return x, y + width - 1


@inlined
def corner_of(direction, head_x, head_y, width, length):
    """Return the corner of a body from its head: the inverse of `head_of`."""
    if direction == NORTH:
        return head_x, head_y
    if direction == SOUTH:
        return head_x - width + 1, head_y - length + 1
    if direction == EAST:
        return head_x - length + 1, head_y
    return head_x, head_y - width + 1


@inlined
def centre_of(direction, x, y, width, length):
    """Return the cell in the middle of a body, that behind and to the right where it is even."""
    if direction == NORTH:
        return x + width // 2, y + length // 2
    head_x, head_y = head_of(direction, x, y, width, length)
    dx, dy = turned(direction, width // 2, length // 2)
    return head_x + dx, head_y + dy


@inlined
def eye_of(world, state, copy, agent):
    """Return the cell from which an agent sees and hits."""
    group = world.owner[agent]
    return centre_of(
        state.body[copy, agent, DIRECTION],
        state.body[copy, agent, X],
        state.body[copy, agent, Y],
        world.kind[group, WIDTH],
        world.kind[group, LENGTH],
    )


@inlined
def inside(cell, x, y, columns, rows):
    """Whether a body lies within the border."""
    return x >= 0 and y >= 0 and x + columns < cell.shape[1] and y + rows < cell.shape[0]


@inlined
def placeable(cell, me, x, y, columns, rows):
    """Whether a body fits, its own present cells being no obstacle (`me` = -1: it has none)."""
    if not inside(cell, x, y, columns, rows):
        return False
    for row in range(y, y + rows):
        for column in range(x, x + columns):
            there = cell[row, column]
            if there != EMPTY and (there < 0 or there != me):
                return False
    return True


@inlined
def occupy(cell, what, x, y, columns, rows):
    """Write something into every cell of a body."""
    for row in range(y, y + rows):
        for column in range(x, x + columns):
            cell[row, column] = what


@inlined
def first_other(cell, me, x, y, columns, rows):
    """Return the first agent but `me` in a rectangle, column by column; -1 if there is none."""
    for column in range(x, x + columns):
        for row in range(y, y + rows):
            there = cell[row, column]
            if there >= 0 and there != me:
                return there
    return -1
