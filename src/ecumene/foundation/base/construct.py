"""Construct components and scenarios, and say clearly which argument does not fit."""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from ecumene.engine.errors import EcumeneError, near_match
from ecumene.foundation.base.errors import Refused, UnfitArguments

# What the environment hands to every component by itself.
_FROM_ENVIRONMENT = ("world", "episode_length", "inventory_scale")


def parameters_of(cls: type) -> dict[str, inspect.Parameter]:
    """Return the constructor parameters of a class, its base classes' included, by name."""
    found: dict[str, inspect.Parameter] = {}
    for each in cls.__mro__:
        if "__init__" in each.__dict__ and each is not object:
            for name, parameter in inspect.signature(each.__init__).parameters.items():
                if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                    found.setdefault(name, parameter.replace(kind=parameter.KEYWORD_ONLY))
    found.pop("self", None)
    return found


def component(
    cls: Any, kwargs: Mapping[str, Any], world: Any, episode_length: int, inventory_scale: float
) -> Any:
    """Construct a component of a class that is registered.

    Raises
    ------
    UnfitArguments
        A `TypeError`, for an unknown or a missing argument.
    Refused
        For a value that the component refuses; the message names the component.
    """
    try:
        return cls(world, episode_length, inventory_scale=inventory_scale, **kwargs)
    except Refused as error:
        raise Refused(f"component `{cls.name}`: {error}") from error
    except TypeError as error:
        known = parameters_of(cls)
        for name in _FROM_ENVIRONMENT:
            known.pop(name, None)
        raise _explained(error, f"component `{cls.name}`", kwargs, known) from error


def scenario(cls: Any, kwargs: Mapping[str, Any]) -> Any:
    """Construct a scenario.

    Raises
    ------
    UnfitArguments
        A `TypeError`, for an unknown or a missing argument.
    """
    try:
        return cls(**kwargs)
    except TypeError as error:
        raise _explained(error, f"scenario `{cls.name}`", kwargs, parameters_of(cls)) from error


def _explained(
    error: TypeError, what: str, given: Iterable[str], known: Mapping[str, inspect.Parameter]
) -> TypeError:
    """Return a clearer error where the names of the arguments were at fault, else the same one."""
    misfit = None if isinstance(error, EcumeneError) else misfit_of(given, known)
    return error if misfit is None else UnfitArguments(f"{what} {misfit}")


def misfit_of(given: Iterable[str], known: Mapping[str, inspect.Parameter]) -> str | None:
    """Say which given name is unknown or which needed one is missing; None: neither is so."""
    given = set(given)
    unknown = [name for name in given if name not in known]
    if unknown:
        name = min(unknown)
        listed = f"Parameters: {', '.join(known)}." if known else "It has none."
        return f"has no parameter `{name}`.{near_match(name, known)} {listed}"
    empty = inspect.Parameter.empty
    missing = [name for name in known if known[name].default is empty and name not in given]
    return f"needs the parameter `{missing[0]}`." if missing else None
