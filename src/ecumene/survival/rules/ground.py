"""What agents see of the ground: one layer per kind of cell, for each view."""

import numpy as np

from ecumene.engine import helper, inlined, rule
from ecumene.survival import tiles

# Channels of the grid. Those that only some worlds have follow; `Numbers` says where.
GRASS, BUSH, FOREST, RIVER, STONE, LAVA, OWN, OTHER = range(8)
FIXED_CHANNELS = 8


# By look; from `BALANCED` on: counted from the first channel of balanced cells.
BALANCED = 100
CHANNELS = np.array(
    [LAVA, BALANCED + 1, GRASS, BALANCED + 2, BALANCED, STONE, BUSH, RIVER, FOREST], np.int64
)


@inlined
def channel_of(look, balanced_channel):
    """Return the channel of a look; balanced forest, balanced water and depleted come last."""
    channel = CHANNELS[look]
    return channel if channel < BALANCED else balanced_channel + channel - BALANCED


@inlined
def is_source(look):
    """Return whether there is something to harvest of a look."""
    return look == tiles.FOREST or look == tiles.RIVER or look == tiles.GROVE or look == tiles.POND


@inlined
def show(numbers, sees, harvests, look, visibility, access, cell, layers):
    """Write what a view shows of one cell into its layers, which are all 0.

    sees, harvests: bit c: colour c.
    """
    shown = look[cell]
    if numbers.visibility_colours > 0 and not (sees >> visibility[cell]) & 1:
        shown = tiles.STONE
    layers[channel_of(shown, numbers.balanced_channel)] = 1
    if numbers.ripe_channel >= 0 and is_source(shown) and (harvests >> access[cell]) & 1:
        layers[numbers.ripe_channel] = 1


@helper
def paint(numbers, sees, harvests, look, visibility, access, ground, cell):
    """Write one cell of one copy into the layers of every view.

    sees, harvests: int64[view].
    """
    row = cell // numbers.stride
    first = (cell - row * numbers.stride) * numbers.channels
    for view in range(ground.shape[0]):
        layers = ground[view, row - numbers.pad, first : first + numbers.channels]
        layers[:] = 0
        show(numbers, sees[view], harvests[view], look, visibility, access, cell, layers)


@rule
def paint_all(numbers, sees, harvests, look, visibility, access, ground):
    """Write the whole map of one copy into the layers."""
    first = numbers.pad * numbers.channels
    last = first + numbers.width * numbers.channels
    for view in range(ground.shape[0]):
        for row in range(numbers.height):
            line = ground[view, row]
            line[first:last] = 0
            for column in range(numbers.pad, numbers.pad + numbers.width):
                cell = (row + numbers.pad) * numbers.stride + column
                show(numbers, sees[view], harvests[view], look, visibility, access, cell,
                     line[column * numbers.channels :])  # fmt: skip
