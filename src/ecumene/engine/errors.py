"""The errors that Ecumene raises: what was given, what is allowed, what to do."""

import copyreg
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class EcumeneError(Exception):
    """Base class of every error that Ecumene raises on purpose."""

    def __reduce__(self) -> Any:
        # Some subclasses make their message of other arguments; worker processes send it as it is.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__ or None  # type: ignore[attr-defined]


class EnvironmentNotFound(EcumeneError, LookupError):
    """No world is registered under the given id."""


class AlreadyRegistered(EcumeneError, ValueError):
    """A different thing is registered under the given name."""


class InvalidParameter(EcumeneError, ValueError):
    """A parameter of a world has a wrong type or lies outside its range."""


class InvalidAction(EcumeneError, ValueError):
    """An action is missing, unknown, of a wrong type or outside its space."""


class UnknownAgent(InvalidAction, KeyError):
    """A name is not that of an agent of the world."""

    __str__ = Exception.__str__  # a KeyError would show the message in quotes


class InvalidSeed(EcumeneError, ValueError):
    """A seed is not a non-negative integer."""


class ResetNeeded(EcumeneError, RuntimeError):
    """A world was used before its first reset, or after its episode ended."""


class SnapshotMismatch(EcumeneError, ValueError):
    """A snapshot does not fit the world it is restored into."""


class MissingExtra(EcumeneError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f'{what}: pip install "ecumene[{extra}]"')


def near_match(name: object, known: Iterable[str]) -> str:
    """Return `` Did you mean `x`?`` for the closest known name, or an empty string."""
    by_lower_case = {each.lower(): each for each in known}
    close = get_close_matches(str(name).lower(), by_lower_case, n=1, cutoff=0.5)
    return f" Did you mean `{by_lower_case[close[0]]}`?" if close else ""
