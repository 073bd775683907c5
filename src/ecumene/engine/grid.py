"""Grids: what is inside, and the windows that agents see of them."""

from ecumene.engine.compile import helper


@helper
def inside(height, width, r, c):
    """Tell whether (r, c) is a cell of the grid."""
    return 0 <= r < height and 0 <= c < width


@helper
def overlap(first, side, length):
    """Return which part ``begin:end`` of a line of `side` cells from `first` on lies in a grid."""
    begin = min(side, max(0, -first))
    return begin, max(begin, min(side, length - first))


@helper
def copy_window(source, top, left, target):
    """Copy the window whose corner is (top, left) out of a grid; 0 outside the grid.

    `source` is ``[channel, row, column]`` and `target` ``[channel, side, side]``, of one dtype.
    """
    side = target.shape[2]
    first, last = overlap(top, target.shape[1], source.shape[1])
    begin, end = overlap(left, side, source.shape[2])
    if last - first < target.shape[1] or end - begin < side:
        target[:] = 0
    length = end - begin
    for channel in range(source.shape[0]):
        for i in range(first, last):
            cells = source[channel, top + i, left + begin :]
            seen = target[channel, i, begin:]
            for j in range(length):
                seen[j] = cells[j]


@helper
def mark_inside(height, width, top, left, target):
    """Write 1 into the cells of a window that lie in the grid and 0 into the others."""
    first, last = overlap(top, target.shape[0], height)
    begin, end = overlap(left, target.shape[1], width)
    target[:] = 0
    for i in range(first, last):
        target[i, begin:end] = 1
