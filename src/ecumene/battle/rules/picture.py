"""Rules of the boards that views are cut from.

A *board* shows the whole map, with a margin, as one group sees it: its rows are the cells with
their channels one after another, so that a view is made of runs of its rows. `Board.x` and its
neighbours remember what stands on it, so that only the agents that changed are drawn anew.
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
from ecumene.engine import inlined, rule

# Kinds of a cell in the compact form; a group's is AGENT and its place in the order of groups.
CODE_WALL, CODE_FOOD, CODE_AGENT = 1, 2, 3
_SHARE = 256  # what a code's share of hp, 0..255, is multiplied by


class Board(NamedTuple):
    """The boards of one group."""

    viewer: int  # the group that looks
    margin: int  # rows and columns around the map
    compact: bool  # whether a cell is one code, not a channel for everything
    channels: int  # of a cell
    pixel: NDArray[np.float32] | NDArray[np.uint16]  # [copy, row, column x channel]
    # What stands on the board of every agent: where it is and how it looks; hp below 0: it is
    # not on the board. `stale` marks the agents that are to be drawn.
    spot: NDArray[np.int32]  # [copy, agent, 3]; x, y, direction
    hp: NDArray[np.float32]  # [copy, agent]
    stale: NDArray[np.bool_]  # [copy, agent]


@rule
def redraw(chosen, world, state, board, lo, hi):
    """Draw the boards afresh, without agents: `refresh` adds them."""
    for copy in range(lo, hi):
        if chosen[copy]:
            pixel = board.pixel[copy]
            for row in range(pixel.shape[0]):
                pixel[row, :] = 0
            draw_ground(world, state, board, copy, WALL, 0)
            for agent in range(board.hp.shape[1]):
                board.hp[copy, agent] = -1


@inlined
def refresh(world, state, board, copy):
    """Bring the board of a copy up to date."""
    agents = world.owner.shape[0]
    erase(world, state, board, copy, 0, agents)
    if world.feeding:
        draw_ground(world, state, board, copy, FOOD, 1)
    draw(world, state, board, copy, 0, agents)


@inlined
def draw_ground(world, state, board, copy, what, channel):
    """Show where on the map there is a wall (channel 0) or food (channel 1)."""
    cell = state.cell[copy]
    for y in range(world.map_height):
        pixel = board.pixel[copy, y + board.margin]
        for x in range(world.map_width):
            at = (x + board.margin) * board.channels
            here = cell[y, x] == what
            if not board.compact:
                pixel[at + channel] = here
            elif here:
                pixel[at] = CODE_WALL + channel
            elif pixel[at] == CODE_WALL + channel:
                pixel[at] = 0


@rule
def erase(world, state, board, copy, first, last):
    """Take those of the agents ``first:last`` that moved or died off the board.

    Marks those that are to be drawn. Nothing is drawn before everything is erased: somebody else
    may stand there now.
    """
    body = state.body[copy]
    vital = state.vital[copy]
    spot = board.spot[copy]
    shown = board.hp[copy]
    stale = board.stale[copy]
    for agent in range(first, last):
        alive = body[agent, STATUS] == ALIVE
        moved = (
            spot[agent, 0] != body[agent, X]
            or spot[agent, 1] != body[agent, Y]
            or spot[agent, 2] != body[agent, DIRECTION]
        )
        if shown[agent] >= 0 and (moved or not alive):
            paint(
                world, board, copy, world.owner[agent],
                spot[agent, 0], spot[agent, 1], spot[agent, 2], -1,
            )  # fmt: skip
            shown[agent] = -1
        stale[agent] = alive and shown[agent] != vital[agent, HP]


@rule
def draw(world, state, board, copy, first, last):
    """Put those of the agents ``first:last`` that are marked on the board."""
    body = state.body[copy]
    vital = state.vital[copy]
    spot = board.spot[copy]
    stale = board.stale[copy]
    for agent in range(first, last):
        if stale[agent]:
            group = world.owner[agent]
            x = body[agent, X]
            y = body[agent, Y]
            direction = body[agent, DIRECTION]
            spot[agent, 0] = x
            spot[agent, 1] = y
            spot[agent, 2] = direction
            hp = vital[agent, HP]
            board.hp[copy, agent] = hp
            paint(world, board, copy, group, x, y, direction, hp / world.power[group, MAX_HP])


@inlined
def paint(world, board, copy, group, x, y, direction, share):
    """Write an agent of a group into every cell of its body, or clear them if share is below 0."""
    place = group - board.viewer
    if place < 0:
        place += world.kind.shape[0]
    columns, rows = extent(direction, world.kind[group, WIDTH], world.kind[group, LENGTH])
    ground = board.channels - 2 * world.kind.shape[0]
    for row in range(y + board.margin, y + board.margin + rows):
        pixel = board.pixel[copy, row]
        for column in range(x + board.margin, x + board.margin + columns):
            if board.compact:
                code = CODE_AGENT + place + _SHARE * int(share * 255 + 0.5)
                pixel[column] = code if share >= 0 else 0
            else:
                at = column * board.channels + ground + 2 * place
                pixel[at] = 1 if share >= 0 else 0
                pixel[at + 1] = share if share >= 0 else 0
