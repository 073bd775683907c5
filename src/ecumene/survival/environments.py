"""Survival worlds as environments: by name, or from a declaration of one's own."""

from typing import Any, ClassVar, Self

from ecumene.api.parallel import ParallelEnv
from ecumene.api.vector import VectorEnv
from ecumene.survival import worlds
from ecumene.survival.declaration import World
from ecumene.survival.simulation import SurvivalSimulation


class SurvivalEnv(ParallelEnv):
    """One survival world, stepped with dicts keyed by the names of the agents.

    Parameters
    ----------
    simulation
        One copy of the world.
    render_mode, labels
        See `ParallelEnv`.

    Attributes
    ----------
    agent_group
        The team of every agent.
    entity_features, self_features
        Names of the features of a row of `entities`, and of `self`.
    """

    simulation: SurvivalSimulation

    def __init__(
        self,
        simulation: SurvivalSimulation,
        render_mode: str | None = None,
        *,
        labels: bool = False,
    ) -> None:
        super().__init__(simulation, render_mode, labels=labels)
        self.agent_group = simulation.team_names()
        self.entity_features = simulation.entity_features
        self.self_features = simulation.self_features

    def map_text(self) -> str:
        """Return the map, one character per cell; see `ecumene.survival.LEGEND`."""
        return self.simulation.map_text(0)

    def view_as(self, agent: str | None) -> None:
        """Render the world as one agent sees it from now on; None: all of it."""
        self.simulation.view_as(agent)


SurvivalSimulation.env_class = SurvivalEnv


def parallel_env(world: World, render_mode: str | None = None) -> SurvivalEnv:
    """Make the world that a declaration describes as a PettingZoo `ParallelEnv`."""
    return SurvivalEnv(SurvivalSimulation(world), render_mode)


def vector_env(
    world: World, num_envs: int = 1, *, num_threads: int | None = None, **options: Any
) -> VectorEnv:
    """Make many copies of the world that a declaration describes; `options` as for `VectorEnv`."""
    return VectorEnv(SurvivalSimulation(world, num_envs, num_threads), **options)


class NamedEnv(SurvivalEnv):
    """One of the worlds with a name; its parameters are keywords."""

    kind: ClassVar[type[worlds.NamedSimulation]]

    def __init_subclass__(cls) -> None:
        cls.__doc__ = cls.kind.__doc__

    def __init__(self, render_mode: str | None = None, **parameters: Any) -> None:
        super().__init__(self.kind(**parameters), render_mode)

    @classmethod
    def reference(cls, render_mode: str | None = None, **changes: Any) -> Self:
        """Make the world with the numbers of the earlier system, and with some changes."""
        return cls(render_mode, **{**cls.kind.recipe.reference_numbers, **changes})


def _environment(name: str, kind: type[worlds.NamedSimulation]) -> type[NamedEnv]:
    """Return the environment of a world, a class that pickle finds in this module."""
    return type(name, (NamedEnv,), {"kind": kind, "__module__": __name__})


Gathering = _environment("Gathering", worlds.GatheringSimulation)
Colors = _environment("Colors", worlds.ColorsSimulation)
Spying = _environment("Spying", worlds.SpyingSimulation)
Exploring = _environment("Exploring", worlds.ExploringSimulation)
Building = _environment("Building", worlds.BuildingSimulation)
Planting = _environment("Planting", worlds.PlantingSimulation)
Corridor = _environment("Corridor", worlds.CorridorSimulation)
Arena = _environment("Arena", worlds.ArenaSimulation)
Deathmatch = _environment("Deathmatch", worlds.DeathmatchSimulation)
TeamDeathmatch = _environment("TeamDeathmatch", worlds.TeamDeathmatchSimulation)
PredatorPrey = _environment("PredatorPrey", worlds.PredatorPreySimulation)
Pve = _environment("Pve", worlds.PveSimulation)
Siege = _environment("Siege", worlds.SiegeSimulation)
BossFight = _environment("BossFight", worlds.BossFightSimulation)
Raid = _environment("Raid", worlds.RaidSimulation)
