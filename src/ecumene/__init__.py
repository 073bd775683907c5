"""Fast worlds with many agents."""

from importlib import import_module
from typing import Any

from ecumene._version import __version__
from ecumene.api.registration import (
    make,
    make_simulation,
    make_vec,
    pprint_registry,
    register,
    registry,
)
from ecumene.worlds import WORLDS

__all__ = [
    "__version__",
    "battle",
    "foundation",
    "gridworlds",
    "make",
    "make_simulation",
    "make_vec",
    "matrix",
    "pprint_registry",
    "register",
    "registry",
    "survival",
]

_FAMILIES = ("battle", "foundation", "gridworlds", "matrix", "survival")

for _id, _entry_point in WORLDS.items():
    register(_id, _entry_point)


def __getattr__(name: str) -> Any:
    # A family is imported when it is first looked at: `import ecumene` stays light.
    if name in _FAMILIES:
        return import_module(f"ecumene.{name}")
    raise AttributeError(f"module 'ecumene' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_FAMILIES])
