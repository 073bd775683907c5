"""Sharing, moving, building and planting."""

from ecumene.engine import helper, inlined
from ecumene.survival import columns as c
from ecumene.survival import tiles
from ecumene.survival.rules.arrival import may_enter
from ecumene.survival.rules.fight import distance
from ecumene.survival.rules.ground import paint
from ecumene.survival.rules.land import stride_of
from ecumene.survival.rules.life import deplete


@helper
def share(numbers, body, giver, taker, stock, amount):
    """Give units of a stock to another agent; return whether any were given."""
    if giver == taker or body[taker, c.PRESENT] == 0:
        return False
    away = distance(numbers.stride, body[giver, c.CELL], body[taker, c.CELL])
    if away < 1 or away > numbers.share_reach:
        return False
    moved = min(body[giver, stock], amount, numbers.stock - body[taker, stock])
    body[giver, stock] -= moved
    body[taker, stock] += moved
    body[giver, c.GIVEN] += moved
    return moved > 0


@inlined
def move(numbers, harvests, body, entity, direction, material, access, occupant):
    """Take a step, if the cell is free; return whether it was taken. Lava kills."""
    me = body[entity]
    cell = me[c.CELL]
    me[c.LAST] = cell
    if me[c.FREEZE] > 0:
        return False
    target = cell + stride_of(numbers.stride, direction)
    if material[target] == tiles.LAVA:
        me[c.CELL] = target
        occupant[cell] = 0
        if me[c.HEALTH] > 0:
            me[c.CAUSE] = c.BURNT
        me[c.DAMAGE] = me[c.HEALTH]
        me[c.HEALTH] = 0
        return True
    free = occupant[target] == 0
    if not free or not may_enter(numbers, harvests, material, access, target):
        return False
    me[c.CELL] = target
    occupant[cell] = 0
    occupant[target] = entity + 1
    return True


@inlined
def can_build(body, entity, material, occupant):
    """Return whether the cell that an agent left with its last move is free."""
    cell = body[entity, c.LAST]
    return cell >= 0 and occupant[cell] == 0 and tiles.walkable(material[cell])


@helper
def build(numbers, sees, opens, body, entity, material, look, visibility, access, ripe_at,
          occupant, ground):  # fmt: skip
    """Turn the cell left last into stone; return whether that was possible."""
    if body[entity, c.FREEZE] > 0 or not can_build(body, entity, material, occupant):
        return False
    cell = body[entity, c.LAST]
    material[cell] = tiles.STONE
    look[cell] = tiles.STONE
    ripe_at[cell] = -1
    paint(numbers, sees, opens, look, visibility, access, ground, cell)
    return True


@inlined
def can_plant(body, entity, material, occupant):
    """Return whether the cell that an agent left with its last move is free grass or bush."""
    if not can_build(body, entity, material, occupant):
        return False
    return material[body[entity, c.LAST]] != tiles.FOREST


@helper
def plant(numbers, sees, opens, body, entity, material, look, visibility, access, ripe_at,
          queue, clock, occupant, ground):  # fmt: skip
    """Turn the cell left last into a forest that has yet to grow; it costs food."""
    me = body[entity]
    if me[c.FREEZE] > 0 or me[c.FOOD] < numbers.planting_cost:
        return False
    if not can_plant(body, entity, material, occupant):
        return False
    cell = me[c.LAST]
    me[c.FOOD] -= numbers.planting_cost
    material[cell] = tiles.GROVE if numbers.balanced else tiles.FOREST
    spent = tiles.DEPLETED if numbers.balanced else tiles.BUSH
    deplete(numbers, sees, opens, look, visibility, access, ripe_at, queue, clock, ground,
            cell, spent)  # fmt: skip
    return True
