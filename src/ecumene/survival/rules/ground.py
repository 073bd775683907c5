"""What agents see of the ground: one layer per kind of cell, for each view."""

from ecumene.engine import helper, inlined, rule
from ecumene.survival import tiles

# Channels of the grid. Those that only some worlds have follow; `Numbers` says where.
GRASS, BUSH, FOREST, RIVER, STONE, LAVA, OWN, OTHER = range(8)
FIXED_CHANNELS = 8


@inlined
def channel_of(look, balanced_channel):
    """Return the channel of a look; balanced forest, balanced water and depleted come last."""
    if look == tiles.GRASS:
        return GRASS
    if look == tiles.BUSH:
        return BUSH
    if look == tiles.FOREST:
        return FOREST
    if look == tiles.RIVER:
        return RIVER
    if look == tiles.STONE:
        return STONE
    if look == tiles.LAVA:
        return LAVA
    if look == tiles.GROVE:
        return balanced_channel
    if look == tiles.POND:
        return balanced_channel + 1
    return balanced_channel + 2


@inlined
def is_source(look):
    """Return whether there is something to harvest of a look."""
    return look == tiles.FOREST or look == tiles.RIVER or look == tiles.GROVE or look == tiles.POND


@inlined
def paint_at(numbers, sees, harvests, look, visibility, access, ground, row, column):
    """Write one cell of one copy into the layers of every view.

    sees, harvests: int64[view]; bit c: colour c.
    """
    cell = row * numbers.stride + column
    first = column * numbers.channels
    for view in range(ground.shape[0]):
        layers = ground[view, row - numbers.pad, first : first + numbers.channels]
        layers[:] = 0
        shown = look[cell]
        if numbers.visibility_colours > 0 and not (sees[view] >> visibility[cell]) & 1:
            shown = tiles.STONE
        layers[channel_of(shown, numbers.balanced_channel)] = 1
        if numbers.ripe_channel >= 0 and is_source(shown) and (harvests[view] >> access[cell]) & 1:
            layers[numbers.ripe_channel] = 1


@helper
def paint(numbers, sees, harvests, look, visibility, access, ground, cell):
    """Write one cell of one copy into the layers of every view."""
    row = cell // numbers.stride
    column = cell - row * numbers.stride
    paint_at(numbers, sees, harvests, look, visibility, access, ground, row, column)


@rule
def paint_all(numbers, sees, harvests, look, visibility, access, ground):
    """Write the whole map of one copy into the layers."""
    for row in range(numbers.pad, numbers.pad + numbers.height):
        for column in range(numbers.pad, numbers.pad + numbers.width):
            paint_at(numbers, sees, harvests, look, visibility, access, ground, row, column)
