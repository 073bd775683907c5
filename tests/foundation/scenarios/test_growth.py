"""Resources grow back as a plain twin says, by the same draws."""

import numpy as np
import pytest
from foundation.scenarios.twins import SCENARIOS, economy, grow
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

SHAPE = (5, 8)
STOCKS = arrays.arrays(np.float32, SHAPE, elements=st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.5]))
SOURCES = arrays.arrays(np.float32, SHAPE, elements=st.sampled_from([0.0, 0.0, 1.0]))


@given(
    halfwidth=st.integers(0, 3),
    weight=st.sampled_from([0.0, 0.01, 0.3, 1.0]),
    most=st.sampled_from([0.5, 1, 2, 2.5]),
    stock=STOCKS,
    source=SOURCES,
    seed=st.integers(1, 10**6),
)
@settings(max_examples=60)
def test_growth_of_any_map(halfwidth, weight, most, stock, source, seed):
    env = economy(
        "uniform",
        world_size=list(SHAPE),
        wood_regen_halfwidth=halfwidth,
        wood_regen_weight=weight,
        wood_max_health=most,
        stone_regen_weight=0.5,
    )
    env.seed(seed)
    env.reset()
    maps = env.world.maps
    maps.set("Wood", stock)
    maps.set("WoodSourceBlock", source)
    stone, stone_source = maps.get("Stone").copy(), maps.get("StoneSourceBlock").copy()
    before = np.random.get_state()
    wood_draws, stone_draws = np.random.rand(*SHAPE), np.random.rand(*SHAPE)
    after = np.random.get_state()
    np.random.set_state(before)
    env.scenario_step()
    expected = grow(stock, source, halfwidth, weight, most, wood_draws)
    assert np.array_equal(maps.get("Wood"), expected.astype(np.float32))
    assert np.array_equal(maps.get("Stone"), grow(stone, stone_source, 0, 0.5, 1, stone_draws))
    assert all(np.array_equal(a, b) for a, b in zip(np.random.get_state(), after, strict=True))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_grows_wood_and_then_stone(scenario):
    env = economy(scenario, 5)
    maps, shape = env.world.maps, tuple(env.world_size)
    by_file = scenario in ("layout_from_file", "split_layout")
    weight = 0.01
    for name in ("Wood", "Stone"):
        maps.set(name, np.zeros(shape))
    for _ in range(60):
        before = np.random.get_state()
        draws = [np.random.rand(*shape) for _ in range(2)]
        expected = [
            grow(maps.get(name).copy(), maps.get(f"{name}SourceBlock"), 0, weight, 1, draw)
            for name, draw in zip(("Wood", "Stone"), draws, strict=True)
        ]
        np.random.set_state(before)
        env.scenario_step()
        for name, grown in zip(("Wood", "Stone"), expected, strict=True):
            assert np.array_equal(maps.get(name), grown)
    assert maps.get("Wood").sum() > 0 or not by_file


def test_parameters_of_growth_reach_their_resource():
    env = economy(
        "uniform",
        9,
        stone_regen_halfwidth=1,
        stone_regen_weight=1,
        stone_max_health=3,
        wood_regen_weight=0,
        wood_max_health=2,
    )
    maps = env.world.maps
    wood = maps.get("Wood").copy()
    for _ in range(300):
        env.scenario_step()
    assert np.array_equal(maps.get("Wood"), wood)
    sources = maps.get("StoneSourceBlock") > 0
    assert maps.get("Stone")[sources].max() == 3
    assert not maps.get("Stone")[~sources].any()


def test_a_layout_grows_with_the_chance_given():
    never = economy("layout_from_file", 1, resource_regen_prob=0)
    always = economy("layout_from_file", 1, resource_regen_prob=1)
    for env, grown in ((never, False), (always, True)):
        maps = env.world.maps
        for name in ("Wood", "Stone"):
            maps.set(name, np.zeros(env.world_size))
        env.scenario_step()
        for name in ("Wood", "Stone"):
            assert np.array_equal(maps.get(name), maps.get(f"{name}SourceBlock") * grown)


def test_houses_and_agents_do_not_keep_a_resource_from_growing():
    env = economy("layout_from_file", 2, resource_regen_prob=1)
    maps = env.world.maps
    tiles = np.argwhere(maps.get("WoodSourceBlock") > 0)[:2].tolist()
    maps.set("Wood", np.zeros(env.world_size))
    env.world.create_landmark("House", *tiles[0], 0)
    env.world.clear_agent_locs()
    env.world.set_agent_loc(env.world.agents[1], *tiles[1])
    env.scenario_step()
    assert [maps.get_point("Wood", *tile) for tile in tiles] == [1, 1]
