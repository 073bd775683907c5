"""Rules of the boards that views are cut from.

A *board* shows the whole map, with a margin, as one group sees it: ``[row, column x channels]``.
Views are then runs of its rows. `Shown` remembers what stands on the boards, so that a step
redraws only the agents that changed.
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
from ecumene.engine import rule


class Canvas(NamedTuple):
    """The boards of all copies and how they are laid out."""

    board: NDArray[np.float32]  # [copy, board, row, column x channels]
    codes: NDArray[np.uint8]  # [copy, board, row, column x 2]; kind and share of hp
    margin: int  # rows and columns around the map
    channels: int  # per cell of a board
    pair: int  # channels per group: presence, share of hp, and perhaps a density that stays 0
    viewer: NDArray[np.int32]  # [board]; the group that looks


class Shown(NamedTuple):
    """What stands on the boards of every agent; share is below 0 where it does not."""

    x: NDArray[np.int32]  # [copy, agent]
    y: NDArray[np.int32]  # [copy, agent]
    direction: NDArray[np.int8]  # [copy, agent]
    share: NDArray[np.float32]  # [copy, agent]


@rule
def redraw(chosen, world, state, canvas, shown, lo, hi):
    """Draw the boards afresh."""
    for copy in range(lo, hi):
        if chosen[copy]:
            for board in range(canvas.board.shape[1]):
                pixels = canvas.board[copy, board]
                for row in range(pixels.shape[0]):
                    pixels[row, :] = 0
            for board in range(canvas.codes.shape[1]):
                pixels = canvas.codes[copy, board]
                for row in range(pixels.shape[0]):
                    pixels[row, :] = 0
            draw_ground(world, state, canvas, copy, WALL, 0)
            if world.feeding:
                draw_ground(world, state, canvas, copy, FOOD, 1)
            for agent in range(shown.share.shape[1]):
                shown.share[copy, agent] = -1
            draw(world, state, canvas, shown, copy, 0, shown.share.shape[1])


@rule
def refresh(chosen, world, state, canvas, shown, lo, hi):
    """Bring the boards up to date."""
    agents = world.owner.shape[0]
    for copy in range(lo, hi):
        if chosen[copy]:
            erase(world, state, canvas, shown, copy, 0, agents)
            if world.feeding:
                draw_ground(world, state, canvas, copy, FOOD, 1)
            draw(world, state, canvas, shown, copy, 0, agents)


@rule
def draw_ground(world, state, canvas, copy, what, channel):
    """Show where on the map there is a wall, or food."""
    cell = state.cell[copy]
    margin = canvas.margin
    for board in range(canvas.board.shape[1]):
        pixels = canvas.board[copy, board]
        for y in range(world.map_height):
            for x in range(world.map_width):
                pixels[y + margin, (x + margin) * canvas.channels + channel] = (
                    1 if cell[y, x] == what else 0
                )
    kind = 1 + channel
    for board in range(canvas.codes.shape[1]):
        pixels = canvas.codes[copy, board]
        for y in range(world.map_height):
            for x in range(world.map_width):
                at = (x + margin) * 2
                if cell[y, x] == what:
                    pixels[y + margin, at] = kind
                elif pixels[y + margin, at] == kind:
                    pixels[y + margin, at] = 0


@rule
def erase(world, state, canvas, shown, copy, first, last):
    """Take the agents ``first:last`` that died or moved off the boards."""
    for agent in range(first, last):
        if shown.share[copy, agent] >= 0 and (
            state.body[copy, agent, STATUS] != ALIVE
            or shown.x[copy, agent] != state.body[copy, agent, X]
            or shown.y[copy, agent] != state.body[copy, agent, Y]
            or shown.direction[copy, agent] != state.body[copy, agent, DIRECTION]
        ):
            paint(world, canvas, shown, copy, agent, 0, 0)
            shown.share[copy, agent] = -1


@rule
def draw(world, state, canvas, shown, copy, first, last):
    """Put the living agents ``first:last`` on the boards where they are not shown as they are."""
    for agent in range(first, last):
        if state.body[copy, agent, STATUS] == ALIVE:
            share = state.vital[copy, agent, HP] / world.power[world.owner[agent], MAX_HP]
            if share != shown.share[copy, agent]:
                shown.x[copy, agent] = state.body[copy, agent, X]
                shown.y[copy, agent] = state.body[copy, agent, Y]
                shown.direction[copy, agent] = state.body[copy, agent, DIRECTION]
                shown.share[copy, agent] = share
                paint(world, canvas, shown, copy, agent, 1, share)


@rule
def paint(world, canvas, shown, copy, agent, presence, share):
    """Write an agent's presence and share of hp into every cell of its body, on all boards."""
    group = world.owner[agent]
    groups = world.kind.shape[0]
    columns, rows = extent(
        shown.direction[copy, agent], world.kind[group, WIDTH], world.kind[group, LENGTH]
    )
    ground = canvas.channels - groups * canvas.pair
    left = shown.x[copy, agent] + canvas.margin
    top = shown.y[copy, agent] + canvas.margin
    code = int(share * 255 + 0.5)
    for board in range(canvas.viewer.shape[0]):
        place = (group - canvas.viewer[board]) % groups
        for y in range(top, top + rows):
            for x in range(left, left + columns):
                if board < canvas.board.shape[1]:
                    at = x * canvas.channels + ground + place * canvas.pair
                    canvas.board[copy, board, y, at] = presence
                    canvas.board[copy, board, y, at + 1] = share
                if board < canvas.codes.shape[1]:
                    canvas.codes[copy, board, y, 2 * x] = presence * (3 + place)
                    canvas.codes[copy, board, y, 2 * x + 1] = code
