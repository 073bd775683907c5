"""Survival: forest, river, rock and lava.

Fifteen worlds of one engine (`Gathering` to `Raid`), and worlds of one's own by declaration: see
`World`, `parallel_env` and `vector_env`.
"""

from ecumene.survival.declaration import AgentGroup, Bonus, NpcGroup, World
from ecumene.survival.environments import (
    Arena,
    BossFight,
    Building,
    Colors,
    Corridor,
    Deathmatch,
    Exploring,
    Gathering,
    Planting,
    PredatorPrey,
    Pve,
    Raid,
    Siege,
    Spying,
    SurvivalEnv,
    TeamDeathmatch,
    parallel_env,
    vector_env,
)
from ecumene.survival.simulation import SurvivalSimulation
from ecumene.survival.tiles import LEGEND

__all__ = [
    "LEGEND",
    "AgentGroup",
    "Arena",
    "Bonus",
    "BossFight",
    "Building",
    "Colors",
    "Corridor",
    "Deathmatch",
    "Exploring",
    "Gathering",
    "NpcGroup",
    "Planting",
    "PredatorPrey",
    "Pve",
    "Raid",
    "Siege",
    "Spying",
    "SurvivalEnv",
    "SurvivalSimulation",
    "TeamDeathmatch",
    "World",
    "parallel_env",
    "vector_env",
]
