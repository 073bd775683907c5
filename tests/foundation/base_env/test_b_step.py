"""`BaseEnvironment.step`."""

import enum
import inspect

import numpy as np
import pytest

from ecumene.foundation.base.base_env import BaseEnvironment


def test_b_77_signature(make_field):
    parameters = inspect.signature(BaseEnvironment.step).parameters
    assert list(parameters) == ["self", "actions", "seed_state"]
    assert parameters["actions"].default is None
    assert parameters["seed_state"].default is None
    env = make_field(("TestMint", {}))
    env.reset()
    returned = env.step()
    assert isinstance(returned, tuple)
    obs, rew, done, info = returned
    assert all(isinstance(each, dict) for each in (obs, rew, done, info))


def test_b_78_one_timestep(make_field):
    env = make_field(("TestMint", {}))
    env.reset()
    for t in range(1, 7):
        env.step()
        assert env.world.timestep == t
    env.reset()
    assert env.world.timestep == 0


def test_b_79_order_of_a_step(make_field, field):
    trace = []

    class Recorded(field):
        name = "test-base/recorded-step"

        def scenario_step(self):
            trace.append("scenario step")

        def generate_observations(self):
            trace.append("observe")
            return super().generate_observations()

        def compute_reward(self):
            trace.append("reward")
            return super().compute_reward()

    witnesses = [("TestWitness", {"trace": trace}), ("TestSecondWitness", {"trace": trace})]
    env = make_field(*witnesses, cls=Recorded)
    env.reset()
    for _ in range(3):
        trace.clear()
        env.step()
        kept = [each for each in trace if not each.endswith("mask")]
        assert kept == [
            "TestWitness.step",
            "TestSecondWitness.step",
            "scenario step",
            "observe",
            "TestWitness.observe",
            "TestSecondWitness.observe",
            "reward",
        ]
        masks = [trace.index("TestWitness.mask"), trace.index("TestSecondWitness.mask")]
        assert masks == sorted(masks)
        assert trace.index("scenario step") < masks[0] < trace.index("reward")


def test_b_79_clock_runs_before_the_components(make_field, field):
    seen = []

    class Watching(field):
        name = "test-base/watching"

        def scenario_step(self):
            seen.append(self.world.timestep)

    env = make_field(cls=Watching)
    env.reset()
    env.step()
    env.step()
    assert seen == [1, 2]


@pytest.mark.parametrize("key", [int, str, np.int64])
def test_b_80_actions_by_agent(make_field, key):
    env = make_field(("TestMint", {"luck": 0.0}))
    env.reset()
    env.step({key(1): 3})
    assert [agent.inventory["Coin"] for agent in env.world.agents] == [0, 3, 0]
    env.step({key(0): 1, key(2): 2, "p": [1, 0]})
    assert [agent.inventory["Coin"] for agent in env.world.agents] == [2, 4, 3]
    env.step({})
    assert [agent.inventory["Coin"] for agent in env.world.agents] == [2, 4, 3]


class Earn(enum.IntEnum):
    TWO = 2


@pytest.mark.parametrize(
    "two", [2, np.int64(2), np.int32(2), np.uint8(2), np.array(2), Earn.TWO], ids=repr
)
def test_b_80_forms_of_an_integer(make_field, two):
    env = make_field(("TestMint", {"luck": 0.0}), multi_action_mode_agents=True)
    env.reset()
    env.step({0: [two, 0], "p": (two, 0)})
    env.step({1: np.array([2, 0], np.int32)})
    assert [agent.inventory["Coin"] for agent in env.world.agents] == [4, 4, 2]
    single = make_field(("TestMint", {"luck": 0.0}))
    single.reset()
    single.step({0: two})
    assert single.get_agent(0).inventory["Coin"] == 2


def test_b_81_multi_action_agent(make_field):
    env = make_field(("TestMint", {"luck": 0.0}), ("Gather", {}), multi_action_mode_agents=True)
    env.reset()
    env.step({0: [3, 1, 4]})
    assert env.get_agent(0).inventory["Coin"] == 2
    assert env.get_agent(0).loc == [1, 0]
    for wrong in ([3, 1], [3, 1, 4, 0], [], 3, "314", None, {"Gather": 1}):
        with pytest.raises(AssertionError, match="agent 0"):
            env.step({0: wrong})


def test_b_82_single_action_agent(make_field):
    env = make_field(("TestMint", {"luck": 0.0}), ("Gather", {}))
    env.reset()
    env.step({0: 9})
    assert env.get_agent(0).loc == [1, 0]
    for wrong in (10, -1, 10**12, 2.0, "2", None, [2], np.array([2]), True):
        with pytest.raises(TypeError, match=r"agent 0.*0\.\.9"):
            env.step({0: wrong})


def test_b_82_by_subspace(make_field):
    env = make_field(("TestMint", {"luck": 0.0}), ("Gather", {}))
    env.reset()
    env.step({0: {"Gather": 4}, 1: {"TestMint.Earn": 3}})
    assert env.get_agent(0).loc == [1, 0]
    assert env.get_agent(1).inventory["Coin"] == 3
    with pytest.raises(AssertionError, match="one subspace"):
        env.step({0: {"Gather": 4, "TestMint.Earn": 3}})


def test_b_83_none_is_no_op(make_field):
    env = make_field(("TestMint", {"luck": 0.0}))
    env.reset()
    env.step({0: 3})
    before = [dict(agent.state["inventory"]) for agent in env.all_agents]
    for actions in ((), (None,), ({},)):
        env.step(*actions)
        assert [dict(agent.state["inventory"]) for agent in env.all_agents] == before


def test_b_83_placed_actions_are_carried_out(make_field):
    env = make_field(("TestMint", {"luck": 0.0}))
    env.reset()
    env.set_agent_component_action(1, "TestMint.Earn", 2)
    env.step(None)
    assert env.get_agent(1).inventory["Coin"] == 2
    env.step(None)  # they are gone after one step
    assert env.get_agent(1).inventory["Coin"] == 2
    env.set_agent_component_action(1, "TestMint.Earn", 2)
    env.step({0: 1})
    assert [agent.inventory["Coin"] for agent in env.world.agents] == [1, 4, 0]


@pytest.mark.parametrize("form", [tuple, list])
def test_b_84_seed_state(make_uniform, equal, form):
    env = make_uniform(components=[("TestMint", {}), ("Build", {}), ("Gather", {})], seed=2)
    env.reset()
    begin = np.random.get_state()
    state = np.random.RandomState(77).get_state()
    first = env.step({0: 2, 1: 3}, seed_state=form(state))
    after = np.random.get_state()
    assert env.get_agent(0).inventory["Coin"] == 2 + np.random.RandomState(77).rand()

    env.reset(seed_state=env.replay_log["reset"]["seed_state"])
    assert equal(np.random.get_state(), begin)
    np.random.seed(1)
    assert equal(env.step({0: 2, 1: 3}, form(state)), first)
    assert equal(np.random.get_state(), after)


@pytest.mark.parametrize(
    "given", [np.random.RandomState(1).get_state()[:4], "x", 3, ("MT19937", [1, 2], 0, 0, 0.0)]
)
def test_b_84_wrong_state_refused(make_field, equal, given):
    env = make_field(("TestMint", {}))
    env.reset()
    before = np.random.get_state()
    with pytest.raises(AssertionError, match="seed_state"):
        env.step({0: 3}, seed_state=given)
    assert equal(np.random.get_state(), before)
    assert env.world.timestep == 0
    env.step()
    assert env.get_agent(0).inventory["Coin"] == 0


def structure(value):
    if isinstance(value, dict):
        return {key: structure(part) for key, part in value.items()}
    array = np.asarray(value)
    return type(value), array.shape, array.dtype


@pytest.mark.parametrize("flatten", [True, False])
@pytest.mark.parametrize("collate", [True, False])
def test_b_85_structure_of_observations(make_uniform, flatten, collate):
    env = make_uniform(flatten_observations=flatten, collate_agent_step_and_reset_data=collate)
    first = env.reset()
    for _ in range(6):
        assert structure(env.step({0: 2})[0]) == structure(first)


def test_b_86_rewards(make_field, make_uniform, play):
    env = make_field(("TestMint", {"luck": 0.0}))
    env.reset()
    obs, rew, _, _ = env.step({1: 2, "p": [1, 0]})
    assert rew == {"0": 1.0, "1": 3.0, "2": 1.0, "p": -3.0}
    assert list(rew) == list(obs)
    for obs, rew, _, _ in play(make_uniform(), seed=3)[1:]:
        assert list(rew) == list(obs) == ["0", "1", "2", "p"]
        assert all(type(each) is float for each in rew.values())


@pytest.mark.parametrize("collate", [True, False])
def test_b_87_done_has_one_key(make_field, collate):
    env = make_field(("TestMint", {}), collate_agent_step_and_reset_data=collate)
    env.reset()
    for _ in range(env.episode_length):
        assert list(env.step()[2]) == ["__all__"]


@pytest.mark.parametrize("length", [1, 5])
def test_b_88_done_at_the_end(make_field, length):
    env = make_field(("TestMint", {}), episode_length=length)
    env.reset()
    for t in range(1, length + 1):
        done = env.step()[2]
        assert done == {"__all__": t == length}
        assert type(done["__all__"]) is bool


def test_b_88_after_the_end(make_field):
    env = make_field(("TestMint", {"luck": 0.0}), episode_length=2)
    env.reset()
    env.step()
    env.step({0: 1})
    assert env.previous_episode_metrics == {"Mint/earned": 1.0}
    for _ in range(2):
        assert env.step({0: 1})[2] == {"__all__": True}
    assert env.world.timestep == 4
    assert env.previous_episode_metrics == {"Mint/earned": 3.0}
    env.reset()
    assert env.step()[2] == {"__all__": False}


def test_b_89_infos(make_field):
    env = make_field(("TestMint", {}))
    env.reset()
    obs, rew, _, info = env.step()
    assert info == {"0": {}, "1": {}, "2": {}, "p": {}}
    assert list(info) == list(obs) == list(rew)
