"""Boards as numbered cells: cell ``row * columns + column``, and where each move leads."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import InvalidParameter, check, helper, random

#: Moves by action id; a move is (rows down, columns to the right).
MOVES = ((0, -1), (0, 1), (-1, 0), (1, 0), (0, 0))
MOVE_NAMES = ("left", "right", "up", "down", "stay")
STAY = 4
NOWHERE = -1

Cell = tuple[int, int]


def targets(rows: int, columns: int) -> NDArray[np.int64]:
    """Return the cell that each move leads to: ``[cell, move]``, `NOWHERE` off the board."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    table = np.empty((rows * columns, len(MOVES)), np.int64)
    for move, (down, right) in enumerate(MOVES):
        r, c = row + down, column + right
        inside = (r >= 0) & (r < rows) & (c >= 0) & (c < columns)
        table[:, move] = np.where(inside, r * columns + c, NOWHERE)
    return table


def stops(table: NDArray[np.int64], closed: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Return `targets` for agents that stay where they are before the border and closed cells."""
    own = np.arange(len(table))[:, None]
    refused = table == NOWHERE
    if closed is not None:
        refused |= closed[table]
    return np.where(refused, own, table)


@helper
def draw_distinct(stream, free, cells):
    """Fill `cells` with distinct cells, each uniform among the `free` ones that are left."""
    for i in range(cells.shape[0]):
        fresh = False
        while not fresh:
            cells[i] = free[random.bounded(stream, free.shape[0])]
            fresh = True
            for j in range(i):
                if cells[j] == cells[i]:
                    fresh = False


@helper
def distance(columns, one, other):
    """Return how many moves lie between two cells of an open board."""
    down = one // columns - other // columns
    right = one % columns - other % columns
    return abs(down) + abs(right)


# Checks of what comes from outside.


def grid_size(value: Any) -> tuple[int, int]:
    """Return the parameter `grid_size`, a pair (rows, columns) from 1 up."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise InvalidParameter(f"grid_size is a pair (rows, columns), not {value!r}.")
    rows, columns = (check.integer(f"grid_size[{i}]", side, 1) for i, side in enumerate(value))
    return rows, columns


def cell(name: str, value: Any, rows: int, columns: int) -> int:
    """Return the number of a cell given as (row, column), or raise `InvalidParameter`."""
    if not isinstance(value, tuple | list | np.ndarray) or len(value) != 2:
        raise InvalidParameter(f"{name} is a cell (row, column), not {value!r}.")
    row = check.integer(f"{name} (row)", value[0], 0, rows - 1)
    column = check.integer(f"{name} (column)", value[1], 0, columns - 1)
    return row * columns + column


def cells(name: str, value: Any, rows: int, columns: int, distinct: bool = True) -> list[int]:
    """Return the numbers of a sequence of cells, or raise `InvalidParameter`."""
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str):
        raise InvalidParameter(f"{name} is a sequence of cells (row, column), not {value!r}.")
    numbers = [cell(f"{name}[{i}]", each, rows, columns) for i, each in enumerate(value)]
    if distinct and len(set(numbers)) < len(numbers):
        raise InvalidParameter(f"{name} are distinct cells, not {value!r}.")
    return numbers


def place(number: int, columns: int) -> Cell | None:
    """Return (row, column) of a cell, None for `NOWHERE`."""
    return None if number < 0 else divmod(number, columns)
