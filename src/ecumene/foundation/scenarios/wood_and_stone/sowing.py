"""Laying out sources at random: rules.

A layout is sown in two stages. First single tiles take root by chance; then clumps grow around
them, through sums over a random 7 x 7 neighbourhood, until the wanted share of the map is covered.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.compile import helper, rule
from ecumene.engine.random import gauss, uniform
from ecumene.foundation.rules.space import is_empty

MOST_ATTEMPTS = 100
MOST_ROOTING_PASSES = 201
TOLERANCE = 1.4
REACH = 3
SIDE = 2 * REACH + 1


class Ground(NamedTuple):
    """Room for sowing, one row per copy.

    drawn: float64[copy, row, column]
    noise: float64[copy, cell]  # rows end to end, with a margin of zeros around the map
    sums: float64[copy, cell]  # rows end to end, as long as those of `noise`
    sown: bool[copy, row, column]
    free: bool[copy, row, column]
    kernel: bool[copy, 7, 7]
    """

    drawn: NDArray[np.float64]
    noise: NDArray[np.float64]
    sums: NDArray[np.float64]
    sown: NDArray[np.bool_]
    free: NDArray[np.bool_]
    kernel: NDArray[np.bool_]


def ground(copies: int, height: int, width: int) -> Ground:
    """Allocate room for sowing."""
    shape = (copies, height, width)
    long = width + 2 * REACH
    return Ground(
        np.zeros(shape),
        np.zeros((copies, (height + 2 * REACH) * long + 2 * REACH)),
        np.zeros((copies, height * long)),
        np.zeros(shape, np.bool_),
        np.zeros(shape, np.bool_),
        np.zeros((copies, SIDE, SIDE), np.bool_),
    )


@rule
def sow_copies(
    streams,
    spare,
    chosen,
    tile,
    marks,
    probability,
    crops,
    coverages,
    looseness,
    checkered,
    drawn,
    noise,
    sums,
    sown,
    free,
    kernel,
    lo,
    hi,
):
    """Lay out both resources anew.

    `probability` is ``float64[copy or 1, resource, row, column]``; `crops` holds a row of resource
    and source channel per resource; `looseness` is 1 - clumpiness.
    """
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        chances = probability[copy if probability.shape[0] > 1 else 0]
        for private in range(marks.shape[1] - 1):
            marks[copy, private] = 0
        for _ in range(MOST_ATTEMPTS):
            tile[copy] = np.float32(0)
            fitting = True
            for crop in range(crops.shape[0]):
                share = sow(
                    streams[copy],
                    spare[copy],
                    tile[copy],
                    chances[crop],
                    crops[crop],
                    coverages[crop],
                    looseness[crop],
                    drawn[copy],
                    noise[copy],
                    sums[copy],
                    sown[copy],
                    free[copy],
                    kernel[copy],
                )
                ratio = share / coverages[crop]
                fitting = fitting and 1 / TOLERANCE <= ratio <= TOLERANCE
            if fitting:
                break
        if checkered:
            keep_odd_tiles(tile[copy])


@helper
def sow(
    row,
    spare,
    tile,
    chances,
    channels,
    coverage,
    looseness,
    drawn,
    noise,
    sums,
    sown,
    free,
    kernel,
):
    """Lay out one resource and return the share of the map that it covers."""
    height, width = sown.shape
    room = 0
    for r in range(height):
        for c in range(width):
            free[r, c] = is_empty(tile, r, c)
            room += free[r, c]
            drawn[r, c] = uniform(row)
    share = take_root(chances, 0.1 * looseness, drawn, sown, free)
    passes = 1
    while share < coverage * looseness and passes <= MOST_ROOTING_PASSES:
        for r in range(height):
            for c in range(width):
                drawn[r, c] *= 0.9
        share = take_root(chances, 0.1 * looseness, drawn, sown, free)
        passes += 1
    # On a crowded map the wanted share may be more than there is room for.
    while share < coverage and share < room / sown.size:
        share = spread(row, spare, noise, sums, sown, free, kernel)
    for r in range(height):
        for c in range(width):
            tile[channels[0], r, c] = sown[r, c]
            tile[channels[1], r, c] = sown[r, c]
    return share


@helper
def take_root(chances, scale, drawn, sown, free):
    """Sow the free tiles whose draw is below their chance; return the share of sown tiles."""
    count = 0
    for r in range(sown.shape[0]):
        for c in range(sown.shape[1]):
            sown[r, c] = drawn[r, c] < chances[r, c] * scale and free[r, c]
            count += sown[r, c]
    return count / sown.size


@helper
def spread(row, spare, noise, sums, sown, free, kernel):
    """Sow the free tiles whose neighbourhood speaks for it; return the share of sown tiles."""
    height, width = sown.shape
    long = width + 2 * REACH
    for i in range(SIDE):
        for j in range(SIDE):
            kernel[i, j] = gauss(row, spare) > 0
    for r in range(height):
        start = (r + REACH) * long + REACH
        for c in range(width):
            noise[start + c] = sown[r, c] + 0.2 * gauss(row, spare) - 0.25
    sums[:] = 0.0
    for i in range(SIDE):
        for j in range(SIDE):
            if kernel[i, j]:
                add(noise[(SIDE - 1 - i) * long + SIDE - 1 - j :], sums)
    count = 0
    for r in range(height):
        for c in range(width):
            sown[r, c] = (sums[r * long + c] > 0 or sown[r, c]) and free[r, c]
            count += sown[r, c]
    return count / sown.size


@helper
def add(values, sums):
    """Add the first values to the sums."""
    for k in range(sums.shape[0]):
        sums[k] += values[k]


@helper
def keep_odd_tiles(tile):
    """Empty every other tile, as the black fields of a chess board."""
    for channel in range(tile.shape[0]):
        for r in range(tile.shape[1]):
            for c in range(r % 2, tile.shape[2], 2):
                tile[channel, r, c] = np.float32(0)
