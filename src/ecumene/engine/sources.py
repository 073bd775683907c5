"""The sources that a compiled rule was made from."""

import hashlib
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
from numba.core.registry import CPUDispatcher

PACKAGE = Path(__file__).resolve().parent.parent


def source_digest(folder: Path) -> str:
    """Return a digest of every Python source below `folder`, of Numba's version included."""
    return _digest({path.relative_to(folder).as_posix(): path for path in folder.rglob("*.py")})


def digest_for(function: Callable[..., Any]) -> str:
    """Return a digest of all sources that a rule can call: the library's and its author's.

    An author's are the rule's own module and those that it has rules from, directly or not.
    """
    authors = _author_sources(function)
    digest = _library_digest()
    return f"{digest}-{_digest(authors)}" if authors else digest


@cache
def _library_digest() -> str:
    return source_digest(PACKAGE)


def _digest(paths: Mapping[str, Path]) -> str:
    digest = hashlib.blake2b(numba.__version__.encode(), digest_size=10)
    for name in sorted(paths):
        digest.update(name.encode())
        digest.update(paths[name].read_bytes())
    return digest.hexdigest()


def _author_sources(function: Callable[..., Any]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    seen: set[str] = set()
    waiting = [function.__module__]
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if module is None or name in seen:
            continue
        seen.add(name)
        path = _file_of(module)
        if path is not None and path.is_relative_to(PACKAGE):
            continue
        if path is not None:
            found[name] = path
        waiting += _rule_modules(vars(module))
    return found


@cache
def _file_of(module: ModuleType) -> Path | None:
    """Return the file of a module, None for one that was typed in."""
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if file and Path(file).is_file() else None


def _rule_modules(names: dict[str, Any]) -> list[str]:
    """Return the names of the modules from which a module has rules."""
    modules = []
    for value in list(names.values()):
        if isinstance(value, CPUDispatcher):
            modules.append(value.py_func.__module__)
        elif isinstance(value, ModuleType) and _has_rules(value):
            modules.append(value.__name__)
    return modules


def _has_rules(module: ModuleType) -> bool:
    return any(isinstance(value, CPUDispatcher) for value in list(vars(module).values()))
