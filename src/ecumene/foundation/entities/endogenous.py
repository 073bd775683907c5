"""Endogenous variables: what happens to an agent rather than what it owns."""

from ecumene.foundation.base.errors import ensure
from ecumene.foundation.base.registrar import Registry


class Endogenous:
    """A quantity of a mobile agent that its own choices bring about."""

    name = ""

    def __init__(self) -> None:
        ensure(self.name, f"{type(self).__name__} needs a name.")


endogenous_registry: Registry = Registry(Endogenous)


@endogenous_registry.add
class Labor(Endogenous):
    """Labor accumulated over the episode."""

    name = "Labor"
