"""Running parts that are written in plain Python, on one of many copies.

Such a part keeps what it likes in attributes of its own and draws from NumPy's and Python's
global generators. In a batch every copy therefore has its own set of attributes, swapped in while
the copy is in view, and the two global generators are lent to it: they are seeded with four words
from the copy's stream each time a method is called, and put back when the batch call is over. So a
copy's future depends on its own stream alone.
"""

import copy as copying
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ecumene.engine.random import next_uint32


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
        copies = range(1, self._world.copies)
        self._attributes = [
            [part.__dict__, *(self._duplicate(part.__dict__) for _ in copies)] for part in parts
        ]

    def _common(self, parts: list[Any]) -> Iterator[Any]:
        world = self._world
        yield from (self, world, world.maps, world.focus, *world.agents, world.planner)
        for part in parts:
            yield from (part.slots, *(part.arrays or ()))
            names = {name for cls in type(part).__mro__ for name in vars(cls).get(HELD, ())}
            yield from (part.__dict__[name] for name in names)

    def _duplicate(self, value: Any) -> Any:
        memo = {id(each): each for each in self._shared}
        return copying.deepcopy(value, memo)

    def call(self, copy: int, method: Callable[[], Any]) -> Any:
        """Call a method with a copy in view; afterwards the copy seen before is in view again."""
        focus, before = self._world.focus, self._world.focus.copy
        self._show(copy)
        focus.copy = copy
        if self._lent:
            self._seed_from(copy)
        try:
            return method()
        finally:
            self._show(before)
            focus.copy = before

    def _show(self, copy: int) -> None:
        for part, attributes in zip(self.parts, self._attributes, strict=True):
            part.__dict__ = attributes[copy]

    def _seed_from(self, copy: int) -> None:
        row = self._world.streams[copy]
        words = [int(next_uint32(row)) for _ in range(4)]
        np.random.seed(words)
        random.seed(sum(word << 32 * i for i, word in enumerate(words)))

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
        """Return a duplicate of a copy's attributes of the parts."""
        return [self._duplicate(attributes[copy]) for attributes in self._attributes]

    def restore(self, copy: int, extra: list[dict[str, Any]]) -> None:
        """Take back what `extra` returned."""
        for attributes, kept in zip(self._attributes, extra, strict=True):
            attributes[copy].clear()
            attributes[copy].update(self._duplicate(kept))
