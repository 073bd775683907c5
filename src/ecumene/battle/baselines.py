"""Scripted policies that are good enough to watch, and to train against.

They look at the state, not at observations: they know the shortest way around the walls.

``rush``: hit the weakest enemy within reach, else go to the nearest. ``flee``: keep away from the
nearest enemy. ``forage``: as `rush`, but only for what can be eaten: agents that nobody controls,
agents whose killing gives hit points, and food.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ecumene.battle.rules.choosing import choose
from ecumene.battle.simulation import BattleSimulation
from ecumene.battle.state import CONTROLLED, KILL_SUPPLY, TEAM
from ecumene.engine import InvalidParameter
from ecumene.engine.errors import near_match

NAMES = ("rush", "flee", "forage")

Actions = dict[str, NDArray[np.int64]]


def rush(simulation: BattleSimulation) -> Actions:
    """Return actions under which everybody attacks: group -> ``int64[copies, agents]``."""
    return act(simulation, "rush")


def flee(simulation: BattleSimulation) -> Actions:
    """Return actions under which everybody keeps away from enemies."""
    return act(simulation, "flee")


def forage(simulation: BattleSimulation) -> Actions:
    """Return actions under which everybody goes for food."""
    return act(simulation, "forage")


def act(simulation: BattleSimulation, names: str | Mapping[str, str]) -> Actions:
    """Return the actions of the baselines for all copies.

    Parameters
    ----------
    simulation
        A battle.
    names
        A baseline for everybody, or for every group that is the user's: group -> name.

    Raises
    ------
    InvalidParameter
        For an unknown name, or a group without one.
    """
    groups = [group.name for group in simulation.spec.groups]
    if isinstance(names, str):
        names = dict.fromkeys(groups, names)
    if set(names) != set(groups):
        raise InvalidParameter(f"names has the groups {', '.join(groups)}, not {list(names)}.")
    for name in names.values():
        if name not in NAMES:
            raise InvalidParameter(f"no baseline {name!r}.{near_match(name, NAMES)} {NAMES}")
    return {name: _choose(simulation, name, names[name]) for name in groups}


def _choose(simulation: BattleSimulation, name: str, baseline: str) -> NDArray[np.int64]:
    world = simulation.world
    group = simulation.battle.names[name]
    sought = world.kind[:, TEAM] != world.kind[group, TEAM]
    if baseline == "forage":
        edible = (world.kind[:, CONTROLLED] == 0) | (world.power[:, KILL_SUPPLY] > 0)
        sought = edible & (np.arange(len(sought)) != group)
    actions = np.zeros(simulation.out[name].alive.shape, np.int64)
    everyone = np.ones(simulation.copies, np.bool_)
    steps = np.zeros(simulation.state.cell.shape[1:], np.int32)
    queue = np.zeros(steps.size, np.int32)
    food = baseline == "forage" and world.feeding
    arguments = group, baseline == "flee", sought, food, world, simulation.state, steps, queue
    choose(everyone, *arguments, actions, 0, simulation.copies)
    return actions
