"""Refusals of the economy.

The documented interface of these worlds answers a bad parameter with an `AssertionError`, an
unknown name with a `KeyError` and a bad index with a `TypeError`. Each refusal here is both that
and Ecumene's own kind of error, so that either can be caught.
"""

from typing import Any

from ecumene.engine.errors import EcumeneError, InvalidAction, InvalidParameter, near_match


class Refused(InvalidParameter, AssertionError):
    """A parameter of the economy has a wrong type or lies outside its range."""


class UnfitArguments(InvalidParameter, TypeError):
    """A constructor was given an argument that it does not know, or lacks one that it needs."""


class UnknownName(EcumeneError, KeyError):
    """Nothing is registered under this name."""

    def __init__(self, what: str, name: object, known: Any) -> None:
        listed = ", ".join(f"`{each}`" for each in known) or "none"
        super().__init__(f"no {what} `{name}`.{near_match(name, known)} Known: {listed}.")

    def __str__(self) -> str:  # KeyError would show the repr
        return str(self.args[0])


class InvalidChoice(InvalidAction, TypeError, AssertionError):
    """An action does not fit the agent's action spaces."""


def ensure(condition: Any, message: str) -> None:
    """Raise `Refused` with the message unless the condition holds."""
    if not condition:
        raise Refused(message)
