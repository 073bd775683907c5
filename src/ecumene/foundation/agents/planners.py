"""Agents that govern."""

from ecumene.foundation.base.base_agent import BaseAgent, agent_registry


@agent_registry.add
class BasicPlanner(BaseAgent):
    """The planner: index ``"p"``, no place on the map.

    Parameters
    ----------
    idx
        Ignored.
    multi_action_mode
        See `BaseAgent`.
    """

    name = "BasicPlanner"

    def __init__(self, idx: int | str | None = None, multi_action_mode: bool | None = None) -> None:
        super().__init__("p", multi_action_mode)
        del self.state["loc"]

    @property
    def loc(self) -> list[int]:
        """A planner has no location."""
        raise AttributeError("the planner has no location.")
