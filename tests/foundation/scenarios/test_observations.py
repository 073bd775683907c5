"""What agents and the planner see, against plain twins: windows, indices, numbers."""

import numpy as np
import pytest
from foundation.scenarios.twins import SCENARIOS, economy, index_map, window
from hypothesis import given, settings
from hypothesis import strategies as st

RESOURCES = ("Coin", "Stone", "Wood")


def furnish(env, generator):
    """Build houses on empty tiles and move everybody to random free ones."""
    world, maps = env.world, env.world.maps
    world.clear_agent_locs()
    for r, c in np.argwhere(maps.empty & (generator.random(env.world_size) < 0.3)).tolist():
        world.create_landmark("House", r, c, int(generator.integers(env.n_agents)))
    for agent in world.agents:
        agent.state["inventory"].update({name: int(generator.integers(9)) for name in RESOURCES})
        while agent.loc == [-1, -1]:
            world.set_agent_loc(agent, *(int(generator.integers(n)) for n in env.world_size))


def expected_of_agent(env, agent, reach, full, scale):
    tile = env.world.maps.state
    if full:
        fields = {"world-map": tile, "world-idx_map": index_map(env, agent)}
        place = {}
    else:
        r, c = agent.loc
        inside = np.ones((1, *env.world_size), np.float32)
        fields = {
            "world-map": window(np.concatenate([tile, inside]), r, c, reach),
            "world-idx_map": window(index_map(env, agent), r, c, reach),
        }
        place = {"world-loc-row": r / env.world_size[0], "world-loc-col": c / env.world_size[1]}
    goods = {f"world-inventory-{n}": agent.inventory[n] * scale for n in RESOURCES}
    return {**fields, **place, **goods}


def expected_of_planner(env, spatial, full, scale):
    goods = {f"world-inventory-{n}": env.world.planner.inventory[n] * scale for n in RESOURCES}
    if spatial:
        goods["world-map"] = env.world.maps.state
        goods["world-idx_map"] = index_map(env)
    seen = {}
    if not full:
        for agent in env.world.agents:
            own = expected_of_agent(env, agent, 0, full, scale)
            hidden = ("world-map", "world-idx_map")
            hidden += () if spatial else ("world-loc-row", "world-loc-col")
            seen[f"p{agent.idx}"] = {n: v for n, v in own.items() if n not in hidden}
    return goods, seen


def of_world(fields):
    return {name: value for name, value in fields.items() if name.startswith("world-")}


def assert_alike(found, expected):
    assert set(found) == set(expected)
    for name, value in expected.items():
        assert np.shape(found[name]) == np.shape(value), name
        np.testing.assert_allclose(found[name], value, rtol=1e-12, err_msg=name)
        if isinstance(value, np.ndarray):
            assert (name, found[name].dtype) == (name, value.dtype)


@given(
    size=st.sampled_from([[5, 7], [8, 4], [1, 9], [9, 1]]),
    reach=st.sampled_from([0, 1, 3, 6]),
    full=st.booleans(),
    spatial=st.booleans(),
    scaled=st.booleans(),
    seed=st.integers(1, 10**6),
)
@settings(max_examples=60)
def test_unflattened_observations(size, reach, full, spatial, scaled, seed):
    env = economy(
        "uniform",
        world_size=size,
        mobile_agent_observation_range=reach,
        full_observability=full,
        planner_gets_spatial_info=spatial,
        allow_observation_scaling=scaled,
        flatten_observations=False,
        episode_length=8,
    )
    env.seed(seed)
    env.reset()
    generator = np.random.default_rng(seed)
    scale = 0.01 if scaled else 1
    for step in range(1, 4):
        furnish(env, generator)
        obs, _, _, _ = env.step({str(i): int(generator.integers(6)) for i in range(env.n_agents)})
        for agent in env.world.agents:
            found = obs[str(agent.idx)]
            assert_alike(of_world(found), expected_of_agent(env, agent, reach, full, scale))
            assert found["time"] == [step / 8 if scaled else step]
        goods, seen = expected_of_planner(env, spatial, full, scale)
        assert_alike(of_world(obs["p"]), goods)
        for name in (f"p{i}" for i in range(env.n_agents)):
            if name in seen:
                assert_alike(obs["p"][name], seen[name])
            else:
                assert name not in obs["p"]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_flat_observations_hold_the_same_in_the_order_of_names(scenario, full, spatial, scaled):
    options = {
        "full_observability": full,
        "planner_gets_spatial_info": spatial,
        "allow_observation_scaling": scaled,
    }
    observed = []
    for flattened in (True, False):
        np.random.seed(3)
        env = economy(scenario, flatten_observations=flattened, **options)
        generator = np.random.default_rng(1)
        env.reset()
        for _ in range(6):
            actions = {i: int(generator.integers(6)) for i in range(env.n_agents)}
            obs, *_ = env.step(actions)
        observed.append(obs)
    joined, fields = observed
    for idx, own in fields.items():
        assert_joined(joined[idx], own)
    for i in range(env.n_agents):
        if f"p{i}" in fields["p"]:
            assert_packed(joined["p"][f"p{i}"], fields["p"][f"p{i}"])
    order = list(joined["p"])
    seen = [] if full else [f"p{i}" for i in range(env.n_agents)]
    kept = ["world-map", "world-idx_map"] if spatial else []
    assert order == [*kept, "time", "flat", *seen, "action_mask"]


def assert_joined(joined, own):
    kept = [n for n, v in own.items() if isinstance(v, np.ndarray) and v.ndim > 1]
    for name in kept:
        assert np.array_equal(joined[name], own[name])
    rest = {
        name: value
        for name, value in own.items()
        if name not in (*kept, "action_mask") and not isinstance(value, dict)
    }
    assert_packed(joined["flat"], rest)
    assert joined["time"] == own["time"]


def assert_packed(vector, fields):
    expected = np.concatenate([np.ravel(fields[name]) for name in sorted(fields)])
    assert vector.dtype == np.float32
    np.testing.assert_allclose(vector, expected, rtol=1e-6, atol=1e-7)


def test_corners_of_the_world():
    env = economy("uniform", 4, world_size=[6, 6], mobile_agent_observation_range=2, n_agents=4)
    env.world.clear_agent_locs()
    corners = [(0, 0), (0, 5), (5, 0), (5, 5)]
    for agent, corner in zip(env.world.agents, corners, strict=True):
        env.world.set_agent_loc(agent, *corner)
    obs, *_ = env.step({})
    for agent, (r, c) in zip(env.world.agents, corners, strict=True):
        inside = obs[str(agent.idx)]["world-map"][-1]
        expected = np.zeros((5, 5))
        rows = slice(2, 5) if r == 0 else slice(0, 3)
        columns = slice(2, 5) if c == 0 else slice(0, 3)
        expected[rows, columns] = 1
        assert np.array_equal(inside, expected)
        assert obs[str(agent.idx)]["world-idx_map"][-1, 2, 2] == 1


def test_channels_are_those_of_the_map():
    with_water, without = economy("quadrant", 1), economy("uniform", 1)
    names = ["Stone", "Wood", "House", "StoneSourceBlock", "WoodSourceBlock"]
    assert list(without.world.maps.keys()) == names
    assert list(with_water.world.maps.keys()) == [*names[:3], "Water", *names[3:]]
    obs, *_ = with_water.step({})
    assert np.array_equal(obs["p"]["world-map"][3], with_water.world.maps.get("Water"))


@pytest.mark.parametrize("flatten", [True, False])
@pytest.mark.parametrize("full", [True, False])
def test_observations_are_the_callers_own(flatten, full):
    env = economy("uniform", 5, flatten_observations=flatten, full_observability=full)
    first = env.step({})[0]
    for own in first.values():
        for value in own.values():
            if isinstance(value, np.ndarray):
                value[...] = 77
    second, *_ = env.step({})
    for own in second.values():
        for value in own.values():
            if isinstance(value, np.ndarray):
                assert not (value == 77).any()
    assert not (env.world.maps.state == 77).any()


def test_observing_again_gives_the_same():
    env = economy("uniform", 6)
    one, other = env.generate_observations(), env.generate_observations()
    for idx, own in one.items():
        assert_alike(own, other[idx])
