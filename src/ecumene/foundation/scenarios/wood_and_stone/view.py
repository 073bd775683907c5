"""What agents see of the world: rules.

Writing these arrays is most of the cost of a step, so rows are written whole: the part of a row
that lies outside the world is filled with 0 and the part inside is copied.
"""

import numpy as np

from ecumene.engine.compile import rule
from ecumene.foundation.rules.space import OFFSET

ITSELF = np.int16(1)


@rule
def observe_windows(chosen, tile, marks, location, windows, idx_windows, lo, hi):
    """Write every agent's window of the map."""
    for copy in range(lo, hi):
        if chosen[copy]:
            write_windows(
                tile[copy], marks[copy], location[copy], windows[copy], idx_windows[copy]
            )


@rule
def write_windows(tile, marks, location, windows, idx_windows):
    """Write the windows of the agents of one copy; the last channel is 1 inside the world."""
    height, width = tile.shape[1], tile.shape[2]
    side = windows.shape[2]
    reach = side // 2
    inside = tile.shape[0]
    for agent in range(location.shape[0]):
        top = location[agent, 0] - reach
        left = location[agent, 1] - reach
        # Columns begin:end of the window lie inside the world.
        begin = max(0, -left)
        end = min(side, width - left)
        for i in range(side):
            r = top + i
            within = 0 <= r < height and begin < end
            for channel in range(inside):
                target = windows[agent, channel, i]
                if within:
                    copy_row(tile[channel, r], left, begin, end, target)
                else:
                    target[:] = np.float32(0)
            target = windows[agent, inside, i]
            target[:] = np.float32(0)
            if within:
                for j in range(begin, end):
                    target[j] = np.float32(1)
            for channel in range(marks.shape[0]):
                marked = idx_windows[agent, channel, i]
                if within:
                    copy_marks(marks[channel, r], left, begin, end, agent, marked)
                else:
                    marked[:] = np.int16(0)


@rule
def copy_row(source, left, begin, end, target):
    """Copy a row of the map into a row of a window."""
    for j in range(begin):
        target[j] = np.float32(0)
    for j in range(begin, end):
        target[j] = source[left + j]
    for j in range(end, target.shape[0]):
        target[j] = np.float32(0)


@rule
def copy_marks(source, left, begin, end, agent, target):
    """Copy a row of marks into a row of a window; the agent's own become 1."""
    own = np.int16(agent + OFFSET)
    for j in range(begin):
        target[j] = np.int16(0)
    for j in range(begin, end):
        mark = source[left + j]
        target[j] = ITSELF if mark == own else mark
    for j in range(end, target.shape[0]):
        target[j] = np.int16(0)


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
                source = marks[channel, r]
                copy_marks(source, 0, 0, source.shape[0], agent, idx_maps[agent, channel, r])


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
