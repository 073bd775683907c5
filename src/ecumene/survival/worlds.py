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

    @classmethod
    def page(cls) -> type:
        """See `Simulation.page`."""
        return World


class NamedSimulation(SurvivalSimulation):
    """Copies of one of the worlds with a name; the parameters are the fields of its recipe."""

    recipe: ClassVar[type[Recipe]]

    def __init_subclass__(cls) -> None:
        cls.__doc__ = cls.recipe.__doc__
        cls.__signature__ = _signature(cls.recipe)  # type: ignore[attr-defined]

    @classmethod
    def page(cls) -> type:
        """See `Simulation.page`."""
        return cls.recipe

    def __init__(self, copies: int = 1, num_threads: int | None = None, **parameters: Any) -> None:
        recipe = self.recipe(**parameters)
        super().__init__(
            recipe.declare(),
            copies,
            num_threads,
            world_id=recipe.world_id,
            parameters=asdict(recipe),
        )


def _simulation(recipe: type[Recipe]) -> type[NamedSimulation]:
    """Return the simulation of a recipe, a class that pickle finds in this module."""
    name = f"{recipe.__name__}Simulation"
    return type(name, (NamedSimulation,), {"recipe": recipe, "__module__": __name__})


GatheringSimulation = _simulation(recipes.Gathering)
ColorsSimulation = _simulation(recipes.Colors)
SpyingSimulation = _simulation(recipes.Spying)
ExploringSimulation = _simulation(recipes.Exploring)
BuildingSimulation = _simulation(recipes.Building)
PlantingSimulation = _simulation(recipes.Planting)
CorridorSimulation = _simulation(recipes.Corridor)
ArenaSimulation = _simulation(recipes.Arena)
DeathmatchSimulation = _simulation(recipes.Deathmatch)
TeamDeathmatchSimulation = _simulation(recipes.TeamDeathmatch)
PredatorPreySimulation = _simulation(recipes.PredatorPrey)
PveSimulation = _simulation(recipes.Pve)
SiegeSimulation = _simulation(recipes.Siege)
BossFightSimulation = _simulation(recipes.BossFight)
RaidSimulation = _simulation(recipes.Raid)
