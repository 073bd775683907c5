"""What all observers see of an entity."""

import numpy as np

from ecumene.engine import inlined
from ecumene.survival import columns as c
from ecumene.survival.rules.fight import FREEZING


@inlined
def describe(numbers, trait, features, body, entity, looks):
    """Write what does not depend on who looks."""
    its = body[entity]
    npc = entity >= numbers.agents
    if features.other_health >= 0:
        looks[features.other_health] = part(its[c.HEALTH], trait[entity, c.HEALTH_MAX])
    if features.other_stocks >= 0:
        looks[features.other_stocks] = 0.0 if npc else part(its[c.FOOD], numbers.stock)
        looks[features.other_stocks + 1] = 0.0 if npc else part(its[c.WATER], numbers.stock)
    if features.other_npc >= 0:
        looks[features.other_npc] = npc
    if features.other_fight >= 0:
        looks[features.other_fight] = part(its[c.FREEZE], FREEZING)
    if features.other_role >= 0:
        for role in range(features.roles):
            looks[features.other_role + role] = not npc and trait[entity, c.ROLE] == role
    if features.other_word >= 0:
        for word in range(features.words):
            looks[features.other_word + word] = not npc and its[c.WORD] == word + 1


@inlined
def part(value, most):
    """Return a value as a part of the most it can be."""
    return np.float32(value) / np.float32(most)
