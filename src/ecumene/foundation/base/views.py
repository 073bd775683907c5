"""Dict-like views of the arrays at the focus: what ``agent.state`` and ``agent.action`` are."""

from collections.abc import Iterator, Mapping, MutableMapping
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.foundation.base.focus import Focus


class View(MutableMapping[str, Any]):
    """A mapping with fixed keys that prints, compares and copies like a dict."""

    def __delitem__(self, key: str) -> None:
        raise TypeError(f"`{key}` is a part of the world and cannot be deleted.")

    def __repr__(self) -> str:
        return repr(self.plain())

    def __eq__(self, other: object) -> bool:
        return self.plain() == (other.plain() if isinstance(other, View) else other)

    __hash__ = None  # type: ignore[assignment]

    def plain(self) -> dict[str, Any]:
        """Return the present content as dicts, lists and numbers of its own."""
        return {
            key: value.plain() if isinstance(value, View) else value for key, value in self.items()
        }

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return deepcopy(self.plain(), memo)


class RowView(View):
    """Named columns of one agent's row in an array ``[copy, row, column]``."""

    def __init__(
        self,
        focus: Focus,
        array: NDArray[Any],
        row: int,
        columns: Mapping[str, int],
    ) -> None:
        self._focus = focus
        self._array = array
        self._row = row
        self._columns = columns

    def __getitem__(self, key: str) -> Any:
        return self._array[self._focus.copy, self._row, self._columns[key]].item()

    def __setitem__(self, key: str, value: Any) -> None:
        self._array[self._focus.copy, self._row, self._columns[key]] = value

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


class Fields(NamedTuple):
    """The fields of one agent's state that components add.

    columns: name -> array[copy, agent], for fields of the library's components.
    extra: one dict per copy, for all other fields.
    order: names in the order in which they first got a value.
    """

    columns: dict[str, NDArray[Any]]
    extra: list[dict[str, Any]]
    order: dict[str, None]


class StateView(View):
    """The documented ``agent.state``.

    Parameters
    ----------
    focus
        The copy in view.
    row
        Row of the agent in the arrays.
    parts
        Inventory, escrow and endogenous variables.
    fields
        What components add.
    location
        ``int64[copy, agent, 2]``, for agents that have a place on the map.
    """

    def __init__(
        self,
        focus: Focus,
        row: int,
        parts: dict[str, RowView],
        fields: Fields,
        location: NDArray[np.int64] | None,
    ) -> None:
        self._focus = focus
        self._row = row
        self._parts = parts
        self._fields = fields
        self._location = location

    def __getitem__(self, key: str) -> Any:
        columns, extra, order = self._fields
        if key in self._parts:
            return self._parts[key]
        if key in order and key in columns:
            return columns[key][self._focus.copy, self._row].item()
        if key == "loc" and self._location is not None:
            return self._location[self._focus.copy, self._row].tolist()
        return extra[self._focus.copy][key]

    def __setitem__(self, key: str, value: Any) -> None:
        columns, extra, order = self._fields
        if key in self._parts:
            self._parts[key].update(value)
        elif key == "loc" and self._location is not None:
            self._location[self._focus.copy, self._row] = value
        else:
            order[key] = None
            if key in columns:
                columns[key][self._focus.copy, self._row] = value
            else:
                extra[self._focus.copy][key] = value

    def __iter__(self) -> Iterator[str]:
        if self._location is not None:
            yield "loc"
        yield from self._parts
        columns, extra, order = self._fields
        here = extra[self._focus.copy]
        yield from (key for key in order if key in columns or key in here)

    def __len__(self) -> int:
        return sum(1 for _ in self)
