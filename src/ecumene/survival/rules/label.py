"""What can be said of an agent."""

from ecumene.engine import helper, rule
from ecumene.survival import columns as c
from ecumene.survival import tiles
from ecumene.survival.rules.land import stride_of

PROPOSITIONS = (
    "hungry", "thirsty", "starving", "hurt", "in_danger", "attacked", "frozen", "dead",
)  # fmt: skip


@helper
def near_danger(numbers, material, occupant, cell):
    """Return whether lava or an NPC is on one of the four neighbouring cells."""
    for direction in range(1, 5):
        beside = cell + stride_of(numbers.stride, direction)
        if material[beside] == tiles.LAVA or occupant[beside] > numbers.agents:
            return True
    return False


@rule
def label(chosen, numbers, first, unsafe, trait, body, material, occupant, out, lo, hi):
    """Write which propositions hold of one group.

    unsafe: bool[proposition]; any of these makes an agent unsafe.
    out: bool[copy, agent, proposition]; the last one is `unsafe`.
    """
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for i in range(out.shape[1]):
            me = body[copy, first + i]
            held = out[copy, i]
            held[:] = False
            if me[c.ENDED] == c.GONE:
                continue
            if numbers.stocks:
                held[0] = 2 * me[c.FOOD] <= numbers.stock
                held[1] = 2 * me[c.WATER] <= numbers.stock
                held[2] = me[c.FOOD] == 0 or me[c.WATER] == 0
            held[3] = 2 * me[c.HEALTH] <= trait[first + i, c.HEALTH_MAX]
            held[4] = near_danger(numbers, material[copy], occupant[copy], me[c.CELL])
            held[5] = me[c.DAMAGE] > 0 and me[c.CAUSE] != c.BURNT
            held[6] = me[c.FREEZE] > 0
            held[7] = me[c.ENDED] == c.TERMINATED and me[c.PRESENT] == 0
            for k in range(unsafe.shape[0]):
                if unsafe[k] and held[k]:
                    held[unsafe.shape[0]] = True
