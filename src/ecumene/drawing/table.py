"""A table with coloured heads and one marked field, as a picture and as text."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ecumene.drawing import ansi, canvas, font
from ecumene.drawing.palette import FLOOR, GOAL, INK, PAPER, WALL, Colour, mix

_SCALE = 2
_PAD = 8


@dataclass
class Table:
    """Rows of texts under named columns.

    Parameters
    ----------
    rows, columns
        Their names.
    fields
        Texts ``[row][column]``.
    row_colours, column_colour
        Of the names; none for rows: ink.
    corner
        What stands above the names of the rows.
    marked, mark_colour
        The fields (row, column) that are marked, and how.
    widths
        Characters of each column, the names of the rows first, whatever the texts: longer ones
        are cut. 0, or none given: as many as the texts need.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    fields: Sequence[Sequence[str]]
    row_colours: Sequence[Colour] = ()
    column_colour: Colour = INK
    corner: str = ""
    marked: Sequence[tuple[int, int]] = ()
    mark_colour: Colour = GOAL
    widths: Sequence[int] = field(default=())

    def _grid(self) -> list[list[str]]:
        head = [self.corner, *self.columns]
        return [head, *([name, *line] for name, line in zip(self.rows, self.fields, strict=True))]

    def _widths(self) -> list[int]:
        needed = [max(map(len, column)) for column in zip(*self._grid(), strict=True)]
        given = [*self.widths, *[0] * (len(needed) - len(self.widths))]
        return [fixed or own for fixed, own in zip(given, needed, strict=True)]

    def _ink(self, row: int, column: int) -> Colour:
        if row == 0 and column > 0:
            return self.column_colour
        return self.row_colours[row - 1] if row and column == 0 and self.row_colours else INK

    def picture(self) -> NDArray[np.uint8]:
        """Return the table as ``uint8[height, width, 3]``."""
        line_height = font.HEIGHT * _SCALE + 2 * _PAD
        lengths = self._widths()
        widths = [each * font.WIDTH * _SCALE + 2 * _PAD for each in lengths]
        grid = self._grid()
        pixels = canvas.blank(line_height * len(grid) + 2, sum(widths) + 2, WALL)
        for i, texts in enumerate(grid):
            left = 0
            for j, width in enumerate(widths):
                text = texts[j][: lengths[j]]
                ground = PAPER if i and j else FLOOR
                is_marked = (i - 1, j - 1) in self.marked
                inner = i * line_height + 2, left + 2, line_height - 2, width - 2
                canvas.rectangle(pixels, *inner, self.mark_colour if is_marked else ground)
                across = (width - font.size(text, _SCALE)[1]) // 2
                top = i * line_height + _PAD + 1
                canvas.write(pixels, top, left + across, text, self._ink(i, j), _SCALE)
                left += width
        return pixels

    def lines(self) -> list[str]:
        """Return the table as lines of coloured text."""
        widths = self._widths()
        lines = []
        for i, texts in enumerate(self._grid()):
            parts = []
            for j, (text, width) in enumerate(zip(texts, widths, strict=True)):
                ground = None
                ink = self._ink(i, j)
                if (i - 1, j - 1) in self.marked:
                    ground = mix(self.mark_colour, PAPER, 0.2)
                padded = f" {text[:width]:^{width}} "
                parts.append(ansi.paint(padded, ink if ground or ink != INK else None, ground))
            lines.append("|".join(parts))
        return lines
