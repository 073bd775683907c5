"""A window on the screen, through pygame-ce."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.errors import MissingExtra


class Window:
    """Shows pictures; opens with the first one.

    Parameters
    ----------
    title
        What the window is called.
    frames_per_second
        Most pictures per second: `show` waits where they come faster.

    Raises
    ------
    MissingExtra
        If pygame-ce is not installed.
    """

    def __init__(self, title: str, frames_per_second: int = 10) -> None:
        if find_spec("pygame") is None:
            raise MissingExtra('render_mode="human" needs pygame-ce', "window")
        self._title = title
        self._frames_per_second = frames_per_second
        self._pygame: Any = None
        self._surface: Any = None
        self._clock: Any = None

    def show(self, pixels: NDArray[np.uint8]) -> None:
        """Show a picture ``uint8[height, width, 3]``; a small one several times as large."""
        size = pixels.shape[1], pixels.shape[0]
        larger = max(1, 320 // max(size))
        scaled = size[0] * larger, size[1] * larger
        surface = self._open(scaled) if self._surface is None else self._surface
        pygame = self._pygame
        pygame.event.pump()
        image = pygame.surfarray.make_surface(pixels.swapaxes(0, 1))
        surface.blit(pygame.transform.scale(image, scaled), (0, 0))
        pygame.display.flip()
        self._clock.tick(self._frames_per_second)

    def _open(self, size: tuple[int, int]) -> Any:
        self._pygame = import_module("pygame")
        self._pygame.display.init()
        self._pygame.display.set_caption(self._title)
        self._surface = self._pygame.display.set_mode(size)
        self._clock = self._pygame.time.Clock()
        return self._surface

    def close(self) -> None:
        """Close the window; may be called more than once."""
        if self._surface is not None:
            self._pygame.display.quit()
        self._surface = self._clock = None

    def __getstate__(self) -> dict[str, Any]:
        # A copy opens a window of its own.
        return {**self.__dict__, "_pygame": None, "_surface": None, "_clock": None}
