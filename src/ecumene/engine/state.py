"""Named tuples of arrays whose first axis is the copy: walk, copy out, copy in, hash."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.errors import SnapshotMismatch

Arrays = dict[str, NDArray[Any]]

TARGETS = "what the places of shared objects stand for"


class Shared:
    """Stands, in what a copy holds outside the arrays, for an object that all copies share.

    A deep copy whose memo holds a list under `TARGETS` has the entry at `place` in its stead.
    """

    def __init__(self, place: int) -> None:
        self.place = place

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        return memo[TARGETS][self.place] if TARGETS in memo else self


def leaves(state: Any, path: str = "") -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield (dotted path, array) for every array in nested named tuples and mappings."""
    if isinstance(state, np.ndarray):
        yield path, state
        return
    items = state.items() if isinstance(state, Mapping) else state._asdict().items()
    for name, value in items:
        yield from leaves(value, f"{path}.{name}" if path else name)


def copy_out(state: Any, copy: int) -> Arrays:
    """Return what the arrays hold for one copy."""
    return {path: array[copy].copy() for path, array in leaves(state)}


def copy_in(state: Any, copy: int, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write what `copy_out` returned into one copy; `check_fit` first."""
    for path, array in leaves(state):
        array[copy] = arrays[path]


def check_fit(state: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise `SnapshotMismatch` unless `arrays` has the paths, shapes and dtypes of the state."""
    here = dict(leaves(state))
    for path in here.keys() ^ arrays.keys():
        where = "lacks" if path in here else "has an unknown"
        raise SnapshotMismatch(f"the snapshot {where} array `{path}`: it is of another world.")
    for path, array in here.items():
        given = arrays[path]
        if (given.shape, given.dtype) != (array.shape[1:], array.dtype):
            raise SnapshotMismatch(
                f"array `{path}` is {given.dtype}{list(given.shape)} in the snapshot and "
                f"{array.dtype}{list(array.shape[1:])} here: the parameters differ."
            )


def hash_copy(state: Any, copy: int) -> str:
    """Return a digest of everything the state holds for one copy."""
    digest = hashlib.blake2b(digest_size=16)
    for path, array in leaves(state):
        part = np.ascontiguousarray(array[copy])
        digest.update(f"{path}:{part.dtype}:{part.shape}".encode())
        digest.update(part.tobytes())
    return digest.hexdigest()
