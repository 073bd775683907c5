"""Running parts that are written in plain Python, on one of many copies.

Such a part keeps what it likes in attributes of its own and draws from NumPy's and Python's
global generators. In a batch every copy therefore has its own set of attributes, swapped in while
the copy is in view, and the two global generators are lent to it: they are seeded with four words
of the copy's stream each time a method is called, and put back when the batch call is over. So a
copy's future depends on its own stream alone. Methods that only look at the world (observations,
masks, metrics) are seeded too, but the stream does not move on for them: looking changes nothing.
"""

import copy as copying
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.random import next_uint32
from ecumene.engine.state import TARGETS, Shared

HELD = "held_in_common"


class PlainParts:
    """The plain Python parts of a world, and whose attributes they show at the moment.

    Parameters
    ----------
    world
        The world; its focus says which copy is in view.

    Attributes
    ----------
    parts : list
        Components, and the scenario, of which copies have attributes of their own.
    """

    def __init__(self, world: Any) -> None:
        self._world = world
        self.parts: list[Any] = []
        self._attributes: list[list[dict[str, Any]]] = []
        self._shared: list[Any] = []
        self._lent = False

    def adopt(self, parts: list[Any], shared: list[Any]) -> None:
        """Give every copy its own attributes of the parts.

        Parameters
        ----------
        parts
            Components or the scenario.
        shared
            Objects that the copies have in common when they appear among the attributes.
        """
        self.parts = parts
        self._shared = [*shared, *parts, *self._common(parts)]
        fresh = self.extra(0)
        self._attributes = [[part.__dict__] for part in parts]
        for attributes, kept in zip(self._attributes, fresh, strict=True):
            attributes += [self._own(kept) for _ in range(1, self._world.copies)]

    def share(self, name: str, values: list[Any]) -> None:
        """Give all copies of each part an attribute that they have in common."""
        for value, attributes in zip(values, self._attributes, strict=True):
            self._shared.append(value)
            for own in attributes:
                own[name] = value

    def _common(self, parts: list[Any]) -> Iterator[Any]:
        world = self._world
        yield from (self, world, world.maps, world.focus, *world.agents, world.planner)
        for part in parts:
            yield from part.arrays or ()
            names = {name for cls in type(part).__mro__ for name in vars(cls).get(HELD, ())}
            yield from (part.__dict__[name] for name in names)

    @contextmanager
    def in_view(self, copy: int) -> Iterator[None]:
        """Put a copy in view; afterwards the one seen before is in view again."""
        focus, before = self._world.focus, self._world.focus.copy
        self._show(copy)
        try:
            yield
        finally:
            self._show(before)
            focus.copy = before

    def _show(self, copy: int) -> None:
        for part, attributes in zip(self.parts, self._attributes, strict=True):
            part.__dict__ = attributes[copy]
        self._world.focus.copy = copy

    def call(self, copy: int, method: Callable[[], Any]) -> Any:
        """Call a method that acts on a copy, with it in view."""
        return self._call(copy, method, self._world.streams[copy])

    def look(self, copy: int, method: Callable[[], Any]) -> Any:
        """Call a method that only looks at a copy, with it in view."""
        return self._call(copy, method, self._world.streams[copy].copy())

    def _call(self, copy: int, method: Callable[[], Any], row: NDArray[np.uint32]) -> Any:
        with self.in_view(copy):
            if self._lent:
                words = [int(next_uint32(row)) for _ in range(4)]
                np.random.seed(words)
                random.seed(sum(word << 32 * i for i, word in enumerate(words)))
            return method()

    @contextmanager
    def generators(self) -> Iterator[None]:
        """Lend the global generators to the copies, and put them back at the end."""
        if not self.parts:
            yield
            return
        numpy_state, python_state = np.random.get_state(), random.getstate()
        self._lent = True
        try:
            yield
        finally:
            self._lent = False
            np.random.set_state(numpy_state)
            random.setstate(python_state)

    def extra(self, copy: int) -> list[dict[str, Any]]:
        """Return a duplicate of a copy's attributes of the parts, shared objects left out."""
        places = {id(each): Shared(i) for i, each in enumerate(self._shared)}
        # The list behind each part is that of `adopt`, until which there is one copy.
        sources = self._attributes or [[part.__dict__] for part in self.parts]
        return [copying.deepcopy(source[copy], dict(places)) for source in sources]

    def restore(self, copy: int, extra: list[dict[str, Any]]) -> None:
        """Take back what `extra` returned, of this or of another batch."""
        for attributes, kept in zip(self._attributes, extra, strict=True):
            attributes[copy].clear()
            attributes[copy].update(self._own(kept))

    def _own(self, kept: dict[str, Any]) -> dict[str, Any]:
        memo: dict[Any, Any] = {TARGETS: self._shared}
        return copying.deepcopy(kept, memo)
