"""`copy.deepcopy` and `pickle` of a running environment.

All documented environments of a process draw from NumPy's one global generator, so a copy goes on
in the same way from the same state of that.
"""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

WAYS = {"deepcopy": copy.deepcopy, "pickle": lambda env: pickle.loads(pickle.dumps(env))}
MIXED = [
    ("TestMint", {}),
    ("Build", {"skill_dist": "pareto"}),
    ("Gather", {"skill_dist": "pareto"}),
]
OPTIONS = [
    {},
    {"components": MIXED},
    {"components": MIXED, "flatten_observations": False, "flatten_masks": False},
    {"full_observability": True},
    {"multi_action_mode_agents": True},
    {"collate_agent_step_and_reset_data": True},
]


def actions_of(env, rng):
    if env.multi_action_mode_agents:
        return {
            agent.idx: [int(rng.integers(0, n)) for n in agent.action_spaces]
            for agent in env.world.agents
        }
    return {agent.idx: int(rng.integers(0, agent.action_spaces)) for agent in env.world.agents}


def go_on(env, steps, seed):
    rng = np.random.default_rng(seed)
    return [env.step(actions_of(env, rng)) for _ in range(steps)]


@pytest.fixture(params=WAYS)
def duplicate(request):
    return WAYS[request.param]


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
@pytest.mark.parametrize("at", [0, 5])
def test_same_future(make_uniform, equal, duplicate, options, at):
    env = make_uniform(energy_warmup_constant=9, energy_warmup_method="auto", **options)
    env.seed(4)
    for steps in (env.episode_length, at):
        env.reset(force_dense_logging=True)
        go_on(env, steps, seed=1)
    other = duplicate(env)
    state = np.random.get_state()
    rest = env.episode_length - at
    future = go_on(env, rest, seed=2)
    drawn = np.random.get_state()

    np.random.set_state(state)
    assert equal(go_on(other, rest, seed=2), future)
    assert equal(np.random.get_state(), drawn)
    assert other.previous_episode_dense_log == env.previous_episode_dense_log
    assert other.previous_episode_metrics == env.previous_episode_metrics
    assert equal(other.previous_episode_replay_log, env.previous_episode_replay_log)

    np.random.set_state(state)
    first = env.reset()
    np.random.set_state(state)
    assert equal(other.reset(), first)


def test_independent(make_uniform, duplicate):
    env = make_uniform(components=MIXED)
    env.reset(force_dense_logging=True)
    go_on(env, 3, seed=1)
    other = duplicate(env)
    places = [agent.loc for agent in env.world.agents]
    maps = np.array(env.world.maps.state)
    go_on(other, 5, seed=3)
    other.get_agent(0).inventory["Wood"] = 50
    assert env.world.timestep == 3
    assert [agent.loc for agent in env.world.agents] == places
    np.testing.assert_array_equal(env.world.maps.state, maps)
    assert env.get_agent(0).inventory["Wood"] != 50
    assert len(env.dense_log["states"]) == 3
    assert len(other.dense_log["states"]) == 8
    go_on(env, 1, seed=3)
    assert other.world.timestep == 8
    assert other.get_agent(0).inventory["Wood"] >= 49


def test_views_show_the_copy_s_own_world(make_uniform, duplicate):
    env = make_uniform()
    env.reset()
    other = duplicate(env)
    agent = other.get_agent(1)
    agent.inventory["Coin"] = 33
    agent.state["build_payment"] = 44.0
    assert other.metrics["endow/1/Coin"] == 33
    assert other.get_agent(1).state["build_payment"] == 44
    assert env.get_agent(1).inventory["Coin"] == 0
    assert env.get_agent(1).state["build_payment"] != 44
    other.world.clear_agent_locs()
    assert other.world.set_agent_loc(agent, 3, 4) == (3, 4)
    assert agent.loc == [3, 4]
    other.set_agent_component_action(1, "Gather", 2)
    other.step()
    assert agent.loc == [3, 5]


def test_log_in_progress(make_uniform, equal, duplicate):
    env = make_uniform(components=MIXED)
    env.reset(force_dense_logging=True)
    go_on(env, 4, seed=1)
    other = duplicate(env)
    assert equal(other.dense_log, env.dense_log)
    go_on(other, 8, seed=2)
    log = other.previous_episode_dense_log
    assert [len(log[name]) for name in ("states", "actions", "rewards")] == [13, 12, 12]
    assert [len(log[name]) for name in ("Mint", "Gather", "Build")] == [12, 12, 12]


def test_replay_of_a_copy(make_uniform, duplicate):
    env = make_uniform(components=MIXED, energy_warmup_constant=9)
    env.seed(2)
    env.reset(force_dense_logging=True)
    go_on(env, 4, seed=1)
    other = duplicate(env)
    del env
    go_on(other, 8, seed=2)
    dense, metrics = other.previous_episode_dense_log, other.previous_episode_metrics
    log = other.previous_episode_replay_log
    other.reset(force_dense_logging=True, **log["reset"])
    for entry in log["step"]:
        other.step(**entry)
    assert other.previous_episode_dense_log == dense
    assert other.previous_episode_metrics == metrics


def test_what_a_user_keeps(make_uniform, duplicate):
    env = make_uniform(components=MIXED)
    env.reset()
    go_on(env, 4, seed=1)
    env.note = {"tried": [1, 2]}
    agent = env.get_agent(0)
    agent.nickname = "Ann"
    agent.state["mood"] = ["glad"]
    agent.state["plan"] = np.arange(3)
    mint = env.get_component("Mint")
    mint.ledger = [agent, "a line"]
    other = duplicate(env)
    assert other.note == {"tried": [1, 2]}
    twin, their_mint = other.get_agent(0), other.get_component("Mint")
    assert twin.nickname == "Ann"
    assert twin.state["mood"] == ["glad"]
    assert twin.state["plan"].tolist() == [0, 1, 2]
    assert twin.state["diary"] == agent.state["diary"]
    assert list(twin.state) == list(agent.state)
    assert their_mint.world is other.world
    assert their_mint.ledger[0] is twin
    assert their_mint.events == mint.events
    assert their_mint.board.tolist() == mint.board.tolist()
    twin.state["mood"].append("calm")
    twin.state["plan"][0] = 9
    their_mint.board[0, 0] = 50
    their_mint.events.append("x")
    assert agent.state["mood"] == ["glad"]
    assert agent.state["plan"].tolist() == [0, 1, 2]
    assert mint.board[0, 0] == 4
    assert "x" not in mint.events


def test_placed_actions_survive(make_field, duplicate):
    env = make_field(("TestMint", {"luck": 0.0}))
    env.reset()
    env.set_agent_component_action(1, "TestMint.Earn", 3)
    other = duplicate(env)
    other.step()
    assert other.get_agent(1).inventory["Coin"] == 3
    assert env.get_agent(1).inventory["Coin"] == 0


def test_before_the_first_reset(make_uniform, equal, duplicate):
    env = make_uniform()
    other = duplicate(env)
    env.seed(3)
    first = env.reset()
    other.seed(3)
    assert equal(other.reset(), first)


def test_plain_scenario(make_field, equal, duplicate):
    env = make_field(("TestMint", {}), ("Gather", {}))
    env.seed(3)
    env.reset()
    go_on(env, 2, seed=0)
    other = duplicate(env)
    state = np.random.get_state()
    future = go_on(env, 4, seed=1)
    np.random.set_state(state)
    assert equal(go_on(other, 4, seed=1), future)


def test_deepcopy_of_states(make_uniform):
    """A copy of an agent's state is a snapshot of plain dicts."""
    env = make_uniform()
    env.reset()
    agent = env.get_agent(0)
    snapshot = copy.deepcopy(agent.state)
    assert type(snapshot) is dict
    assert type(snapshot["inventory"]) is dict
    agent.inventory["Coin"] = 5
    assert snapshot["inventory"]["Coin"] == 0


CONTINUE = """
import pickle, sys
import numpy as np

env, state = pickle.load(open(sys.argv[1], "rb"))
np.random.set_state(state)
rewards = [env.step({0: 1 + t % 5, 1: 2, 2: 3})[1] for t in range(6)]
print(repr((rewards, [agent.loc for agent in env.world.agents], np.random.rand())))
"""


def test_in_another_process(make_uniform, tmp_path):
    env = make_uniform()
    env.seed(6)
    env.reset()
    env.step({0: 2})
    path = tmp_path / "economy.pickle"
    path.write_bytes(pickle.dumps((env, np.random.get_state())))
    rewards = [env.step({0: 1 + t % 5, 1: 2, 2: 3})[1] for t in range(6)]
    here = repr((rewards, [agent.loc for agent in env.world.agents], np.random.rand()))
    command = [sys.executable, "-c", CONTINUE, str(path)]
    there = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert there.strip() == here
