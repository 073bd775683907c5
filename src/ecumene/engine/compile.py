"""Compile rules with Numba, and never serve a compiled rule that is older than its sources."""

import os
import shutil
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config
from numba.core.registry import CPUDispatcher

from ecumene.engine.sources import digest_for

STALE_AFTER_DAYS = 14


def _load_masked_arrays() -> None:
    """Import `numpy.ma`, which Numba looks at when it types an argument.

    NumPy loads it late, and fails to once a program has set ``np.bool = bool``, as programs that
    were written for NumPy 1 do.
    """
    given = np.bool
    np.bool = np.bool_  # type: ignore[misc]
    try:
        import_module("numpy.ma")
    finally:
        np.bool = given  # type: ignore[misc]


_load_masked_arrays()


def rule(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a module-level function of scalars, arrays and tuples of arrays.

    Rules release the GIL and are cached on disk. They run without Numba's reference counting
    (``_nrt=False``): a draw or a tile look-up would otherwise spend most of its time on atomic
    counters. So a rule that allocates an array does not compile, which is what keeps rules fit
    for a GPU.
    """
    return _compile(function)


def helper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a rule that only other rules call.

    It has no entry from Python, which takes longer to compile than many a rule itself. Called
    from Python all the same, it is given one then and there.
    """
    return _as_helper(_compile(function, no_cpython_wrapper=True))


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a rule that only other rules call: it becomes part of them.

    A call costs next to nothing unless it hands over tuples of arrays, whose hundreds of words
    take longer to pass than most rules take to run.
    """
    return _as_helper(_compile(function, no_cpython_wrapper=True, forceinline=True))


def _compile(function: Callable[..., Any], **flags: bool) -> Callable[..., Any]:
    settings: Any = config
    compiler: Any = numba.njit
    previous = settings.CACHE_DIR
    settings.CACHE_DIR = str(cache_folder(digest_for(function)))
    try:
        options = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False, **flags}
        return compiler(no_cfunc_wrapper=True, **options)(function)
    finally:
        settings.CACHE_DIR = previous


class _Helper(CPUDispatcher):
    """A compiled function that Python cannot call, and that answers such a call nevertheless."""

    def __call__(self, *arguments: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        if self not in _entries:
            _entries[self] = _entry(self)
        return _entries[self](*arguments)


_entries: dict[_Helper, Callable[..., Any]] = {}


def _entry(function: Callable[..., Any]) -> Callable[..., Any]:
    compiler: Any = numba.njit

    def call(*arguments: Any) -> Any:
        return function(*arguments)

    return compiler(nogil=True, error_model="numpy", _nrt=False)(call)


def _as_helper(function: Callable[..., Any]) -> Callable[..., Any]:
    if isinstance(function, CPUDispatcher):  # it is not where Numba is switched off
        function.__class__ = _Helper
    return function


@cache
def cache_folder(digest: str) -> Path:
    """Return the folder that holds what was compiled from exactly the sources of a digest.

    Numba by itself stamps a cached function with the file that defines it and so misses edits
    in the modules it calls; one folder per digest of all sources does not.
    """
    root = _cache_root()
    folder = root / digest
    try:
        if not folder.exists():
            _remove_stale(root)
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:
        pass  # an unwritable home: Numba falls back to places of its own
    return folder


def _cache_root() -> Path:
    base = os.environ.get("NUMBA_CACHE_DIR")
    if base:
        return Path(base) / "ecumene"
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "ecumene" / "rules"


def _remove_stale(root: Path) -> None:
    if not root.is_dir():
        return
    oldest = time.time() - STALE_AFTER_DAYS * 86_400
    for folder in root.iterdir():
        if folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)
