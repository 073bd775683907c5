"""The agents that come with the library."""

from ecumene.foundation.agents.mobiles import BasicMobileAgent
from ecumene.foundation.agents.planners import BasicPlanner

__all__ = ["BasicMobileAgent", "BasicPlanner"]
