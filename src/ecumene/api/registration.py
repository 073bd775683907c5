"""Worlds by id: register them, look them up, make them."""

import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from gymnasium.vector import AutoresetMode

from ecumene.engine import (
    AlreadyRegistered,
    EnvironmentNotFound,
    InvalidParameter,
    Simulation,
    check,
)
from ecumene.engine.errors import near_match

if TYPE_CHECKING:
    from ecumene.api.parallel import ParallelEnv
    from ecumene.api.vector import VectorEnv

EntryPoint = str | type[Simulation]

_ID = re.compile(r"(?P<family>[A-Za-z0-9_-]+)/(?P<name>[A-Za-z0-9_-]+)-v(?P<version>\d+)")
_RESERVED = ("copies", "num_threads")


@dataclass(frozen=True)
class Registration:
    """What is registered under an id.

    Parameters
    ----------
    id
        ``"family/name-v0"``.
    entry_point
        A `Simulation` class, or where to find one: ``"module:ClassName"``.
    defaults
        Parameters that `make` and its kin pass on unless they are given others.
    """

    id: str
    entry_point: EntryPoint
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> type[Simulation]:
        """Return the class, importing its module if need be."""
        if not isinstance(self.entry_point, str):
            return self.entry_point
        module, _, name = self.entry_point.partition(":")
        return getattr(import_module(module), name)

    def parameters(self) -> dict[str, inspect.Parameter]:
        """Return the keyword parameters that `make` takes for this world, by name."""
        signature = inspect.signature(self.load())
        return {name: each for name, each in signature.parameters.items() if name not in _RESERVED}


class _Parts(NamedTuple):
    family: str
    name: str
    version: int


_registry: dict[str, Registration] = {}

registry: Mapping[str, Registration] = MappingProxyType(_registry)
"""Every registered world by id; read-only."""


def register(
    id: str,  # noqa: A002
    entry_point: EntryPoint,
    *,
    override: bool = False,
    **defaults: Any,
) -> None:
    """Register a world, so that `make` and its kin find it.

    Registering the same thing again does nothing.

    Parameters
    ----------
    id
        ``"family/name-v0"``.
    entry_point
        A `Simulation` class, or where to find one: ``"module:ClassName"``. It is called with
        ``copies``, ``num_threads`` and the world's parameters, all as keywords.
    override
        Whether to replace what is registered under the id.
    **defaults
        Parameters that the world is made with unless others are given.

    Raises
    ------
    InvalidParameter
        For an id or entry point of a wrong form.
    AlreadyRegistered
        If something else is registered under the id, upper and lower case being the same.
    """
    if _split(id) is None:
        raise InvalidParameter(f'a world\'s id is of the form "family/name-v0", not {id!r}.')
    _check_entry_point(entry_point)
    given = Registration(id, entry_point, defaults)
    taken = next((each for each in _registry.values() if each.id.lower() == id.lower()), None)
    if taken is not None and not override:
        if _same(taken, given):
            return
        raise AlreadyRegistered(
            f"`{taken.id}` is registered as {_describe(taken)}: choose another id or version, "
            "or pass override=True to replace it."
        )
    if taken is not None:
        del _registry[taken.id]
    _registry[id] = given


def _check_entry_point(entry_point: Any) -> None:
    if isinstance(entry_point, str):
        fits = re.fullmatch(r"[\w.]+:\w+", entry_point) is not None
    else:
        fits = isinstance(entry_point, type) and issubclass(entry_point, Simulation)
    if not fits:
        raise InvalidParameter(
            'an entry point is a Simulation class or "module:ClassName", not ' + repr(entry_point)
        )


def _same(one: Registration, other: Registration) -> bool:
    if one.id != other.id or one.defaults != other.defaults:
        return False
    if isinstance(one.entry_point, str) and isinstance(other.entry_point, str):
        return one.entry_point == other.entry_point
    return one.load() is other.load()


def _describe(registration: Registration) -> str:
    entry_point = registration.entry_point
    if not isinstance(entry_point, str):
        entry_point = f"{entry_point.__module__}:{entry_point.__qualname__}"
    defaults = "".join(f", {name}={value!r}" for name, value in registration.defaults.items())
    return f"{entry_point}{defaults}"


def pprint_registry() -> None:
    """Print the ids of all registered worlds, a line for each family."""
    by_family: dict[str, list[str]] = {}
    for world in sorted(_registry):
        by_family.setdefault(world.split("/")[0], []).append(world)
    for family, worlds in by_family.items():
        print(f"{family}: {'  '.join(worlds)}")


def find(id: str) -> Registration:  # noqa: A002
    """Return what is registered under an id.

    With ``"module:family/name-v0"`` the module, which registers the world, is imported first.

    Raises
    ------
    EnvironmentNotFound
        Telling an unknown family, name or version apart; or if there is no such module.
    """
    if isinstance(id, str) and ":" in id:
        module, id = id.split(":", 1)  # noqa: A001
        _import(module)
    try:
        return _registry[id]
    except (KeyError, TypeError):
        raise EnvironmentNotFound(_why_not_found(id)) from None


def _import(module: str) -> None:
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        raise EnvironmentNotFound(
            f"the module `{module}`, which is to register the world, cannot be imported: {error}."
        ) from error


def _why_not_found(world: Any) -> str:
    parts = _split(world)
    hint = near_match(world, _registry)
    listing = "`ecumene list` shows all."
    if parts is None:
        return f'{world!r} is not an id of the form "family/name-v0".{hint} {listing}'
    known = [each for each in map(_split, _registry) if each is not None]
    families = {each.family for each in known}
    if parts.family not in families:
        hint = hint or near_match(parts.family, families)
        return f"no world `{world}`: there is no family `{parts.family}`.{hint} {listing}"
    versions = sorted(each.version for each in known if each[:2] == parts[:2])
    if versions:
        exist = ", ".join(f"v{version}" for version in versions)
        return (
            f"no world `{world}`: `{parts.family}/{parts.name}` has no version "
            f"v{parts.version}; it has {exist}. {listing}"
        )
    return f"no world `{world}`: `{parts.family}` has no `{parts.name}`.{hint} {listing}"


def _split(world: Any) -> _Parts | None:
    match = _ID.fullmatch(world) if isinstance(world, str) else None
    if match is None:
        return None
    return _Parts(match["family"], match["name"], int(match["version"]))


def make_simulation(
    id: str,  # noqa: A002
    copies: int = 1,
    num_threads: int | None = None,
    **params: Any,
) -> Simulation:
    """Make the copies of a world, without an interface around them.

    Parameters
    ----------
    id
        A registered id, or ``"module:id"``: the module, which registers it, is imported first.
    copies
        Number of copies.
    num_threads
        Most threads to use. None: `ECUMENE_NUM_THREADS`, else the available processors.
    **params
        The world's own parameters.

    Raises
    ------
    EnvironmentNotFound
        For an unknown id.
    InvalidParameter
        For an unknown parameter, or one of a wrong type or out of range.
    """
    registration = find(id)
    given = {**registration.defaults, **params}
    _check_names(registration, given)
    return registration.load()(copies=copies, num_threads=num_threads, **given)


def make(
    id: str,  # noqa: A002
    render_mode: str | None = None,
    *,
    labels: bool = False,
    **params: Any,
) -> "ParallelEnv":
    """Make a world as a PettingZoo `ParallelEnv`, of the world's own class if it has one.

    Parameters
    ----------
    id
        A registered id, or ``"module:id"``: the module, which registers it, is imported first.
    render_mode
        One of the world's ``metadata["render_modes"]``, or None.
    labels
        Whether `infos` also hold every agent's `labels` and `cost`.
    **params
        The world's own parameters.

    Raises
    ------
    EnvironmentNotFound
        For an unknown id.
    InvalidParameter
        For an unknown parameter, or one of a wrong type or out of range.
    """
    from ecumene.api.parallel import ParallelEnv

    _refuse_reserved(params, (*_RESERVED, "num_envs"), "make_vec makes many copies.")
    simulation = make_simulation(id, **params)
    kind = simulation.env_class or ParallelEnv
    return kind.of(simulation, render_mode, labels=labels)


def make_vec(
    id: str,  # noqa: A002
    num_envs: int = 1,
    *,
    num_threads: int | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    copy: bool = True,
    labels: bool = False,
    **params: Any,
) -> "VectorEnv":
    """Make many copies of a world as a `VectorEnv`.

    Parameters
    ----------
    id
        A registered id, or ``"module:id"``: the module, which registers it, is imported first.
    num_envs
        Number of copies.
    num_threads
        Most threads to use. None: `ECUMENE_NUM_THREADS`, else the available processors.
    autoreset_mode, copy, labels
        See `VectorEnv`.
    **params
        The world's own parameters.

    Raises
    ------
    EnvironmentNotFound
        For an unknown id.
    InvalidParameter
        For an unknown parameter, or one of a wrong type or out of range.
    """
    from ecumene.api.vector import VectorEnv

    copies = check.integer("num_envs", num_envs, least=1)
    _refuse_reserved(params, ("copies",), "The number of copies is num_envs.")
    simulation = make_simulation(id, copies, num_threads, **params)
    return VectorEnv(simulation, autoreset_mode, copy, labels)


def _refuse_reserved(params: Mapping[str, Any], names: Iterable[str], remedy: str) -> None:
    for name in names:
        if name in params:
            raise InvalidParameter(f"{name} is not a parameter of the world. {remedy}")


def _check_names(registration: Registration, given: Mapping[str, Any]) -> None:
    known = registration.parameters()
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in known.values()):
        return
    for name in given:
        if name not in known:
            raise InvalidParameter(
                f"`{registration.id}` has no parameter `{name}`.{near_match(name, known)} "
                f"Parameters: {', '.join(known)}."
            )
    for name, each in known.items():
        if name not in given and each.default is inspect.Parameter.empty:
            raise InvalidParameter(f"`{registration.id}` needs the parameter `{name}`.")
