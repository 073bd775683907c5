"""Files being written: the disk may be full, the folder gone."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ecumene.engine import EcumeneError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure to write a file into an `EcumeneError` that names it."""
    try:
        yield
    except OSError as error:
        raise EcumeneError(f"cannot write {path}: {error}") from error
