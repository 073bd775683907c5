"""Recorded and independently computed games, step by step."""

import json
from pathlib import Path

import numpy as np
import pytest
from gridworlds.worlds import CLASSES, as_tuple, grid, play

FOLDER = Path(__file__).parent / "golden"


def cases(world):
    script = json.loads((FOLDER / f"{world}_scripted.json").read_text())
    return [pytest.param(case, id=case["title"]) for case in script["cases"]]


def start(world, case):
    env = CLASSES[world](**{name: as_tuple(value) for name, value in case["params"].items()})
    env.reset(seed=0)
    return env


def bits(seen):
    return "".join(str(int(value)) for value in seen.ravel())


def in_order(env, told):
    return [told[name] for name in env.possible_agents]


def each_step(env, case):
    """Play a case, compare what all worlds tell, and yield what to compare further."""
    for expected in case["steps"]:
        _, rewards, terminations, truncations, infos = play(env, *expected["actions"])
        assert in_order(env, rewards) == expected["rewards"]
        assert in_order(env, terminations) == expected["terminations"]
        assert in_order(env, truncations) == expected["truncations"]
        yield expected, in_order(env, infos), env.get_state()


@pytest.mark.parametrize("case", cases("MarkovStagHunt"))
def test_markov_stag_hunt(case):
    env = start("MarkovStagHunt", case)
    fields = case["start_state"]
    counts = np.array(fields[4], np.int16)
    env.set_state((*map(as_tuple, fields[:4]), counts, *map(as_tuple, fields[5:])))
    shared = slice(None, env.n_agents + 2)
    assert bits(grid(env, env.state())[:, :, shared]) == case["start_obs_shared"]
    for expected, infos, state in each_step(env, case):
        agents, results, damaged, positions, counts, plants, stags, _ = state
        assert agents == as_tuple(expected["agents_after"])
        assert results == as_tuple(expected["results"])
        assert damaged == as_tuple(expected["damaged"])
        assert positions == as_tuple(expected["positions"])
        assert counts.tolist() == expected["counts"]
        assert (len(plants), len(stags)) == (expected["num_plants"], expected["num_stags"])
        for name in ("hunted_stag", "harvested_plant", "mauled"):
            assert [info[name] for info in infos] == expected[name]
        if expected["has_respawn"]:
            assert set(as_tuple(expected.get("plants_kept", []))) <= set(plants)
            assert set(as_tuple(expected.get("stags_kept", []))) <= set(stags)
        else:
            assert (plants, stags) == (as_tuple(expected["plants"]), as_tuple(expected["stags"]))
            assert bits(grid(env, env.state())[:, :, shared]) == expected["obs_shared"]


@pytest.mark.parametrize("case", cases("Pursuit"))
def test_pursuit(case):
    env = start("Pursuit", case)
    assert bits(env.state()) == case["start_obs"]
    for expected, infos, state in each_step(env, case):
        assert state[1:3] == (expected["collision_ever"], as_tuple(expected["positions"]))
        assert [info["collision"] for info in infos] == expected["colliding"]
        for info in infos:
            assert info["goal"] == expected["goal"]
            assert info["collision_any"] == expected["collision"]
            assert info["collision_ever"] == expected["collision_ever"]
        assert bits(env.state()) == expected["obs"]


@pytest.mark.parametrize("case", cases("IceDuel"))
def test_ice_duel(case):
    env = start("IceDuel", case)
    assert bits(env.state()) == case["start_obs"]
    for expected, infos, state in each_step(env, case):
        assert state[1] == as_tuple(expected["positions"])
        assert [info["fell"] for info in infos] == expected["fell"]
        assert [info["pushed"] for info in infos] == expected["pushed"]
        assert [info["clash"] for info in infos] == [expected["clash"]] * 2
        assert bits(env.state()) == expected["obs"]


@pytest.mark.parametrize("case", cases("Gathering"))
def test_gathering(case):
    env = start("Gathering", case)
    names = ("agent_pos", "tag_hits", "frozen_timer", "apples")
    given = case["start"]
    env.set_state((tuple(env.agents), *(as_tuple(given[name]) for name in names), None))
    assert bits(env.state()) == given["obs"]
    for expected, infos, state in each_step(env, case):
        assert state[1:5] == tuple(as_tuple(expected[name]) for name in names)
        assert [info["tagged"] for info in infos] == expected["tagged"]
        assert [info["got_frozen"] for info in infos] == expected["got_frozen"]
        assert bits(env.state()) == expected["obs"]
