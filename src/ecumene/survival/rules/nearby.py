"""Who stands where, and who stands in the window of whom."""

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import inlined
from ecumene.survival import columns as c
from ecumene.survival.rules.looks import describe

FEW = 24  # entities; with more of them only those in the blocks nearby are looked at
HIGH, WIDE = 4, 2  # a block has 2**HIGH rows and 2**WIDE columns of cells
WHOLE = 31  # of both for a block that is the whole map

# place[entity, column]
ROW, COLUMN = range(2)
PLACE_COLUMNS = 2

# standing[line, k]: who is on the map; SPOT: its row and its column, as `spot_of` packs them.
SPOT, TEAMS, WHO = range(3)
STANDING_LINES = 3

# A spot has its row in the upper and its column in the lower half of a word. With the highest bits
# of both halves set, a difference of spots tells in them whether rows and columns are not less.
HALF = np.uint64(32)
GUARD = np.uint64((1 << 63) | (1 << 31))
LOWER = np.uint64((1 << 32) - 1)

# found[line, i]: who is in a window.
LISTED, CELL = range(2)  # where in `standing`; cell of the window, row after row
FOUND_LINES = 2

# taken[word, column]: of 64 ranks each.
RANKS, BEFORE = range(2)  # bit r: rank r is taken; how many are in the words before
TAKEN_COLUMNS = 2

# Indices have no sign, so that they need not be told from places counted backwards.
NONE, ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT = (np.uint64(k) for k in range(9))
WORD_SHIFT = np.uint64(6)
WORD_BITS = np.uint64(63)


def block_count(rows: int, stride: int) -> int:
    """Return the length of `block` for a map with its border."""
    return ((rows >> HIGH) + 1) * ((stride >> WIDE) + 1) + 2


def away(radius: int) -> NDArray[np.float32]:
    """Return how far each cell of a window is down and to the right, as parts of the radius."""
    steps = np.indices((2 * radius + 1, 2 * radius + 1)).reshape(2, -1) - radius
    return steps.astype(np.float32) / np.float32(radius)


def rings(radius: int) -> NDArray[np.uint32]:
    """Return the rank of each cell of a window: by ring, then row by row."""
    steps = np.abs(np.arange(2 * radius + 1) - radius)
    order = np.argsort(np.maximum(steps[:, None], steps).ravel(), kind="stable")
    return np.argsort(order).astype(np.uint32)


def word_count(radius: int) -> int:
    """Return how many words have a bit for each rank."""
    return (2 * radius + 1) ** 2 // 64 + 1


@inlined
def locate(numbers, body, place, entity):
    """Write where an entity is or was last."""
    cell = np.uint32(body[entity, c.CELL])
    row = cell // np.uint32(numbers.stride)
    place[entity, ROW] = row
    place[entity, COLUMN] = cell - row * np.uint32(numbers.stride)


@inlined
def list_all(numbers, trait, features, body, place, block, standing, looks):
    """List those on the map, and how they look, as a single block."""
    count = 0
    for entity in range(numbers.entities):
        locate(numbers, body, place, entity)
        enlist(trait, place, entity, standing, count)
        describe(numbers, trait, features, body, entity, looks[count])
        count += body[entity, c.PRESENT]
    block[0] = 0
    block[1] = count


@inlined
def enlist(trait, place, entity, standing, k):
    """Write an entity into a list of those on the map."""
    standing[SPOT, k] = spot_of(place[entity, ROW], place[entity, COLUMN])
    standing[TEAMS, k] = trait[entity, c.TEAM]
    standing[WHO, k] = entity


@inlined
def spot_of(row, column):
    """Return a row and a column in one word."""
    return np.uint64(row) << HALF | np.uint64(column)


@inlined
def list_in_blocks(numbers, trait, features, body, place, block, standing, looks):
    """List those on the map, and how they look; block k begins at ``block[k]``."""
    across = (numbers.stride >> WIDE) + 1
    block[:] = 0
    for entity in range(numbers.entities):
        locate(numbers, body, place, entity)
        block[block_of(place, entity, across) + 2] += body[entity, c.PRESENT]
    for k in range(2, block.shape[0]):
        block[k] += block[k - 1]
    for entity in range(numbers.entities):
        if body[entity, c.PRESENT] == 1:
            k = block_of(place, entity, across) + 1
            enlist(trait, place, entity, standing, block[k])
            describe(numbers, trait, features, body, entity, looks[block[k]])
            block[k] += 1


@inlined
def block_of(place, entity, across):
    """Return the block in which an entity stands."""
    return (place[entity, ROW] >> HIGH) * across + (place[entity, COLUMN] >> WIDE)


@inlined
def find_nearby(numbers, rings, place, block, standing, agent, found, taken):
    """Write who else stands in a window, and which ranks they take; return their number."""
    row = place[agent, ROW]
    column = place[agent, COLUMN]
    radius = numbers.radius
    few = numbers.entities <= FEW
    high = WHOLE if few else HIGH
    wide = WHOLE if few else WIDE
    across = (numbers.stride >> wide) + 1
    left = (column - radius) >> wide
    right = ((column + radius) >> wide) + 1
    bottom = (row + radius) >> high
    least = spot_of(row - radius, column - radius)
    most = spot_of(row + radius, column + radius)
    count = NONE
    for line in range((row - radius) >> high, bottom + 1, 2):
        first = block[line * across + left]
        last = block[line * across + right]
        again = block[(line + 1) * across + left] if line < bottom else last
        end = block[(line + 1) * across + right] if line < bottom else last
        count = gather(standing[SPOT], np.uint64(first), np.uint64(last), np.uint64(again),
                       np.uint64(end), least, spot_of(row, column), most, found[LISTED],
                       count)  # fmt: skip
    take_ranks(standing[SPOT], least, np.uint64(2 * radius + 1), rings, found, count, taken)
    return count


@inlined
def gather(spots, first, last, again, end, least, middle, most, listed, count):
    """Append to `listed` those who stand between two spots, but not in the middle.

    Of two spans of the list, in one loop: how long it runs is hard to foretell.
    """
    gap = again - last
    for i in range(first, end - gap):
        k = i if i < last else i + gap
        spot = spots[k]
        within = ((spot | GUARD) - least) & ((most | GUARD) - spot) & GUARD
        listed[count] = k
        # A sum in place of a branch, which nobody could foretell.
        count += np.uint64((within == GUARD) & (spot != middle))
    return count


@inlined
def take_ranks(spots, least, side, rings, found, count, taken):
    """Write the cells of those found; mark their ranks, so that `place_of` can count them."""
    words = np.uint64(taken.shape[0])
    for word in range(words):
        taken[word, RANKS] = NONE
    for i in range(count):
        inside = spots[found[LISTED, i]] - least
        cell = (inside >> HALF) * side + (inside & LOWER)
        found[CELL, i] = cell
        rank = np.uint64(rings[cell])
        taken[rank >> WORD_SHIFT, RANKS] |= ONE << (rank & WORD_BITS)
    total = NONE
    for word in range(words):
        taken[word, BEFORE] = total
        total += ones(taken[word, RANKS])


@inlined
def place_of(rank, taken):
    """Return how many of the ranks that are taken are lower."""
    word = rank >> WORD_SHIFT
    return taken[word, BEFORE] + ones(taken[word, RANKS] & ((ONE << (rank & WORD_BITS)) - ONE))


@inlined
def ones(word):
    """Return how many bits of a word are 1."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)
