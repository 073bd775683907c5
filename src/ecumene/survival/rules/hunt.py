"""What NPCs set out to do."""

from ecumene.engine import helper
from ecumene.engine.random import bounded, next_uint32
from ecumene.survival import columns as c
from ecumene.survival import tiles
from ecumene.survival.rules.fight import reach_of
from ecumene.survival.rules.land import stride_of
from ecumene.survival.rules.life import HARVEST_ORDER

DETOUR = 3  # cells beyond its vision that an NPC looks for a way through


@helper
def walk_distance(stride, one, other):
    """Return the number of steps between two cells of an empty map."""
    row = one // stride
    other_row = other // stride
    return abs(row - other_row) + abs((one - row * stride) - (other - other_row * stride))


@helper
def wander(numbers, row, material, occupant, cell):
    """Return a direction to a free neighbouring cell at random; 0 = there is none."""
    free = 0
    for direction in HARVEST_ORDER:
        beside = cell + stride_of(numbers.stride, direction)
        if tiles.walkable(material[beside]) and occupant[beside] == 0:
            free += 1
    if free == 0:
        return 0
    rank = bounded(row, free)
    for direction in HARVEST_ORDER:
        beside = cell + stride_of(numbers.stride, direction)
        if tiles.walkable(material[beside]) and occupant[beside] == 0:
            if rank == 0:
                return direction
            rank -= 1
    return 0


@helper
def path_step(numbers, material, stack, mark, start, goal, radius):
    """Return the direction of a shortest way, first of N, W, S, E; 0 = there is none nearby.

    Entities do not block the way: they may have moved on by then.
    """
    stride = numbers.stride
    rows = numbers.height + 2 * numbers.pad
    row = start // stride
    column = start - row * stride
    top = max(row - radius, 0)
    bottom = min(row + radius, rows - 1)
    left = max(column - radius, 0)
    right = min(column + radius, stride - 1)
    for r in range(top, bottom + 1):
        for k in range(r * stride + left, r * stride + right + 1):
            mark[k] = 0
    mark[goal] = 1
    stack[0] = goal
    count = 1
    done = 0
    while done < count and mark[start] == 0:
        cell = stack[done]
        done += 1
        for direction in HARVEST_ORDER:
            beside = cell + stride_of(stride, direction)
            r = beside // stride
            k = beside - r * stride
            near = top <= r and r <= bottom and left <= k and k <= right
            if near and tiles.walkable(material[beside]) and mark[beside] == 0:
                mark[beside] = mark[cell] + 1
                stack[count] = beside
                count += 1
    if mark[start] == 0:
        return 0
    for direction in HARVEST_ORDER:
        beside = start + stride_of(stride, direction)
        if mark[beside] == mark[start] - 1 and tiles.walkable(material[beside]):
            return direction
    return 0


@helper
def is_prey(numbers, body, me, other):
    """Return whether an NPC would hunt another entity."""
    if other == me or body[other, c.PRESENT] == 0 or body[other, c.HEALTH] <= 0:
        return False
    return other < numbers.agents or numbers.infighting


@helper
def look_around(numbers, body, occupant, me, vision):
    """Return the first prey in rings around an NPC; -1 = none in sight."""
    stride = numbers.stride
    rows = numbers.height + 2 * numbers.pad
    row = body[me, c.CELL] // stride
    column = body[me, c.CELL] - row * stride
    for ring in range(1, vision + 1):
        for k in range(-ring, ring + 1):
            if ring + abs(k) > vision:
                continue
            for side in range(4):
                away = ring if side & 1 else -ring
                r = row + (k if side < 2 else away)
                q = column + (away if side < 2 else k)
                if r < 0 or r >= rows or q < 0 or q >= stride:
                    continue
                other = occupant[r * stride + q] - 1
                if other >= 0 and is_prey(numbers, body, me, other):
                    return other
    return -1


@helper
def hunt(numbers, row, body, intent, material, occupant, stack, mark, me, target, vision):
    """Go for a target: a step towards it unless it is beside, a hit if it is in reach."""
    mine = body[me]
    cell = mine[c.CELL]
    goal = body[target, c.CELL]
    away = walk_distance(numbers.stride, cell, goal)
    if away > 1:
        step = path_step(numbers, material, stack, mark, cell, goal, vision + DETOUR)
        if step == 0:
            step = wander(numbers, row, material, occupant, cell)
        intent[me, c.MOVE] = step
    if away <= reach_of(mine[c.STYLE]):
        intent[me, c.WITH] = mine[c.STYLE]
        intent[me, c.FOE] = target


@helper
def choose(numbers, row, trait, body, intent, material, occupant, stack, mark, me):
    """Write what one NPC sets out to do."""
    mine = body[me]
    intent[me, c.MOVE] = 0
    intent[me, c.FOE] = c.NO_FOE
    vision = trait[me, c.VISION]
    behaviour = trait[me, c.BEHAVIOUR]
    target = -1
    if behaviour == c.HOSTILE:
        target = mine[c.TARGET] - 1
        lost = target < 0 or not is_prey(numbers, body, me, target)
        if lost or walk_distance(numbers.stride, mine[c.CELL], body[target, c.CELL]) > vision:
            target = look_around(numbers, body, occupant, me, vision)
        mine[c.TARGET] = target + 1
    elif behaviour == c.NEUTRAL:
        target = mine[c.ATTACKER] - 1
        if target >= 0 and body[target, c.PRESENT] == 0:
            target = -1
    if target >= 0:
        hunt(numbers, row, body, intent, material, occupant, stack, mark, me, target, vision)
    elif behaviour != c.NEUTRAL or next_uint32(row) & 1 == 0:
        intent[me, c.MOVE] = wander(numbers, row, material, occupant, mine[c.CELL])
