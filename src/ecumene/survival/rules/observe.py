"""What agents are told: the window, the entities in it, themselves, and what they may do."""

import numpy as np

from ecumene.engine import inlined, rule
from ecumene.survival import columns as c
from ecumene.survival.rules import ground as layers
from ecumene.survival.rules.deeds import can_build
from ecumene.survival.rules.fight import FREEZING
from ecumene.survival.rules.mask import write_mask
from ecumene.survival.rules.nearby import (
    COLUMN,
    ENTITY_BITS,
    FEW,
    ROW,
    TEAM,
    find_nearby,
    list_all,
    list_in_blocks,
    locate,
)


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
            occupant, slots, seen, shown, blanks, keys, places, block, standing, orders, shown_as,
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
        locate(numbers, trait, body, place)
        describe(numbers, trait, features, body, looks)
        if numbers.entities > FEW:
            list_in_blocks(numbers, body, place, block[copy], standing[copy], order)
        else:
            list_all(numbers, body, place, block[copy], standing[copy])
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
            write_ground(numbers, place[agent], ground[copy, trait[agent, c.VIEW]],
                         lava, window[copy, i])  # fmt: skip
            count = find_nearby(numbers, place, block[copy], standing[copy], agent, key)
            write_others(numbers, features, body, place, looks, agent, key, count,
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
def describe(numbers, trait, features, body, shown_as):
    """Work out once what all observers see of every entity."""
    for entity in range(numbers.entities):
        its = body[entity]
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
def write_ground(numbers, place, ground, lava, window):
    """Copy the window around a place, row by row."""
    top = place[ROW] - numbers.radius - numbers.pad
    length = window.shape[1]
    first = (place[COLUMN] - numbers.radius) * (length // window.shape[0])
    for k in range(window.shape[0]):
        outside = top + k < 0 or top + k >= numbers.height
        source = lava[first:] if outside else ground[top + k, first:]
        target = window[k]
        for i in range(length):
            target[i] = source[i]


@inlined
def mark(line, spot):
    """Set byte number `spot` of a line of bytes or of (little-endian) words to 1."""
    size = np.uint64(line.itemsize)
    line[spot // size] |= np.uint64(1) << np.uint64(8) * (spot % size)


@inlined
def write_others(numbers, features, body, place, shown_as, agent, key, count, window,
                 entities, slot, shown):  # fmt: skip
    """Write the entities of the keys into the window and into the slots."""
    row = place[agent, ROW]
    column = place[agent, COLUMN]
    team = place[agent, TEAM]
    remembered = body[agent, c.ATTACKER] - 1
    scale = np.float32(numbers.radius)
    slots = entities.shape[0]
    for k in range(count):
        other = key[k] & ENTITY_BITS
        down = place[other, ROW] - row
        across = place[other, COLUMN] - column
        own = place[other, TEAM] == team
        channel = layers.OWN if own else layers.OTHER
        if other >= numbers.agents:
            channel = numbers.npc_channel
        spot = (across + numbers.radius) * numbers.channels + channel
        mark(window[np.uint64(down + numbers.radius)], np.uint64(spot))
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
    row = min(max(place[agent, ROW] - numbers.pad, 0), numbers.height - 1)
    column = min(max(place[agent, COLUMN] - numbers.pad, 0), numbers.width - 1)
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
