"""`BaseEnvironment.reset`."""

import inspect
import json

import numpy as np
import pytest

from ecumene.foundation.base.base_env import BaseEnvironment


def test_b_68_signature():
    parameters = inspect.signature(BaseEnvironment.reset).parameters
    assert list(parameters) == ["self", "seed_state", "force_dense_logging"]
    assert parameters["seed_state"].default is None
    assert parameters["force_dense_logging"].default is False


def test_b_69_order_of_a_reset(make_field, field):
    trace = []

    class Recorded(field):
        name = "test-base/recorded"

        def reset_starting_layout(self):
            trace.append("layout")
            assert self.world.timestep == 0
            super().reset_starting_layout()

        def reset_agent_states(self):
            trace.append("agents")
            super().reset_agent_states()

        def additional_reset_steps(self):
            trace.append("additional")

        def generate_observations(self):
            trace.append("observe")
            return super().generate_observations()

    witnesses = [("TestWitness", {"trace": trace}), ("TestSecondWitness", {"trace": trace})]
    env = make_field(*witnesses, cls=Recorded)
    assert trace == []
    for _ in range(2):
        env.reset()
        assert trace[:6] == [
            "layout",
            "agents",
            "TestWitness.reset",
            "TestSecondWitness.reset",
            "additional",
            "observe",
        ]
        assert not {"layout", "agents", "additional"} & set(trace[6:])
        env.step()
        trace.clear()


def test_b_70_returns_observations(make_field):
    obs = make_field(("TestMint", {})).reset()
    assert isinstance(obs, dict)
    np.testing.assert_array_equal(obs["0"]["flat"], np.zeros(3, np.float32))


def fingerprint(env):
    agents = [(agent.loc, agent.state["build_payment"]) for agent in env.world.agents]
    return env.world.maps.state.tolist(), agents


@pytest.mark.parametrize("form", [tuple, list, "json"])
def test_b_71_seed_state(make_uniform, equal, form):
    env = make_uniform()
    np.random.seed(31)
    np.random.randn()  # a spare Gaussian belongs to the state
    state = np.random.get_state()
    if form == "json":
        given = json.loads(json.dumps(state, default=lambda array: array.tolist()))
    else:
        given = form(state)
    first, world = env.reset(), fingerprint(env)
    after = np.random.get_state()
    np.random.seed(99)
    again = env.reset(seed_state=given)
    assert fingerprint(env) == world
    assert equal(again, first)
    assert equal(np.random.get_state(), after)
    assert not equal(env.reset(), first)


def test_b_71_restored_before_anything(make_field, field):
    class Drawing(field):
        name = "test-base/drawing"

        def reset_starting_layout(self):
            self.drawn = np.random.rand()

    env = make_field(cls=Drawing)
    env.reset(seed_state=np.random.RandomState(6).get_state())
    assert env.drawn == np.random.RandomState(6).rand()


STATE = np.random.RandomState(1).get_state()
NO_STATES = [
    STATE[:4],
    (*STATE, 0),
    [],
    "MT19937",
    7,
    {"a": 1},
    np.zeros(5),
    ("MT19937", STATE[1][:100], 3, 0, 0.0),
    ("PCG64", *STATE[1:]),
    ("MT19937", "words", 3, 0, 0.0),
    ("MT19937", STATE[1], 700, 0, 0.0),
    ("MT19937", STATE[1], None, 0, 0.0),
    ("MT19937", [-1] * 624, 3, 0, 0.0),
]


@pytest.mark.parametrize("given", NO_STATES, ids=range(len(NO_STATES)))
def test_b_72_wrong_length_refused(make_uniform, equal, given):
    env = make_uniform(dense_log_frequency=1, seed=4)
    env.reset()
    env.step({0: 2})
    before = fingerprint(env), env.world.timestep, np.random.get_state(), env.replay_log
    logged = len(env.dense_log["states"])
    with pytest.raises(AssertionError, match="seed_state"):
        env.reset(seed_state=given)
    after = fingerprint(env), env.world.timestep, np.random.get_state(), env.replay_log
    assert equal(after, before)
    assert len(env.dense_log["states"]) == logged


def test_b_73_force_dense_logging(make_field):
    env = make_field(("TestMint", {}), episode_length=2)
    env.reset(force_dense_logging=True)
    env.step()
    env.step()
    assert len(env.previous_episode_dense_log["states"]) == 3
    env.reset()  # for that one episode only
    env.step()
    assert env.dense_log["states"] == []
    env = make_field(("TestMint", {}), episode_length=2, dense_log_frequency=100)
    for forced in (False, True, False):
        env.reset(force_dense_logging=forced)
        env.step()
        env.step()
    assert len(env.previous_episode_dense_log["states"]) == 3


@pytest.mark.parametrize("n", [2, 4])
def test_b_74_an_entry_per_agent(make_field, n):
    env = make_field(("TestMint", {}), n_agents=n)
    obs = env.reset()
    assert list(obs) == [str(agent.idx) for agent in env.all_agents]
    assert list(obs)[-1] == "p"


def test_b_75_entries_are_dicts(make_field, make_uniform):
    for env in (make_field(("TestMint", {})), make_uniform()):
        for fields in env.reset().values():
            assert isinstance(fields, dict)
            assert fields["flat"].dtype == np.float32
            assert fields["flat"].ndim == 1
    for fields in make_field(("TestMint", {}), flatten_observations=False).reset().values():
        assert isinstance(fields, dict)
        assert "flat" not in fields


@pytest.mark.parametrize("flatten", [True, False])
@pytest.mark.parametrize("flatten_masks", [True, False])
def test_b_76_action_masks(make_field, flatten, flatten_masks):
    env = make_field(("TestMint", {}), flatten_observations=flatten, flatten_masks=flatten_masks)
    assert all("action_mask" in fields for fields in env.reset().values())
    assert all("action_mask" in fields for fields in env.step()[0].values())
