"""The economies that are registered under an id."""

from ecumene.foundation.simulation import EconomySimulation

COMPONENTS = (("Build", {}), ("Gather", {}))
SKILLED = (("Build", {"skill_dist": "pareto", "payment_max_skill_multiplier": 3}), ("Gather", {}))


class LayoutSimulation(EconomySimulation):
    """Copies of a world drawn in a text file."""

    scenario = "layout_from_file/simple_wood_and_stone"
    id = "foundation/layout-v0"
    defaults = {"components": COMPONENTS, "n_agents": 4, "world_size": None}


class UniformSimulation(EconomySimulation):
    """Copies of a field with wood and stone strewn over it."""

    scenario = "uniform/simple_wood_and_stone"
    id = "foundation/uniform-v0"
    defaults = {"components": COMPONENTS, "n_agents": 4, "world_size": (25, 25)}


class QuadrantSimulation(EconomySimulation):
    """Copies of a field that water divides into four."""

    scenario = "quadrant/simple_wood_and_stone"
    id = "foundation/quadrant-v0"
    defaults = {"components": COMPONENTS, "n_agents": 4, "world_size": (25, 25)}


class MultiZoneSimulation(EconomySimulation):
    """Copies of a field with zones of wood and stone."""

    scenario = "multi_zone/simple_wood_and_stone"
    id = "foundation/multi-zone-v0"
    defaults = {"components": COMPONENTS, "n_agents": 4, "world_size": (25, 25)}


class SplitLayoutSimulation(EconomySimulation):
    """Copies of a drawn world with a river between the skilled and the others."""

    scenario = "split_layout/simple_wood_and_stone"
    id = "foundation/split-layout-v0"
    defaults = {"components": SKILLED, "n_agents": 4, "world_size": None}
