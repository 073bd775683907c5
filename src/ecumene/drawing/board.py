"""Pictures of grids: ground, things and agents, one square of pixels per cell."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.drawing import canvas, font, shapes
from ecumene.drawing.palette import FLOOR, INK, Colour, mix, on, player

_DETAIL = 8  # pixels; smaller squares get neither lines nor digits
_ONE_BY_ONE = 256  # more agents than this are drawn all at once, without digits


def tile_size(rows: int, columns: int, pixels: int = 480) -> int:
    """Return the side of a cell, 1..48 pixels, with which a grid takes up about `pixels`."""
    return min(48, max(1, pixels // max(rows, columns)))


class Board:
    """A picture of a grid in the making.

    Cells are given as integers ``[count, 2]`` (row, column) or as a boolean grid
    ``[rows, columns]``; cells with a negative row are skipped. Later drawings cover earlier ones.

    Parameters
    ----------
    rows, columns
        Size of the grid.
    tile
        Side of a cell in pixels; None: `tile_size`.
    ground
        Colour of the empty cell.

    Attributes
    ----------
    pixels
        The picture, ``uint8[rows * tile, columns * tile, 3]``.
    """

    def __init__(
        self, rows: int, columns: int, tile: int | None = None, ground: Colour = FLOOR
    ) -> None:
        self.tile = tile_size(rows, columns) if tile is None else tile
        self.pixels = canvas.blank(rows * self.tile, columns * self.tile, ground)
        # The same pixels as [row, column, y, x, colour].
        self._tiles = self.pixels.reshape(rows, self.tile, columns, self.tile, 3).swapaxes(1, 2)
        self._draw_lines(self._tiles, ground)

    def _draw_lines(self, tiles: NDArray[np.uint8], colour: Colour) -> None:
        if self.tile >= _DETAIL:
            line = mix(colour, INK, 0.12)
            tiles[..., 0, :, :] = line
            tiles[..., :, 0, :] = line

    def fill(self, cells: Any, colour: Colour) -> None:
        """Give cells another ground."""
        rows, columns = _places(cells)
        tiles = np.empty((self.tile, self.tile, 3), np.uint8)
        tiles[:] = colour
        self._draw_lines(tiles, colour)
        self._tiles[rows, columns] = tiles

    def paint(self, kinds: NDArray[Any], colours: Sequence[Colour]) -> None:
        """Give every cell the ground of its kind: ``int[rows, columns]``, indices of `colours`."""
        for kind in np.unique(kinds).tolist():
            self.fill(kinds == kind, colours[kind])

    def stamp(self, cells: Any, shape: str, colour: Colour) -> None:
        """Draw a shape (see `ecumene.drawing.shapes.SHAPES`) into cells."""
        rows, columns = _places(cells)
        cover = shapes.coverage(shape, self.tile)
        self._tiles[rows, columns] = canvas.blend(self._tiles[rows, columns], colour, cover)

    def bars(self, cells: Any, parts: Any, colour: Colour) -> None:
        """Draw a bar along the bottom of each cell, of which a part (0..1) is filled."""
        if self.tile < _DETAIL:
            return
        height = max(2, self.tile // 8)
        inner = self.tile - 4
        rows, columns = _places(cells)
        lengths = np.rint(np.clip(parts, 0, 1) * inner).astype(int)
        for row, column, length in zip(rows, columns, np.atleast_1d(lengths), strict=True):
            tile = self._tiles[row, column]
            tile[-height - 1 : -1, 2 : 2 + inner] = INK
            tile[-height - 1 : -1, 2 : 2 + length] = colour

    def agents(
        self,
        cells: Any,
        colours: Sequence[Colour] | None = None,
        labels: Sequence[str] | None = None,
        shape: str = "disc",
        mark: Sequence[str | None] | None = None,
    ) -> None:
        """Draw agents, each with its index; agents on one cell share its square.

        Parameters
        ----------
        cells
            ``int[agents, 2]``; a negative row: not on the board.
        colours, labels
            Of each agent; None: colours of `palette.player`, and the indices.
        shape
            What an agent looks like.
        mark
            Of each agent: ``"damaged"``, ``"frozen"`` or None.
        """
        cells = np.asarray(cells, np.int64).reshape(-1, 2)
        colours = [player(i) for i in range(len(cells))] if colours is None else colours
        present = np.flatnonzero(cells[:, 0] >= 0)
        if len(present) > _ONE_BY_ONE or self.tile < _DETAIL:
            self._crowd(cells[present], np.array(colours, np.uint8)[present], shape)
            return
        together: dict[tuple[int, int], list[int]] = {}
        for i in present.tolist():
            together.setdefault((int(cells[i, 0]), int(cells[i, 1])), []).append(i)
        for (row, column), members in together.items():
            side = int(np.ceil(np.sqrt(len(members))))
            size = self.tile // side
            above = (self.tile - size * -(-len(members) // side)) // 2
            for rank, i in enumerate(members):
                top = row * self.tile + above + rank // side * size
                left = column * self.tile + rank % side * size
                self._agent(
                    top, left, size, shape, colours[i],
                    str(i) if labels is None else labels[i],
                    None if mark is None else mark[i],
                )  # fmt: skip

    def _agent(
        self,
        top: int,
        left: int,
        size: int,
        shape: str,
        colour: Colour,
        label: str,
        mark: str | None,
    ) -> None:
        if mark == "frozen":
            colour = mix(colour, (255, 255, 255), 0.6)
        canvas.stamp(self.pixels, top, left, size, shape, INK)
        inset = max(1, size // 16)
        inner = size - 2 * inset
        canvas.stamp(self.pixels, top + inset, left + inset, inner, shape, colour)
        if mark == "damaged":
            canvas.stamp(self.pixels, top, left, size, "cross", (200, 30, 45))
        if mark == "frozen":
            canvas.stamp(self.pixels, top, left, size, "spokes", (64, 128, 190))
        scale = max(1, size // 18)
        height, width = font.size(label, scale)
        if width < size and height < size:
            self._label(
                top + (size - height) // 2, left + (size - width) // 2, label, colour, scale
            )

    def _label(self, top: int, left: int, label: str, colour: Colour, scale: int) -> None:
        ink = on(colour)
        around = INK if ink != INK else (255, 255, 255)
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            canvas.write(
                self.pixels, top + down, left + right, label, mix(around, colour, 0.5), scale
            )
        canvas.write(self.pixels, top, left, label, ink, scale)

    def _crowd(self, cells: NDArray[Any], colours: NDArray[np.uint8], shape: str) -> None:
        cover = shapes.coverage(shape, self.tile)[None, :, :, None]
        rows, columns = cells.T
        under = self._tiles[rows, columns]
        mixed = under + (colours[:, None, None, :].astype(np.float32) - under) * cover
        self._tiles[rows, columns] = (mixed + 0.5).astype(np.uint8)


def _places(cells: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    cells = np.asarray(cells)
    if cells.dtype == np.bool_:
        cells = np.argwhere(cells)
    cells = cells.reshape(-1, 2).astype(np.int64)
    cells = cells[cells[:, 0] >= 0]
    return cells[:, 0], cells[:, 1]
