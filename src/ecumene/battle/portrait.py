"""Pictures of a battle: bodies in the colours of their groups, paler with every wound."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene import drawing
from ecumene.battle.definition import Battle
from ecumene.battle.rules.fighting import aim
from ecumene.battle.rules.space import eye_of, head_of, turned
from ecumene.battle.state import (
    ACTION,
    ALIVE,
    ATTACK_BASE,
    DIRECTION,
    EMPTY,
    FOOD,
    GONE,
    HP,
    LENGTH,
    MAX_HP,
    OVER,
    STATUS,
    TEAM,
    WALL,
    WIDTH,
    State,
    World,
    X,
    Y,
)
from ecumene.drawing import canvas, font, palette
from ecumene.drawing.palette import Colour

BANNER = 15  # pixels above the map
_MARGIN = 1  # and below it
_TILE, _WIDEST = 8, 1_000
_FLOOR, _WALL, _FOOD, _INK = (255, 255, 255), (127, 127, 127), (214, 178, 60), (0, 0, 0)
# A dying agent keeps this much of its colour.
_FAINTEST = 0.3
_DETAIL = 4  # pixels; smaller cells get no gaps, lines or marks
_DIMMED = 0.55


def tile_of(battle: Battle) -> int:
    """Return the side of a cell in pixels: 8, less where the map would be wider than 1,000."""
    return max(1, min(_TILE, _WIDEST // max(battle.width, battle.height)))


def colours_of(battle: Battle) -> list[Colour]:
    """Return the colour of every group."""
    return [
        palette.player(i) if group.colour is None else group.colour
        for i, group in enumerate(battle.groups)
    ]


def frame(
    battle: Battle, world: World, state: State, copy: int, watched: int | None, window: Any
) -> NDArray[np.uint8]:
    """Return a picture of one copy.

    Parameters
    ----------
    watched
        Number of an agent: what it does not see is dimmed.
    window
        What the agents of its group see, `ecumene.battle.ranges.Window`.
    """
    tile = tile_of(battle)
    cell = state.cell[copy]
    colours = _cell_colours(battle, world, state, copy)
    pixels = canvas.blank(battle.height * tile + BANNER + _MARGIN, battle.width * tile, _FLOOR)
    field = pixels[BANNER : BANNER + battle.height * tile]
    field[:] = colours.repeat(tile, axis=0).repeat(tile, axis=1)
    if tile >= _DETAIL:
        _part_bodies(field, cell, tile)
        if battle.turn_mode:
            _mark_heads(field, world, state, copy, tile)
    _draw_attacks(field, world, state, copy, tile)
    if watched is not None:
        _dim(field, world, state, copy, watched, window, tile)
    _write_banner(pixels, battle, world, state, copy)
    return pixels


def _cell_colours(battle: Battle, world: World, state: State, copy: int) -> NDArray[np.uint8]:
    """Return the colour of every cell of the map."""
    cell = state.cell[copy]
    colours = np.empty((*cell.shape, 3), np.uint8)
    for what, colour in ((EMPTY, _FLOOR), (WALL, _WALL), (FOOD, _FOOD)):
        colours[cell == what] = colour
    rows, columns = np.nonzero(cell >= 0)
    agents = cell[rows, columns]
    group = world.owner[agents]
    share = state.vital[copy, agents, HP] / world.power[group, MAX_HP]
    strength = _FAINTEST + (1 - _FAINTEST) * np.clip(share, 0, 1)[:, None]
    full = np.array(colours_of(battle), np.float32)[group]
    colours[rows, columns] = (full * strength + 255 * (1 - strength) + 0.5).astype(np.uint8)
    return colours


def _part_bodies(field: NDArray[np.uint8], cell: NDArray[np.int32], tile: int) -> None:
    """Leave a gap of one pixel around every body."""
    rows, columns = cell.shape
    tiles = field.reshape(rows, tile, columns, tile, 3).swapaxes(1, 2)
    padded = np.pad(cell, 1, constant_values=WALL)
    whole = slice(None)
    sides = (
        (0, whole, padded[:-2, 1:-1]),
        (-1, whole, padded[2:, 1:-1]),
        (whole, 0, padded[1:-1, :-2]),
        (whole, -1, padded[1:-1, 2:]),
    )
    for y, x, neighbour in sides:
        tiles[:, :, y, x][(cell >= 0) & (cell != neighbour)] = _FLOOR


def _mark_heads(field: NDArray[np.uint8], world: World, state: State, copy: int, tile: int) -> None:
    """Put a white dot on the cell around which an agent turns."""
    for agent in np.flatnonzero(state.status[copy] == ALIVE).tolist():
        body, kind = state.body[copy, agent], world.kind[world.owner[agent]]
        x, y = head_of(body[DIRECTION], body[X], body[Y], kind[WIDTH], kind[LENGTH])
        _dot(field, np.array([x]), np.array([y]), tile, _FLOOR)


def _draw_attacks(
    field: NDArray[np.uint8], world: World, state: State, copy: int, tile: int
) -> None:
    """Draw a line from the attackers of the last step to the cells they aimed at."""
    body = state.body[copy]
    base = world.kind[world.owner, ATTACK_BASE]
    attackers = np.flatnonzero((body[:, STATUS] != GONE) & (body[:, ACTION] >= base))
    if state.over[copy] == OVER or not attackers.size:
        return
    kind = world.kind[world.owner[attackers]]
    from_x, from_y = (
        body[attackers, corner] + (kind[:, size] - 1) / 2
        for corner, size in ((X, WIDTH), (Y, LENGTH))
    )
    aims: Any = np.array([aim(world, state, copy, agent) for agent in attackers.tolist()])
    if tile >= _DETAIL:
        along = np.linspace(0, 1, 6 * tile)
        x = from_x[:, None] + (aims[:, :1] - from_x[:, None]) * along
        y = from_y[:, None] + (aims[:, 1:] - from_y[:, None]) * along
        _plot(field, (x.ravel() + 0.5) * tile, (y.ravel() + 0.5) * tile)
    _dot(field, aims[:, 0], aims[:, 1], tile, _INK)


def _plot(field: NDArray[np.uint8], x: NDArray[Any], y: NDArray[Any]) -> None:
    x, y = x.astype(int), y.astype(int)
    on = (x >= 0) & (y >= 0) & (y < field.shape[0]) & (x < field.shape[1])
    field[y[on], x[on]] = _INK


def _dot(
    field: NDArray[np.uint8], x: NDArray[Any], y: NDArray[Any], tile: int, colour: Colour
) -> None:
    """Draw a square of a third of a cell into the middle of cells."""
    size = max(1, round(0.3 * tile))
    corner = (tile - size) // 2
    for row in range(size):
        for column in range(size):
            down, right = y * tile + corner + row, x * tile + corner + column
            on = (right >= 0) & (down >= 0) & (down < field.shape[0]) & (right < field.shape[1])
            field[down[on], right[on]] = colour


def _dim(
    field: NDArray[np.uint8],
    world: World,
    state: State,
    copy: int,
    agent: int,
    window: Any,
    tile: int,
) -> None:
    """Dim what an agent does not see; all of it once the agent is gone."""
    height, width = state.cell.shape[1:]
    seen = np.zeros((height, width), np.bool_)
    if state.body[copy, agent, STATUS] != GONE:
        x, y = eye_of(world, state, copy, agent)
        for right, down in window.cells.tolist():
            dx, dy = turned(state.body[copy, agent, DIRECTION], right, down)
            if 0 <= x + dx < width and 0 <= y + dy < height:
                seen[y + dy, x + dx] = True
    hidden = ~seen.repeat(tile, axis=0).repeat(tile, axis=1)
    field[hidden] = (field[hidden] * (1 - _DIMMED)).astype(np.uint8)


def _write_banner(
    pixels: NDArray[np.uint8], battle: Battle, world: World, state: State, copy: int
) -> None:
    """Write how many agents of each group live, side against side."""
    living = state.status[copy] == ALIVE
    left, last = 2, None
    for i, colour in enumerate(colours_of(battle)):
        if last is not None:
            left = _write(pixels, left, ", " if world.kind[i, TEAM] == last else " vs ", _INK)
        last = world.kind[i, TEAM]
        count = int(living[world.start[i] : world.start[i + 1]].sum())
        left = _write(pixels, left, str(count), colour)


def _write(pixels: NDArray[np.uint8], left: int, text: str, colour: Colour) -> int:
    scale = 2 if pixels.shape[1] >= 240 else 1
    top = (BANNER - font.HEIGHT * scale) // 2
    if left < pixels.shape[1]:
        canvas.write(pixels, top, left, text, colour, scale)
    return left + len(text) * font.WIDTH * scale


def text(battle: Battle, world: World, state: State, copy: int) -> str:
    """Return one copy in coloured characters.

    An agent is the first letter of its group and the tenths of its hit points that are left, 9
    at most.
    """
    cell = state.cell[copy]
    board = drawing.TextBoard(*cell.shape, ground=palette.FLOOR)
    board.put(cell == WALL, "  ", ground=_WALL)
    board.put(cell == FOOD, "::", palette.INK, _FOOD)
    for row, column in np.argwhere(cell >= 0).tolist():
        agent = int(cell[row, column])
        group = int(world.owner[agent])
        share = float(state.vital[copy, agent, HP] / world.power[group, MAX_HP])
        colour = colours_of(battle)[group]
        mark = battle.groups[group].name[0].upper() + str(min(9, int(10 * share)))
        board.put([[row, column]], mark, palette.on(colour), colour)
    counts = (
        f"{group.name} {(state.status[copy, world.start[i] : world.start[i + 1]] == ALIVE).sum()}"
        for i, group in enumerate(battle.groups)
    )
    return "\n".join([*board.lines(), f"step {state.clock[copy]}: {', '.join(counts)}"])
