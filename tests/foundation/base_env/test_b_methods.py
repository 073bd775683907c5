"""`BaseEnvironment`: seeding, looking things up, setting actions."""

import random

import numpy as np
import pytest

from ecumene.foundation.base.base_env import BaseEnvironment


def test_b_90_seeds_both_generators(make_field):
    env = make_field()
    env.seed(23)
    assert np.random.rand() == np.random.RandomState(23).rand()
    assert random.random() == random.Random(23).random()


def test_b_90_same_seed_same_episode(make_uniform, play, equal):
    env = make_uniform()
    episodes = []
    for seed in (5, 5, 6):
        env.seed(seed)
        episodes.append(play(env, seed=1))
    assert equal(episodes[0][0], episodes[1][0])
    assert equal(
        [obs for obs, *_ in episodes[0][1:]],
        [obs for obs, *_ in episodes[1][1:]],
    )
    assert not equal(episodes[0][0], episodes[2][0])


def test_b_91_static(make_field):
    BaseEnvironment.seed(3)
    first = np.random.rand()
    make_field().seed(3)
    assert np.random.rand() == first == np.random.RandomState(3).rand()


@pytest.mark.parametrize("seed", [0, -1, 0.9, -3.5, "3", None, float("nan"), [1], True])
def test_b_92_above_0(seed):
    before = np.random.get_state()[1].tobytes(), random.getstate()
    with pytest.raises(AssertionError, match=r"above 0, and below 2\*\*32, not"):
        BaseEnvironment.seed(seed)
    assert (np.random.get_state()[1].tobytes(), random.getstate()) == before


@pytest.mark.parametrize("seed", [3.9, 3, np.int64(3), np.float32(3.5), np.uint8(3)])
def test_b_93_floats_are_cut(seed):
    BaseEnvironment.seed(seed)
    assert np.random.rand() == np.random.RandomState(3).rand()
    assert random.random() == random.Random(3).random()


@pytest.mark.parametrize("seed", [float("inf"), 2**32])
def test_b_92_too_large(seed):
    before = np.random.get_state()[1].tobytes(), random.getstate()
    with pytest.raises(AssertionError, match="seed"):
        BaseEnvironment.seed(seed)
    assert (np.random.get_state()[1].tobytes(), random.getstate()) == before


def test_b_94_component_by_name(make_field):
    env = make_field(("Gather", {}), ("TestMint", {}))
    assert env.get_component("Gather") is env.components[0]
    assert env.get_component("TestMint") is env.components[1]


def test_b_95_component_by_shorthand(make_field):
    env = make_field(("Gather", {}), ("TestMint", {}))
    assert env.get_component("Mint") is env.components[1]
    assert env.components[1].shorthand == "Mint"
    assert env.components[0].shorthand == "Gather"


def test_b_95_last_one_wins(make_field):
    env = make_field(("TestWitness", {"trace": []}), ("TestWitness", {"trace": []}))
    assert env.get_component("TestWitness") is env.components[1]


@pytest.mark.parametrize("name", ["Build", "gathr", "", None, 3])
def test_b_96_only_of_this_instance(make_field, name):
    env = make_field(("Gather", {}))
    with pytest.raises(KeyError, match=r"Known: `Gather`"):
        env.get_component(name)


def test_b_97_agent_by_index(make_field):
    env = make_field()
    for i in range(3):
        assert env.get_agent(i) is env.get_agent(str(i)) is env.world.agents[i]
    assert env.get_agent(np.int64(1)) is env.world.agents[1]


def test_b_98_planner(make_field):
    env = make_field()
    assert env.world.planner.idx == "p"
    assert env.get_agent("p") is env.world.planner


@pytest.mark.parametrize("idx", [99, "x", -1, 3, "3", "p0", "01", None, 1.0, True, (0,)])
def test_b_99_unknown_agent(make_field, idx):
    with pytest.raises(ValueError, match=r"the agents are 0, 1, 2, p"):
        make_field().get_agent(idx)


@pytest.mark.parametrize("idx", [1, "1"])
def test_b_100_set_one_subspace(make_field, idx):
    env = make_field(("TestMint", {"luck": 0.0}), ("Gather", {}))
    env.reset()
    env.set_agent_component_action(idx, "TestMint.Earn", 3)
    env.set_agent_component_action(idx, "Gather", 4)
    assert env.get_agent(1).action == {"TestMint.Earn": 3, "TestMint.Give": 0, "Gather": 4}
    assert not any(env.get_agent(0).action.values())
    env.step(None)
    assert env.get_agent(1).inventory["Coin"] == 3
    assert env.get_agent(1).loc == [1, 1]


def test_b_101_names_of_subspaces(make_field):
    env = make_field(("TestMint", {"luck": 0.0}), ("Gather", {}))
    env.reset()
    env.set_agent_component_action("p", "TestMint.Bonus", 2)
    env.step()
    assert env.get_agent(0).inventory["Coin"] == 2
    for name in ("TestMint", "Mint.Earn", "TestMint.Earned", "gather", "Build"):
        with pytest.raises(KeyError, match=r"TestMint\.Earn"):
            env.set_agent_component_action(0, name, 1)
    with pytest.raises(KeyError, match="agent p"):
        env.set_agent_component_action("p", "Gather", 1)
    with pytest.raises(ValueError, match="the agents are"):
        env.set_agent_component_action(7, "Gather", 1)


@pytest.mark.parametrize("multi", [True, False])
@pytest.mark.parametrize("action", [5, -1, 1.0, "1", None])
def test_b_101_index_within_the_subspace(make_field, multi, action):
    env = make_field(("Gather", {}), multi_action_mode_agents=multi)
    env.reset()
    for inside in range(5):
        env.set_agent_component_action(0, "Gather", inside)
    with pytest.raises(ValueError, match=r"agent 0, Gather.*0\.\.4"):
        env.set_agent_component_action(0, "Gather", action)
    assert env.get_agent(0).action == {"Gather": 4}


def test_b_102_parse_actions(make_field):
    env = make_field(("TestMint", {}), ("Gather", {}))
    env.reset()
    env.parse_actions({0: 2, "1": 9, "p": [1, 4]})
    assert env.get_agent(0).action == {"TestMint.Earn": 2, "TestMint.Give": 0, "Gather": 0}
    assert env.get_agent(1).action == {"TestMint.Earn": 0, "TestMint.Give": 0, "Gather": 4}
    assert env.get_agent(2).action == {"TestMint.Earn": 0, "TestMint.Give": 0, "Gather": 0}
    assert env.world.planner.action == {"TestMint.Bonus": 1, "TestMint.Toll": 4}


def test_b_102_parsed_actions_are_carried_out(make_field):
    env = make_field(("TestMint", {"luck": 0.0}))
    env.reset()
    env.parse_actions({0: 2})
    env.step()
    assert env.get_agent(0).inventory["Coin"] == 2
