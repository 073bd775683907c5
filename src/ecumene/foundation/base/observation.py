"""Where each observed field goes: the arrays that observations are written into.

Which fields there are is learned from the first observation that the documented methods make.
Afterwards built-in parts write straight into the arrays, and plain Python parts are copied in.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.foundation.base.errors import ensure

AGENTS, PLANNER, SEEN = "agents", "planner", "seen"
TIME = "time"


def is_kept(value: Any) -> bool:
    """Tell whether a field stays apart when observations are flattened."""
    return isinstance(value, np.ndarray) and value.ndim > 1


def flatten(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Pack one agent's fields: what is kept as it is, the rest sorted by name into ``flat``."""
    packed = {name: value for name, value in fields.items() if is_kept(value) or name == TIME}
    rest = [np.ravel(fields[name]) for name in sorted(fields) if not is_kept(fields[name])]
    if rest:
        packed["flat"] = np.concatenate(rest).astype(np.float32)
    return packed


class Table(NamedTuple):
    """The observations of one kind of observer.

    kept: name -> array[copy, observer, ...].
    flat: float32[copy, observer, width].
    columns: name -> where it is in `flat`.
    """

    kept: dict[str, NDArray[Any]]
    flat: NDArray[np.float32]
    columns: dict[str, slice]


def learn_table(
    examples: Sequence[Mapping[str, Any]], copies: int, shared: Mapping[str, NDArray[Any]]
) -> Table | None:
    """Lay out the fields of observers of one kind; None if they do not all have the same.

    Parameters
    ----------
    examples
        One observer's fields each.
    copies
        Number of copies.
    shared
        Arrays that already hold a field for all copies and observers.
    """
    first = {name: np.asarray(value) for name, value in examples[0].items()}
    for other in examples[1:]:
        if [(n, np.shape(v)) for n, v in other.items()] != [(n, v.shape) for n, v in first.items()]:
            return None
    rows = (copies, len(examples))
    kept = {
        name: shared[name] if name in shared else np.zeros((*rows, *value.shape), value.dtype)
        for name, value in first.items()
        if is_kept(value) or name == TIME
    }
    columns, width = {}, 0
    for name in sorted(first):
        if not is_kept(first[name]):
            columns[name] = slice(width, width + first[name].size)
            width += first[name].size
    return Table(kept, np.zeros((*rows, width), np.float32), columns)


class Observations(NamedTuple):
    """The tables of all kinds, and the masks ``int8[copy, agent, actions]`` of both groups."""

    tables: dict[str, Table]
    masks: dict[str, NDArray[np.int8]]
    mask_columns: dict[str, dict[str, slice]]


class Slots:
    """The places of one part (a component or the scenario) in the observations.

    Parameters
    ----------
    observations
        All of them.
    prefix
        What the part's field names begin with there.
    name
        Name of the part, which its action subspaces begin with.
    focus
        The copy that `write` is about.
    """

    def __init__(self, observations: Observations, prefix: str, name: str, focus: Any) -> None:
        self._observations = observations
        self._prefix = prefix
        self._name = name
        self._focus = focus

    def flat(self, kind: str) -> NDArray[np.float32]:
        """Return the flat observations of a kind."""
        return self._observations.tables[kind].flat

    def column(self, kind: str, field: str) -> int:
        """Return the first column of a field in `flat`, -1 if nobody of that kind sees it."""
        columns = self._observations.tables[kind].columns
        place = columns.get(self._prefix + field)
        return -1 if place is None else place.start

    def kept(self, kind: str, field: str) -> NDArray[Any]:
        """Return the array of a field that is kept apart."""
        return self._observations.tables[kind].kept[self._prefix + field]

    def mask(self, group: str) -> NDArray[np.int8]:
        """Return the masks of a group."""
        return self._observations.masks[group]

    def mask_column(self, group: str, sub: str | None = None) -> int:
        """Return the first column of a subspace's mask, its NO-OP not counted."""
        name = self._name if sub is None else f"{self._name}.{sub}"
        return self._observations.mask_columns[group][name].start

    def write(self, observed: Mapping[Any, Mapping[str, Any]]) -> None:
        """Write what a documented ``generate_observations`` returned for the copy in view."""
        for idx, fields in observed.items():
            kind, row = observer(idx)
            table = self._observations.tables[kind]
            for field, value in fields.items():
                self._write_field(table, row, self._prefix + field, value)

    def _write_field(self, table: Table, row: int, name: str, value: Any) -> None:
        copy = self._focus.copy
        known = table.kept if is_kept(value) else table.columns
        ensure(name in known, f"observation `{name}` was not there at the first reset.")
        if is_kept(value):
            place, given = table.kept[name][copy, row], value
        else:
            place, given = table.flat[copy, row, table.columns[name]], np.ravel(value)
        ensure(
            given.shape == place.shape and np.can_cast(given.dtype, place.dtype, "same_kind"),
            f"observation `{name}` was {place.dtype}{list(place.shape)} at the first reset and "
            f"is {given.dtype}{list(given.shape)} now.",
        )
        place[...] = given

    def write_masks(self, masks: Mapping[Any, Any]) -> None:
        """Write what a documented ``generate_masks`` returned for the copy in view."""
        for idx, mask in masks.items():
            kind, row = observer(idx)
            parts = mask.items() if isinstance(mask, Mapping) else [(None, mask)]
            for sub, values in parts:
                name = self._name if sub is None else f"{self._name}.{sub}"
                place = self._observations.mask_columns[kind].get(name)
                if place is not None:
                    self._observations.masks[kind][self._focus.copy, row, place] = values


def observer(idx: Any) -> tuple[str, int]:
    """Return kind and row of an agent index: 0 or "0", "p", or "p0" (agent 0 to the planner)."""
    text = str(idx)
    if text == "p":
        return PLANNER, 0
    if text.startswith("p"):
        return SEEN, int(text[1:])
    return AGENTS, int(text)


def mask_columns(action_dim: Mapping[str, int], multi: bool) -> tuple[dict[str, slice], int]:
    """Return subspace -> columns of its mask without NO-OP, and the width of the whole mask.

    In single-action mode one NO-OP comes first; in multi-action mode one before each subspace.
    """
    columns, width = {}, 0 if multi else 1
    for name, size in action_dim.items():
        width += multi
        columns[name] = slice(width, width + size - multi)
        width += size - multi
    return columns, width
