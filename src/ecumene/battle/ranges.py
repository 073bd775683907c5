"""Which cells an agent moves to, hits and sees, and in which order."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import InvalidParameter, check

_CLOSE = 1e-8


@dataclass(frozen=True)
class Circle:
    """All cells within a distance.

    Parameters
    ----------
    radius
        Distance in cells, 0 to 100; fractions count (1.5 takes in the diagonal neighbours).
    """

    radius: float

    def __post_init__(self) -> None:
        check.number("Circle.radius", self.radius, 0, 100)


@dataclass(frozen=True)
class Sector:
    """The cells straight ahead within a distance and an angle; the own cell is not among them.

    Parameters
    ----------
    radius
        Distance in cells, 0 to 100.
    angle
        Opening in degrees, above 0 and below 180.
    """

    radius: float
    angle: float

    def __post_init__(self) -> None:
        check.number("Sector.radius", self.radius, 0, 100)
        if not 0 < check.number("Sector.angle", self.angle) < 180:
            raise InvalidParameter(f"Sector.angle is between 0 and 180 degrees, not {self.angle}.")


Range = Circle | Sector


@dataclass(frozen=True)
class Window:
    """A rectangle of cells around an eye, and which of them count.

    Parameters
    ----------
    mask
        ``bool[rows, columns]``: the cells that count.
    left, top
        Offset of the first column and row from the eye.
    """

    mask: NDArray[np.bool_]
    left: int
    top: int

    @property
    def cells(self) -> NDArray[np.int32]:
        """Offsets ``int32[n, 2]`` (dx, dy) of the cells that count, row by row."""
        rows, columns = np.nonzero(self.mask)
        return np.stack([columns + self.left, rows + self.top], axis=1).astype(np.int32)

    @property
    def spans(self) -> NDArray[np.int32]:
        """First and end column ``int32[rows, 2]`` of the cells that count; they are contiguous."""
        counts = self.mask.sum(axis=1)
        first = np.where(counts > 0, self.mask.argmax(axis=1), 0)
        return np.stack([first, first + counts], axis=1).astype(np.int32)


def view_window(seen: Range, width: int) -> Window:
    """Return what an agent with a body of the given width sees."""
    if isinstance(seen, Circle):
        return _disc(seen.radius, 0.0, width % 2)
    return _wedge(seen, width % 2)


def move_cells(speed: float) -> NDArray[np.int32]:
    """Return the offsets of an agent's moves, staying included, in the order of the actions."""
    return _disc(speed, 0.0, 1).cells


def attack_cells(reach: Range | None, width: int) -> NDArray[np.int32]:
    """Return the offsets of an agent's attacks from its eye, in the order of the actions."""
    if reach is None:
        return np.zeros((0, 2), np.int32)
    if isinstance(reach, Circle):
        return _disc(reach.radius, width / 2, width % 2).cells
    return _wedge(reach, width % 2).cells


def _disc(radius: float, inner: float, parity: int) -> Window:
    """Return a disc without the inner one; an even body has its centre between cells."""
    centre = int(radius)
    size = 2 * int(radius + _CLOSE) + parity
    shift = 0.0 if parity else 0.5
    along = np.abs(np.arange(size) - centre + shift)
    distance = np.hypot(along[None, :], along[:, None])
    mask = (distance < radius + _CLOSE) & (distance > inner - _CLOSE)
    return Window(mask, -centre, -centre)


def _wedge(sector: Sector, parity: int) -> Window:
    half = math.radians(sector.angle) / 2
    rows = int(sector.radius + 0.5)
    columns = int(2 * sector.radius * math.sin(half) + 0.5)
    if columns % 2 != parity:
        columns -= 1
    columns = max(columns, 0)
    across = np.abs(np.arange(columns) - (columns - 1) / 2)[None, :]
    ahead = (rows - np.arange(rows))[:, None].astype(float)
    near: Any = np.hypot(across, ahead) < sector.radius + 0.20001
    mask = near & (across / ahead < math.tan(half) + 1e-5)
    return Window(mask, -(columns // 2), -rows)
