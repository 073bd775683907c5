"""Coloured characters for terminals (256 colours)."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ecumene.drawing.palette import FLOOR, Colour, on, player

RESET = "\x1b[0m"
_LEVELS = (0, 95, 135, 175, 215, 255)


def paint(text: str, colour: Colour | None = None, ground: Colour | None = None) -> str:
    """Return a text with a colour and a ground of its own."""
    codes = []
    if colour is not None:
        codes.append(f"38;5;{_code(colour)}")
    if ground is not None:
        codes.append(f"48;5;{_code(ground)}")
    return f"\x1b[{';'.join(codes)}m{text}{RESET}" if codes else text


@cache
def _code(colour: Colour) -> int:
    """Return the nearest of the 216 colours and 24 greys that terminals have."""
    cube = [(r, g, b) for r in _LEVELS for g in _LEVELS for b in _LEVELS]
    greys = [(level, level, level) for level in range(8, 248, 10)]
    gaps = ((np.array(cube + greys) - colour) ** 2).sum(axis=1)
    return 16 + int(gaps.argmin())


class TextBoard:
    """A grid of cells in the making, two characters each.

    Cells are given as in `Board`.

    Parameters
    ----------
    rows, columns
        Size of the grid.
    ground
        Colour of the empty cell.
    """

    def __init__(self, rows: int, columns: int, ground: Colour = FLOOR) -> None:
        self._text = np.full((rows, columns), "  ", object)
        self._ground = np.full((rows, columns), None, object)
        self._ink = np.full((rows, columns), None, object)
        for place in np.ndindex(rows, columns):
            self._ground[place] = ground

    def put(
        self, cells: Any, text: str, ink: Colour | None = None, ground: Colour | None = None
    ) -> None:
        """Write up to two characters into cells, and colour them."""
        for row, column in _listed(cells):
            self._text[row, column] = f"{text[:2]:<2}"
            self._ink[row, column] = ink
            if ground is not None:
                self._ground[row, column] = ground

    def agents(
        self,
        cells: Any,
        colours: Sequence[Colour] | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        """Write the index (or label) of each agent on its colour; two that share a cell both show.

        Of three agents or more on one cell a ``*`` tells.
        """
        cells = np.asarray(cells).reshape(-1, 2).tolist()
        colours = [player(i) for i in range(len(cells))] if colours is None else colours
        together: dict[tuple[int, int], list[int]] = {}
        for i, (row, column) in enumerate(cells):
            if row >= 0:
                together.setdefault((row, column), []).append(i)
        for place, members in together.items():
            names = [str(i) if labels is None else labels[i] for i in members]
            text = names[0] if len(names) == 1 else "".join(name[-1] for name in names[:2])
            text = text if len(names) < 3 else f"{text[0]}*"
            ground = colours[members[0]]
            self.put([place], text, on(ground), ground)

    def lines(self) -> list[str]:
        """Return the rows as coloured text."""
        rows = zip(self._text, self._ink, self._ground, strict=True)
        return ["".join(map(paint, text, ink, ground)) for text, ink, ground in rows]


def _listed(cells: Any) -> list[tuple[int, int]]:
    cells = np.asarray(cells)
    places = np.argwhere(cells) if cells.dtype == np.bool_ else cells.reshape(-1, 2)
    return [(row, column) for row, column in places.tolist() if row >= 0]
