"""Foundation: economies of agents that gather, build and own, and of planners that govern them."""

from typing import Any

from ecumene.foundation import agents as _agents
from ecumene.foundation import base, utils
from ecumene.foundation import components as _components
from ecumene.foundation import scenarios as _scenarios
from ecumene.foundation.base import base_agent, base_component, base_env, registrar, world
from ecumene.foundation.base.base_agent import agent_registry as agents
from ecumene.foundation.base.base_component import component_registry as components
from ecumene.foundation.base.base_env import scenario_registry as scenarios
from ecumene.foundation.entities import endogenous_registry as endogenous
from ecumene.foundation.entities import landmark_registry as landmarks
from ecumene.foundation.entities import resource_registry as resources

__all__ = [
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
    """
    return scenarios.get(scenario_name)(**kwargs)
