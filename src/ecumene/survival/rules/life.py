"""Hunger and thirst, harvest and regrowth."""

from ecumene.engine import helper, inlined
from ecumene.survival import columns as c
from ecumene.survival import tiles
from ecumene.survival.rules.ground import paint
from ecumene.survival.rules.land import stride_of

HARVEST_ORDER = (1, 4, 2, 3)  # directions: N, W, S, E


@inlined
def age(body, entity):
    """Begin an entity's step: what was recorded of the last one is cleared."""
    me = body[entity]
    if me[c.DAMAGE] == 0:
        me[c.ATTACKER] = 0
    me[c.FREEZE] = max(0, me[c.FREEZE] - 1)
    me[c.DAMAGE] = 0
    me[c.AGE] += 1


@inlined
def recover(trait, body, entity, amount):
    """Give an entity health, up to its most."""
    body[entity, c.HEALTH] = min(body[entity, c.HEALTH] + amount, trait[entity, c.HEALTH_MAX])


@inlined
def digest(numbers, trait, body, entity):
    """Regenerate, suffer from empty stocks, and use one unit of each stock."""
    me = body[entity]
    if not numbers.stocks:
        recover(trait, body, entity, 1)
        return
    if numbers.regeneration:
        sated = 2 * me[c.FOOD] > numbers.stock and 2 * me[c.WATER] > numbers.stock
        if sated:
            recover(trait, body, entity, trait[entity, c.HEALTH_MAX] // 10)
    loss = 0
    if me[c.FOOD] == 0:
        loss += 1
    if me[c.WATER] == 0:
        loss += 1
    if loss > 0:
        me[c.HEALTH] = max(0, me[c.HEALTH] - loss)
        if me[c.HEALTH] == 0:
            me[c.CAUSE] = c.STARVED
    me[c.FOOD] = max(0, me[c.FOOD] - 1)
    me[c.WATER] = max(0, me[c.WATER] - 1)


@inlined
def may_harvest(numbers, harvests, access, cell):
    """Return whether a cell's colour lets one harvest."""
    if numbers.access_colours == 0:
        return True
    return (harvests >> access[cell]) & 1 == 1


@helper
def deplete(numbers, sees, opens, state_look, visibility, access, ripe_at, queue, clock, ground,
            cell, look):  # fmt: skip
    """Give a source the look of a used-up one until it regrows."""
    state_look[cell] = look
    ripe_at[cell] = clock[c.TICK] + numbers.cooldown
    place = clock[c.QUEUE_HEAD] + clock[c.QUEUE_LENGTH]
    if place >= queue.shape[0]:
        place -= queue.shape[0]
    queue[place] = cell
    clock[c.QUEUE_LENGTH] += 1
    paint(numbers, sees, opens, state_look, visibility, access, ground, cell)


@helper
def regrow(numbers, sees, opens, material, look, visibility, access, ripe_at, queue, clock, ground):
    """Restore the sources whose time has come; they stand in the queue in that order."""
    while clock[c.QUEUE_LENGTH] > 0:
        cell = queue[clock[c.QUEUE_HEAD]]
        # A cell that was built over meanwhile has lost its date.
        if ripe_at[cell] > clock[c.TICK]:
            return
        clock[c.QUEUE_HEAD] = (clock[c.QUEUE_HEAD] + 1) % queue.shape[0]
        clock[c.QUEUE_LENGTH] -= 1
        if ripe_at[cell] >= 0:
            ripe_at[cell] = -1
            look[cell] = material[cell]
            paint(numbers, sees, opens, look, visibility, access, ground, cell)


@inlined
def find_food(numbers, harvests, look, access, cell):
    """Return the cell that feeds one who stands on `cell`; -1 = none."""
    if look[cell] == tiles.FOREST and may_harvest(numbers, harvests, access, cell):
        return cell
    if numbers.balanced:
        for direction in HARVEST_ORDER:
            beside = cell + stride_of(numbers.stride, direction)
            if look[beside] == tiles.GROVE and may_harvest(numbers, harvests, access, beside):
                return beside
    return -1


@inlined
def find_water(numbers, harvests, look, access, cell):
    """Return the cell that waters one who stands on `cell`; -1 = none."""
    for direction in HARVEST_ORDER:
        beside = cell + stride_of(numbers.stride, direction)
        wet = look[beside] == tiles.RIVER or look[beside] == tiles.POND
        if wet and may_harvest(numbers, harvests, access, beside):
            return beside
    return -1


@inlined
def harvest(numbers, sees, opens, harvests, body, entity, look, visibility, access, ripe_at,
            queue, clock, ground):  # fmt: skip
    """Take food and water where there are any; both are taken at full stock, too."""
    me = body[entity]
    cell = me[c.CELL]
    source = find_food(numbers, harvests, look, access, cell)
    if source >= 0:
        spent = tiles.BUSH if look[source] == tiles.FOREST else tiles.DEPLETED
        deplete(numbers, sees, opens, look, visibility, access, ripe_at, queue, clock, ground,
                source, spent)  # fmt: skip
        me[c.FOOD] = min(me[c.FOOD] + numbers.gain, numbers.stock)
        me[c.FED] += 1
    source = find_water(numbers, harvests, look, access, cell)
    if source >= 0:
        if look[source] == tiles.POND:
            deplete(numbers, sees, opens, look, visibility, access, ripe_at, queue, clock, ground,
                    source, tiles.DEPLETED)  # fmt: skip
        me[c.WATER] = min(me[c.WATER] + numbers.gain, numbers.stock)
        me[c.DRUNK] += 1
