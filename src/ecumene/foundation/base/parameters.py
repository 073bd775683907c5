"""Checks of parameters, refused in the way of the documented interface."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ecumene.engine import InvalidParameter, check
from ecumene.foundation.base.errors import Refused


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return an integer parameter as an int, or raise `Refused` naming it."""
    with _refusing():
        return check.integer(name, value, least, most)


def real(name: str, value: Any, least: float, most: float | None = None) -> float:
    """Return a finite real parameter as a float, or raise `Refused` naming it."""
    with _refusing():
        return check.number(name, value, least, most)


def choice(name: str, value: Any, known: Mapping[str, Any]) -> str:
    """Return a parameter that is one of a few names, or raise `Refused` naming it."""
    with _refusing():
        return check.one_of(name, value, tuple(known))


def flag(name: str, value: Any) -> bool:
    """Return a boolean parameter; 1 and 0 will do. Otherwise raise `Refused` naming it."""
    with _refusing():
        return check.flag(name, bool(value) if check.as_index(value) in (0, 1) else value)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except InvalidParameter as error:
        raise Refused(str(error)) from None
