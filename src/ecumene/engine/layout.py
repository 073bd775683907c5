"""Maps drawn as text: rows of characters, and what is said of damaged ones."""

import warnings
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.errors import InvalidParameter


class LayoutWarning(UserWarning):
    """Something in a layout was mended or passed over."""


class Layout(NamedTuple):
    """A map drawn as text.

    cells: str[row, column], one character each.
    origin: where it was read.
    """

    cells: NDArray[np.str_]
    origin: str

    @property
    def size(self) -> list[int]:
        """Height and width."""
        return list(self.cells.shape)

    def where(self, symbol: str) -> NDArray[np.bool_]:
        """Return ``bool[row, column]``: the cells that hold a symbol."""
        return self.cells == symbol


def parse_layout(
    text: str, origin: str = "layout", empty: str = " ", stacklevel: int = 3
) -> Layout:
    """Parse rows of characters.

    Rows end with ``;``, a line break, or both. A row shorter than the longest one (an editor may
    have stripped its blanks) is filled up with empty cells, and a `LayoutWarning` names it.

    Parameters
    ----------
    text
        The rows.
    origin
        What the messages call the text.
    empty
        The character of an empty cell.
    stacklevel
        Whose line a warning shows; 1 would be this function's.

    Raises
    ------
    InvalidParameter
        If there is no row at all.
    """
    # Only what ends the text is no row: a blank row in the middle is a row of empty cells.
    body = text.replace("\r\n", "\n").replace(";\n", ";").replace("\n", ";")
    rows = body.rstrip(";").split(";")
    if not any(rows):
        raise InvalidParameter(f"{origin}: the layout is empty.")
    width = max(len(row) for row in rows)
    short = [f"row {i} has {len(row)}" for i, row in enumerate(rows) if len(row) < width]
    if short:
        warnings.warn(
            f"{origin}: rows are {width} cells long, but {', '.join(short)}; "
            "the missing cells count as empty.",
            LayoutWarning,
            stacklevel=stacklevel,
        )
    return Layout(np.array([list(row.ljust(width, empty)) for row in rows], np.str_), origin)


def warn_of_unknown(
    layout: Layout, known: Collection[str], empty: str = " ", stacklevel: int = 3
) -> None:
    """Warn of every symbol without a meaning: how often it occurs and where first."""
    unknown = []
    for symbol in sorted(set(layout.cells.ravel().tolist())):
        if symbol not in known and symbol != empty:
            places = np.argwhere(layout.where(symbol))
            r, c = places[0].tolist()
            unknown.append(f"{symbol!r} ({len(places)} times, first at row {r}, column {c})")
    if unknown:
        warnings.warn(
            f"{layout.origin}: symbols without a meaning count as empty: {', '.join(unknown)}.",
            LayoutWarning,
            stacklevel=stacklevel,
        )
