"""Who can go where: rules over the map of one copy.

`tile` is ``float32[channel, row, column]``, how much of each entity a tile holds. `marks` is
``int16[private landmarks + 1, row, column]``: owner + 2 per private landmark, then agent + 2 in
the last channel; 0 means none. These numbers are the documented observation `idx_map`, so the map
itself is what the planner sees.
"""

from ecumene.engine.compile import helper, rule
from ecumene.engine.grid import inside

OFFSET = 2


@rule
def accessible(tile, marks, blocking, r, c, agent):
    """Tell whether landmarks let an agent stand on a tile of the world."""
    for channel in blocking:
        if tile[channel, r, c] > 0:
            return False
    for private in range(marks.shape[0] - 1):
        mark = marks[private, r, c]
        if mark != 0 and mark != agent + OFFSET:
            return False
    return True


@rule
def can_occupy(tile, marks, blocking, r, c, agent):
    """Tell whether an agent could move to (r, c): in the world, open to it, and nobody there."""
    if not inside(tile.shape[1], tile.shape[2], r, c):
        return False
    return marks[marks.shape[0] - 1, r, c] == 0 and accessible(tile, marks, blocking, r, c, agent)


@rule
def leave(marks, location, agent):
    """Take an agent off the map; its location stays what it was."""
    people = marks.shape[0] - 1
    r = location[agent, 0]
    c = location[agent, 1]
    if r >= 0 and c >= 0 and marks[people, r, c] == agent + OFFSET:
        marks[people, r, c] = 0


@rule
def put(marks, location, r, c, agent):
    """Move an agent to a tile, whatever is there."""
    leave(marks, location, agent)
    location[agent, 0] = r
    location[agent, 1] = c
    marks[marks.shape[0] - 1, r, c] = agent + OFFSET


@helper
def move(tile, marks, blocking, location, r, c, agent):
    """Move an agent if it can occupy the tile; tell whether it moved."""
    if not can_occupy(tile, marks, blocking, r, c, agent):
        return False
    put(marks, location, r, c, agent)
    return True


@helper
def is_empty(tile, r, c):
    """Tell whether a tile holds no resource and no landmark (agents do not count)."""
    for channel in range(tile.shape[0]):
        if tile[channel, r, c] > 0:
            return False
    return True


@rule
def clear_people(marks, location):
    """Take every agent off the map, to location (-1, -1)."""
    location[:] = -1
    people = marks[marks.shape[0] - 1]
    for r in range(people.shape[0]):
        for c in range(people.shape[1]):
            people[r, c] = 0
