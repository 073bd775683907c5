"""All of a step or of a reset in one call, for worlds whose agents share their spaces."""

from ecumene.engine import rule
from ecumene.survival.rules.decode import decode
from ecumene.survival.rules.episode import begin, step
from ecumene.survival.rules.observe import observe, tell
from ecumene.survival.state import Derived, Features, Heads, Numbers, Scratch, State, Tables


@rule
def advance(fresh, actions, world, held, group, told, lo, hi):
    """Decode and step, or begin; then tell and observe.

    Everything comes in plain tuples, for which Python hands over named ones at several times the
    cost: while it does, the other threads wait.

    fresh: whether episodes begin; `actions` are not looked at then.
    world: chosen, and the fields of `Numbers` and `Tables`.
    held: those of `State`, `Derived` and `Scratch`.
    group: those of `Heads` and `Features`; styles, amounts.
    told: the arrays that `tell` and `observe` write.
    """
    chosen, numbers, tables = world[0], Numbers(*world[1]), Tables(*world[2])
    state, derived, scratch = State(*held[0]), Derived(*held[1]), Scratch(*held[2])
    heads, features, styles, amounts = Heads(*group[0]), Features(*group[1]), group[2], group[3]
    reward, terminated, truncated, alive, ground, window, entities, own, mask = told
    if fresh:
        begin(chosen, numbers, tables, state, derived, scratch, lo, hi)
    else:
        decode(chosen, heads, styles, amounts, actions, state.body, derived.slot, derived.seen,
               scratch.intent, lo, hi)  # fmt: skip
        step(chosen, numbers, tables, state, derived, scratch, lo, hi)
    tell(chosen, heads.first, state.body, state.reward, reward, terminated, truncated, alive,
         lo, hi)  # fmt: skip
    observe(chosen, numbers, tables.trait, tables.rings, tables.away, heads, features, styles,
            state.body, state.clock, state.material, state.look, state.access, derived.occupant,
            derived.slot, derived.seen, derived.blank, scratch.found, scratch.taken, scratch.place,
            scratch.block, scratch.standing, scratch.shown_as, ground, window,
            entities, own, mask, lo, hi)  # fmt: skip
