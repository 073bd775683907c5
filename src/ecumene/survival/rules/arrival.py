"""Where entities appear, and what they have then."""

from ecumene.engine import helper, inlined
from ecumene.engine.random import bounded, gauss
from ecumene.survival import columns as c
from ecumene.survival import tiles
from ecumene.survival.rules.land import inside

DRAWS = 20  # of a cell, before the first free one from the last draw on is taken


@inlined
def may_enter(numbers, harvests, material, access, cell):
    """Return whether a cell can be walked on by one whose colours are `harvests`.

    Colours close the way only with balanced resources, as they did in the earlier system.
    """
    # Without a branch on the cell, which nobody could foretell.
    enters = tiles.walkable(material[cell])
    if numbers.balanced and numbers.access_colours > 0:
        enters &= (harvests >> access[cell]) & 1 == 1
    return enters


@helper
def find_start(numbers, row, harvests, starts, lo, hi, material, access, occupant):
    """Return a free cell out of ``starts[lo:hi]``, drawn uniformly if there are many; -1 = none."""
    count = hi - lo
    k = bounded(row, count)
    for _ in range(DRAWS):
        cell = starts[lo + k]
        if occupant[cell] == 0 and may_enter(numbers, harvests, material, access, cell):
            return cell
        k = bounded(row, count)
    for i in range(count):
        cell = starts[lo + (k + i) % count]
        if occupant[cell] == 0 and may_enter(numbers, harvests, material, access, cell):
            return cell
    return -1


@helper
def find_anywhere(numbers, row, harvests, material, access, occupant):
    """Return a free cell of the map; -1 = none."""
    count = numbers.height * numbers.width
    k = bounded(row, count)
    for i in range(count):
        cell = inside(numbers, (k + i) % count)
        if occupant[cell] == 0 and may_enter(numbers, harvests, material, access, cell):
            return cell
    return -1


@helper
def appear(numbers, trait, body, occupant, entity, cell):
    """Put an entity on a cell, whole and sated; its counts go on."""
    me = body[entity]
    me[c.CELL] = cell
    me[c.PRESENT] = 1
    me[c.HEALTH] = trait[entity, c.HEALTH_MAX]
    me[c.FOOD] = numbers.stock
    me[c.WATER] = numbers.stock
    me[c.FREEZE] = 0
    me[c.DAMAGE] = 0
    me[c.ATTACKER] = 0
    me[c.LAST] = -1
    me[c.CHEST] = 0
    me[c.LEGS] = 0
    me[c.CAUSE] = c.NOTHING
    me[c.TARGET] = 0
    occupant[cell] = entity + 1


@helper
def forget(body, entity):
    """Let nobody remember an entity whose slot is taken by another one."""
    for other in range(body.shape[0]):
        if body[other, c.ATTACKER] == entity + 1:
            body[other, c.ATTACKER] = 0
        if body[other, c.TARGET] == entity + 1:
            body[other, c.TARGET] = 0


@helper
def armour(row, spare, defence):
    """Draw a part of an NPC's armour, 0..defence."""
    spare[0] = 0.0
    value = int(defence - 10 + 10 * gauss(row, spare))
    return min(max(value, 0), defence)


@helper
def draw_style(row, styles):
    """Draw one of the allowed attack styles (bit k: style k)."""
    count = 0
    for style in range(4):
        count += (styles >> style) & 1
    rank = bounded(row, count)
    for style in range(4):
        if (styles >> style) & 1:
            if rank == 0:
                return style
            rank -= 1
    return 0


@helper
def bring(numbers, row, trait, starts, body, material, access, occupant, spawner, spare):
    """Let the NPCs appear whose time has come and for whom there is room."""
    for entity in range(numbers.agents, numbers.entities):
        if body[entity, c.PRESENT] == 1 or body[entity, c.WAIT] < 0:
            continue
        if body[entity, c.WAIT] > 0:
            body[entity, c.WAIT] -= 1
        if body[entity, c.WAIT] > 0:
            continue
        mine = trait[entity]
        if mine[c.SPAWNER] >= 0:
            cell = spawner[mine[c.SPAWNER]]
            if cell >= 0 and occupant[cell] != 0:
                cell = -1
        else:
            cell = find_start(
                numbers, row, -1, starts, mine[c.START_LO], mine[c.START_HI],
                material, access, occupant,
            )  # fmt: skip
        if cell < 0:
            continue
        forget(body, entity)
        appear(numbers, trait, body, occupant, entity, cell)
        body[entity, c.STYLE] = draw_style(row, mine[c.STYLES])
        body[entity, c.CHEST] = armour(row, spare, mine[c.DEFENCE])
        body[entity, c.LEGS] = armour(row, spare, mine[c.DEFENCE])
