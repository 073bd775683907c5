"""Foundation: economies of agents that gather, build and own, and of planners that govern them."""

from typing import Any

# Imported for what they register; the registries then take the names of these subpackages.
import ecumene.foundation.agents
import ecumene.foundation.components
import ecumene.foundation.scenarios  # noqa: F401
from ecumene.foundation import base, utils
from ecumene.foundation.base import construct
from ecumene.foundation.base.base_agent import agent_registry as agents
from ecumene.foundation.base.base_component import component_registry as components
from ecumene.foundation.base.base_env import scenario_registry as scenarios
from ecumene.foundation.entities import endogenous_registry as endogenous
from ecumene.foundation.entities import landmark_registry as landmarks
from ecumene.foundation.entities import resource_registry as resources
from ecumene.foundation.simulation import EconomySimulation

__all__ = [
    "EconomySimulation",
    "agents",
    "base",
    "components",
    "endogenous",
    "landmarks",
    "make_env_instance",
    "resources",
    "scenarios",
    "utils",
]


def make_env_instance(scenario_name: str, **kwargs: Any) -> Any:
    """Return an environment of the scenario registered under a name.

    Parameters
    ----------
    scenario_name
        See ``foundation.scenarios.entries``.
    **kwargs
        Arguments of the scenario's constructor.

    Raises
    ------
    UnknownName
        A `KeyError`, if there is no such scenario.
    UnfitArguments
        A `TypeError`, for an argument that the scenario does not know, or lacks.
    """
    return construct.scenario(scenarios.get(scenario_name), kwargs)
