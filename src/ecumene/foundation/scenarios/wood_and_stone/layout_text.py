"""Reading layouts: maps drawn as text."""

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.errors import near_match
from ecumene.foundation.base.errors import Refused, ensure

MAP_FOLDER = Path(__file__).parent / "map_txt"
EMPTY = " "


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


def find_layout(name: str | Path) -> Path:
    """Return the path of a layout: a file of the library's by its name, any other by its path.

    Raises
    ------
    Refused
        If there is no such file; a near match among the library's own is suggested.
    """
    ensure(isinstance(name, str | Path), f"env_layout_file is a name or a path, not {name!r}.")
    shipped = MAP_FOLDER / name
    if Path(name).name == str(name) and shipped.is_file():
        return shipped
    path = Path(name)
    if path.is_file():
        return path
    known = sorted(each.name for each in MAP_FOLDER.glob("*.txt"))
    raise Refused(
        f"no layout file `{name}`.{near_match(name, known)} It is a path, or one of "
        f"{', '.join(known)}."
    )


def read_layout(name: str | Path) -> Layout:
    """Read a layout file; see `parse_layout`."""
    path = find_layout(name)
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors put a mark at the start
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"the layout file `{path}` cannot be read as text: {error}.") from error
    return parse_layout(text, str(path))


def parse_layout(text: str, origin: str = "layout") -> Layout:
    """Parse rows of characters.

    Rows end with ``;``, a line break, or both. A row shorter than the longest one (an editor may
    have stripped its blanks) is filled up with empty cells, and a `LayoutWarning` names it.

    Raises
    ------
    Refused
        If there is no row at all.
    """
    # Only what ends the text is no row: a blank row in the middle is a row of empty cells.
    body = text.replace("\r\n", "\n").replace(";\n", ";").replace("\n", ";")
    rows = body.rstrip(";").split(";")
    ensure(any(rows), f"{origin}: the layout is empty.")
    width = max(len(row) for row in rows)
    short = [f"row {i} has {len(row)}" for i, row in enumerate(rows) if len(row) < width]
    if short:
        warnings.warn(
            f"{origin}: rows are {width} cells long, but {', '.join(short)}; "
            "the missing cells count as empty.",
            LayoutWarning,
            stacklevel=4,
        )
    return Layout(np.array([list(row.ljust(width)) for row in rows], np.str_), origin)


def warn_of_unknown(layout: Layout, known: Collection[str]) -> None:
    """Warn of every symbol without a meaning: how often it occurs and where first."""
    unknown = []
    for symbol in sorted(set(layout.cells.ravel().tolist())):
        if symbol not in known and symbol != EMPTY:
            places = np.argwhere(layout.where(symbol))
            r, c = places[0].tolist()
            unknown.append(f"{symbol!r} ({len(places)} times, first at row {r}, column {c})")
    if unknown:
        warnings.warn(
            f"{layout.origin}: symbols without a meaning count as empty: {', '.join(unknown)}.",
            LayoutWarning,
            stacklevel=4,
        )
