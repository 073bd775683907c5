"""Resources: what agents can own."""

import numpy as np

from ecumene.foundation.base.errors import ensure
from ecumene.foundation.base.registrar import Registry


class Resource:
    """Something that agents own an amount of.

    Attributes
    ----------
    name : str
        Unique name.
    color : ndarray
        RGB, each from 0 to 1.
    collectible : bool
        Whether it lies on the map, where a source block lets it grow.
    """

    name = ""
    color: np.ndarray | None = None
    collectible: bool | None = None

    def __init__(self) -> None:
        ensure(self.name, f"{type(self).__name__} needs a name.")
        ensure(self.color is not None, f"resource `{self.name}` needs a color.")
        ensure(self.collectible is not None, f"resource `{self.name}` must state `collectible`.")


resource_registry: Registry = Registry(Resource)


@resource_registry.add
class Wood(Resource):
    """Wood, collectible."""

    name = "Wood"
    color = np.array([107, 143, 113]) / 255.0
    collectible = True


@resource_registry.add
class Stone(Resource):
    """Stone, collectible."""

    name = "Stone"
    color = np.array([241, 233, 219]) / 255.0
    collectible = True


@resource_registry.add
class Coin(Resource):
    """Coin, which only work and trade bring."""

    name = "Coin"
    color = np.array([229, 211, 82]) / 255.0
    collectible = False
