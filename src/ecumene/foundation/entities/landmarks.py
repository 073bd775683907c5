"""Landmarks: what stands on the map."""

import numpy as np

from ecumene.foundation.base.errors import ensure
from ecumene.foundation.base.registrar import Registry
from ecumene.foundation.entities.resources import Resource, resource_registry


class Landmark:
    """Something that stands on a tile.

    Attributes
    ----------
    name : str
        Unique name.
    color : ndarray
        RGB, each from 0 to 1.
    ownable : bool
        Whether one agent owns it.
    solid : bool
        Whether it keeps agents out (all but its owner, if it is ownable).
    """

    name = ""
    color: np.ndarray | None = None
    ownable: bool | None = None
    solid = True

    def __init__(self) -> None:
        ensure(self.name, f"{type(self).__name__} needs a name.")
        ensure(self.color is not None, f"landmark `{self.name}` needs a color.")
        ensure(self.ownable is not None, f"landmark `{self.name}` must state `ownable`.")

    @property
    def blocking(self) -> bool:
        """Nobody can enter."""
        return bool(self.solid and not self.ownable)

    @property
    def private(self) -> bool:
        """Only the owner can enter."""
        return bool(self.solid and self.ownable)

    @property
    def public(self) -> bool:
        """Everybody can enter, nobody owns."""
        return not self.solid and not self.ownable


landmark_registry: Registry = Registry(Landmark)


@landmark_registry.add
class House(Landmark):
    """A house, which its builder owns."""

    name = "House"
    color = np.array([220, 20, 220]) / 255.0
    ownable = True
    solid = True


@landmark_registry.add
class Water(Landmark):
    """Water, which nobody enters."""

    name = "Water"
    color = np.array([50, 50, 250]) / 255.0
    ownable = False
    solid = True


def source_block(resource: str) -> str:
    """Return the name of a collectible resource's source block, registered if it was not yet."""
    name = f"{resource}SourceBlock"
    if not landmark_registry.has(name):
        cls: type[Resource] = resource_registry.get(resource)
        attributes = {
            "__doc__": f"Where {resource} grows.",
            "__module__": __name__,
            "name": name,
            "color": cls.color,
            "ownable": False,
            "solid": False,
        }
        landmark_registry.add(type(name, (Landmark,), attributes))
    return name


for _resource in ("Stone", "Wood"):
    source_block(_resource)
