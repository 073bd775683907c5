"""Putting agents into the world: rules."""

from ecumene.engine.compile import helper, rule
from ecumene.engine.random import bounded, permutation
from ecumene.foundation.rules.space import can_occupy, clear_people, put

MOST_REDRAWS = 200


@rule
def start(chosen, inventory, escrow, endogenous, marks, location, coin, lo, hi):
    """Empty what everybody owns, give each mobile agent its coin, take all off the map."""
    column, amount = coin
    for copy in range(lo, hi):
        if chosen[copy]:
            inventory[copy] = 0
            escrow[copy] = 0
            endogenous[copy] = 0
            for agent in range(location.shape[1]):
                inventory[copy, agent, column] = amount
            clear_people(marks[copy], location[copy])


@rule
def place(streams, chosen, order, tile, marks, blocking, location, shuffled, lo, hi):
    """Put every agent on a random free tile; in random order if `shuffled`, else by index."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        if shuffled:
            permutation(streams[copy], order[copy])
        else:
            for i in range(order.shape[1]):
                order[copy, i] = i
        for agent in order[copy]:
            settle(
                streams[copy],
                tile[copy],
                marks[copy],
                blocking,
                location[copy],
                agent,
                0,
                tile.shape[2],
            )


@helper
def settle(row, tile, marks, blocking, location, agent, first_row, end_row):
    """Put an agent on a random free tile of the rows ``first_row:end_row``.

    Tiles are drawn until one is free; after `MOST_REDRAWS` failures one of the free tiles is
    drawn directly, so that a crowded map does not fail by bad luck.
    """
    width = tile.shape[2]
    for _ in range(MOST_REDRAWS + 1):
        r = first_row + bounded(row, end_row - first_row)
        c = bounded(row, width)
        if can_occupy(tile, marks, blocking, r, c, agent):
            put(marks, location, r, c, agent)
            return
    free = 0
    for r in range(first_row, end_row):
        for c in range(width):
            free += can_occupy(tile, marks, blocking, r, c, agent)
    if free == 0:
        return
    left = bounded(row, free)
    for r in range(first_row, end_row):
        for c in range(width):
            if can_occupy(tile, marks, blocking, r, c, agent):
                if left == 0:
                    put(marks, location, r, c, agent)
                    return
                left -= 1
