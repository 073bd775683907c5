"""How resources grow back: rules."""

import numpy as np

from ecumene.engine.compile import helper, rule
from ecumene.engine.random import field_value, open_field


@rule
def regenerate(streams, chosen, tile, channels, growth, scratch, lo, hi):
    """Let one resource grow by at most a unit on each of its source tiles."""
    halfwidth, weight, max_health = growth
    most = np.float32(max_health)
    height = tile.shape[2]
    width = tile.shape[3]
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        row = streams[copy]
        field = open_field(row, height * width, scratch)
        stock = tile[copy, channels[0]]
        source = tile[copy, channels[1]]
        if halfwidth == 0:
            grow_alone(row, field, stock, source, weight, most, scratch)
        else:
            grow_together(row, field, stock, source, halfwidth, weight, most, scratch)


@helper
def grow_alone(row, field, stock, source, weight, most, scratch):
    """Grow each tile by its own health."""
    width = stock.shape[1]
    for r in range(stock.shape[0]):
        # Most rows have nothing to grow; this look at a row is quick, and also cuts the stock.
        stocks, sources = stock[r], source[r]
        growing = 0
        for c in range(width):
            growing += (sources[c] > 0) & (stocks[c] < most)
            stocks[c] = min(stocks[c], most)
        if growing == 0:
            continue
        for c in range(width):
            if sources[c] > 0 and stocks[c] < most:
                chance = max(stocks[c], sources[c]) * weight
                if field_value(row, field, r * width + c, scratch) < chance:
                    stocks[c] = min(stocks[c] + np.float32(1), most)


@helper
def grow_together(row, field, stock, source, halfwidth, weight, most, scratch):
    """Grow each tile by the mean health of the square of tiles around it.

    Health is the larger of stock and source. A tile that grows here is marked by a negative stock
    until all have been decided, since its neighbours go by what it held before.
    """
    height, width = stock.shape
    side = 2 * halfwidth + 1
    per_tile = weight / (side * side)
    for r in range(height):
        for c in range(width):
            if source[r, c] <= 0 or stock[r, c] >= most:
                continue
            chance = 0.0
            for i in range(max(0, r - halfwidth), min(height, r + halfwidth + 1)):
                for j in range(max(0, c - halfwidth), min(width, c + halfwidth + 1)):
                    held = stock[i, j] if stock[i, j] >= 0 else -1 - stock[i, j]
                    chance += max(held, source[i, j]) * per_tile
            if field_value(row, field, r * width + c, scratch) < chance:
                stock[r, c] = -1 - stock[r, c]
    for r in range(height):
        for c in range(width):
            stock[r, c] = min(abs(stock[r, c]), most)
