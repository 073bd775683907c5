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
    # What stands on the board of every agent; share is below 0 where it does not.
    x: NDArray[np.int32]  # [copy, agent]
    y: NDArray[np.int32]  # [copy, agent]
    direction: NDArray[np.int32]  # [copy, agent]
    share: NDArray[np.float32]  # [copy, agent]


@rule
def redraw(chosen, world, state, board, lo, hi):
    """Draw the boards afresh, without agents: `refresh` adds them."""
    for copy in range(lo, hi):
        if chosen[copy]:
            pixel = board.pixel[copy]
            for row in range(pixel.shape[0]):
                pixel[row, :] = 0
            draw_ground(world, state, board, copy, WALL, 0)
            for agent in range(board.share.shape[1]):
                board.share[copy, agent] = -1


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
    """Take the agents ``first:last`` that died or moved off the board."""
    body = state.body[copy]
    x = board.x[copy]
    y = board.y[copy]
    direction = board.direction[copy]
    share = board.share[copy]
    for agent in range(first, last):
        if share[agent] >= 0 and (
            body[agent, STATUS] != ALIVE
            or x[agent] != body[agent, X]
            or y[agent] != body[agent, Y]
            or direction[agent] != body[agent, DIRECTION]
        ):
            paint(world, board, copy, world.owner[agent], x[agent], y[agent], direction[agent], -1)
            share[agent] = -1


@rule
def draw(world, state, board, copy, first, last):
    """Put the living agents ``first:last`` on the board where they are not shown as they are."""
    body = state.body[copy]
    vital = state.vital[copy]
    shown = board.share[copy]
    for group in range(world.kind.shape[0]):
        most = world.power[group, MAX_HP]
        for agent in range(max(first, world.start[group]), min(last, world.start[group + 1])):
            share = vital[agent, HP] / most
            if body[agent, STATUS] == ALIVE and share != shown[agent]:
                x = body[agent, X]
                y = body[agent, Y]
                direction = body[agent, DIRECTION]
                board.x[copy, agent] = x
                board.y[copy, agent] = y
                board.direction[copy, agent] = direction
                shown[agent] = share
                paint(world, board, copy, group, x, y, direction, share)


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
