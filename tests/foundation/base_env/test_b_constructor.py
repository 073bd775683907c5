"""`BaseEnvironment`: the constructor's parameters."""

import inspect
import random

import numpy as np
import pytest

from ecumene import foundation
from ecumene.foundation.base.base_env import BaseEnvironment

UNIFORM = "uniform/simple_wood_and_stone"
PARAMETERS = [
    "components",
    "n_agents",
    "world_size",
    "episode_length",
    "multi_action_mode_agents",
    "multi_action_mode_planner",
    "flatten_observations",
    "flatten_masks",
    "allow_observation_scaling",
    "dense_log_frequency",
    "world_dense_log_frequency",
    "collate_agent_step_and_reset_data",
    "seed",
]
BUILD = ("Build", {})
GATHER = ("Gather", {})


def test_b_13_parameter_order(field):
    assert list(inspect.signature(BaseEnvironment.__init__).parameters)[1:] == PARAMETERS
    given = [[GATHER], 2, [5, 6], 9, True, False, False, False, False, 4, 7, True, 3]
    env = field(*given)
    assert (env.n_agents, env.world_size, env.episode_length) == (2, [5, 6], 9)
    assert env.multi_action_mode_agents is True
    assert env.multi_action_mode_planner is False
    assert env.inv_scale == 1
    assert env.collate_agent_step_and_reset_data is True
    by_name = field(**dict(zip(PARAMETERS, given, strict=True)))
    assert (by_name.n_agents, by_name.world_size, by_name.episode_length) == (2, [5, 6], 9)


@pytest.mark.parametrize("missing", PARAMETERS[:3])
def test_b_14_required(field, missing):
    given = {"components": [GATHER], "n_agents": 2, "world_size": [5, 6]}
    del given[missing]
    with pytest.raises(TypeError, match=missing):
        field(**given)


def test_b_15_defaults():
    parameters = inspect.signature(BaseEnvironment.__init__).parameters
    defaults = [parameters[name].default for name in PARAMETERS[3:]]
    assert defaults == [1000, False, True, True, True, True, None, 50, False, None]
    assert {parameters[name].default for name in PARAMETERS[:3]} == {inspect.Parameter.empty}


def test_b_16_concrete_scenarios():
    cls = foundation.scenarios.get(UNIFORM)
    given = [[BUILD, GATHER], 2, [8, 9], 20, True, True, False, False, False, None, 50, False, 5]
    positional = cls(*given, starting_wood_coverage=0.1)
    keywords = cls(**dict(zip(PARAMETERS, given, strict=True)), starting_wood_coverage=0.1)
    for env in (positional, keywords):
        assert env.episode_length == 20
        assert env.inv_scale == 1
        assert env.get_agent(0).multi_action_mode is True
        assert "flat" not in env.reset()["0"]


def test_b_17_component_forms(make_field):
    env = make_field(BUILD, {"Gather": {"move_labor": 3.0}}, ["TestMint", {"luck": 0.5}])
    assert [each.name for each in env.components] == ["Build", "Gather", "TestMint"]
    assert env.components[1].move_labor == 3.0
    assert env.components[2].luck == 0.5


@pytest.mark.parametrize(
    "malformed",
    [
        "Gather",
        ("Gather", {}, {}),
        ("Gather",),
        {"Gather": {}, "Build": {}},
        {},
        ("Gather", [("move_labor", 1.0)]),
        ("Gather", None),
        {"Gather": 1.0},
        (3, {}),
        None,
    ],
)
def test_b_18_malformed_component(make_field, malformed):
    with pytest.raises(AssertionError, match="a component is"):
        make_field(malformed)


def test_b_19_unknown_component(make_field):
    with pytest.raises(KeyError, match=r"`Gathr`.*Did you mean `Gather`"):
        make_field(("Gathr", {}))


def traced(make_field, *names):
    trace = []
    env = make_field(*((name, {"trace": trace}) for name in names))
    return env, trace


@pytest.mark.parametrize(
    "names", [("TestWitness", "TestSecondWitness"), ("TestSecondWitness", "TestWitness")]
)
class TestOrder:
    def test_b_20_reset_order(self, make_field, names):
        env, trace = traced(make_field, *names)
        env.reset()
        assert [each for each in trace if each.endswith("reset")] == [f"{n}.reset" for n in names]

    def test_b_21_step_order(self, make_field, names):
        env, trace = traced(make_field, *names)
        env.reset()
        trace.clear()
        env.step()
        assert [each for each in trace if each.endswith("step")] == [f"{n}.step" for n in names]

    def test_b_22_observation_order(self, make_field, names):
        env, trace = traced(make_field, *names)
        env.reset()
        observed = [each for each in trace if each.endswith("observe")]
        assert observed == [f"{n}.observe" for n in names]
        trace.clear()
        env.step()
        observed = [each for each in trace if each.endswith("observe")]
        assert observed == [f"{n}.observe" for n in names]


def test_b_22_fields_in_order(make_field):
    for names in (["Build", "Gather"], ["Gather", "Build"]):
        env = make_field(*((name, {}) for name in names), flatten_observations=False)
        fields = env.reset()["0"]
        prefixes = list(dict.fromkeys(each.split("-")[0] for each in fields if "-" in each))
        assert prefixes == ["world", *names]


def test_b_23_order_matters(make_uniform):
    houses = []
    for order in ([BUILD, GATHER], [GATHER, BUILD]):
        env = make_uniform(components=order, multi_action_mode_agents=True, seed=11)
        agent = stocked(env)
        build_and_right = [1, 2] if order[0] is BUILD else [2, 1]
        env.step({0: build_and_right})
        assert agent.loc == [0, 1]
        houses.append(np.argwhere(env.world.maps.get("House")).tolist())
    assert houses == [[[0, 0]], [[0, 1]]]


@pytest.mark.parametrize("n", [2, 5])
def test_b_24_mobile_agents(make_field, n):
    env = make_field(n_agents=n)
    assert len(env.world.agents) == n
    assert [agent.idx for agent in env.world.agents] == list(range(n))
    assert env.world.planner not in env.world.agents


@pytest.mark.parametrize("n", [1, 0, -3, 2.0, "2", None, True])
def test_b_25_least_agents(make_field, n):
    with pytest.raises(AssertionError, match=r"n_agents is an integer from 2 up, not"):
        make_field(n_agents=n)


def test_b_25_numpy_integer(make_field):
    assert make_field(n_agents=np.int64(2)).n_agents == 2


def test_b_26_world_size(make_uniform):
    env = make_uniform(world_size=[12, 20])
    assert env.world_size == [12, 20]
    assert env.world.maps.get("Wood").shape == (12, 20)
    assert env.reset()["p"]["world-map"].shape[1:] == (12, 20)


@pytest.mark.parametrize(
    "size", [[5], [5, 5, 5], [], 5, "55", None, [0, 5], [5, -1], [5.0, 5], ["5", "5"], {5: 5, 6: 6}]
)
def test_b_26_world_size_refused(make_field, size):
    with pytest.raises(AssertionError, match="world_size"):
        make_field(world_size=size)


def test_b_27_episode_length(make_field):
    env = make_field(episode_length=4)
    env.reset()
    assert [env.step()[2]["__all__"] for _ in range(4)] == [False, False, False, True]
    assert foundation.scenarios.get(UNIFORM)([GATHER], 2, [8, 8]).episode_length == 1000


@pytest.mark.parametrize("length", [0, -1, 0.5, "10", None, float("nan")])
def test_b_27_episode_length_refused(make_field, length):
    with pytest.raises(AssertionError, match="episode_length"):
        make_field(episode_length=length)


def stocked(env):
    """Begin an episode; agent 0 then has what a house takes and stands on empty ground."""
    env.reset()
    env.world.maps.clear()
    env.world.clear_agent_locs()
    for i, agent in enumerate(env.world.agents):
        env.world.set_agent_loc(agent, 0, 3 * i)
    env.world.agents[0].inventory.update({"Wood": 1, "Stone": 1})
    return env.world.agents[0]


def test_b_28_multi_action_agents(make_uniform):
    env = make_uniform(components=[BUILD, GATHER], multi_action_mode_agents=True)
    agent = stocked(env)
    assert agent.action_spaces.tolist() == [2, 5]
    env.step({0: [1, 2]})
    assert env.world.maps.get("House")[0, 0] == 1
    assert agent.loc == [0, 1]
    assert agent.inventory["Coin"] == 10


def test_b_29_joined_action_space(make_uniform):
    env = make_uniform(components=[BUILD, GATHER])
    agent = stocked(env)
    assert agent.action_spaces == 1 + 1 + 4
    assert env.get_agent(0).multi_action_mode is False
    expected = [["Build", 1]] + [["Gather", action] for action in (1, 2, 3, 4)]
    assert [agent.single_action_map[i] for i in range(1, 6)] == expected
    for index, (subspace, action) in enumerate(expected, start=1):
        agent.reset_actions()
        agent.parse_actions(index)
        assert {name: a for name, a in agent.action.items() if a} == {subspace: action}
    agent.reset_actions()
    env.step({0: 1})
    assert env.world.maps.get("House")[0, 0] == 1
    env.step({0: 3})  # Gather 2: to the right
    assert agent.loc == [0, 1]


def test_b_29_sub_actions_joined(make_field):
    agent = make_field(("TestMint", {}), GATHER).get_agent(2)
    assert agent.action_spaces == 1 + 3 + 2 + 4
    assert list(agent.action) == ["TestMint.Earn", "TestMint.Give", "Gather"]
    assert agent.single_action_map[4] == ["TestMint.Give", 1]
    assert agent.single_action_map[6] == ["Gather", 1]


def test_b_30_multi_action_planner(make_field):
    env = make_field(("TestMint", {}))
    planner = env.world.planner
    assert planner.multi_action_mode is True
    assert planner.action_spaces.tolist() == [3, 5]
    env.reset()
    env.step({"p": [2, 1]})
    assert [agent.inventory["Coin"] for agent in env.world.agents] == [2, 2, 2]
    env.step({"p": [0, 1]})
    assert [agent.inventory["Coin"] for agent in env.world.agents] == [1, 1, 1]
    env.step({"p": [2, 1]})
    assert [agent.inventory["Coin"] for agent in env.world.agents] == [2, 2, 2]


def test_b_30_single_action_planner(make_field):
    env = make_field(("TestMint", {}), multi_action_mode_planner=False)
    planner = env.world.planner
    assert planner.action_spaces == 1 + 2 + 4
    env.reset()
    env.step({"p": 2})  # Bonus 2
    assert [agent.inventory["Coin"] for agent in env.world.agents] == [2, 2, 2]
    env.step({"p": 3})  # Toll 1
    assert [agent.inventory["Coin"] for agent in env.world.agents] == [1, 1, 1]


def test_b_31_flat_observations(make_field):
    env = make_field(("TestMint", {"luck": 0.0}))
    env.reset()
    obs = env.step({0: 3, "p": [1, 0]})[0]
    # Sorted by name: TestMint-earned, time, world-coin.
    assert obs["0"]["flat"].dtype == np.float32
    np.testing.assert_allclose(obs["0"]["flat"], [3.0, 1 / 6, 0.04], rtol=1e-6)
    np.testing.assert_allclose(obs["1"]["flat"], [0.0, 1 / 6, 0.01], rtol=1e-6)
    # The planner: TestMint-days (two numbers), time, world-coin.
    np.testing.assert_allclose(obs["p"]["flat"], [1.0, 6.0, 1 / 6, -0.03], rtol=1e-6)
    np.testing.assert_allclose(obs["p"]["p0"], [3.0], rtol=1e-6)
    assert list(obs["0"]) == ["time", "TestMint-board", "flat", "action_mask"]
    assert list(obs["p"]) == ["time", "flat", "p0", "p1", "p2", "action_mask"]
    assert obs["0"]["TestMint-board"].tolist() == [[1, 0], [0, 0]]


def test_b_31_maps_stay_apart(make_uniform):
    obs = make_uniform().reset()
    assert list(obs["0"]) == ["world-map", "world-idx_map", "time", "flat", "action_mask"]
    # Two build fields, one of gather, time, three goods, row and column.
    assert obs["0"]["flat"].shape == (2 + 1 + 1 + 3 + 2,)
    assert obs["p"]["flat"].shape == (1 + 3,)
    assert obs["p"]["p0"].shape == (3 + 2,)


def test_b_32_unflattened_observations(make_field):
    env = make_field(("TestMint", {"luck": 0.0}), flatten_observations=False)
    first = env.reset()
    assert list(first["0"]) == [
        "world-coin",
        "time",
        "TestMint-earned",
        "TestMint-board",
        "action_mask",
    ]
    obs = env.step({0: 2})[0]
    assert obs["0"]["world-coin"] == 2 * 0.01
    assert obs["0"]["time"] == [1 / 6]
    assert obs["0"]["TestMint-earned"] == 2.0
    assert obs["0"]["TestMint-board"].tolist() == [[1, 0], [0, 0]]
    assert obs["p"]["TestMint-days"].tolist() == [1, 6]
    assert obs["p"]["p0"] == {"TestMint-earned": 2.0}


def test_b_33_flat_masks(make_field):
    obs = make_field(("TestMint", {}), GATHER).reset()
    assert obs["1"]["action_mask"].dtype == np.float32
    # NO-OP; Earn 1..3; Give 1..2, without coin; left, right (both taken), up (edge), down.
    assert obs["1"]["action_mask"].tolist() == [1, 1, 1, 1, 0, 0, 0, 0, 0, 1]
    assert obs["p"]["action_mask"].tolist() == [1] * (1 + 2 + 1 + 4)


def test_b_33_flat_masks_without_actions(make_field):
    assert make_field(GATHER).reset()["p"]["action_mask"].tolist() == [1]
    single = make_field(GATHER, multi_action_mode_planner=False)
    assert single.reset()["p"]["action_mask"].tolist() == [1]


def test_b_34_masks_by_subspace(make_field):
    obs = make_field(("TestMint", {}), GATHER, flatten_masks=False).reset()
    assert obs["1"]["action_mask"] == {
        "TestMint.Earn": [1, 1, 1],
        "TestMint.Give": [0, 0],
        "Gather": [0, 0, 0, 1],
    }
    assert obs["p"]["action_mask"] == {"TestMint.Bonus": [1, 1], "TestMint.Toll": [1, 1, 1, 1]}
    assert make_field(GATHER, flatten_masks=False).reset()["p"]["action_mask"] == {}


def test_b_35_masks_line_up_with_actions(make_uniform):
    """An action is masked exactly if nothing comes of it."""
    env = make_uniform(components=[BUILD, GATHER], seed=5, episode_length=10_000)
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(60):
        env.reset()
        agent = env.world.agents[0]
        for index in rng.permutation(agent.action_spaces).tolist():
            agent.inventory.update({"Wood": 1, "Stone": 1})
            mask = env.step()[0]["0"]["action_mask"]
            before, houses = agent.loc, env.world.maps.get("House").sum()
            env.step({0: index})
            acted = agent.loc != before or env.world.maps.get("House").sum() != houses
            assert acted == (mask[index] == 1 and index != 0)
            seen.add((index, int(mask[index])))
    assert seen == {(0, 1)} | {(i, allowed) for i in range(1, 6) for allowed in (0, 1)}


def test_b_35_multi_action_masks(make_field):
    env = make_field(("TestMint", {}), GATHER, multi_action_mode_agents=True)
    agent = env.get_agent(1)
    mask = env.reset()["1"]["action_mask"]
    assert len(mask) == sum(agent.action_spaces)
    assert mask.tolist() == [1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1]


@pytest.mark.parametrize(("scaling", "factor"), [(True, 0.01), (False, 1)])
def test_b_36_observation_scaling(make_uniform, scaling, factor):
    env = make_uniform(flatten_observations=False, allow_observation_scaling=scaling)
    env.reset()
    env.get_agent(0).inventory.update({"Coin": 37, "Wood": 2})
    obs = env.step()[0]
    assert obs["0"]["world-inventory-Coin"] == pytest.approx(37 * factor)
    assert obs["p"]["p0"]["world-inventory-Wood"] == pytest.approx(2 * factor)
    assert obs["0"]["time"] == [1 / 12 if scaling else 1]
    assert 0 <= obs["0"]["world-loc-row"] < 1


def test_b_36_scaling_of_flat_time(make_field):
    env = make_field(("TestMint", {}), allow_observation_scaling=False)
    env.reset()
    env.step()
    assert env.step()[0]["0"]["flat"].tolist() == [0, 2, 0]


def episodes(env, count):
    """Play episodes of nothing; list whether the dense log of each was on."""
    logged = []
    for _ in range(count):
        env.reset()
        for _ in range(env.episode_length):
            env.step()
        logged.append(bool(env.dense_log["states"]))
    return logged


def test_b_37_no_log_by_default(make_field):
    env = make_field(GATHER)
    assert episodes(env, 3) == [False, False, False]
    assert env.previous_episode_dense_log == {
        "world": [],
        "states": [],
        "actions": [],
        "rewards": [],
    }


@pytest.mark.parametrize("every", [1, 2, 3])
def test_b_38_log_frequency(make_field, every):
    env = make_field(GATHER, episode_length=2, dense_log_frequency=every)
    assert episodes(env, 7) == [i % every == 0 for i in range(7)]


def test_b_38_counts_completed_episodes(make_field):
    env = make_field(GATHER, episode_length=2, dense_log_frequency=2)
    assert episodes(env, 1) == [True]
    for _ in range(3):  # begun, never ended
        env.reset()
        env.step()
        assert env.dense_log["states"] == []
    assert episodes(env, 2) == [False, True]


def test_b_39_what_a_dense_log_holds(make_uniform, play):
    env = make_uniform(dense_log_frequency=1)
    returned = play(env, seed=4)
    log = env.previous_episode_dense_log
    assert (len(log["states"]), len(log["actions"]), len(log["rewards"])) == (13, 12, 12)
    assert log["rewards"] == [rew for _, rew, _, _ in returned[1:]]
    assert set(log["states"][0]) == {"0", "1", "2", "p"}
    assert log["states"][-1]["0"]["loc"] == env.get_agent(0).loc
    assert log["states"][-1]["0"]["inventory"] == env.get_agent(0).inventory
    assert set(log["actions"][0]) == {"0", "1", "2", "p"}


def test_b_39_actions_as_played(make_field):
    env = make_field(("TestMint", {}), GATHER, dense_log_frequency=1, episode_length=2)
    env.reset()
    env.step({0: 3, 2: 9, "p": [0, 4]})
    env.step()
    assert env.previous_episode_dense_log["actions"] == [
        {"0": {"TestMint.Earn": 3}, "1": {}, "2": {"Gather": 4}, "p": {"TestMint.Toll": 4}},
        {"0": {}, "1": {}, "2": {}, "p": {}},
    ]


@pytest.mark.parametrize(("every", "length"), [(10, 25), (1, 4), (50, 3)])
def test_b_40_coarser_world_maps(make_uniform, play, every, length):
    env = make_uniform(
        dense_log_frequency=1, world_dense_log_frequency=every, episode_length=length
    )
    play(env, seed=4)
    worlds = env.previous_episode_dense_log["world"]
    assert len(worlds) == length + 1
    present = [i for i, world in enumerate(worlds) if world]
    assert present == [*range(0, length, every), length]
    assert list(worlds[0]) == ["Stone", "Wood", "House", "StoneSourceBlock", "WoodSourceBlock"]
    assert np.shape(worlds[0]["Wood"]) == (8, 9)
    assert set(worlds[0]["House"]) == {"owner", "health"}
    assert worlds[-1]["Wood"] == env.world.maps.get("Wood").tolist()


def test_b_41_world_log_frequency(make_field):
    worlds = {}
    for given in ({}, {"world_dense_log_frequency": 10}):
        env = make_field(GATHER, dense_log_frequency=1, episode_length=101, **given)
        episodes(env, 1)
        frames = env.previous_episode_dense_log["world"]
        worlds[tuple(given)] = [i for i, world in enumerate(frames) if world]
    assert worlds[()] == [0, 50, 100, 101]
    assert worlds["world_dense_log_frequency",] == [*range(0, 101, 10), 101]


@pytest.fixture
def pair(make_uniform, allowed):
    """The same steps, collated and not."""
    results = []
    for collate in (False, True):
        env = make_uniform(seed=8, collate_agent_step_and_reset_data=collate)
        first = env.reset()
        rng = np.random.default_rng(0)
        actions = [{str(i): int(rng.integers(1, 6)) for i in range(3)} for _ in range(4)]
        results.append((first, [env.step(each) for each in actions]))
    return results


def test_b_42_collated_observations(pair):
    (first, steps), (collated_first, collated_steps) = pair
    plain = [first, *(obs for obs, *_ in steps)]
    collated = [collated_first, *(obs for obs, *_ in collated_steps)]
    for apart, together in zip(plain, collated, strict=True):
        assert set(together) == {"a", "p"}
        assert list(together["a"]) == list(apart["0"])
        for name, value in together["a"].items():
            for i in range(3):
                np.testing.assert_array_equal(value[..., i], apart[str(i)][name])
        assert together["a"]["time"].shape == (1, 3)
        assert together["p"].keys() == apart["p"].keys()
        np.testing.assert_array_equal(together["p"]["flat"], apart["p"]["flat"])


def test_b_43_collated_rewards(pair):
    (_, steps), (_, collated_steps) = pair
    for (_, rew, _, _), (_, collated, _, _) in zip(steps, collated_steps, strict=True):
        assert collated == {"a": [rew["0"], rew["1"], rew["2"]], "p": rew["p"]}


def test_b_44_collated_infos(pair):
    _, (_, collated_steps) = pair
    for *_, done, info in collated_steps:
        assert info == {"a": {"0": {}, "1": {}, "2": {}}, "p": {}}
        assert done == {"__all__": False}


def test_b_44_logs_are_not_collated(make_uniform, play):
    env = make_uniform(collate_agent_step_and_reset_data=True)
    env.reset(force_dense_logging=True)
    for _ in range(12):
        env.step({0: 2})
    log = env.previous_episode_dense_log
    assert set(log["rewards"][0]) == set(log["states"][0]) == {"0", "1", "2", "p"}


def test_b_44_collating_methods(make_uniform):
    env = make_uniform(seed=8)
    obs = env.reset()
    together = env.collate_agent_obs(obs)
    assert set(together) == {"a", "p"}
    np.testing.assert_array_equal(together["a"]["flat"][:, 1], obs["1"]["flat"])
    assert env.collate_agent_rew({"0": 1, "1": 2, "p": 3}) == {"a": [1, 2], "p": 3}
    assert env.collate_agent_info({"0": {}, "p": {}}) == {"a": {"0": {}}, "p": {}}


def test_b_45_not_collated_by_default(make_uniform):
    env = make_uniform()
    assert set(env.reset()) == {"0", "1", "2", "p"}
    obs, rew, _, info = env.step()
    assert set(obs) == set(rew) == set(info) == {"0", "1", "2", "p"}


def test_b_46_seed_seeds_both_generators(make_field):
    make_field(GATHER, seed=17)
    drawn = np.random.rand(3).tolist(), random.random()
    assert drawn[0] == np.random.RandomState(17).rand(3).tolist()
    assert drawn[1] == random.Random(17).random()


@pytest.mark.parametrize("seed", [0, -1, 0.5, float("nan"), "3", [3]])
def test_b_47_seed_above_0(make_field, seed):
    before = np.random.get_state()[1].tobytes(), random.getstate()
    with pytest.raises(AssertionError, match="seed"):
        make_field(GATHER, seed=seed)
    assert (np.random.get_state()[1].tobytes(), random.getstate()) == before


def test_b_48_no_seed(make_uniform):
    np.random.seed(4)
    random.seed(4)
    env = make_uniform()
    assert np.random.rand() == np.random.RandomState(4).rand()
    assert random.random() == random.Random(4).random()
    env.seed(9)
    assert np.random.rand() == np.random.RandomState(9).rand()
