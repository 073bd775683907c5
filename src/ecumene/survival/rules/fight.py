"""Attacks and healing."""

from ecumene.engine import helper, inlined
from ecumene.engine.random import bounded
from ecumene.survival import columns as c

DICE = 20
FREEZING = 3


@inlined
def reach_of(style):
    """Return how far an attack style reaches."""
    if style == c.MELEE:
        return 1
    if style == c.RANGE:
        return 3
    if style == c.MAGE:
        return 4
    return 2


@inlined
def distance(stride, one, other):
    """Return the greater of the distances in rows and in columns between two cells."""
    row = one // stride
    other_row = other // stride
    down = abs(row - other_row)
    across = abs((one - row * stride) - (other - other_row * stride))
    return max(down, across)


@inlined
def may_strike(numbers, trait, attacker, target, style):
    """Return whether an attacker may use a style on a target at all."""
    if attacker == target or not (trait[attacker, c.STYLES] >> style) & 1:
        return False
    if numbers.friendly_fire:
        return True
    own = trait[attacker, c.TEAM] == trait[target, c.TEAM]
    return own == (style == c.HEAL)


@inlined
def in_reach(stride, body, attacker, target, style):
    """Return whether a target is within the reach of a style, and not on the same cell."""
    if body[target, c.PRESENT] == 0:
        return False
    away = distance(stride, body[attacker, c.CELL], body[target, c.CELL])
    return away >= 1 and away <= reach_of(style)


@helper
def hit_threshold(weight, defence, skill, level):
    """Return the least roll of the die that hits with full damage."""
    return weight * defence + (1.0 - weight) * skill - level + 10.0


@helper
def roll(numbers, row, trait, body, attacker, target, style):
    """Return the damage of an attack, before anything is done with it; a heal's is negative."""
    power = trait[attacker, c.POWER + style]
    if style == c.HEAL:
        return -power
    if power > 0:
        die = 1 + bounded(row, DICE)
        protection = (body[target, c.CHEST] + body[target, c.LEGS]) // 2
        threshold = hit_threshold(
            numbers.defence_weight,
            trait[target, c.DEFENCE] + protection,
            trait[target, c.LEVEL + style],
            trait[attacker, c.LEVEL + style],
        )
        # Weights such as 0.3 are not exact: what is off by a rounding error is no miss.
        if die != DICE and die < threshold - 1e-9:
            power = 1
    return min(power, max(body[attacker, c.HEALTH], 0))


@helper
def take(body, entity, amount, most):
    """Add units to both stocks, or take them away, within their bounds."""
    body[entity, c.FOOD] = min(max(body[entity, c.FOOD] + amount, 0), most)
    body[entity, c.WATER] = min(max(body[entity, c.WATER] + amount, 0), most)


@helper
def strike(numbers, row, trait, body, attacker, target, style):
    """Attack or heal; return whether anything came of it."""
    if not may_strike(numbers, trait, attacker, target, style):
        return False
    if not in_reach(numbers.stride, body, attacker, target, style):
        return False
    damage = roll(numbers, row, trait, body, attacker, target, style)
    steals = numbers.stealing and damage > 0
    if steals and attacker < numbers.agents:
        take(body, attacker, damage, numbers.stock)
    it = body[target]
    before = it[c.HEALTH]
    it[c.DAMAGE] = max(0, damage)
    it[c.HEALTH] = min(max(before - damage, 0), trait[target, c.HEALTH_MAX])
    it[c.ATTACKER] = attacker + 1
    if style == c.MAGE and damage > 0:
        it[c.FREEZE] = FREEZING
    if it[c.HEALTH] > 0:
        it[c.CAUSE] = c.NOTHING
        if steals and target < numbers.agents:
            take(body, target, -damage, numbers.stock)
    elif before > 0:
        it[c.CAUSE] = c.KILLED
        it[c.KILLER] = attacker + 1
        if attacker < numbers.agents:
            body[attacker, c.CHEST] = max(body[attacker, c.CHEST], it[c.CHEST])
            body[attacker, c.LEGS] = max(body[attacker, c.LEGS], it[c.LEGS])
    return True
