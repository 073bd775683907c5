"""Making a map: rocks, rivers and forests at random, connected; colours of sources."""

import numpy as np

from ecumene.engine import helper, inlined
from ecumene.engine.random import bounded, fill_uint32
from ecumene.survival import tiles

MOST_ATTEMPTS = 100
LESS_ROCK = 0.9  # after a map that falls apart


@inlined
def inside(numbers, k):
    """Return the cell number `k` of the map without its border."""
    row = k // numbers.width
    return (row + numbers.pad) * numbers.stride + numbers.pad + k - row * numbers.width


@helper
def lay(numbers, row, material, stack, words, way):
    """Make a map on which every walkable cell and every source can be reached.

    Rock is thinned out until that is so; after a hundred attempts the map stays as it is.
    """
    rocks = numbers.rocks
    for _ in range(MOST_ATTEMPTS):
        lay_rocks(numbers, row, material, stack, words, rocks)
        lay_water = tiles.POND if numbers.balanced else tiles.RIVER
        lay_wood = tiles.GROVE if numbers.balanced else tiles.FOREST
        scatter(numbers, row, material, numbers.rivers, lay_water)
        scatter(numbers, row, material, numbers.forests, lay_wood)
        if connected(numbers, material, stack, way):
            return
        rocks *= LESS_ROCK


@helper
def lay_rocks(numbers, row, material, stack, words, chance):
    """Cover the map with grass and rocks; rocks grow for some rounds."""
    limit = int(chance * 4294967296.0)
    count = 0
    fill_uint32(row, words[: numbers.height * numbers.width])
    k = 0
    for line in range(numbers.height):
        first = inside(numbers, line * numbers.width)
        for cell in range(first, first + numbers.width):
            rock = np.uint32(words[k]) < limit
            k += 1
            material[cell] = tiles.STONE if rock else tiles.GRASS
            stack[count] = cell
            count += np.int64(rock)
    first = 0
    for _ in range(max(1, (numbers.height + numbers.width) // 8)):
        last = count
        while first < last:
            some = min(last, first + words.shape[0] // 4)
            count = grow(numbers, row, material, stack, first, some, count, words, limit)
            first = some


@inlined
def grow(numbers, row, material, stack, first, last, count, words, limit):
    """Let some rocks grow onto the grass beside them; return how many rocks there are then."""
    fill_uint32(row, words[: 4 * (last - first)])
    k = 0
    for i in range(first, last):
        for direction in range(1, 5):
            cell = stack[i] + stride_of(numbers.stride, direction)
            # A sum in place of a branch, which nobody could foretell.
            grows = (material[cell] == tiles.GRASS) & (np.uint32(words[k]) < limit)
            k += 1
            material[cell] = tiles.STONE if grows else material[cell]
            stack[count] = cell
            count += np.int64(grows)
    return count


@inlined
def stride_of(stride, direction):
    """Return what a step in a direction adds to a cell: 0 stay, 1 N, 2 S, 3 E, 4 W."""
    # Without a branch, which nobody could foretell.
    down = np.int64(direction == 2) - np.int64(direction == 1)
    return stride * down + np.int64(direction == 3) - np.int64(direction == 4)


@helper
def scatter(numbers, row, material, count, kind):
    """Turn `count` cells of grass, drawn uniformly, into a kind of source."""
    cells = numbers.height * numbers.width
    for _ in range(count):
        k = bounded(row, cells)
        for _ in range(64):
            if material[inside(numbers, k)] == tiles.GRASS:
                break
            k = bounded(row, cells)
        for _ in range(cells):  # a map with hardly any grass left
            if material[inside(numbers, k)] == tiles.GRASS:
                material[inside(numbers, k)] = kind
                break
            k = (k + 1) % cells


@helper
def connected(numbers, material, stack, way):
    """Return whether all walkable cells hang together and all sources touch them.

    way: uint8[cell]; room to mark the walkable cells.
    """
    for cell in range(material.shape[0]):
        way[cell] = tiles.walkable(material[cell])
    stride = numbers.stride
    walkable = 0
    cut_off = 0
    for line in range(numbers.height):
        first = inside(numbers, line * numbers.width)
        here = material[first : first + numbers.width]
        lone = way[first : first + numbers.width]
        above = way[first - stride : first - stride + numbers.width]
        below = way[first + stride : first + stride + numbers.width]
        left = way[first - 1 : first - 1 + numbers.width]
        right = way[first + 1 : first + 1 + numbers.width]
        for k in range(numbers.width):
            beside = above[k] | below[k] | left[k] | right[k]
            walkable += lone[k]
            cut_off += (1 - beside) & (lone[k] | is_solid_source(here[k]))
        # Most maps that fall apart are known by cells without a neighbour.
        if cut_off > 1:
            return False
    if walkable == 0 or cut_off > (walkable == 1):
        return False
    start = 0
    while way[start] == 0:
        start += 1
    return flood(stride, stack, way, start) == walkable


@inlined
def is_solid_source(kind):
    """Return whether something is harvested from the cells beside it."""
    return (kind == tiles.RIVER) | (kind == tiles.POND) | (kind == tiles.GROVE)


@helper
def flood(stride, stack, way, start):
    """Clear the marks of the marked cells that can be reached from one; return their number."""
    way[start] = 0
    stack[0] = start
    count = 1
    done = 0
    while done < count:
        cell = stack[done]
        done += 1
        for direction in range(1, 5):
            beside = cell + stride_of(stride, direction)
            stack[count] = beside
            count += np.int64(way[beside])
            way[beside] = 0
    return count


@helper
def colour(numbers, row, material, colours, count, stack):
    """Give every source a colour 1..count, each as often as the others of its material."""
    for k in range(2 * count):
        stack[k] = 0
    for k in range(numbers.height * numbers.width):
        cell = inside(numbers, k)
        colours[cell] = 0
        kind = material[cell]
        wood = kind == tiles.FOREST or kind == tiles.GROVE
        if wood or kind == tiles.RIVER or kind == tiles.POND:
            used = stack[count:] if wood else stack[:count]
            colours[cell] = 1 + least_used(row, used, count)


@helper
def least_used(row, used, count):
    """Return one of the indices that were returned least often, at random; count it."""
    least = used[0]
    ties = 0
    for i in range(count):
        if used[i] < least:
            least = used[i]
            ties = 0
        if used[i] == least:
            ties += 1
    rank = bounded(row, ties)
    for i in range(count):
        if used[i] == least:
            if rank == 0:
                used[i] += 1
                return i
            rank -= 1
    return 0
