"""What is in the world: resources, landmarks and endogenous variables."""

from ecumene.foundation.entities.endogenous import Endogenous, endogenous_registry
from ecumene.foundation.entities.landmarks import Landmark, landmark_registry
from ecumene.foundation.entities.resources import Resource, resource_registry

__all__ = [
    "Endogenous",
    "Landmark",
    "Resource",
    "endogenous_registry",
    "landmark_registry",
    "resource_registry",
]
