"""The map of a declaration: its size, its cells, and where entities may appear on it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import InvalidParameter, check
from ecumene.engine.layout import parse_layout, warn_of_unknown
from ecumene.survival import tiles
from ecumene.survival.declaration import MOST_COLOURS, Being, World

MOST_CELLS = 1 << 24


@dataclass(frozen=True)
class Land:
    """The map of a world, without its border.

    Parameters
    ----------
    height, width
        Size.
    material
        ``uint8[row, column]``; None: made at random.
    visibility, access
        ``uint8[row, column]`` colours of a map that was given; None: no colours, or random ones.
    visibility_colours, access_colours
        Their numbers.
    rivers, forests
        Of a random map.
    """

    height: int
    width: int
    material: NDArray[np.uint8] | None
    visibility: NDArray[np.uint8] | None
    access: NDArray[np.uint8] | None
    visibility_colours: int
    access_colours: int
    rivers: int
    forests: int


def survey(world: World) -> Land:
    """Read the map of a declaration.

    Raises
    ------
    InvalidParameter
        If the layout has another size than was asked for, if it has no room for everybody, or if
        it cannot be read.
    """
    material = None if world.layout is None else _read(world)
    height, width = _size(world, material)
    rivers = world.agent_count if world.rivers is None else world.rivers
    forests = 2 * world.agent_count if world.forests is None else world.forests
    visibility, sights = _colours("visibility", world.visibility, material)
    access, keys = _colours("access", world.access, material)
    land = Land(height, width, material, visibility, access, sights, keys, rivers, forests)
    _check_room(world, land)
    _check_starts(world, land)
    return land


def _read(world: World) -> NDArray[np.uint8]:
    text, origin = _text(world.layout)
    layout = parse_layout(text, origin, ".", stacklevel=6)
    warn_of_unknown(layout, tiles.SYMBOLS, ".", stacklevel=6)
    return tiles.materials(layout.cells, world.resource_mode == "balanced", origin)


def _text(layout: Any) -> tuple[str, str]:
    if isinstance(layout, str) and ("\n" in layout or ";" in layout):
        return layout.removeprefix("\n"), "layout"
    if isinstance(layout, Sequence) and not isinstance(layout, str):
        if not all(isinstance(row, str) for row in layout):
            raise InvalidParameter("layout is a text, a list of rows (strings), or a path.")
        return "\n".join(layout), "layout"
    if not isinstance(layout, str | Path):
        raise InvalidParameter(f"layout is a text, a list of rows, or a path, not {layout!r}.")
    try:
        return Path(layout).read_text(encoding="utf-8"), str(layout)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameter(
            f"the layout file `{layout}` cannot be read as text: {error}. A layout is a path, or "
            "a text whose rows end with line breaks or `;`."
        ) from None


def _size(world: World, material: NDArray[np.uint8] | None) -> tuple[int, int]:
    given = _given_size(world.size)
    if material is not None:
        height, width = material.shape
        if given is not None and given != (height, width):
            raise InvalidParameter(
                f"the layout has {height} rows of {width} cells, but size (height, width) is "
                f"{list(given)}; leave size out to take the layout's."
            )
        given = height, width
    if given is None:
        side = 4 * math.ceil(math.sqrt(world.agent_count * world.tiles_per_agent) / 4)
        given = side, side
    if given[0] * given[1] > MOST_CELLS:
        raise InvalidParameter(f"a map has at most {MOST_CELLS:,} cells, not {given}.")
    return given


def _given_size(size: Any) -> tuple[int, int] | None:
    if size is None:
        return None
    if isinstance(size, str) or not isinstance(size, Sequence) or len(size) != 2:
        raise InvalidParameter(f"size is [height, width], not {size!r}.")
    return check.integer("size[0]", size[0], 1), check.integer("size[1]", size[1], 1)


def _colours(
    name: str, given: Any, material: NDArray[np.uint8] | None
) -> tuple[NDArray[np.uint8] | None, int]:
    """Return the colours of a given map, if any, and how many there are."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        count = check.integer(name, given, 0, MOST_COLOURS)
        if count and material is not None:
            raise InvalidParameter(
                f"{name}: with a layout, give the colour of every cell (a list of rows)."
            )
        return None, count
    if material is None:
        raise InvalidParameter(f"{name}: the colours of cells need a layout.")
    try:
        grid = np.array([[int(cell) for cell in row] for row in given])
    except (TypeError, ValueError):
        raise InvalidParameter(f"{name} is a list of rows of integers, not {given!r}.") from None
    if grid.shape != material.shape:
        raise InvalidParameter(
            f"{name} has the shape {list(grid.shape)}, the layout {list(material.shape)}."
        )
    if grid.min() < 0 or grid.max() > MOST_COLOURS:
        raise InvalidParameter(f"{name}: colours are in 0..{MOST_COLOURS}.")
    return grid.astype(np.uint8), int(grid.max())


def _check_room(world: World, land: Land) -> None:
    crowd = world.agent_count + world.npc_count
    if land.material is not None:
        free = int(np.count_nonzero(walkable(land.material)))
        if crowd > free:
            raise InvalidParameter(
                f"{world.agent_count} agents and {world.npc_count} NPCs do not fit on the "
                f"{free} cells of the layout that can be walked on."
            )
        return
    cells = land.height * land.width
    taken = crowd + land.rivers + land.forests
    if 2 * taken > cells:
        raise InvalidParameter(
            f"a map of {land.height} x {land.width} is too small: {world.agent_count} agents, "
            f"{world.npc_count} NPCs, {land.rivers} rivers and {land.forests} forests may take up "
            f"half of its {cells} cells. Give a larger size or tiles_per_agent."
        )


def _check_starts(world: World, land: Land) -> None:
    taken: set[tuple[int, ...]] = set()
    for being in (*world.groups, *world.npcs):
        for cells in starts(being, land):
            if len(cells) > 1:
                break
            cell = tuple(cells[0].tolist())
            if cell in taken:
                raise InvalidParameter(f"{being.name}: start: two start at {list(cell)}.")
            taken.add(cell)


def walkable(material: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which cells can be walked on."""
    return np.isin(material, (tiles.GRASS, tiles.BUSH, tiles.FOREST))


def starts(being: Being, land: Land) -> list[NDArray[np.int64]]:
    """Return the cells ``int64[n, 2]`` where each member of a group may appear.

    Raises
    ------
    InvalidParameter
        For cells that are not on the map, or that cannot be walked on.
    """
    if isinstance(being.start, str):
        cells = np.argwhere(np.ones((land.height, land.width), np.bool_))
        if being.start == "edge":
            row, column = cells.T
            edge = (
                (row == 0) | (row == land.height - 1) | (column == 0) | (column == land.width - 1)
            )
            cells = cells[edge]
        return [cells] * being.size
    if isinstance(being.start, Mapping):
        return [_box(being, land)] * being.size
    return _one_by_one(being, land)


def _box(being: Being, land: Land) -> NDArray[np.int64]:
    where = f"{being.name}: start"
    if set(being.start) != {"rows", "columns"}:
        raise InvalidParameter(f"{where} is a box with `rows` and `columns`, not {being.start!r}.")
    spans = []
    for name, length in (("rows", land.height), ("columns", land.width)):
        span = being.start[name]
        if not isinstance(span, Sequence) or len(span) != 2:
            raise InvalidParameter(f"{where}: {name} is [first, last], not {span!r}.")
        first = check.integer(f"{where}: first of {name}", span[0], 0, length - 1)
        last = check.integer(f"{where}: last of {name}", span[1], first, length - 1)
        spans.append(np.arange(first, last + 1))
    return np.stack(np.meshgrid(*spans, indexing="ij"), axis=-1).reshape(-1, 2)


def _one_by_one(being: Being, land: Land) -> list[NDArray[np.int64]]:
    where = f"{being.name}: start"
    if not isinstance(being.start, Sequence) or len(being.start) != being.size:
        raise InvalidParameter(
            f'{where} is "edge", "anywhere", a box, or one cell for each of the {being.size}, '
            f"not {being.start!r}."
        )
    cells = []
    for cell in being.start:
        if not isinstance(cell, Sequence) or len(cell) != 2:
            raise InvalidParameter(f"{where}: a cell is [row, column], not {cell!r}.")
        row = check.integer(f"{where}: row", cell[0], 0, land.height - 1)
        column = check.integer(f"{where}: column", cell[1], 0, land.width - 1)
        if land.material is not None and not walkable(land.material[row, column]):
            name = tiles.NAMES[land.material[row, column]]
            raise InvalidParameter(f"{where}: the cell [{row}, {column}] is {name}.")
        cells.append(np.array([[row, column]]))
    return cells
