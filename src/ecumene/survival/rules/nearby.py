"""Who stands where, and who stands in the window of whom."""

import numpy as np

from ecumene.engine import inlined
from ecumene.survival import columns as c

FEW = 24  # entities; with more of them only those in the blocks nearby are looked at
HIGH, WIDE = 4, 1  # a block has 2**HIGH rows and 2**WIDE columns of cells
WHOLE = 31  # of both for a block that is the whole map

# place[entity, column]
ROW, COLUMN, TEAM = range(3)
PLACE_COLUMNS = 4  # a power of two: no entity lies across two lines of the cache

# standing[line, k]: who is on the map. The last line holds keys without the ring.
ROWS, COLUMNS, KEYS = range(3)
STANDING_LINES = 3

# The key of an entity in a window: its ring, then its cell (row by row), then itself.
RING_SHIFT = np.int64(48)
CELL_SHIFT = np.int64(16)
ENTITY_BITS = np.int64((1 << 16) - 1)

BEYOND = np.int64((1 << 63) - 1)  # more than any key

# Places in a list: without a sign, so that they need not be told from places counted backwards.
NONE, ONE, TWO, THREE, FOUR = (np.uint64(k) for k in range(5))


def block_count(rows: int, stride: int) -> int:
    """Return the length of `block` for a map with its border."""
    return ((rows >> HIGH) + 1) * ((stride >> WIDE) + 1) + 2


@inlined
def locate(numbers, trait, body, place):
    """Write where everybody is or was last, and in which team."""
    for entity in range(numbers.entities):
        cell = body[entity, c.CELL]
        row = cell // numbers.stride
        place[entity, ROW] = row
        place[entity, COLUMN] = cell - row * numbers.stride
        place[entity, TEAM] = trait[entity, c.TEAM]


@inlined
def list_all(numbers, body, place, block, standing):
    """List those on the map as a single block."""
    count = 0
    for entity in range(numbers.entities):
        enlist(body, place, entity, standing, count)
        count += body[entity, c.PRESENT]
    block[0] = 0
    block[1] = count


@inlined
def enlist(body, place, entity, standing, k):
    """Write an entity into a list of those on the map."""
    standing[ROWS, k] = place[entity, ROW]
    standing[COLUMNS, k] = place[entity, COLUMN]
    standing[KEYS, k] = np.int64(body[entity, c.CELL]) << CELL_SHIFT | np.int64(entity)


@inlined
def list_in_blocks(numbers, body, place, block, standing, order):
    """List those on the map block after block: block k begins at ``block[k]``.

    `order` lists the agents in the same way, those who are not there last: neighbours, whose
    windows overlap, are observed one after the other, while the ground they share is at hand.
    """
    across = (numbers.stride >> WIDE) + 1
    block[:] = 0
    for entity in range(numbers.entities):
        block[block_of(place, entity, across) + 2] += body[entity, c.PRESENT]
    for k in range(2, block.shape[0]):
        block[k] += block[k - 1]
    missing = numbers.agents
    for entity in range(numbers.entities):
        if body[entity, c.PRESENT] == 1:
            k = block_of(place, entity, across) + 1
            enlist(body, place, entity, standing, block[k])
            block[k] += 1
        elif entity < numbers.agents:
            missing -= 1
            order[missing] = entity
    count = 0
    for k in range(block[block.shape[0] - 1]):
        entity = standing[KEYS, k] & ENTITY_BITS
        if entity < numbers.agents:
            order[count] = entity
            count += 1


@inlined
def block_of(place, entity, across):
    """Return the block in which an entity stands."""
    return (place[entity, ROW] >> HIGH) * across + (place[entity, COLUMN] >> WIDE)


@inlined
def find_nearby(numbers, place, block, standing, agent, key):
    """Write the keys of the entities in the window, nearest first; return their number.

    Nobody stands on the cell of another one.
    """
    row = np.int64(place[agent, ROW])
    column = np.int64(place[agent, COLUMN])
    radius = numbers.radius
    found = key[key.shape[0] // 2 :]
    few = numbers.entities <= FEW
    high = WHOLE if few else HIGH
    wide = WHOLE if few else WIDE
    across = (numbers.stride >> wide) + 1
    count = NONE
    for line in range((row - radius) >> high, ((row + radius) >> high) + 1):
        first = block[line * across + ((column - radius) >> wide)]
        last = block[line * across + ((column + radius) >> wide) + 1]
        count = gather(standing, np.uint64(first), np.uint64(last), row, column, radius, found,
                       count)  # fmt: skip
    return rank(found, count, key)


@inlined
def gather(standing, first, last, row, column, radius, found, count):
    """Append to `found` the keys of those of a list who stand within the radius."""
    rows = standing[ROWS]
    columns = standing[COLUMNS]
    keys = standing[KEYS]
    for k in range(first, last):
        ring = max(abs(rows[k] - row), abs(columns[k] - column))
        found[count] = (ring << RING_SHIFT) | keys[k]
        # A sum in place of a branch, which nobody could foretell.
        count += np.uint64((ring <= radius) & (ring > 0))
    return count


@inlined
def rank(found, count, key):
    """Write the first `count` keys in their order; return their number."""
    for k in range(count, count + FOUR - ONE):
        found[k] = BEYOND
    for k in range(count):
        mine = found[k]
        place = NONE
        # Four at a time: loops as short as this one are not unrolled by the compiler.
        for i in range(NONE, count, FOUR):
            place += (
                np.uint64(found[i] < mine)
                + np.uint64(found[i + ONE] < mine)
                + np.uint64(found[i + TWO] < mine)
                + np.uint64(found[i + THREE] < mine)
            )
        key[place] = mine
    return np.int64(count)
