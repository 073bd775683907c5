"""Pictures of survival worlds: the land, who stands on it, and how they are."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene import drawing
from ecumene.drawing import canvas, palette
from ecumene.drawing.palette import Colour, mix
from ecumene.survival import columns as c
from ecumene.survival import tiles

_RIM = 1  # rings of the border that are shown
_SMALL = 12  # pixels; smaller cells get no bars
_BARS: tuple[Colour, ...] = ((200, 30, 45), (230, 159, 0), (0, 114, 178))  # health, food, water
_BEAST: Colour = (60, 20, 24)
_UNSEEN: Colour = (70, 70, 76)

_GROUND: dict[int, Colour] = {
    tiles.LAVA: palette.FIRE,
    tiles.POND: palette.WATER,
    tiles.GRASS: palette.GRASS,
    tiles.DEPLETED: mix(palette.GRASS, (150, 120, 80), 0.7),
    tiles.GROVE: mix(palette.GRASS, palette.TREE, 0.35),
    tiles.STONE: mix(palette.GRASS, palette.STONE, 0.55),
    tiles.BUSH: mix(palette.GRASS, (150, 120, 80), 0.25),
    tiles.RIVER: palette.WATER,
    tiles.FOREST: mix(palette.GRASS, palette.TREE, 0.2),
}
_SHAPES: dict[int, tuple[str, Colour]] = {
    tiles.GROVE: ("tree", palette.TREE),
    tiles.FOREST: ("tree", palette.TREE),
    tiles.BUSH: ("plant", (120, 130, 70)),
    tiles.STONE: ("rock", (104, 102, 106)),
    tiles.POND: ("ring", (70, 120, 170)),
    tiles.LAVA: ("dot", palette.GOAL),
}
_TEXT = {tiles.FOREST: "♣", tiles.GROVE: "♣", tiles.BUSH: "'", tiles.STONE: "▲", tiles.LAVA: "~"}


def frame(simulation: Any, copy: int) -> NDArray[np.uint8]:
    """Return a picture of one copy, as the simulation's viewer sees it if it has one."""
    land = _land(simulation, copy)
    board = drawing.Board(*land.shape)
    for kind in np.unique(land).tolist():
        board.fill(land == kind, _GROUND[kind])
        if kind in _SHAPES:
            board.stamp(land == kind, *_SHAPES[kind])
    _draw_colours(simulation, copy, board)
    board.fill(_unseen(simulation, copy, land.shape), _UNSEEN)
    places = _shown_places(simulation, copy)
    agents = simulation.numbers.agents
    marks = ["frozen" if each else None for each in simulation.state.body[copy, :, c.FREEZE]]
    board.agents(places[:agents], team_colours(simulation), mark=marks[:agents])
    beasts = len(places) - agents
    board.agents(places[agents:], [_BEAST] * beasts, ["!"] * beasts, "diamond", marks[agents:])
    _draw_bars(simulation, copy, board, places)
    return drawing.captioned(board.pixels, (caption(simulation, copy),), width=240)


def text(simulation: Any, copy: int) -> str:
    """Return a drawing of one copy in coloured characters; NPCs are ``!``."""
    land = _land(simulation, copy)
    board = drawing.TextBoard(*land.shape)
    for kind in np.unique(land).tolist():
        ink = mix(_GROUND[kind], palette.INK, 0.7)
        board.put(land == kind, _TEXT.get(kind, " "), ink, _GROUND[kind])
    board.put(_unseen(simulation, copy, land.shape), "  ", None, _UNSEEN)
    places = _shown_places(simulation, copy)
    agents = simulation.numbers.agents
    board.agents(places[:agents], team_colours(simulation))
    board.put(places[agents:], "!", (255, 255, 255), _BEAST)
    states = [_state_line(simulation, copy, agent) for agent in range(min(agents, 12))]
    return "\n".join([*board.lines(), caption(simulation, copy), *states])


def caption(simulation: Any, copy: int) -> str:
    """Return the step, and how many are alive."""
    n = simulation.numbers
    alive = int(simulation.state.body[copy, : n.agents, c.PRESENT].sum())
    tick = int(simulation.state.clock[copy, c.TICK])
    return f"step {tick} of {n.horizon}   alive {alive} of {n.agents}"


def team_colours(simulation: Any) -> Sequence[Colour]:
    """Return the colour of each agent: that of its team, or its own where all are one team."""
    n = simulation.numbers
    teams = simulation.tables.trait[: n.agents, c.TEAM].tolist()
    if len(set(teams)) == 1:
        roles = simulation.tables.trait[: n.agents, c.ROLE].tolist()
        teams = roles if len(set(roles)) > 1 else range(n.agents)
    return [palette.player(team) for team in teams]


def _sees(simulation: Any) -> int:
    """Return the colours that the viewer sees, as bits; everybody's without a viewer."""
    if simulation.viewer is None:
        return -1
    return int(simulation.tables.sees[simulation.tables.trait[simulation.viewer, c.VIEW]])


def _land(simulation: Any, copy: int) -> NDArray[np.uint8]:
    """Return the looks of the map and of a ring around it; what is hidden is stone."""
    look = simulation.cells(copy)
    if simulation.numbers.visibility_colours:
        colours = simulation.cells(copy, "visibility").astype(np.int64)
        look = np.where((_sees(simulation) >> colours) & 1, look, tiles.STONE).astype(np.uint8)
    return np.pad(look, _RIM, constant_values=tiles.LAVA)


def _viewpoint(simulation: Any, copy: int) -> tuple[int, int]:
    """Return row and column of the viewer, counted with the rim that is drawn."""
    n = simulation.numbers
    row, column = divmod(int(simulation.state.body[copy, simulation.viewer, c.CELL]), n.stride)
    return row - n.pad + _RIM, column - n.pad + _RIM


def _unseen(simulation: Any, copy: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return the cells outside a viewer's window."""
    if simulation.viewer is None:
        return np.zeros(shape, np.bool_)
    row, column = _viewpoint(simulation, copy)
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    away = np.maximum(np.abs(rows - row), np.abs(columns - column))
    return away > simulation.numbers.radius


def _shown_places(simulation: Any, copy: int) -> NDArray[np.int64]:
    """Return where entities are drawn: of a viewer, those in its window."""
    places = simulation.places(copy)
    places = np.where(places < 0, -9, places + _RIM)
    if simulation.viewer is None:
        return places
    away = np.abs(places - _viewpoint(simulation, copy)).max(axis=1)
    return np.where((away <= simulation.numbers.radius)[:, None], places, -9)


def _draw_colours(simulation: Any, copy: int, board: drawing.Board) -> None:
    """Frame the sources in the colours of those who may harvest or see them."""
    for layer in ("access", "visibility"):
        colours = np.pad(simulation.cells(copy, layer), _RIM)
        for colour in np.unique(colours[colours > 0]).tolist():
            here = colours == colour
            if layer == "access" or (_sees(simulation) >> colour) & 1:
                board.stamp(here, "frame", palette.player(colour - 1))


def _draw_bars(simulation: Any, copy: int, board: drawing.Board, places: NDArray[np.int64]) -> None:
    if board.tile < _SMALL:
        return
    n = simulation.numbers
    height = max(1, board.tile // 14)
    inner = board.tile - 4
    for entity in np.flatnonzero(places[:, 0] >= 0).tolist():
        me = simulation.state.body[copy, entity]
        parts = [me[c.HEALTH] / simulation.tables.trait[entity, c.HEALTH_MAX]]
        if entity < n.agents and n.stocks:
            parts += [me[c.FOOD] / n.stock, me[c.WATER] / n.stock]
        bottom = (places[entity, 0] + 1) * board.tile - len(parts) * height - 1
        left = places[entity, 1] * board.tile + 2
        for i, part in enumerate(parts):
            top = int(bottom + i * height)
            canvas.rectangle(board.pixels, top, int(left), height, inner, palette.INK)
            length = round(float(part) * inner)
            canvas.rectangle(board.pixels, top, int(left), height, length, _BARS[i])


def _state_line(simulation: Any, copy: int, agent: int) -> str:
    me = simulation.state.body[copy, agent]
    name = simulation.spec.agents[agent]
    if not me[c.PRESENT]:
        return f"{name:12} {c.CAUSES[me[c.CAUSE]]}"
    stocks = f"  food {me[c.FOOD]:3}  water {me[c.WATER]:3}" if simulation.numbers.stocks else ""
    return f"{name:12} health {me[c.HEALTH]:3}{stocks}"
