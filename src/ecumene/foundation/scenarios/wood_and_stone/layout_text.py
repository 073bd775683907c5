"""The economy's layouts: where they are found, and how they are read."""

from pathlib import Path

from ecumene.engine.errors import InvalidParameter, near_match
from ecumene.engine.layout import Layout, LayoutWarning, parse_layout, warn_of_unknown
from ecumene.foundation.base.errors import Refused, ensure

MAP_FOLDER = Path(__file__).parent / "map_txt"

__all__ = ["Layout", "LayoutWarning", "find_layout", "read_layout", "warn_of_unknown"]


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
        f"env_layout_file: there is no file `{name}`.{near_match(name, known)} It is a path, or "
        f"one of {', '.join(known)}."
    )


def read_layout(name: str | Path) -> Layout:
    """Read a layout file; see `parse_layout`."""
    path = find_layout(name)
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors put a mark at the start
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"the layout file `{path}` cannot be read as text: {error}.") from error
    ensure("\0" not in text, f"the layout file `{path}` cannot be read as text: it is binary.")
    try:
        return parse_layout(text, str(path), stacklevel=4)
    except InvalidParameter as error:
        raise Refused(str(error)) from None
