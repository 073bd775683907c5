"""The components that come with the library."""

from ecumene.foundation.components.build import Build
from ecumene.foundation.components.gather import Gather

__all__ = ["Build", "Gather"]
