"""What cells are made of, and how maps are drawn as text."""

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import InvalidParameter, helper

LAVA, POND, GRASS, DEPLETED, GROVE, STONE, BUSH, RIVER, FOREST = range(9)

NAMES = (
    "lava", "balanced_water", "grass", "depleted", "balanced_forest", "stone", "bush", "river",
    "forest",
)  # fmt: skip
SYMBOLS = "~w.sf#bWF"
LEGEND = dict(zip(SYMBOLS, NAMES, strict=True))
"""The character of every kind of cell in a map drawn as text."""

# Balanced cells are those of the earlier system: they block the way and are harvested from the
# four neighbouring cells, water too is used up.
_CLASSIC = {"w": "W", "f": "F"}


@helper
def walkable(material):
    """Return whether a living agent can stand on a cell (lava can be entered, but kills)."""
    # Without a branch, which nobody could foretell.
    return (material == GRASS) | (material == FOREST) | (material == BUSH)


def materials(cells: NDArray[np.str_], balanced: bool, origin: str) -> NDArray[np.uint8]:
    """Return ``uint8[row, column]``: the kinds of the cells of a map drawn as text.

    Without balanced resources, ``w`` and ``f`` count as river and forest.

    Raises
    ------
    InvalidParameter
        For depleted cells where there is nothing to deplete.
    """
    result = np.full(cells.shape, GRASS, np.uint8)
    for index, symbol in enumerate(SYMBOLS):
        here = cells == symbol
        if not balanced:
            if symbol == "s" and here.any():
                row, column = np.argwhere(here)[0].tolist()
                raise InvalidParameter(
                    f"{origin}: `s` (a depleted cell, row {row}, column {column}) needs "
                    'resource_mode="balanced".'
                )
            index = SYMBOLS.index(_CLASSIC.get(symbol, symbol))
        result[here] = index
    return result


def draw(looks: NDArray[np.uint8]) -> str:
    """Return a map as text, one character per cell and one line per row."""
    return "\n".join("".join(SYMBOLS[cell] for cell in row) for row in looks.tolist())
