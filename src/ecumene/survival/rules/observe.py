"""What agents are told: the window, the entities in it, themselves, and what they may do."""

import numpy as np

from ecumene.engine import inlined, rule
from ecumene.survival import columns as c
from ecumene.survival.rules import ground as layers
from ecumene.survival.rules.deeds import can_build
from ecumene.survival.rules.fight import FREEZING
from ecumene.survival.rules.looks import part
from ecumene.survival.rules.mask import write_mask
from ecumene.survival.rules.nearby import (
    CELL,
    COLUMN,
    EIGHT,
    FEW,
    FIVE,
    FOUR,
    LISTED,
    NONE,
    ONE,
    ROW,
    SEVEN,
    SIX,
    TEAMS,
    THREE,
    TWO,
    WHO,
    find_nearby,
    list_all,
    list_in_blocks,
    place_of,
)

BYTE_SHIFT = THREE  # bits of a byte


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
def observe(chosen, numbers, trait, rings, away, heads, features, styles, bodies, clock, material,
            look, access, occupant, slots, seen, blanks, founds, takens, places, block,
            standings, shown_as, ground, window, entities, own, mask, lo, hi):  # fmt: skip
    """Write observations and masks of one group.

    rings, away: of `Tables`; bodies .. access: of `State`; occupant .. blanks: of `Derived`;
    founds .. shown_as: of `Scratch`.
    ground: of `Derived`, as bytes or as words of eight.
    window: the `grid` of observations, [copy, agent, row * column * channel], as bytes or as words.
    entities: float32[copy, agent, slot * feature].
    own: float32[copy, agent, feature].
    mask: int8[copy, agent, choice].
    """
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        body = bodies[copy]
        found = founds[copy]
        taken = takens[copy]
        place = places[copy]
        standing = standings[copy]
        looks = shown_as[copy]
        if numbers.entities > FEW:
            list_in_blocks(numbers, trait, features, body, place, block[copy], standing, looks)
        else:
            list_all(numbers, trait, features, body, place, block[copy], standing, looks)
        for i in range(window.shape[1]):
            agent = heads.first + i
            slot = slots[copy, agent]
            if body[agent, c.ENDED] == c.GONE:
                if not blanks[copy, agent]:
                    blank(window[copy, i], entities[copy, i], own[copy, i])
                    mask_noop(heads, mask[copy, i])
                    blanks[copy, agent] = True
                    seen[copy, agent] = 0
                continue
            blanks[copy, agent] = False
            write_ground(numbers, place[agent], ground[copy, trait[agent, c.VIEW]], window[copy, i])
            count = find_nearby(numbers, rings, place, block[copy], standing, agent, found, taken)
            write_others(numbers, heads, features, rings, away, trait[agent, c.TEAM],
                         body[agent, c.ATTACKER] - 1, standing, looks, found, taken, count,
                         window[copy, i], entities[copy, i], slot)  # fmt: skip
            hide_others(count, seen[copy, agent], looks[numbers.entities], entities[copy, i])
            seen[copy, agent] = min(np.int64(count), heads.slots)
            write_self(numbers, trait, features, material[copy], occupant[copy], body, place,
                       agent, clock[copy, c.TICK], own[copy, i])  # fmt: skip
            if body[agent, c.ENDED] == c.LIVING:
                write_mask(numbers, heads, trait, styles, body, agent, material[copy], look[copy],
                           access[copy], occupant[copy], slot, seen[copy, agent],
                           window[copy, i], mask[copy, i])  # fmt: skip
            else:
                mask_noop(heads, mask[copy, i])


@inlined
def blank(window, entities, own):
    """Show nothing."""
    window[:] = 0
    entities[:] = 0.0
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
def write_ground(numbers, place, ground, window):
    """Copy the window around a place, row by row."""
    top = place[ROW] - numbers.radius - numbers.pad
    side = np.uint64(2 * numbers.radius + 1)
    length = np.uint64(window.shape[0]) // side
    first = np.uint64((place[COLUMN] - numbers.radius) * numbers.cell_words)
    for k in range(side):
        source = ground[min(np.uint64(top) + k, np.uint64(numbers.height)), first:]
        target = window[k * length :]
        if numbers.word_shift == 0 or length < EIGHT:
            for i in range(length):
                target[i] = source[i]
            continue
        for i in range(NONE, length, EIGHT):
            copy_eight(source, target, min(i, length - EIGHT))


@inlined
def copy_eight(source, target, first):
    """Copy eight words, as a loop of so few rounds would not, without any checks."""
    w0, w1 = source[first], source[first + ONE]
    w2, w3 = source[first + TWO], source[first + THREE]
    w4, w5 = source[first + FOUR], source[first + FIVE]
    w6, w7 = source[first + SIX], source[first + SEVEN]
    target[first], target[first + ONE] = w0, w1
    target[first + TWO], target[first + THREE] = w2, w3
    target[first + FOUR], target[first + FIVE] = w4, w5
    target[first + SIX], target[first + SEVEN] = w6, w7


@inlined
def mark(numbers, window, cell, channel):
    """Set a channel of a cell of a window of bytes, or of (little-endian) words, to 1."""
    channel = np.uint64(channel)
    shift = np.uint64(numbers.word_shift)
    word = cell * np.uint64(numbers.cell_words) + (channel >> shift)
    window[word] |= ONE << ((channel & ((ONE << shift) - ONE)) << BYTE_SHIFT)


@inlined
def write_others(numbers, heads, features, rings, away, team, attacker, standing, shown_as, found,
                 taken, count, window, entities, slot):  # fmt: skip
    """Write those found into the window and, nearest first, into the slots."""
    teams = standing[TEAMS]
    who = standing[WHO]
    listed = found[LISTED]
    cells = found[CELL]
    down = away[0]
    right = away[1]
    slots = np.uint64(heads.slots)
    length = np.uint64(shown_as.shape[1])
    aimed = heads.styles > 0 or heads.amounts > 0
    for i in range(count):
        k = listed[i]
        cell = np.uint64(cells[i])
        own = teams[k] == np.uint64(team)
        channel = layers.OWN if own else layers.OTHER
        if numbers.npc_channel >= 0 and who[k] >= np.uint64(numbers.agents):
            channel = numbers.npc_channel
        mark(numbers, window, cell, channel)
        place = place_of(np.uint64(rings[cell]), taken)
        if place >= slots:
            continue
        first = place * length
        copy_features(shown_as[k], entities, first)
        entities[first] = 1.0
        entities[first + ONE] = down[cell]
        entities[first + TWO] = right[cell]
        entities[first + THREE] = own
        if features.other_fight >= 0:
            entities[first + np.uint64(features.other_fight + 1)] = who[k] == np.uint64(attacker)
        if aimed:
            slot[place] = who[k]


@inlined
def copy_features(source, target, first):
    """Copy what does not depend on who looks, three by three; the last ones may overlap.

    Loops that the compiler knows how to unroll take longer for so few rounds.
    """
    last = np.uint64(source.shape[0]) - THREE
    for i in range(FOUR, last, THREE):
        copy_three(source, i, target, first)
    copy_three(source, last, target, first)


@inlined
def copy_three(source, i, target, first):
    """Copy three numbers."""
    target[first + i] = source[i]
    target[first + i + ONE] = source[i + ONE]
    target[first + i + TWO] = source[i + TWO]


@inlined
def hide_others(first, last, nobody, entities):
    """Show nobody in the slots ``first .. last - 1``, where others were shown before.

    Zeros written down here would become a call, for a row or two.
    """
    length = np.uint64(nobody.shape[0])
    for slot in range(first, np.uint64(last)):
        for i in range(length):
            entities[slot * length + i] = nobody[i]


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
