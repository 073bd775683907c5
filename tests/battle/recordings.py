"""Recorded battles, and the same battles made anew."""

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np

from ecumene.battle.definition import WALLS, Custom, Place
from ecumene.battle.env import BattleEnv
from ecumene.battle.simulation import BattleSimulation

GOLDEN = Path(__file__).parent / "golden"

WORLDS = {
    "battle_v4": "BattleWorld",
    "battlefield_v5": "BattlefieldWorld",
    "combined_arms_v6": "CombinedArmsWorld",
    "gather_v5": "GatherWorld",
    "adversarial_pursuit_v4": "PursuitWorld",
    "tiger_deer_v4": "TigerDeerWorld",
}


def entries(name):
    """Return what a JSON file lists."""
    return json.loads((GOLDEN / f"{name}.json").read_text())


def arrays(file):
    """Return the arrays of a recording."""
    with np.load(GOLDEN / file) as data:
        return {name: data[name] for name in data}


def module(world):
    return import_module(f"ecumene.battle.{world}")


def simulation_class(world):
    return getattr(module(world), WORLDS[world])


def settings(world, **parameters):
    return simulation_class(world).settings(**parameters)


def placed(world, start, walls=(), parameters=None, **options):
    """Return a simulation of a named world with chosen walls and start positions.

    start: group -> positions, in the order of placing.
    """
    battle = settings(world, **(parameters or {})).battle()
    places = [Place(WALLS, Custom(walls))] if len(walls) else []
    places += [Place(name, Custom(spots)) for name, spots in start.items()]
    return BattleSimulation(
        battle=replace(battle, places=tuple(places)), id=settings(world).world_id, **options
    )


def placed_env(*args, **options):
    env = BattleEnv(placed(*args, **options))
    env.reset(seed=0)
    return env


def members(simulation, group):
    """Return the slice of the agent axis that a group takes up."""
    i = simulation.battle.names[group]
    return slice(int(simulation.world.start[i]), int(simulation.world.start[i + 1]))


def positions(simulation, group, copy=0):
    state, own = simulation.state, members(simulation, group)
    return np.stack([state.x[copy, own], state.y[copy, own]], axis=1)


def living(simulation, group, copy=0):
    return simulation.state.status[copy, members(simulation, group)] == 1


def stay(simulation):
    """Return actions under which nobody moves: group -> int[copies, agents]."""
    return {
        group.name: np.full(
            (simulation.copies, len(group.agents)), group.action_names.index("stay"), np.int64
        )
        for group in simulation.spec.groups
    }
