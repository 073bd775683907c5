"""Rules of the boards that views are cut from.

A *board* shows the whole map, with a margin, as one group sees it: its rows are the cells with
their channels one after another, so that a view is made of runs of its rows.

Where all copies have the same walls, the copies that one call treats are shown on the same boards
one after another: these stay in the cache, which the boards of all copies would not. So whatever
stands on the boards is taken off, wherever it stands, before a copy is drawn.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.battle.rules.space import extent
from ecumene.battle.state import (
    ALIVE,
    DIRECTION,
    FOOD,
    HP,
    LENGTH,
    MAX_HP,
    STATUS,
    WALL,
    WIDTH,
    X,
    Y,
)
from ecumene.engine import helper, inlined

# Kinds of a cell in the compact form; a group's is AGENT and its place in the order of groups.
CODE_WALL, CODE_FOOD, CODE_AGENT = 1, 2, 3
_SHARE = 256  # what a code's share of hp, 0..255, is multiplied by
_GONE = np.float32(-1)  # the share of hp that clears a cell


class Boards(NamedTuple):
    """The boards of all groups that look; `slot_of` says which are whose."""

    shared: bool  # whether all copies have the same walls
    margin: int  # rows and columns around the map
    compact: bool  # whether a cell is one code, not a channel for everything
    channels: int  # of a cell
    place: NDArray[np.int32]  # [viewer, group]; the group's first channel, or its code
    pixel: NDArray[np.float32] | NDArray[np.uint16]  # [slot, viewer, row, column x channel]
    walled: NDArray[np.bool_]  # [slot]; whether its walls are on the boards
    spot: NDArray[np.int32]  # [slot, agent, 3]; x, y, direction of what stands on the boards
    shown: NDArray[np.bool_]  # [slot, agent]; whether it stands there


@inlined
def slot_of(boards, copy, lo):
    """Return which boards a copy is shown on in a call for the copies from `lo` on."""
    return lo if boards.shared else copy


@inlined
def forget_walls(boards, copy):
    """See to it that the walls of a copy are drawn when it is shown next, if need be."""
    if not boards.shared:
        boards.walled[copy] = False


@inlined
def show(world, state, boards, slot, copy):
    """Show a copy on its boards."""
    agents = world.owner.shape[0]
    erase(world, boards, slot, 0, agents)
    show_ground(world, state, boards, slot, copy)
    draw(world, state, boards, slot, copy, 0, agents)


@inlined
def show_ground(world, state, boards, slot, copy):
    """Show walls and food on boards without agents."""
    if not boards.walled[slot]:
        draw_ground(world, state, boards, slot, copy, WALL, 0)
        boards.walled[slot] = True
    if world.feeding:
        draw_ground(world, state, boards, slot, copy, FOOD, 1)


@helper
def draw_ground(world, state, boards, slot, copy, what, channel):
    """Show where on the map there is a wall (channel 0) or food (channel 1)."""
    cell = state.cell[copy]
    for viewer in range(boards.pixel.shape[1]):
        for y in range(world.map_height):
            pixel = boards.pixel[slot, viewer, y + boards.margin]
            for x in range(world.map_width):
                at = (x + boards.margin) * boards.channels
                here = cell[y, x] == what
                if not boards.compact:
                    pixel[at + channel] = here
                elif here:
                    pixel[at] = CODE_WALL + channel
                elif pixel[at] == CODE_WALL + channel:
                    pixel[at] = 0


@inlined
def erase(world, boards, slot, first, last):
    """Take the agents ``first:last`` off the boards.

    Nothing is drawn before everything is erased: somebody else may stand there now. Whether an
    agent is still where it was is not asked: no processor could foresee the answer.
    """
    spot = boards.spot[slot]
    shown = boards.shown[slot]
    for agent in range(first, last):
        if shown[agent]:
            x = spot[agent, 0]
            y = spot[agent, 1]
            paint(world, boards, slot, world.owner[agent], x, y, spot[agent, 2], _GONE)
            shown[agent] = False


@inlined
def draw(world, state, boards, slot, copy, first, last):
    """Put those of the agents ``first:last`` that live on the boards."""
    body = state.body[copy]
    vital = state.vital[copy]
    spot = boards.spot[slot]
    for agent in range(first, last):
        if body[agent, STATUS] == ALIVE:
            group = world.owner[agent]
            x = body[agent, X]
            y = body[agent, Y]
            direction = body[agent, DIRECTION]
            spot[agent, 0] = x
            spot[agent, 1] = y
            spot[agent, 2] = direction
            boards.shown[slot, agent] = True
            share = vital[agent, HP] / world.power[group, MAX_HP]
            paint(world, boards, slot, group, x, y, direction, share)


@inlined
def paint(world, boards, slot, group, x, y, direction, share):
    """Write an agent of a group into every cell of its body, or clear them if share is below 0."""
    columns, rows = extent(direction, world.kind[group, WIDTH], world.kind[group, LENGTH])
    for viewer in range(boards.pixel.shape[1]):
        place = boards.place[viewer, group]
        for row in range(y + boards.margin, y + boards.margin + rows):
            pixel = boards.pixel[slot, viewer, row]
            for column in range(x + boards.margin, x + boards.margin + columns):
                if boards.compact:
                    code = place + _SHARE * int(share * 255 + 0.5)
                    pixel[column] = code if share >= 0 else 0
                else:
                    at = column * boards.channels + place
                    pixel[at] = 1 if share >= 0 else 0
                    pixel[at + 1] = share if share >= 0 else 0
