"""What agents are told: the window, the entities in it, themselves, and what they may do."""

import numpy as np

from ecumene.engine import rule
from ecumene.survival import columns as c
from ecumene.survival.rules import ground as layers
from ecumene.survival.rules.deeds import can_build
from ecumene.survival.rules.fight import distance
from ecumene.survival.rules.mask import write_mask

ONE_BY_ONE = 48  # entities; with more of them the cells of the window are looked at instead
NEARER = 1 << 32  # what one ring counts in the order of entities


@rule
def tell(chosen, first, body, reward, out_reward, terminated, truncated, alive, lo, hi):
    """Write rewards and flags of one group."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for i in range(alive.shape[1]):
            end = body[copy, first + i, c.ENDED]
            out_reward[copy, i] = reward[copy, first + i]
            terminated[copy, i] = end == c.TERMINATED
            truncated[copy, i] = end == c.TRUNCATED
            alive[copy, i] = end == c.LIVING


@rule
def observe(chosen, numbers, tables, heads, features, styles, state, derived, scratch, grid,
            entities, own, mask, lo, hi):  # fmt: skip
    """Write observations and masks of one group.

    grid: uint8[copy, agent, row, column * channel].
    entities: float32[copy, agent, slot, feature].
    own: float32[copy, agent, feature].
    mask: int8[copy, agent, choice].
    """
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        body = state.body[copy]
        key = scratch.key[copy]
        for i in range(grid.shape[1]):
            agent = heads.first + i
            if body[agent, c.ENDED] == c.GONE:
                if not derived.blank[copy, agent]:
                    blank(grid[copy, i], entities[copy, i], own[copy, i], mask[copy, i])
                    mask_noop(heads, numbers, mask[copy, i])
                    derived.blank[copy, agent] = True
                    derived.shown[copy, agent] = 0
                    derived.seen[copy, agent] = 0
                continue
            derived.blank[copy, agent] = False
            write_ground(numbers, tables.trait[agent, c.VIEW], body[agent, c.CELL],
                         derived.ground[copy], grid[copy, i])  # fmt: skip
            count = find_others(numbers, body, derived.occupant[copy], agent, key)
            write_others(numbers, tables.trait, features, body, derived.occupant[copy], agent, key, count,
                         grid[copy, i], entities[copy, i], derived.slot[copy, agent],
                         derived.shown[copy])  # fmt: skip
            seen = min(count, entities.shape[2])
            derived.seen[copy, agent] = seen
            write_self(numbers, tables.trait, features, state.material[copy],
                       derived.occupant[copy], body, agent, state.clock[copy, c.TICK],
                       own[copy, i])  # fmt: skip
            if body[agent, c.ENDED] == c.LIVING:
                write_mask(numbers, heads, tables.trait, styles, body, agent,
                           state.material[copy], state.look[copy], state.access[copy],
                           derived.occupant[copy], derived.slot[copy, agent], seen,
                           mask[copy, i])  # fmt: skip
            else:
                mask_noop(heads, numbers, mask[copy, i])


@rule
def blank(grid, entities, own, mask):
    """Show nothing."""
    for row in range(grid.shape[0]):
        grid[row, :] = 0
    for slot in range(entities.shape[0]):
        entities[slot, :] = 0.0
    own[:] = 0.0


@rule
def mask_noop(heads, numbers, mask):
    """Allow nothing but doing nothing, in every head."""
    mask[:] = 0
    mask[0] = 1
    if heads.flat:
        return
    place = 5
    if heads.styles > 0:
        mask[place] = 1
        place += 1 + heads.styles * heads.slots
    if heads.amounts > 0:
        mask[place] = 1
        place += 1 + 2 * heads.slots * heads.amounts
    if heads.build > 0:
        mask[place] = 1
        place += 2
    if heads.plant > 0:
        mask[place] = 1
        place += 2
    if heads.words > 0:
        mask[place] = 1


@rule
def write_ground(numbers, view, cell, ground, grid):
    """Copy the window around a cell, row by row."""
    top = cell // numbers.stride
    left = cell - top * numbers.stride - numbers.radius
    top -= numbers.radius
    length = grid.shape[1]
    for row in range(grid.shape[0]):
        source = ground[view, top + row, left * numbers.channels :]
        target = grid[row]
        for k in range(length):
            target[k] = source[k]


@rule
def find_others(numbers, body, occupant, agent, key):
    """Write the keys of the entities in the window, nearest first; return their number.

    A key is ``ring * NEARER + cell``; cells count row by row.
    """
    cell = body[agent, c.CELL]
    count = 0
    if numbers.entities <= ONE_BY_ONE:
        for other in range(numbers.entities):
            if other != agent and body[other, c.PRESENT] == 1:
                there = body[other, c.CELL]
                ring = distance(numbers.stride, cell, there)
                if ring <= numbers.radius:
                    count = insert(key, count, ring * NEARER + there)
        return count
    top = cell - numbers.radius * numbers.stride - numbers.radius
    side = 2 * numbers.radius + 1
    for row in range(side):
        line = occupant[top + row * numbers.stride :]
        for column in range(side):
            if line[column] != 0:
                there = top + row * numbers.stride + column
                if line[column] != agent + 1:
                    ring = max(abs(row - numbers.radius), abs(column - numbers.radius))
                    count = insert(key, count, ring * NEARER + there)
    return count


@rule
def insert(key, count, value):
    """Insert a value into the sorted first `count` entries; return the new count."""
    k = count
    while k > 0 and key[k - 1] > value:
        key[k] = key[k - 1]
        k -= 1
    key[k] = value
    return count + 1


@rule
def write_others(numbers, trait, features, body, occupant, agent, key, count, grid, entities, slot,
                 shown):  # fmt: skip
    """Write the entities whose cells are in `key` into the window and into the slots."""
    cell = body[agent, c.CELL]
    row = cell // numbers.stride
    column = cell - row * numbers.stride
    team = trait[agent, c.TEAM]
    scale = np.float32(1.0 / numbers.radius)
    slots = entities.shape[0]
    for k in range(count):
        there = key[k] & (NEARER - 1)
        other = occupant[there] - 1
        down = there // numbers.stride - row
        across = there - (there // numbers.stride) * numbers.stride - column
        own = False
        if other >= numbers.agents:
            channel = numbers.npc_channel
        else:
            own = trait[other, c.TEAM] == team
            channel = layers.OWN if own else layers.OTHER
        place = (across + numbers.radius) * numbers.channels + channel
        grid[down + numbers.radius, place] = 1
        if k < slots:
            slot[k] = other
            it = entities[k]
            it[0] = 1.0
            it[1] = np.float32(down) * scale
            it[2] = np.float32(across) * scale
            it[3] = own
            write_state(numbers, trait, features, body, agent, other, it)
    seen = min(count, slots)
    for k in range(seen, shown[agent]):
        entities[k, :] = 0.0
    shown[agent] = seen


@rule
def part(value, most):
    """Return a value as a part of the most it can be."""
    return np.float32(value) / np.float32(most)


@rule
def write_state(numbers, trait, features, body, agent, other, it):
    """Write how another entity is."""
    its = body[other]
    npc = other >= numbers.agents
    if features.other_health >= 0:
        it[features.other_health] = part(its[c.HEALTH], trait[other, c.HEALTH_MAX])
    if features.other_stocks >= 0:
        it[features.other_stocks] = 0.0 if npc else part(its[c.FOOD], numbers.stock)
        it[features.other_stocks + 1] = 0.0 if npc else part(its[c.WATER], numbers.stock)
    if features.other_npc >= 0:
        it[features.other_npc] = npc
    if features.other_fight >= 0:
        it[features.other_fight] = part(its[c.FREEZE], 3)
        it[features.other_fight + 1] = body[agent, c.ATTACKER] == other + 1
    if features.other_role >= 0:
        for role in range(features.roles):
            it[features.other_role + role] = not npc and trait[other, c.ROLE] == role
    if features.other_word >= 0:
        for word in range(features.words):
            it[features.other_word + word] = not npc and its[c.WORD] == word + 1


@rule
def write_self(numbers, trait, features, material, occupant, body, agent, tick, own):
    """Write how the observer is."""
    me = body[agent]
    row = me[c.CELL] // numbers.stride
    column = me[c.CELL] - row * numbers.stride - numbers.pad
    row = min(max(row - numbers.pad, 0), numbers.height - 1)
    column = min(max(column, 0), numbers.width - 1)
    own[0] = part(me[c.HEALTH], trait[agent, c.HEALTH_MAX])
    own[1] = part(row, numbers.height)
    own[2] = part(column, numbers.width)
    own[3] = part(numbers.horizon - tick, numbers.horizon)
    if features.self_stocks >= 0:
        own[features.self_stocks] = part(me[c.FOOD], numbers.stock)
        own[features.self_stocks + 1] = part(me[c.WATER], numbers.stock)
    if features.self_freeze >= 0:
        own[features.self_freeze] = part(me[c.FREEZE], 3)
    if features.self_last >= 0:
        own[features.self_last] = can_build(body, agent, material, occupant)
    if features.self_role >= 0:
        for role in range(features.roles):
            own[features.self_role + role] = trait[agent, c.ROLE] == role
