"""Battles: many agents that move or attack.

The named worlds are modules with `parallel_env`, `env` and `raw_env`: `battle_v4`,
`battlefield_v5`, `combined_arms_v6`, `gather_v5`, `adversarial_pursuit_v4` and `tiger_deer_v4`. A
world of one's own is a `Battle` built from the dataclasses here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ecumene.battle import baselines
from ecumene.battle.definition import (
    AgentGroup,
    AgentType,
    Battle,
    Custom,
    Fill,
    Maze,
    Place,
    Random,
)
from ecumene.battle.env import BattleEnv
from ecumene.battle.events import (
    At,
    Attack,
    Collide,
    Die,
    In,
    InALine,
    Kill,
    Reward,
    all_of,
    any_of,
    member,
)
from ecumene.battle.ranges import Circle, Sector
from ecumene.battle.simulation import BattleSimulation

if TYPE_CHECKING:
    from ecumene.battle import (
        adversarial_pursuit_v4,
        battle_v4,
        battlefield_v5,
        combined_arms_v6,
        gather_v5,
        tiger_deer_v4,
    )

_WORLDS = (
    "adversarial_pursuit_v4",
    "battle_v4",
    "battlefield_v5",
    "combined_arms_v6",
    "gather_v5",
    "tiger_deer_v4",
)

__all__ = [
    "AgentGroup",
    "AgentType",
    "At",
    "Attack",
    "Battle",
    "BattleEnv",
    "BattleSimulation",
    "Circle",
    "Collide",
    "Custom",
    "Die",
    "Fill",
    "In",
    "InALine",
    "Kill",
    "Maze",
    "Place",
    "Random",
    "Reward",
    "Sector",
    "adversarial_pursuit_v4",
    "all_of",
    "any_of",
    "baselines",
    "battle_v4",
    "battlefield_v5",
    "combined_arms_v6",
    "gather_v5",
    "member",
    "tiger_deer_v4",
]


def __getattr__(name: str) -> Any:
    if name in _WORLDS:
        return import_module(f"ecumene.battle.{name}")
    raise AttributeError(f"module 'ecumene.battle' has no attribute {name!r}")
