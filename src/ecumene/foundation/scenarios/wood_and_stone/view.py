"""What agents see of the world: rules.

Writing these arrays is most of the cost of a step: windows are copied row by row, and only those
that reach over the edge of the world are filled with 0 before.
"""

import numpy as np

from ecumene.engine.compile import helper, rule
from ecumene.engine.grid import copy_window, mark_inside, overlap
from ecumene.foundation.rules.space import OFFSET

ITSELF = np.int16(1)


@rule
def observe_windows(chosen, tile, marks, location, windows, idx_windows, lo, hi):
    """Write every agent's window of the map."""
    for copy in range(lo, hi):
        if chosen[copy]:
            write_windows(tile[copy], marks[copy], location[copy], windows[copy], idx_windows[copy])


@rule
def write_windows(tile, marks, location, windows, idx_windows):
    """Write the windows of the agents of one copy; the last channel is 1 inside the world."""
    channels, height, width = tile.shape
    side = windows.shape[2]
    reach = side // 2
    for agent in range(location.shape[0]):
        top = location[agent, 0] - reach
        left = location[agent, 1] - reach
        copy_window(tile, top, left, windows[agent, :channels])
        mark_inside(height, width, top, left, windows[agent, channels])
        first, last = overlap(top, side, height)
        begin, end = overlap(left, side, width)
        if last - first < side or end - begin < side:
            idx_windows[agent] = np.int16(0)
        own = np.int16(agent + OFFSET)
        for channel in range(marks.shape[0]):
            for i in range(first, last):
                copy_marks(
                    marks[channel, top + i, left + begin : left + end],
                    own,
                    idx_windows[agent, channel, i, begin:end],
                )


@helper
def copy_marks(source, own, target):
    """Copy a row of marks; an agent's own become 1."""
    for j in range(source.shape[0]):
        mark = source[j]
        target[j] = ITSELF if mark == own else mark


@rule
def observe_whole_marks(chosen, marks, idx_maps, lo, hi):
    """Write every agent's version of all marks."""
    for copy in range(lo, hi):
        if chosen[copy]:
            write_whole_marks(marks[copy], idx_maps[copy])


@rule
def write_whole_marks(marks, idx_maps):
    """Write the versions of all marks that the agents of one copy see."""
    for agent in range(idx_maps.shape[0]):
        for channel in range(marks.shape[0]):
            for r in range(marks.shape[1]):
                own = np.int16(agent + OFFSET)
                copy_marks(marks[channel, r], own, idx_maps[agent, channel, r])


@rule
def observe_numbers(
    chosen, inventory, location, flat, planner, seen, own, planners, seens, scale, lo, hi
):
    """Write inventories and locations where the agents, the planner and its `p<i>` see them.

    `own`, `planners` and `seens` hold the column of each field, -1 where it is not observed:
    one per resource, then row and column.
    """
    height, width, inv_scale = scale
    goods = inventory.shape[2]
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        n = location.shape[1]
        for good in range(goods):
            planner[copy, 0, planners[good]] = inventory[copy, n, good] * inv_scale
        for agent in range(n):
            row = location[copy, agent, 0] / height
            column = location[copy, agent, 1] / width
            for good in range(goods):
                amount = inventory[copy, agent, good] * inv_scale
                flat[copy, agent, own[good]] = amount
                if seens[good] >= 0:
                    seen[copy, agent, seens[good]] = amount
            if own[goods] >= 0:
                flat[copy, agent, own[goods]] = row
                flat[copy, agent, own[goods + 1]] = column
            if seens[goods] >= 0:
                seen[copy, agent, seens[goods]] = row
                seen[copy, agent, seens[goods + 1]] = column
