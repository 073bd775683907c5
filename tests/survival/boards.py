"""Small worlds drawn in the tests."""

from typing import Any

import numpy as np

from ecumene.survival import AgentGroup, NpcGroup, SurvivalSimulation, World
from ecumene.survival import columns as c

STAY, NORTH, SOUTH, EAST, WEST = range(5)


def board(layout: str, *starts: Any, seed: int = 0, **declaration: Any) -> "Board":
    """Return a world of one agent per start, each a team of its own."""
    groups = [AgentGroup(start=[start]) for start in starts]
    rows = layout.replace(";", "\n").split("\n")
    return Board(World(groups=groups, layout=rows, **declaration), seed)


class Board:
    """One copy of a world whose agents are moved by hand; all are called `agent` or as given."""

    def __init__(self, world: World, seed: int = 0, copies: int = 1) -> None:
        self.simulation = SurvivalSimulation(world, copies, 1)
        self.simulation.reset(seed=seed)

    @property
    def out(self):
        (out,) = self.simulation.out.values()
        return out

    def step(self, *actions: Any) -> "Board":
        """Step with one action per agent; those left out stay."""
        (group,) = self.simulation.spec.groups
        given = np.zeros((1, len(group.agents), *group.action_shape), np.int64)
        for i, action in enumerate(actions):
            given[0, i] = action
        self.simulation.step({group.name: given})
        return self

    def idle(self, steps: int) -> "Board":
        for _ in range(steps):
            self.step()
        return self

    def get(self, column: int, entity: int = 0) -> int:
        return int(self.simulation.state.body[0, entity, column])

    def put(self, column: int, value: int, entity: int = 0) -> "Board":
        self.simulation.state.body[0, entity, column] = value
        return self

    def stocks(self, entity: int = 0) -> tuple[int, int, int]:
        """Health, food, water."""
        return tuple(self.get(column, entity) for column in (c.HEALTH, c.FOOD, c.WATER))

    def place(self, entity: int = 0) -> list[int]:
        return self.simulation.places()[entity].tolist()

    def rows(self) -> list[str]:
        """The map as it looks now."""
        from ecumene.survival.tiles import draw

        return draw(self.simulation.cells()).split("\n")

    def rewards(self) -> list[float]:
        return self.out.reward[0].tolist()

    def seen(self, name: str, agent: int = 0):
        """What an agent sees of the channel of the window with this name."""
        names = self.simulation.channels.names
        return self.out.observation["grid"][0, agent, :, :, names.index(name)]

    def mine(self, name: str, agent: int = 0) -> float:
        names = self.simulation.self_features
        return float(self.out.observation["self"][0, agent, names.index(name)])

    def others(self, agent: int = 0) -> list[dict[str, float]]:
        """The rows of `entities` that are not empty."""
        names = self.simulation.entity_features
        rows = self.out.observation["entities"][0, agent]
        return [dict(zip(names, row.tolist(), strict=True)) for row in rows if row[0]]


__all__ = ["AgentGroup", "Board", "NpcGroup", "World", "board"]
