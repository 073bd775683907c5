"""Shapes that fill a cell: how much of each pixel they cover, at any size."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Shape = Callable[[Any, Any], Any]

_SAMPLES = 4  # per pixel and axis


def _within(x: Any, y: Any, half_width: float, half_height: float) -> Any:
    return (np.abs(x) <= half_width) & (np.abs(y) <= half_height)


def _disc(x: Any, y: Any, radius: float) -> Any:
    return x * x + y * y <= radius * radius


def _stroke(x: Any, y: Any, half_width: float, length: float) -> Any:
    return _within(x, y, half_width, length)


def _spokes(x: Any, y: Any) -> Any:
    slanted = _stroke(x + y, x - y, 0.14, 1.1) | _stroke(x - y, x + y, 0.14, 1.1)
    return _stroke(x, y, 0.1, 0.8) | _stroke(y, x, 0.1, 0.8) | slanted


def _house(x: Any, y: Any) -> Any:
    roof = (y >= -0.75) & (y <= -0.05) & (np.abs(x) <= (y + 0.75) * 1.15)
    door = _within(x, y - 0.5, 0.15, 0.25)
    return (roof | _within(x, y - 0.35, 0.55, 0.4)) & ~door


def _tree(x: Any, y: Any) -> Any:
    crown = (y <= 0.4) & (np.abs(x) <= (y + 0.85) * 0.5)
    return (crown & (y >= -0.85)) | _within(x, y - 0.6, 0.13, 0.25)


def _stag(x: Any, y: Any) -> Any:
    head = (y >= -0.15) & (y <= 0.8) & (np.abs(x) <= 0.42 - 0.32 * y)
    side = np.abs(x)
    antler = _stroke(side - 0.35 + 0.35 * (y + 0.15), y + 0.45, 0.09, 0.38)
    tine = _stroke(side - 0.62, y + 0.5, 0.08, 0.25) | _within(side - 0.5, y + 0.25, 0.2, 0.07)
    return head | antler | tine


# Coordinates run from -1 to 1, x to the right and y downwards.
SHAPES: dict[str, Shape] = {
    "full": lambda x, y: _within(x, y, 1, 1),
    "disc": lambda x, y: _disc(x, y, 0.78),
    "dot": lambda x, y: _disc(x, y, 0.35),
    "ring": lambda x, y: _disc(x, y, 0.96) & ~_disc(x, y, 0.76),
    "square": lambda x, y: _within(x, y, 0.72, 0.72),
    "frame": lambda x, y: _within(x, y, 1, 1) & ~_within(x, y, 0.84, 0.84),
    "diamond": lambda x, y: np.abs(x) + np.abs(y) <= 0.85,
    "triangle": lambda x, y: (np.abs(y) <= 0.7) & (np.abs(x) <= (y + 0.7) * 0.6),
    "cross": lambda x, y: _stroke(x + y, x - y, 0.2, 1.3) | _stroke(x - y, x + y, 0.2, 1.3),
    "plus": lambda x, y: _stroke(x, y, 0.18, 0.7) | _stroke(y, x, 0.18, 0.7),
    "spokes": _spokes,
    "apple": lambda x, y: (
        (_disc(x + 0.2, y - 0.15, 0.48) | _disc(x - 0.2, y - 0.15, 0.48))
        | _stroke(x - 0.1, y + 0.55, 0.07, 0.25)
    ),
    "house": _house,
    "rock": lambda x, y: _disc(x + 0.15, y - 0.2, 0.5) | _disc(x - 0.3, y - 0.35, 0.4),
    "plant": lambda x, y: (
        _stroke(x, y - 0.35, 0.08, 0.45)
        | (_disc(x + 0.36, y + 0.1, 0.36) & (y <= 0.2))
        | (_disc(x - 0.36, y + 0.1, 0.36) & (y <= 0.2))
        | _disc(x, y + 0.45, 0.3)
    ),
    "stag": _stag,
    "tree": _tree,
    "flag": lambda x, y: _stroke(x + 0.4, y, 0.08, 0.8) | (
        (x >= -0.4) & (y >= -0.8) & (y <= 0) & (x <= 0.6 - np.abs(y + 0.4) * 1.5)
    ),
    "up": lambda x, y: (y >= -0.95) & (y <= -0.6) & (np.abs(x) <= y + 0.95),
    "down": lambda x, y: (y <= 0.95) & (y >= 0.6) & (np.abs(x) <= 0.95 - y),
    "left": lambda x, y: (x >= -0.95) & (x <= -0.6) & (np.abs(y) <= x + 0.95),
    "right": lambda x, y: (x <= 0.95) & (x >= 0.6) & (np.abs(y) <= 0.95 - x),
}  # fmt: skip


@cache
def coverage(shape: str, size: int) -> NDArray[np.float32]:
    """Return how much of each pixel of a square a shape covers, ``float32[size, size]``, 0..1.

    Squares of less than six pixels are too small for shapes: they are filled.
    """
    if size < 6:
        return np.ones((size, size), np.float32)
    fine = size * _SAMPLES
    line = (np.arange(fine) + 0.5) * 2 / fine - 1
    x, y = np.meshgrid(line, line)
    inside = SHAPES[shape](x, y).astype(np.float32)
    return inside.reshape(size, _SAMPLES, size, _SAMPLES).mean(axis=(1, 3))
