"""Which entities a world has."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from ecumene.foundation.base.errors import UnknownName
from ecumene.foundation.entities import endogenous_registry, landmark_registry, resource_registry


class Entities(NamedTuple):
    """Sorted names by kind."""

    resources: list[str]
    landmarks: list[str]
    endogenous: list[str]


def required(parts: Iterable[Any]) -> Entities:
    """Return what a scenario and its components require; Coin and Labor always are.

    Raises
    ------
    UnknownName
        For a name in none of the three registries.
    """
    names = {"Coin", "Labor"}.union(*(part.required_entities or () for part in parts))
    registries = (resource_registry, landmark_registry, endogenous_registry)
    kinds: list[list[str]] = [[], [], []]
    for name in sorted(names):
        holder = next((i for i, each in enumerate(registries) if each.has(name)), None)
        if holder is None:
            known = [entry for each in registries for entry in each.entries]
            raise UnknownName("resource, landmark or endogenous variable", name, known)
        kinds[holder].append(registries[holder].get(name).name)
    return Entities(*kinds)
