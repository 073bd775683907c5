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
from ecumene.battle.state import ALIVE, COLLIDE, EMPTY
from ecumene.engine import rule

# An agent this near the edge of a band is moved after all those that are not: whatever moves
# within a band then stays within it.
_MARGIN = 4


@rule
def move_all(world, state, scratch, copy):
    """Turn and move every living agent that has chosen to."""
    if world.bands == 1:
        if world.turning:
            turn_in_order(world, state, copy)
        move_in_order(world, state, copy)
        return
    if world.turning:
        sort_by_band(world, state, scratch, copy)
        turn_bands(world, state, scratch, copy, 0, world.bands + 1)
    sort_by_band(world, state, scratch, copy)
    move_bands(world, state, scratch, copy, 0, world.bands + 1)


@rule
def move_in_order(world, state, copy):
    """Move the agents group after group, index after index."""
    status = state.status[copy]
    action = state.action[copy]
    for group in range(world.team.shape[0]):
        if world.controlled[group]:
            moves = world.moves[group]
            for agent in range(world.start[group], world.start[group + 1]):
                if status[agent] == ALIVE and action[agent] < moves:
                    move(world, state, copy, agent)


@rule
def turn_in_order(world, state, copy):
    """Turn the agents group after group, index after index."""
    for group in range(world.team.shape[0]):
        if world.controlled[group]:
            for agent in range(world.start[group], world.start[group + 1]):
                turn(world, state, copy, agent)


@rule
def sort_by_band(world, state, scratch, copy):
    """List the living by band, those near an edge in a last list; `edge` delimits the lists."""
    edge = scratch.edge[copy]
    order = scratch.order[copy]
    status = state.status[copy]
    x = state.x[copy]
    for band in range(world.bands + 3):
        edge[band] = 0
    breadth = (world.map_width + world.bands - 1) // world.bands
    # Counted two places up, so that filling the lists moves every edge to its own place.
    for agent in range(world.owner.shape[0]):
        if status[agent] == ALIVE:
            edge[band_of(x[agent], breadth, world.bands) + 2] += 1
    for band in range(1, world.bands + 3):
        edge[band] += edge[band - 1]
    for agent in range(world.owner.shape[0]):
        if status[agent] == ALIVE:
            band = band_of(x[agent], breadth, world.bands)
            order[edge[band + 1]] = agent
            edge[band + 1] += 1


@rule
def band_of(x, breadth, bands):
    """Return the band that a column belongs to, `bands` for those near an edge."""
    along = x % breadth
    if along < _MARGIN or along > breadth - _MARGIN:
        return bands
    return x // breadth


@rule
def move_bands(world, state, scratch, copy, first, last):
    """Move the agents of the bands ``first:last``; band number `bands` is the list of the edges."""
    action = state.action[copy]
    order = scratch.order[copy]
    for i in range(scratch.edge[copy, first], scratch.edge[copy, last]):
        agent = order[i]
        group = world.owner[agent]
        if world.controlled[group] and action[agent] < world.moves[group]:
            move(world, state, copy, agent)


@rule
def turn_bands(world, state, scratch, copy, first, last):
    """Turn the agents of the bands ``first:last``."""
    order = scratch.order[copy]
    for i in range(scratch.edge[copy, first], scratch.edge[copy, last]):
        if world.controlled[world.owner[order[i]]]:
            turn(world, state, copy, order[i])


@rule
def move(world, state, copy, me):
    """Move one agent if there is room where it wants to be, whatever lies between."""
    group = world.owner[me]
    offset = world.offset[group, state.action[copy, me]]
    old_x = state.x[copy, me]
    old_y = state.y[copy, me]
    direction = state.direction[copy, me]
    dx, dy = turned(direction, offset[0], offset[1])
    x = old_x + dx
    y = old_y + dy
    cell = state.cell[copy]
    columns, rows = extent(direction, world.width[group], world.length[group])
    if placeable(cell, me, x, y, columns, rows):
        occupy(cell, EMPTY, old_x, old_y, columns, rows)
        occupy(cell, me, x, y, columns, rows)
        state.x[copy, me] = x
        state.y[copy, me] = y
    elif inside(cell, x, y, columns, rows):
        other = first_other(cell, me, x, y, columns, rows)
        if other >= 0:
            state.operation[copy, me] = COLLIDE
            state.partner[copy, me] = other


@rule
def turn(world, state, copy, me):
    """Turn one agent around its head if its action is a turn and there is room."""
    group = world.owner[me]
    which = state.action[copy, me] - world.moves[group]
    if state.status[copy, me] != ALIVE or which < 0 or which > 1:
        return
    width = world.width[group]
    length = world.length[group]
    direction = state.direction[copy, me]
    new = (direction + 1 + 2 * which) % 4
    old_x = state.x[copy, me]
    old_y = state.y[copy, me]
    head_x, head_y = head_of(direction, old_x, old_y, width, length)
    x, y = corner_of(new, head_x, head_y, width, length)
    cell = state.cell[copy]
    columns, rows = extent(new, width, length)
    if placeable(cell, me, x, y, columns, rows):
        old_columns, old_rows = extent(direction, width, length)
        occupy(cell, EMPTY, old_x, old_y, old_columns, old_rows)
        occupy(cell, me, x, y, columns, rows)
        state.x[copy, me] = x
        state.y[copy, me] = y
        state.direction[copy, me] = new
