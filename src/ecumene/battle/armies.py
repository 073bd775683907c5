"""How the armies of the battle worlds are drawn up."""

from collections.abc import Iterable, Sequence

Spots = list[tuple[int, int]]

_SHARE = 0.04  # of the map's cells that an army fills
_GAP = 3  # columns between an army and the middle


def side_of(map_size: int) -> int:
    """Return the side of the square in which an army stands, every second cell of it."""
    return 2 * int((_SHARE * map_size * map_size) ** 0.5)


def rows_of(map_size: int, side: int) -> range:
    """Return the rows in which armies stand."""
    top = (map_size - side) // 2
    return range(top, top + side, 2)


def columns_of(map_size: int, side: int) -> tuple[range, range]:
    """Return the columns of the red and of the blue army."""
    middle = map_size // 2
    return (
        range(middle - _GAP - side, middle - _GAP, 2),
        range(middle + _GAP, middle + _GAP + side, 2),
    )


def drawn_up(columns: Iterable[int], rows: Sequence[int], map_size: int) -> Spots:
    """Return the spots within the border, column by column."""
    return [(x, y) for x in columns for y in rows if 0 < x < map_size - 1 and 0 < y < map_size - 1]


def equal_armies(map_size: int, side: int) -> tuple[Spots, Spots]:
    """Return the spots of a red and a blue army, as many of either."""
    rows = rows_of(map_size, side)
    red, blue = (drawn_up(columns, rows, map_size) for columns in columns_of(map_size, side))
    return red, blue[: len(red)]


def bounds(*constants: float) -> tuple[float, float]:
    """Return the least and greatest sum of some of the constants: bounds of a last reward."""
    return (
        float(sum(each for each in constants if each < 0)),
        float(sum(each for each in constants if each > 0)),
    )
