"""Rules of the boards that views are cut from.

A *board* shows the whole map, with a margin, as one group sees it: its rows are the cells with
their channels one after another, so that a view is made of runs of its rows. The boards of all
groups are brought up to date at once: every agent is taken off where it stood and put where it
stands. Asking first whether it changed would cost more, for no processor can foresee the answer.
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
from ecumene.engine import inlined

# Kinds of a cell in the compact form; a group's is AGENT and its place in the order of groups.
CODE_WALL, CODE_FOOD, CODE_AGENT = 1, 2, 3
_SHARE = 256  # what a code's share of hp, 0..255, is multiplied by
_GONE = np.float32(-1)  # the share of hp that clears a cell


class Boards(NamedTuple):
    """The boards of all groups that look."""

    margin: int  # rows and columns around the map
    compact: bool  # whether a cell is one code, not a channel for everything
    channels: int  # of a cell
    place: NDArray[np.int32]  # [viewer, group]; the group's first channel, or its code
    pixel: NDArray[np.float32] | NDArray[np.uint16]  # [copy, viewer, row, column x channel]
    spot: NDArray[np.int32]  # [copy, agent, 3]; x, y, direction of what stands on the boards
    shown: NDArray[np.bool_]  # [copy, agent]; whether it stands there


@inlined
def redraw(world, state, boards, copy):
    """Draw the boards of a copy afresh, without agents: `refresh` adds them."""
    for viewer in range(boards.pixel.shape[1]):
        pixel = boards.pixel[copy, viewer]
        for row in range(pixel.shape[0]):
            pixel[row, :] = 0
    draw_ground(world, state, boards, copy, WALL, 0)
    for agent in range(boards.shown.shape[1]):
        boards.shown[copy, agent] = False


@inlined
def refresh(world, state, boards, copy):
    """Bring the boards of a copy up to date."""
    agents = world.owner.shape[0]
    erase(world, boards, copy, 0, agents)
    if world.feeding:
        draw_ground(world, state, boards, copy, FOOD, 1)
    draw(world, state, boards, copy, 0, agents)


@inlined
def draw_ground(world, state, boards, copy, what, channel):
    """Show where on the map there is a wall (channel 0) or food (channel 1)."""
    cell = state.cell[copy]
    for viewer in range(boards.pixel.shape[1]):
        for y in range(world.map_height):
            pixel = boards.pixel[copy, viewer, y + boards.margin]
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
def erase(world, boards, copy, first, last):
    """Take the agents ``first:last`` off the boards.

    Nothing is drawn before everything is erased: somebody else may stand there now.
    """
    spot = boards.spot[copy]
    shown = boards.shown[copy]
    for agent in range(first, last):
        if shown[agent]:
            x = spot[agent, 0]
            y = spot[agent, 1]
            paint(world, boards, copy, world.owner[agent], x, y, spot[agent, 2], _GONE)
            shown[agent] = False


@inlined
def draw(world, state, boards, copy, first, last):
    """Put those of the agents ``first:last`` that live on the boards."""
    body = state.body[copy]
    vital = state.vital[copy]
    spot = boards.spot[copy]
    for agent in range(first, last):
        if body[agent, STATUS] == ALIVE:
            group = world.owner[agent]
            x = body[agent, X]
            y = body[agent, Y]
            direction = body[agent, DIRECTION]
            spot[agent, 0] = x
            spot[agent, 1] = y
            spot[agent, 2] = direction
            boards.shown[copy, agent] = True
            share = vital[agent, HP] / world.power[group, MAX_HP]
            paint(world, boards, copy, group, x, y, direction, share)


@inlined
def paint(world, boards, copy, group, x, y, direction, share):
    """Write an agent of a group into every cell of its body, or clear them if share is below 0."""
    columns, rows = extent(direction, world.kind[group, WIDTH], world.kind[group, LENGTH])
    for viewer in range(boards.pixel.shape[1]):
        place = boards.place[viewer, group]
        for row in range(y + boards.margin, y + boards.margin + rows):
            pixel = boards.pixel[copy, viewer, row]
            for column in range(x + boards.margin, x + boards.margin + columns):
                if boards.compact:
                    code = place + _SHARE * int(share * 255 + 0.5)
                    pixel[column] = code if share >= 0 else 0
                else:
                    at = column * boards.channels + place
                    pixel[at] = 1 if share >= 0 else 0
                    pixel[at + 1] = share if share >= 0 else 0
