"""The rules of a step as a whole, of many copies or of parts of one."""

from ecumene.battle.rules import fighting, moving, picture, scoring, seeing, stepping
from ecumene.engine import rule

# What `play` is to do: sums of these.
STEP, TELL, FORGET, LOOK = 1, 2, 4, 8

# Parts of it for `play_part`: for ranges of agents (the last one of a group), for ranges of bands,
# and those that cannot be divided.
PREPARE, RECOVER, ERASE, DRAW, VIEW = range(5)
MOVE_BANDS = 5
TICK, FIGHT, SORT, MOVE_EDGES, MOVE, SCORE, SHOW_GROUND = range(6, 13)


@rule
def play(what, chosen, world, table, wanted, state, scratch, boards, reports, lo, hi):
    """Advance by one step, tell rewards and flags, forget the walls, write what is seen.

    It is one rule because a copy that has just been stepped is still at hand when it is seen.

    what: sum of STEP, TELL, FORGET, LOOK.
    wanted: int[copy, agent]; what uncontrolled and dead agents do is ignored.
    reports: a `seeing.Report` for every group that is the user's.
    """
    agents = world.owner.shape[0]
    for copy in range(lo, hi):
        if chosen[copy]:
            if what & STEP and stepping.tick(state, copy):
                stepping.prepare(world, state, wanted, copy, 0, agents)
                fighting.fight(world, state, scratch, copy)
                fighting.recover(world, state, copy, 0, agents)
                moving.move_all(world, state, scratch, copy)
                scoring.score(world, state, scratch, table, copy)
                stepping.finish(world, state, scratch, copy)
            if what & TELL:
                for viewer in range(len(reports)):
                    stepping.tell(world, state, scratch, reports[viewer], copy)
            if what & FORGET:
                picture.forget_walls(boards, copy)
            if what & LOOK:
                slot = picture.slot_of(boards, copy, lo)
                picture.show(world, state, boards, slot, copy)
                for viewer in range(len(reports)):
                    count = reports[viewer].mask.shape[1]
                    seeing.observe(world, state, boards, reports, viewer, slot, copy, 0, count)


@rule
def play_part(part, viewer, world, table, wanted, state, scratch, boards, reports, first, last):
    """Do a part of `play` for the one copy of a large world, of a range of agents or bands.

    viewer: index in `reports`, for VIEW.
    """
    if part == TICK:
        stepping.tick(state, 0)
    elif part == PREPARE:
        stepping.prepare(world, state, wanted, 0, first, last)
    elif part == FIGHT:
        fighting.fight(world, state, scratch, 0)
    elif part == RECOVER:
        fighting.recover(world, state, 0, first, last)
    elif part == SORT:
        moving.sort_by_band(world, state, scratch, 0)
    elif part == MOVE_BANDS:
        moving.move_bands(world, state, scratch, 0, first, last)
    elif part == MOVE_EDGES:
        moving.move_bands(world, state, scratch, 0, world.bands, world.bands + 1)
    elif part == MOVE:
        moving.move_all(world, state, scratch, 0)
    elif part == SCORE:
        scoring.score(world, state, scratch, table, 0)
        stepping.finish(world, state, scratch, 0)
    elif part == ERASE:
        picture.erase(world, boards, 0, first, last)
    elif part == SHOW_GROUND:
        picture.show_ground(world, state, boards, 0, 0)
    elif part == DRAW:
        picture.draw(world, state, boards, 0, 0, first, last)
    else:
        seeing.observe(world, state, boards, reports, viewer, 0, 0, first, last)
