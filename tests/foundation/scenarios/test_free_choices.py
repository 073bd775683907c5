"""Corners that the documentation leaves open: what happens there is sensible."""

import numpy as np
import pytest
from foundation.scenarios.twins import SCENARIOS, economy

import ecumene
from ecumene import foundation

SCENARIOS_OF_ANY_PARTS = [name for name in SCENARIOS if name != "split_layout"]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("scenario", SCENARIOS_OF_ANY_PARTS)
def test_a_world_without_anything_to_own(scenario, full):
    env = economy(scenario, 1, components=[], full_observability=full)
    obs, rewards, _, _ = env.step({"0": 0, 1: 0})
    assert "House" not in env.world.maps.channel
    assert obs["0"]["world-idx_map"].shape[0] == obs["p"]["world-idx_map"].shape[0] == 1
    assert obs["p"]["world-idx_map"].max() == env.n_agents + 1
    assert obs["0"]["action_mask"].tolist() == [1.0]
    assert list(rewards.values()) == [0] * 4
    assert env.metrics["social/productivity"] == 0


@pytest.mark.parametrize("scenario", SCENARIOS_OF_ANY_PARTS)
def test_a_batch_without_anything_to_do(scenario):
    name = {"layout_from_file": "layout"}.get(scenario, scenario.replace("_", "-"))
    vec = ecumene.make_vec(f"foundation/{name}-v0", 2, components=[], episode_length=3)
    observations, _ = vec.reset(seed=3)
    assert observations["agents"]["world-idx_map"].shape[2] == 1
    for _ in range(5):
        vec.step(vec.sample_actions())


@pytest.mark.parametrize("skill", ["none", "pareto"])
def test_houses_may_be_worth_nothing(skill):
    env = economy("uniform", 2, components=[("Build", {"payment": 0, "skill_dist": skill})])
    env.world.agents[0].state["inventory"].update(Wood=1, Stone=1)
    while not env.get_component("Build").agent_can_build(env.world.agents[0]):
        env.reset()
        env.world.agents[0].state["inventory"].update(Wood=1, Stone=1)
    obs, *_ = env.step({"0": 1})
    assert np.isfinite(obs["0"]["flat"]).all()
    assert env.world.agents[0].inventory["Coin"] == 0
    assert env.metrics["Build/0/n_builds"] == 1


def test_logarithmic_utility_starts_at_nothing():
    env = economy("uniform", 2, isoelastic_eta=1)
    assert env.init_optimization_metric[0] == 0
    env.world.agents[0].state["inventory"]["Coin"] = np.e
    _, rewards, _, _ = env.step({})
    labor = env.world.agents[0].endogenous["Labor"]
    assert rewards["0"] == pytest.approx(1 - labor * 0.21)


@pytest.mark.parametrize("size", [[9, 15], [15, 9], [2, 7]])
def test_a_quadrant_need_not_be_square(size):
    env = economy("quadrant", n_agents=2, world_size=size)
    for seed in range(1, 5):
        env.seed(seed)
        env.reset()
        assert env.world.agent_locs_are_valid()
        for _ in range(5):
            env.step({0: 1, 1: 4})


def test_water_can_be_dug_a_tile_at_a_time():
    env = economy("quadrant", 3)
    maps = env.world.maps
    before = maps.accessibility.copy()
    r, c = np.argwhere(maps.empty & maps.unoccupied)[0].tolist()
    env.world.create_landmark("Water", r, c)
    changed = np.argwhere(maps.accessibility != before)
    assert {(int(row), int(column)) for _, row, column in changed} == {(r, c)}
    assert len(changed) == env.n_agents


def test_a_house_can_grow_without_changing_hands():
    env = economy("uniform", 3)
    maps = env.world.maps
    r, c = np.argwhere(maps.empty)[0].tolist()
    env.world.create_landmark("House", r, c, 2)
    maps.set_point_add("House", r, c, 1, owner=2)
    assert maps.get_point("House", r, c) == 2
    assert maps.get_point("House", r, c, owner=True) == 2


def test_emptying_one_map_leaves_the_others():
    env = economy("quadrant", 3)
    maps = env.world.maps
    water = maps.get("Water") > 0
    maps.clear("House")
    assert not maps.accessibility[:, water].any()


@pytest.mark.parametrize("multi", [False, True])
def test_random_actions_reach_every_action(multi):
    env = economy("uniform", 3, multi_action_mode_agents=multi)
    agent = env.world.agents[0]
    chosen, drawn = set(), set()
    for _ in range(300):
        chosen |= set(agent.get_random_action().items())
        agent.populate_random_actions()
        drawn |= set(agent.action.items())
    moves = {("Gather", i) for i in range(1, 5)}
    assert chosen == {("Build", 1), *moves}
    assert drawn == {*chosen, ("Build", 0), ("Gather", 0)}
    agent.reset_actions()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_step_before_the_first_reset_is_refused(scenario):
    env = economy(scenario)
    before = env.world.maps.state
    with pytest.raises(RuntimeError, match=r"call reset\(\) before the first step"):
        env.step({})
    assert np.array_equal(env.world.maps.state, before)


def test_a_layout_can_be_laid_out_before_the_first_reset():
    env = economy("uniform")
    env.seed(8)
    env.reset_starting_layout()
    drawn = env.world.maps.state
    env.seed(8)
    env.reset()
    assert np.array_equal(env.world.maps.state, drawn)


def test_two_environments_share_numpys_generator():
    one, other = economy("uniform"), economy("uniform")
    one.seed(5)
    first = one.reset()
    one.seed(5)
    assert np.array_equal(other.reset()["p"]["world-map"], first["p"]["world-map"])
    one.step({})
    other.step({})  # draws on from where the other left off
    np.random.seed(5)
    assert foundation.scenarios.has("UNIFORM/simple_wood_and_stone")
