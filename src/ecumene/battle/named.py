"""What the named worlds have in common: parameters that make a battle."""

import inspect
from abc import abstractmethod
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, ClassVar

from ecumene.battle.definition import Battle
from ecumene.battle.simulation import BattleSimulation


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Parameters of a world that make a battle; each world documents its own."""

    world_id: ClassVar[str]

    minimap_mode: bool = False
    extra_features: bool = False
    observations: str = "float32"
    rng: str = "philox"

    @abstractmethod
    def battle(self) -> Battle:
        """Return the battle that the parameters describe."""


class NamedSimulation(BattleSimulation):
    """Copies of a named world; the parameters are the fields of its `Settings`."""

    settings: ClassVar[type[Settings]]

    def __init_subclass__(cls) -> None:
        cls.__doc__ = cls.settings.__doc__
        cls.__signature__ = _signature(cls.settings)  # type: ignore[attr-defined]

    def __init__(self, copies: int = 1, num_threads: int | None = None, **parameters: Any) -> None:
        settings = self.settings(**parameters)
        super().__init__(
            copies,
            num_threads,
            battle=settings.battle(),
            id=settings.world_id,
            parameters=asdict(settings),
            observations=settings.observations,
            rng=settings.rng,
        )


def _signature(settings: type[Settings]) -> inspect.Signature:
    first = [
        inspect.Parameter(
            name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation
        )
        for name, default, annotation in (("copies", 1, int), ("num_threads", None, int | None))
    ]
    further = [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if each.default is MISSING else each.default,
            annotation=each.type,
        )
        for each in fields(settings)
    ]
    return inspect.Signature([*first, *further])
