"""Rules of moving and turning: one agent after another, on the map as it is by then."""

from ecumene.battle.rules.space import (
    corner_of,
    extent,
    first_other,
    head_of,
    inside,
    occupy,
    placeable,
    turned,
)
from ecumene.battle.state import (
    ACTION,
    ALIVE,
    COLLIDE,
    CONTROLLED,
    DIRECTION,
    EMPTY,
    LENGTH,
    MOVES,
    OPERATION,
    PARTNER,
    STATUS,
    WIDTH,
    X,
    Y,
)
from ecumene.engine import helper, inlined

# An agent this near the edge of a band is moved after all those that are not: whatever moves
# within a band then stays within it.
_MARGIN = 4


@inlined
def move_all(world, state, scratch, copy):
    """Turn and move every living agent that has chosen to."""
    if world.bands == 1:
        if world.turning:
            turn_in_order(world, state, copy)
        move_in_order(world, state, scratch, copy)
        return
    if world.turning:
        sort_by_band(world, state, scratch, copy)
        turn_bands(world, state, scratch, copy, 0, world.bands + 1)
    sort_by_band(world, state, scratch, copy)
    move_bands(world, state, scratch, copy, 0, world.bands + 1)


@inlined
def move_in_order(world, state, scratch, copy):
    """Move the agents group after group, index after index."""
    order = scratch.order[copy]
    count = list_movers(world, state, copy, order)
    for i in range(count):
        move(world, state, copy, order[i])


@inlined
def list_movers(world, state, copy, order):
    """List the living agents whose action is a move; return how many there are.

    Who moves cannot be foreseen by a processor, so there is no branch on it.
    """
    body = state.body[copy]
    count = 0
    for group in range(world.kind.shape[0]):
        if world.kind[group, CONTROLLED]:
            moves = world.kind[group, MOVES]
            for agent in range(world.start[group], world.start[group + 1]):
                order[count] = agent
                count += (body[agent, STATUS] == ALIVE) & (body[agent, ACTION] < moves)
    return count


@inlined
def turn_in_order(world, state, copy):
    """Turn the agents group after group, index after index."""
    for group in range(world.kind.shape[0]):
        if world.kind[group, CONTROLLED]:
            for agent in range(world.start[group], world.start[group + 1]):
                turn(world, state, copy, agent)


@helper
def sort_by_band(world, state, scratch, copy):
    """List the living by band, those near an edge in a last list; `edge` delimits the lists."""
    edge = scratch.edge[copy]
    order = scratch.order[copy]
    body = state.body[copy]
    for band in range(world.bands + 3):
        edge[band] = 0
    breadth = (world.map_width + world.bands - 1) // world.bands
    # Counted two places up, so that filling the lists moves every edge to its own place.
    for agent in range(world.owner.shape[0]):
        if body[agent, STATUS] == ALIVE:
            edge[band_of(body[agent, X], breadth, world.bands) + 2] += 1
    for band in range(1, world.bands + 3):
        edge[band] += edge[band - 1]
    for agent in range(world.owner.shape[0]):
        if body[agent, STATUS] == ALIVE:
            band = band_of(body[agent, X], breadth, world.bands)
            order[edge[band + 1]] = agent
            edge[band + 1] += 1


@inlined
def band_of(x, breadth, bands):
    """Return the band that a column belongs to, `bands` for those near an edge."""
    along = x % breadth
    if along < _MARGIN or along > breadth - _MARGIN:
        return bands
    return x // breadth


@helper
def move_bands(world, state, scratch, copy, first, last):
    """Move the agents of the bands ``first:last``; band number `bands` is the list of the edges."""
    body = state.body[copy]
    order = scratch.order[copy]
    for i in range(scratch.edge[copy, first], scratch.edge[copy, last]):
        agent = order[i]
        group = world.owner[agent]
        if world.kind[group, CONTROLLED] and body[agent, ACTION] < world.kind[group, MOVES]:
            move(world, state, copy, agent)


@helper
def turn_bands(world, state, scratch, copy, first, last):
    """Turn the agents of the bands ``first:last``."""
    order = scratch.order[copy]
    for i in range(scratch.edge[copy, first], scratch.edge[copy, last]):
        if world.kind[world.owner[order[i]], CONTROLLED]:
            turn(world, state, copy, order[i])


@inlined
def move(world, state, copy, me):
    """Move one agent if there is room where it wants to be, whatever lies between."""
    group = world.owner[me]
    body = state.body[copy, me]
    offset = world.offset[group, body[ACTION]]
    dx, dy = turned(body[DIRECTION], offset[0], offset[1])
    x = body[X] + dx
    y = body[Y] + dy
    cell = state.cell[copy]
    columns, rows = extent(body[DIRECTION], world.kind[group, WIDTH], world.kind[group, LENGTH])
    if columns == 1 and rows == 1:
        step_aside(cell, body, me, x, y)
    elif placeable(cell, me, x, y, columns, rows):
        occupy(cell, EMPTY, body[X], body[Y], columns, rows)
        occupy(cell, me, x, y, columns, rows)
        body[X] = x
        body[Y] = y
    elif inside(cell, x, y, columns, rows):
        bump(body, first_other(cell, me, x, y, columns, rows))


@inlined
def step_aside(cell, body, me, x, y):
    """Move an agent of one cell: what `move` does, without a branch on what is in the way."""
    if inside(cell, x, y, 1, 1):
        there = cell[y, x]
        free = there == EMPTY
        cell[body[Y], body[X]] = EMPTY if free else me
        cell[y, x] = me if free else there
        body[X] = x if free else body[X]
        body[Y] = y if free else body[Y]
        met = (there >= 0) & (there != me)
        body[OPERATION] = COLLIDE if met else body[OPERATION]
        body[PARTNER] = there if met else body[PARTNER]


@inlined
def bump(body, other):
    """Note whom an agent could not get past, if it was anybody."""
    if other >= 0:
        body[OPERATION] = COLLIDE
        body[PARTNER] = other


@inlined
def turn(world, state, copy, me):
    """Turn one agent around its head if its action is a turn and there is room."""
    group = world.owner[me]
    which = state.body[copy, me, ACTION] - world.kind[group, MOVES]
    if state.body[copy, me, STATUS] != ALIVE or which < 0 or which > 1:
        return
    width = world.kind[group, WIDTH]
    length = world.kind[group, LENGTH]
    direction = state.body[copy, me, DIRECTION]
    new = (direction + 1 + 2 * which) % 4
    old_x = state.body[copy, me, X]
    old_y = state.body[copy, me, Y]
    head_x, head_y = head_of(direction, old_x, old_y, width, length)
    x, y = corner_of(new, head_x, head_y, width, length)
    cell = state.cell[copy]
    columns, rows = extent(new, width, length)
    if placeable(cell, me, x, y, columns, rows):
        old_columns, old_rows = extent(direction, width, length)
        occupy(cell, EMPTY, old_x, old_y, old_columns, old_rows)
        occupy(cell, me, x, y, columns, rows)
        state.body[copy, me, X] = x
        state.body[copy, me, Y] = y
        state.body[copy, me, DIRECTION] = new
