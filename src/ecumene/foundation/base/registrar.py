"""Registries: names to classes."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from ecumene.engine.errors import AlreadyRegistered
from ecumene.foundation.base.errors import UnknownName, ensure

C = TypeVar("C", bound=type)


class Registry(Generic[C]):
    """Classes by their ``name``; look-ups ignore case.

    Parameters
    ----------
    base_class
        If given, only its subclasses can be added.
    """

    def __init__(self, base_class: type | None = None) -> None:
        self.base_class = base_class
        self._classes: dict[str, Any] = {}

    @overload
    def add(self, cls: C, *, override: bool = ...) -> C: ...
    @overload
    def add(self, *, override: bool) -> Callable[[C], C]: ...

    def add(self, cls: Any = None, *, override: bool = False) -> Any:
        """Register a class under its ``name`` and return it; works as a decorator.

        Defining the same class again (a re-run notebook cell, a reloaded module) replaces it.

        Parameters
        ----------
        cls
            The class; left out in ``@registry.add(override=True)``.
        override
            Replace a different class that holds the name.

        Raises
        ------
        AlreadyRegistered
            If a different class holds the name, in whatever case, and `override` is not set.
        """
        if cls is None:
            return lambda late: self.add(late, override=override)
        self._check(cls)
        key = cls.name.lower()
        held = self._classes.get(key)
        if held is not None and not override and not _same_definition(held, cls):
            raise AlreadyRegistered(
                f"`{cls.name}` is taken by {held.__module__}.{held.__qualname__} "
                f"(as `{held.name}`); choose another name or add with override=True."
            )
        self._classes[key] = cls
        return cls

    def _check(self, cls: Any) -> None:
        name: Any = getattr(cls, "name", None)
        ensure(isinstance(name, str) and name, f"{cls!r} needs a class attribute `name`.")
        ensure("." not in name, f"the name `{name}` contains a dot.")
        if self.base_class is not None:
            base = self.base_class.__name__
            ensure(issubclass(cls, self.base_class), f"`{name}` is not a subclass of {base}.")

    def get(self, name: str) -> Any:
        """Return the class registered under a name.

        Raises
        ------
        UnknownName
            A `KeyError` that lists the registered names and suggests a near one.
        """
        try:
            return self._classes[name.lower()]
        except (KeyError, AttributeError):
            what = (
                self.base_class.__name__.removeprefix("Base").lower()
                if self.base_class
                else "class"
            )
            raise UnknownName(what, name, self.entries) from None

    def has(self, name: str) -> bool:
        """Tell whether a name is registered."""
        return isinstance(name, str) and name.lower() in self._classes

    @property
    def entries(self) -> list[str]:
        """Sorted names of everything registered."""
        return sorted(cls.name for cls in self._classes.values())


def _same_definition(one: type, other: type) -> bool:
    return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)
