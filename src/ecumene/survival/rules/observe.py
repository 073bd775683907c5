"""What agents are told: the window, the entities in it, themselves, and what they may do."""

import numpy as np

from ecumene.engine import inlined, rule
from ecumene.survival import columns as c
from ecumene.survival.rules import ground as layers
from ecumene.survival.rules.deeds import can_build
from ecumene.survival.rules.fight import FREEZING
from ecumene.survival.rules.mask import write_mask

FEW = 24  # entities; with more of them only those in the blocks nearby are looked at
BLOCK = 8  # cells, the side of a block

# The key of an entity in a window: its ring, then its cell (row by row), then itself.
RING_SHIFT = 48
CELL_SHIFT = 16
ENTITY_BITS = (1 << CELL_SHIFT) - 1


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
def observe(chosen, numbers, trait, heads, features, styles, bodies, clock, material, look, access,
            occupant, slots, seen, shown, blanks, keys, places, block, following, orders, shown_as,
            ground, lava, window, entities, own, mask, lo, hi):  # fmt: skip
    """Write observations and masks of one group.

    bodies .. access: of `State`; occupant .. blanks: of `Derived`; keys .. shown_as: of `Scratch`.
    ground, lava: the ground layers and a row beside the map, as bytes or as words of eight.
    window: the `grid` of observations, [copy, agent, row, column * channel], as bytes or as words.
    entities: float32[copy, agent, slot, feature].
    own: float32[copy, agent, feature].
    mask: int8[copy, agent, choice].
    """
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        body = bodies[copy]
        key = keys[copy]
        place = places[copy]
        looks = shown_as[copy]
        order = orders[copy]
        describe(numbers, trait, features, body, place, looks)
        if numbers.entities > FEW:
            sort_in_blocks(numbers, body, place, block[copy], following[copy], order)
        for agent in order:
            i = agent - heads.first
            if i < 0 or i >= window.shape[1]:
                continue
            slot = slots[copy, agent]
            if body[agent, c.ENDED] == c.GONE:
                if not blanks[copy, agent]:
                    blank(window[copy, i], entities[copy, i], own[copy, i])
                    mask_noop(heads, mask[copy, i])
                    blanks[copy, agent] = True
                    shown[copy, agent] = 0
                    seen[copy, agent] = 0
                continue
            blanks[copy, agent] = False
            write_ground(numbers, trait[agent, c.VIEW], place[agent, 0], place[agent, 1],
                         ground[copy], lava, window[copy, i])  # fmt: skip
            if numbers.entities > FEW:
                count = find_nearby(numbers, body, place, block[copy], following[copy], agent, key)
            else:
                count = find_others(numbers, body, place, agent, key)
            write_others(numbers, trait, features, body, place, looks, agent, key, count,
                         window[copy, i], entities[copy, i], slot, shown[copy])  # fmt: skip
            seen[copy, agent] = shown[copy, agent]
            write_self(numbers, trait, features, material[copy], occupant[copy], body, place,
                       agent, clock[copy, c.TICK], own[copy, i])  # fmt: skip
            if body[agent, c.ENDED] == c.LIVING:
                write_mask(numbers, heads, trait, styles, body, agent, material[copy], look[copy],
                           access[copy], occupant[copy], slot, seen[copy, agent],
                           mask[copy, i])  # fmt: skip
            else:
                mask_noop(heads, mask[copy, i])


@inlined
def describe(numbers, trait, features, body, place, shown_as):
    """Work out once what all observers see of every entity."""
    for entity in range(numbers.entities):
        its = body[entity]
        row = its[c.CELL] // numbers.stride
        place[entity, 0] = row
        place[entity, 1] = its[c.CELL] - row * numbers.stride
        if its[c.PRESENT] == 0:
            continue
        it = shown_as[entity]
        npc = entity >= numbers.agents
        if features.other_health >= 0:
            it[features.other_health] = part(its[c.HEALTH], trait[entity, c.HEALTH_MAX])
        if features.other_stocks >= 0:
            it[features.other_stocks] = 0.0 if npc else part(its[c.FOOD], numbers.stock)
            it[features.other_stocks + 1] = 0.0 if npc else part(its[c.WATER], numbers.stock)
        if features.other_npc >= 0:
            it[features.other_npc] = npc
        if features.other_fight >= 0:
            it[features.other_fight] = part(its[c.FREEZE], FREEZING)
        if features.other_role >= 0:
            for role in range(features.roles):
                it[features.other_role + role] = not npc and trait[entity, c.ROLE] == role
        if features.other_word >= 0:
            for word in range(features.words):
                it[features.other_word + word] = not npc and its[c.WORD] == word + 1


@inlined
def part(value, most):
    """Return a value as a part of the most it can be."""
    return np.float32(value) / np.float32(most)


@inlined
def blank(window, entities, own):
    """Show nothing."""
    for row in range(window.shape[0]):
        window[row, :] = 0
    for slot in range(entities.shape[0]):
        entities[slot, :] = 0.0
    own[:] = 0.0


@inlined
def mask_noop(heads, mask):
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


@inlined
def write_ground(numbers, view, row, column, ground, lava, window):
    """Copy the window around a place, row by row."""
    top = row - numbers.radius - numbers.pad
    length = window.shape[1]
    first = (column - numbers.radius) * (length // window.shape[0])
    for k in range(window.shape[0]):
        outside = top + k < 0 or top + k >= numbers.height
        source = lava[first:] if outside else ground[view, top + k, first:]
        target = window[k]
        for i in range(length):
            target[i] = source[i]


@inlined
def find_others(numbers, body, place, agent, key):
    """Write the keys of the entities in the window, nearest first; return their number."""
    row = place[agent, 0]
    column = place[agent, 1]
    count = 0
    found = key[FEW:]
    for other in range(numbers.entities):
        ring = max(abs(place[other, 0] - row), abs(place[other, 1] - column))
        found[count] = key_of(ring, body[other, c.CELL], other)
        # Sums in place of branches, which nobody could foretell.
        near = (ring <= numbers.radius) & (other != agent) & (body[other, c.PRESENT] == 1)
        count += np.int64(near)
    for k in range(count):
        rank = 0
        for i in range(count):
            rank += np.int64(found[i] < found[k])
        key[rank] = found[k]
    return count


@inlined
def sort_in_blocks(numbers, body, place, block, following, order):
    """Chain the entities that stand in the same block of cells.

    `order` lists the agents block after block: neighbours, whose windows overlap, are observed one
    after the other, while the ground they share is at hand.
    """
    block[:] = 0
    across = numbers.stride // BLOCK + 1
    missing = 0
    for entity in range(numbers.entities):
        if body[entity, c.PRESENT] == 1:
            k = place[entity, 0] // BLOCK * across + place[entity, 1] // BLOCK
            following[entity] = block[k]
            block[k] = entity + 1
        elif entity < numbers.agents:
            missing += 1
            order[numbers.agents - missing] = entity
    count = 0
    for k in range(block.shape[0]):
        entity = block[k] - 1
        while entity >= 0:
            if entity < numbers.agents:
                order[count] = entity
                count += 1
            entity = following[entity] - 1


@inlined
def find_nearby(numbers, body, place, block, following, agent, key):
    """Do as `find_others`, looking at the blocks alone that the window touches."""
    row = place[agent, 0]
    column = place[agent, 1]
    across = numbers.stride // BLOCK + 1
    count = 0
    for r in range((row - numbers.radius) // BLOCK, (row + numbers.radius) // BLOCK + 1):
        left = r * across + (column - numbers.radius) // BLOCK
        right = r * across + (column + numbers.radius) // BLOCK
        for k in range(left, right + 1):
            other = block[k] - 1
            while other >= 0:
                ring = max(abs(place[other, 0] - row), abs(place[other, 1] - column))
                if ring <= numbers.radius and other != agent:
                    count = insert(key, count, key_of(ring, body[other, c.CELL], other))
                other = following[other] - 1
    return count


@inlined
def key_of(ring, cell, entity):
    """Return the key of an entity in a window: in its order the nearest come first."""
    return (np.int64(ring) << RING_SHIFT) | (np.int64(cell) << CELL_SHIFT) | np.int64(entity)


@inlined
def insert(key, count, value):
    """Insert a key into the sorted first `count`; return the new count."""
    k = count
    while k > 0 and key[k - 1] > value:
        key[k] = key[k - 1]
        k -= 1
    key[k] = value
    return count + 1


@inlined
def mark(line, spot):
    """Set byte number `spot` of a line of bytes or of (little-endian) words to 1."""
    size = line.itemsize
    line[spot // size] |= np.uint64(1) << np.uint64(8 * (spot % size))


@inlined
def write_others(numbers, trait, features, body, place, shown_as, agent, key, count, window,
                 entities, slot, shown):  # fmt: skip
    """Write the entities of the keys into the window and into the slots."""
    row = place[agent, 0]
    column = place[agent, 1]
    team = trait[agent, c.TEAM]
    remembered = body[agent, c.ATTACKER] - 1
    scale = np.float32(numbers.radius)
    slots = entities.shape[0]
    for k in range(count):
        other = key[k] & ENTITY_BITS
        down = place[other, 0] - row
        across = place[other, 1] - column
        own = trait[other, c.TEAM] == team
        channel = layers.OWN if own else layers.OTHER
        if other >= numbers.agents:
            channel = numbers.npc_channel
        spot = (across + numbers.radius) * numbers.channels + channel
        mark(window[down + numbers.radius], spot)
        if k < slots:
            slot[k] = other
            it = entities[k]
            its = shown_as[other]
            it[0] = 1.0
            for i in range(4, it.shape[0]):
                it[i] = its[i]
            it[1] = np.float32(down) / scale
            it[2] = np.float32(across) / scale
            it[3] = own
            if features.other_fight >= 0:
                it[features.other_fight + 1] = remembered == other
    seen = min(count, slots)
    for k in range(seen, shown[agent]):
        entities[k, :] = 0.0
    shown[agent] = seen


@inlined
def write_self(numbers, trait, features, material, occupant, body, place, agent, tick, own):
    """Write how the observer is."""
    me = body[agent]
    row = min(max(place[agent, 0] - numbers.pad, 0), numbers.height - 1)
    column = min(max(place[agent, 1] - numbers.pad, 0), numbers.width - 1)
    own[0] = part(me[c.HEALTH], trait[agent, c.HEALTH_MAX])
    own[1] = part(row, numbers.height)
    own[2] = part(column, numbers.width)
    own[3] = part(numbers.horizon - tick, numbers.horizon)
    if features.self_stocks >= 0:
        own[features.self_stocks] = part(me[c.FOOD], numbers.stock)
        own[features.self_stocks + 1] = part(me[c.WATER], numbers.stock)
    if features.self_freeze >= 0:
        own[features.self_freeze] = part(me[c.FREEZE], FREEZING)
    if features.self_last >= 0:
        own[features.self_last] = can_build(body, agent, material, occupant)
    if features.self_role >= 0:
        for role in range(features.roles):
            own[features.self_role + role] = trait[agent, c.ROLE] == role
