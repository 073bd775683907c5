"""Pixels, and the few ways to put something on them."""

import numpy as np
from numpy.typing import NDArray

from ecumene.drawing import font, shapes
from ecumene.drawing.palette import INK, PAPER, Colour

Pixels = NDArray[np.uint8]


def blank(height: int, width: int, colour: Colour = PAPER) -> Pixels:
    """Return a picture of one colour, ``uint8[height, width, 3]``."""
    return np.full((height, width, 3), colour, np.uint8)


def blend(under: NDArray[np.uint8], colour: Colour, cover: NDArray[np.float32]) -> Pixels:
    """Return `under` with a colour laid over it, as much of it (0..1) as `cover` says."""
    mixed = under + (np.array(colour, np.float32) - under) * cover[..., None]
    return (mixed + 0.5).astype(np.uint8)


def stamp(pixels: Pixels, top: int, left: int, size: int, shape: str, colour: Colour) -> None:
    """Draw one shape into a square of pixels."""
    square = pixels[top : top + size, left : left + size]
    square[:] = blend(square, colour, shapes.coverage(shape, size))


def rectangle(pixels: Pixels, top: int, left: int, height: int, width: int, colour: Colour) -> None:
    """Fill a rectangle of pixels; what lies outside the picture is left out."""
    pixels[max(top, 0) : max(top + height, 0), max(left, 0) : max(left + width, 0)] = colour


def write(
    pixels: Pixels, top: int, left: int, text: str, colour: Colour = INK, scale: int = 1
) -> None:
    """Write a line of text; what lies outside the picture is left out."""
    bits = font.bitmap(text, scale)[: max(pixels.shape[0] - top, 0)]
    area = pixels[top : top + bits.shape[0], left : left + bits.shape[1]]
    area[bits[:, : area.shape[1]]] = colour


def captioned(pixels: Pixels, lines: tuple[str, ...], width: int = 0) -> Pixels:
    """Return a picture with lines of text below it.

    The size depends on the number of lines alone, not on what they say: a line that is too long
    is cut off at the edge. `width` is the least width of the result.
    """
    scale = 2 if max(pixels.shape[1], width) >= 300 else 1
    step = (font.HEIGHT + 4) * scale
    height = pixels.shape[0] + step * len(lines) + 4 * scale
    result = blank(height, max(pixels.shape[1], width))
    left = (result.shape[1] - pixels.shape[1]) // 2
    result[: pixels.shape[0], left : left + pixels.shape[1]] = pixels
    for i, line in enumerate(lines):
        write(result, pixels.shape[0] + 4 * scale + i * step, 4 * scale, line, INK, scale)
    return result
