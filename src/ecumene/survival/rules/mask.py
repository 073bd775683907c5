"""Which choices would have an effect if nobody else acted."""

import numpy as np

from ecumene.engine import inlined
from ecumene.survival import columns as c
from ecumene.survival import tiles
from ecumene.survival.rules.arrival import may_enter
from ecumene.survival.rules.deeds import can_build, can_plant
from ecumene.survival.rules.fight import distance, may_strike, reach_of
from ecumene.survival.rules.ground import BUSH, FOREST, GRASS, LAVA, OTHER, OWN
from ecumene.survival.rules.land import stride_of
from ecumene.survival.rules.life import find_food, find_water

# Channels of a cell in the (little-endian) word of a plain window.
LAND, BURNING, TAKEN = (
    np.uint64(sum(1 << 8 * channel for channel in channels))
    for channels in ((GRASS, BUSH, FOREST), (LAVA,), (OWN, OTHER))
)


@inlined
def write_mask(numbers, heads, trait, styles, body, agent, material, look, access, occupant, slot,
               seen, window, mask):  # fmt: skip
    """Write the mask of a living agent, head after head.

    With one Discrete head the parts follow each other without their first choices.
    """
    me = body[agent]
    cell = me[c.CELL]
    harvests = trait[agent, c.HARVESTS]
    # The next step begins by counting down the freeze.
    mobile = me[c.FREEZE] <= 1
    mask[0] = 1
    leaves = False
    for direction in range(1, 5):
        if numbers.plain:
            way = is_way(numbers, window, direction)
        else:
            target = cell + stride_of(numbers.stride, direction)
            free = occupant[target] == 0 and may_enter(numbers, harvests, material, access, target)
            way = free or material[target] == tiles.LAVA
        mask[direction] = mobile & way
        leaves |= mobile & way
    place = 5
    if heads.styles > 0:
        place = open_head(heads, mask, place)
        mask_attacks(numbers, heads, trait, styles, body, agent, slot, seen, mask[place:])
        place += heads.styles * heads.slots
    if heads.amounts > 0:
        place = open_head(heads, mask, place)
        mask_shares(numbers, heads, trait, body, agent, look, access, slot, seen, mask[place:])
        place += 2 * heads.slots * heads.amounts
    if heads.build > 0:
        place = open_head(heads, mask, place)
        stands = can_build(body, agent, material, occupant)
        mask[place] = mobile and (stands or (leaves and not heads.flat))
        place += 1
    if heads.plant > 0:
        place = open_head(heads, mask, place)
        food = stock_ahead(numbers, harvests, body, agent, look, access, c.FOOD)
        bare = leaves and not heads.flat and material[cell] != tiles.FOREST
        able = mobile and food >= numbers.planting_cost
        mask[place] = able and (bare or can_plant(body, agent, material, occupant))
        place += 1
    if heads.words > 0:
        place = open_head(heads, mask, place)
        mask[place : place + heads.words] = 1


@inlined
def is_way(numbers, window, direction):
    """Return whether a plain window shows a free or a burning cell beside its middle.

    The window, just written, is at hand; the map may have to be fetched.
    """
    side = 2 * numbers.radius + 1
    there = window[np.uint64(side * numbers.radius + numbers.radius + stride_of(side, direction))]
    free = ((there & LAND) != 0) & ((there & TAKEN) == 0)
    return free | ((there & BURNING) != 0)


@inlined
def open_head(heads, mask, place):
    """Allow the first choice of a head of its own; return the place of the second."""
    if heads.flat:
        return place
    mask[place] = 1
    return place + 1


@inlined
def mask_attacks(numbers, heads, trait, styles, body, agent, slot, seen, mask):
    """Allow the styles that reach an entity and may be used on it."""
    for k in range(heads.slots):
        away = 0
        if k < seen:
            away = distance(numbers.stride, body[agent, c.CELL], body[slot[k], c.CELL])
        for i in range(heads.styles):
            allowed = False
            if k < seen and away <= reach_of(styles[i]):
                allowed = may_strike(numbers, trait, agent, slot[k], styles[i])
            mask[i * heads.slots + k] = allowed


@inlined
def stock_ahead(numbers, harvests, body, entity, look, access, stock):
    """Return what an agent will have of a stock when it acts in the next step."""
    me = body[entity]
    ahead = max(me[stock] - 1, 0)
    if stock == c.FOOD:
        source = find_food(numbers, harvests, look, access, me[c.CELL])
    else:
        source = find_water(numbers, harvests, look, access, me[c.CELL])
    if source >= 0:
        ahead = min(ahead + numbers.gain, numbers.stock)
    return ahead


@inlined
def mask_shares(numbers, heads, trait, body, agent, look, access, slot, seen, mask):
    """Allow gifts of what one will have to those who will have room for it."""
    for stock in range(2):
        column = c.FOOD if stock == 0 else c.WATER
        harvests = trait[agent, c.HARVESTS]
        own = stock_ahead(numbers, harvests, body, agent, look, access, column)
        for k in range(heads.slots):
            allowed = False
            if k < seen and own > 0 and slot[k] < numbers.agents:
                other = slot[k]
                away = distance(numbers.stride, body[agent, c.CELL], body[other, c.CELL])
                theirs = stock_ahead(
                    numbers, trait[other, c.HARVESTS], body, other, look, access, column
                )
                allowed = away <= numbers.share_reach and theirs < numbers.stock
            first = (stock * heads.slots + k) * heads.amounts
            for i in range(heads.amounts):
                mask[first + i] = allowed
