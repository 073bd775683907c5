"""Gather is what the documented steps, written in plain Python, make of the same draws."""

import os
import subprocess
import sys

import numpy as np
import pytest
from foundation.boards import STEPS, board, put, stand
from foundation.episodes import QUADRANT, UNIFORM, differences, play
from foundation.twins import GatherTwin, SteppingGather, register

COSTS = {"move_labor": 0.75, "collect_labor": 0.3}


@pytest.mark.parametrize("twin", [GatherTwin, SteppingGather])
@pytest.mark.parametrize("skill_dist", ["none", "pareto", "lognormal"])
@pytest.mark.parametrize(("scenario", "seed"), [(UNIFORM, 1), (UNIFORM, 2), (QUADRANT, 3)])
def test_g_23_g_25_plain_python_twin_makes_the_same_episodes(
    monkeypatch, twin, skill_dist, scenario, seed
):
    register(monkeypatch, twin)
    parameters = {**COSTS, "skill_dist": skill_dist}
    ours = play([("Gather", parameters)], scenario, seed)
    slow = play([(twin.name, parameters)], scenario, seed)
    assert differences(ours, slow) == []


@pytest.mark.parametrize("twin", [GatherTwin, SteppingGather])
@pytest.mark.parametrize("multi", [False, True])
def test_g_23_g_25_also_beside_build_and_in_a_crowd(monkeypatch, twin, multi):
    # Twelve agents on 36 tiles bump into one another and one another's houses all the time.
    register(monkeypatch, twin)
    crowd = {"n_agents": 12, "world_size": [6, 6], "multi_action_mode_agents": multi}
    parameters = {**COSTS, "skill_dist": "pareto"}
    ours = play([("Build", {}), ("Gather", parameters)], **crowd)
    slow = play([("Build", {}), (twin.name, parameters)], **crowd)
    assert differences(ours, slow) == []
    metrics = ours[-1]["states"][-1]
    assert sum(state["inventory"]["Coin"] for state in metrics.values()) > 0


@pytest.mark.parametrize("flatten_observations", [False, True])
@pytest.mark.parametrize("flatten_masks", [False, True])
def test_g_23_g_25_whatever_the_form_of_observations(
    monkeypatch, flatten_observations, flatten_masks
):
    register(monkeypatch, GatherTwin)
    form = {"flatten_observations": flatten_observations, "flatten_masks": flatten_masks}
    ours = play([("Gather", {"skill_dist": "pareto"})], **form)
    slow = play([(GatherTwin.name, {"skill_dist": "pareto"})], **form)
    assert differences(ours, slow) == []


def furnished(folder, kind, place, around):
    """Return a world of two agents with one tile of a kind beside agent 0."""
    env = board(folder, *["....."] * 5)
    stand(env, (2, 2))
    for neighbour in around:
        put(env, neighbour, Wood=1)
    if kind == "water":
        put(env, place, Water=1)
    elif kind in ("own", "foreign"):
        env.world.create_landmark("House", *place, int(kind == "foreign"))
    elif kind == "agent":
        env.world.set_agent_loc(env.get_agent(1), *place)
    elif kind == "stocked":
        put(env, place, Wood=3, Stone=1, WoodSourceBlock=1)
    elif kind == "scarce":
        put(env, place, Wood=0.5, StoneSourceBlock=1)
    elif kind == "own-stocked":
        env.world.create_landmark("House", *place, 0)
        put(env, place, Stone=2)
    return env


KINDS = ["empty", "water", "own", "foreign", "agent", "stocked", "scarce", "own-stocked"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("action", STEPS)
@pytest.mark.parametrize("here", [{}, {"Wood": 2, "Stone": 0.5}])
def test_g_23_g_25_every_kind_of_tile_as_the_world_s_methods_say(tmp_path, kind, action, here):
    dr, dc = STEPS[action]
    place = (2 + dr, 2 + dc)
    around = [(2 + r, 2 + c) for a, (r, c) in STEPS.items() if a != action]
    env, twin = (furnished(tmp_path, kind, place, around) for _ in range(2))
    for each in (env, twin):
        put(each, (2, 2), **here)
    env.step({"0": action})

    loc = twin.world.set_agent_loc(twin.get_agent(0), *place)
    found = [name for name, n in twin.world.location_resources(*loc).items() if n >= 1]
    for name in found:
        twin.world.consume_resource(name, *loc)
    agent = env.get_agent(0)
    assert tuple(agent.loc) == loc
    assert agent.state["endogenous"]["Labor"] == (loc == place) + len(found)
    assert {name for name, n in agent.inventory.items() if n} == set(found)
    assert np.array_equal(env.world.maps.state, twin.world.maps.state)
    assert np.array_equal(env.world.loc_map, twin.world.loc_map)


@pytest.mark.parametrize("action", STEPS)
def test_g_23_off_the_map_as_set_agent_loc_says(tmp_path, action):
    dr, dc = STEPS[action]
    corner = (4 * (dr > 0), 4 * (dc > 0))
    env, twin = (board(tmp_path, *["....."] * 5) for _ in range(2))
    for each in (env, twin):
        stand(each, corner)
    env.step({"0": action})
    there = twin.world.set_agent_loc(twin.get_agent(0), corner[0] + dr, corner[1] + dc)
    assert tuple(env.get_agent(0).loc) == there == corner


def interpret(script, no_jit):
    """Run a script in a process of its own, with or without Numba, and return what it printed."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    result = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": path, "NUMBA_DISABLE_JIT": str(int(no_jit))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


SPIED = """
import pathlib, tempfile
from foundation.boards import RIGHT, board
from ecumene.foundation.rules import space

calls = []
put = space.put

def spy(marks, location, r, c, agent):
    calls.append((int(agent), int(r), int(c)))
    put(marks, location, r, c, agent)

env = board(pathlib.Path(tempfile.mkdtemp()), "0..", "1@.")
space.put = spy
env.step({"0": RIGHT, "1": RIGHT})
print(calls)
env.world.set_agent_loc(env.get_agent(0), 0, 2)
print(calls)
"""


def test_g_23_gather_and_set_agent_loc_move_agents_by_the_same_rule():
    # Rules are compiled into one another; interpreted they can be listened to.
    assert interpret(SPIED, no_jit=True) == ["[(0, 0, 1)]", "[(0, 0, 1), (0, 0, 2)]"]


PLAYED = """
import numba
from foundation.episodes import digest, play

skilled = {"skill_dist": "lognormal"}
components = [("Build", {**skilled, "payment_max_skill_multiplier": 3}), ("Gather", skilled)]
print(bool(numba.config.DISABLE_JIT))
print(digest(play(components, steps=15, world_size=[6, 6])))
"""


def test_an_episode_is_the_same_compiled_and_interpreted():
    compiled = interpret(PLAYED, no_jit=False)
    interpreted = interpret(PLAYED, no_jit=True)
    assert (compiled[0], interpreted[0]) == ("False", "True")
    assert compiled[1] == interpreted[1]
