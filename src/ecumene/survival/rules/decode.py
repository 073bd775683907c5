"""From the choices of agents to what they set out to do."""

from ecumene.engine import helper, rule
from ecumene.survival import columns as c

NOBODY = -2  # an empty slot was chosen: unlike `NO_FOE`, that is a choice in vain


@rule
def decode(chosen, heads, styles, amounts, actions, body, slots, seen, intents, lo, hi):
    """Write the intents of one group.

    styles: int64[style of the group]; amounts: int64[amount].
    actions: int64[copy, agent, part].
    """
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        intent = intents[copy]
        for i in range(actions.shape[1]):
            agent = heads.first + i
            mine = intent[agent]
            mine[c.MOVE] = 0
            mine[c.FOE] = c.NO_FOE
            mine[c.AMOUNT] = 0
            mine[c.BUILD] = 0
            mine[c.PLANT] = 0
            if body[copy, agent, c.ENDED] != c.LIVING:
                continue
            slot = slots[copy, agent]
            count = seen[copy, agent]
            if heads.flat:
                decode_flat(heads, styles, amounts, actions[copy, i, 0], mine, slot, count)
            else:
                decode_parts(heads, styles, amounts, actions[copy, i], mine, slot, count)
            if heads.words > 0:
                body[copy, agent, c.WORD] = mine[c.SAY]


@helper
def target_in(slot, seen, k):
    """Return the entity in slot `k`, or `NOBODY`."""
    if k < seen:
        return slot[k]
    return NOBODY


@helper
def decode_attack(heads, styles, choice, mine, slot, seen):
    """Read choice 1.. of the attack head: style-major, then the slot."""
    style = (choice - 1) // heads.slots
    mine[c.WITH] = styles[style]
    mine[c.FOE] = target_in(slot, seen, choice - 1 - style * heads.slots)


@helper
def decode_share(heads, amounts, choice, mine, slot, seen):
    """Read choice 1.. of the share head: food or water, then the slot, then the amount."""
    place = (choice - 1) // heads.amounts
    mine[c.AMOUNT] = amounts[choice - 1 - place * heads.amounts]
    stock = place // heads.slots
    mine[c.GIFT] = c.FOOD if stock == 0 else c.WATER
    mine[c.FRIEND] = target_in(slot, seen, place - stock * heads.slots)


@helper
def decode_parts(heads, styles, amounts, action, mine, slot, seen):
    """Read a `MultiDiscrete` action, or the single part of a world with moves alone."""
    mine[c.MOVE] = action[0]
    part = 1
    if heads.styles > 0:
        if action[part] > 0:
            decode_attack(heads, styles, action[part], mine, slot, seen)
        part += 1
    if heads.amounts > 0:
        if action[part] > 0:
            decode_share(heads, amounts, action[part], mine, slot, seen)
        part += 1
    if heads.build > 0:
        mine[c.BUILD] = action[part]
        part += 1
    if heads.plant > 0:
        mine[c.PLANT] = action[part]
        part += 1
    if heads.words > 0:
        mine[c.SAY] = action[part]


@helper
def decode_flat(heads, styles, amounts, choice, mine, slot, seen):
    """Read one choice out of all heads laid end to end, their first choices left out."""
    mine[c.SAY] = 0
    if choice < 5:
        mine[c.MOVE] = choice
        return
    choice -= 4
    count = heads.styles * heads.slots
    if choice <= count:
        decode_attack(heads, styles, choice, mine, slot, seen)
        return
    choice -= count
    count = 2 * heads.slots * heads.amounts
    if choice <= count:
        decode_share(heads, amounts, choice, mine, slot, seen)
        return
    choice -= count
    if choice <= heads.build:
        mine[c.BUILD] = 1
        return
    choice -= heads.build
    if choice <= heads.plant:
        mine[c.PLANT] = 1
        return
    mine[c.SAY] = choice - heads.plant
