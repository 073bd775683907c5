"""Agents that move around the map."""

from ecumene.foundation.base.base_agent import BaseAgent, agent_registry


@agent_registry.add
class BasicMobileAgent(BaseAgent):
    """An agent with a place on the map."""

    name = "BasicMobileAgent"
