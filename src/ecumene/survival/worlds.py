"""The registered worlds as simulations, and under their names as environments."""

import inspect
from dataclasses import MISSING, asdict, fields
from typing import Any, ClassVar

from ecumene.survival import recipes
from ecumene.survival.declaration import World
from ecumene.survival.recipes import Recipe
from ecumene.survival.simulation import SurvivalSimulation

POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD
KEYWORD = inspect.Parameter.KEYWORD_ONLY


def _signature(kind: Any) -> inspect.Signature:
    """Return the signature of a simulation whose parameters are the fields of a dataclass."""
    first = [
        inspect.Parameter("copies", POSITIONAL, default=1),
        inspect.Parameter("num_threads", POSITIONAL, default=None),
    ]
    further = [
        inspect.Parameter(
            each.name,
            KEYWORD,
            default=inspect.Parameter.empty if each.default is MISSING else each.default,
        )
        for each in fields(kind)
    ]
    return inspect.Signature([*first, *further])


class CustomSimulation(SurvivalSimulation):
    """Copies of a world of one's own; the parameters are the fields of `World`."""

    __signature__ = _signature(World)

    def __init__(self, copies: int = 1, num_threads: int | None = None, **declaration: Any) -> None:
        super().__init__(World(**declaration), copies, num_threads)


class NamedSimulation(SurvivalSimulation):
    """Copies of one of the worlds with a name; the parameters are the fields of its recipe."""

    recipe: ClassVar[type[Recipe]]

    def __init_subclass__(cls) -> None:
        cls.__doc__ = cls.recipe.__doc__
        cls.__signature__ = _signature(cls.recipe)  # type: ignore[attr-defined]

    def __init__(self, copies: int = 1, num_threads: int | None = None, **parameters: Any) -> None:
        recipe = self.recipe(**parameters)
        super().__init__(
            recipe.declare(),
            copies,
            num_threads,
            world_id=recipe.world_id,
            parameters=asdict(recipe),
        )


class GatheringSimulation(NamedSimulation):
    recipe = recipes.Gathering


class ColorsSimulation(NamedSimulation):
    recipe = recipes.Colors


class SpyingSimulation(NamedSimulation):
    recipe = recipes.Spying


class ExploringSimulation(NamedSimulation):
    recipe = recipes.Exploring


class BuildingSimulation(NamedSimulation):
    recipe = recipes.Building


class PlantingSimulation(NamedSimulation):
    recipe = recipes.Planting


class CorridorSimulation(NamedSimulation):
    recipe = recipes.Corridor


class ArenaSimulation(NamedSimulation):
    recipe = recipes.Arena


class DeathmatchSimulation(NamedSimulation):
    recipe = recipes.Deathmatch


class TeamDeathmatchSimulation(NamedSimulation):
    recipe = recipes.TeamDeathmatch


class PredatorPreySimulation(NamedSimulation):
    recipe = recipes.PredatorPrey


class PveSimulation(NamedSimulation):
    recipe = recipes.Pve


class SiegeSimulation(NamedSimulation):
    recipe = recipes.Siege


class BossFightSimulation(NamedSimulation):
    recipe = recipes.BossFight


class RaidSimulation(NamedSimulation):
    recipe = recipes.Raid
