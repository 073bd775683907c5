"""All of a step in one call, for worlds whose agents share their spaces."""

from ecumene.engine import rule
from ecumene.survival.rules.decode import decode
from ecumene.survival.rules.episode import step
from ecumene.survival.rules.observe import observe, tell


@rule
def advance(chosen, numbers, tables, state, derived, scratch, heads, features, styles, amounts,
            actions, reward, terminated, truncated, alive, ground, lava, window, entities, own,
            mask, lo, hi):  # fmt: skip
    """Decode, step, tell and observe: handing over the arrays four times costs more than this."""
    decode(chosen, heads, styles, amounts, actions, state.body, derived.slot, derived.seen,
           scratch.intent, lo, hi)  # fmt: skip
    step(chosen, numbers, tables, state, derived, scratch, lo, hi)
    tell(chosen, heads.first, state.body, state.reward, reward, terminated, truncated, alive,
         lo, hi)  # fmt: skip
    observe(chosen, numbers, tables.trait, heads, features, styles, state.body, state.clock,
            state.material, state.look, state.access, derived.occupant, derived.slot,
            derived.seen, derived.shown, derived.blank, scratch.key, scratch.place,
            scratch.block, scratch.standing, scratch.order, scratch.shown_as, ground, lava,
            window, entities, own, mask, lo, hi)  # fmt: skip
