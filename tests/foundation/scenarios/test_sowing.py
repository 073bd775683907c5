"""Random layouts, tile by tile and draw by draw, against a plain and slow twin."""

import numpy as np
import pytest
from foundation.scenarios.twins import (
    economy,
    quadrant_chances,
    sow,
    uniform_chances,
    zone_chances,
)
from hypothesis import given, settings
from hypothesis import strategies as st


def assert_sown(env, wood, stone):
    maps = env.world.maps
    for name, expected in (("Wood", wood), ("Stone", stone)):
        assert np.array_equal(maps.get(name), expected)
        assert np.array_equal(maps.get(f"{name}SourceBlock"), expected)
    assert not maps.get("House").any()


def lay_out(env, seed):
    """Lay out the map, and return the generator's state after it; the seed is set again."""
    env.seed(seed)
    env.reset_starting_layout()
    after = np.random.get_state()
    np.random.seed(seed)
    return after


def assert_generator(state):
    now = np.random.get_state()
    assert np.array_equal(now[1], state[1])
    assert now[2:] == state[2:]


@given(
    size=st.sampled_from([(8, 8), (6, 11), (13, 5), (1, 9), (9, 1)]),
    coverages=st.sampled_from([(0.025, 0.025), (0.1, 0.05), (0.2, 0.25), (3, 1)]),
    clumpiness=st.sampled_from([(0.35, 0.5), (0, 0), (1, 1), (0.9, 0.1)]),
    steepness=st.sampled_from([1, 8, 20.5]),
    seed=st.integers(1, 10**6),
)
@settings(max_examples=40)
def test_uniform(size, coverages, clumpiness, steepness, seed):
    env = economy(
        "uniform",
        world_size=list(size),
        starting_wood_coverage=coverages[0],
        starting_stone_coverage=coverages[1],
        wood_clumpiness=clumpiness[0],
        stone_clumpiness=clumpiness[1],
        gradient_steepness=steepness,
    )
    shares = [each / (size[0] * size[1]) if each >= 1 else each for each in coverages]
    after = lay_out(env, seed)
    chances = uniform_chances(*size, steepness, shares[0]) if size[0] > 1 else flat(size, shares[0])
    assert_sown(env, *sow(chances, shares, clumpiness))
    assert_generator(after)


def flat(size, coverage):
    return np.full(size, coverage), np.full(size, coverage)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_checkered(seed):
    env = economy(
        "uniform",
        world_size=[10, 9],
        checker_source_blocks=True,
        starting_wood_coverage=0.05,
        starting_stone_coverage=0.08,
    )
    lay_out(env, seed)
    chances = uniform_chances(10, 9, 8, 0.1)
    assert_sown(env, *sow(chances, (0.1, 0.16), (0.35, 0.5), checkered=True))


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [9, 14])
def test_quadrant(seed, size):
    env = economy(
        "quadrant", world_size=[size, size], starting_wood_coverage=0.06, gradient_steepness=4
    )
    after = lay_out(env, seed)
    sources = sow(quadrant_chances(size, 4), (0.06, 0.025), (0.35, 0.5))
    for sown in sources:
        sown[size // 2] = sown[:, size // 2] = False
    assert_sown(env, *sources)
    assert_generator(after)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_multi_zone(seed):
    env = economy(
        "multi_zone",
        world_size=[11, 9],
        num_partitions_row=3,
        num_partitions_col=4,
        num_wood_zones=2,
        num_stone_zones=3,
        num_wood_and_stone_zones=1,
        starting_wood_coverage=0.05,
    )
    for episode in range(2):
        after = lay_out(env, seed + 10 * episode)
        kinds = np.repeat([0, 1, 2, -1], [2, 3, 1, 6])
        np.random.shuffle(kinds)
        chances = zone_chances(kinds.reshape(3, 4), 11, 9, 0.05)
        assert_sown(env, *sow(chances, (0.05, 0.025), (0.35, 0.5)))
        assert_generator(after)


def test_multi_zone_shuffles_once_when_it_is_made():
    np.random.seed(5)
    economy("multi_zone")
    state = np.random.get_state()
    np.random.seed(5)
    np.random.shuffle(np.zeros(64))
    assert_generator(state)


@pytest.mark.parametrize("scenario", ["uniform", "quadrant", "layout_from_file"])
def test_others_draw_nothing_when_they_are_made(scenario):
    np.random.seed(5)
    before = np.random.get_state()
    economy(scenario)
    assert_generator(before)


@pytest.mark.parametrize("checkered", [False, True])
@pytest.mark.parametrize("size", [[1, 2], [2, 2], [3, 3], [30, 30]])
def test_crowded_maps_are_laid_out_too(size, checkered):
    env = economy(
        "uniform",
        n_agents=2,
        world_size=size,
        checker_source_blocks=checkered,
        starting_wood_coverage=0.24,
        starting_stone_coverage=0.24,
    )
    for seed in range(1, 6):
        env.seed(seed)
        env.reset()
        wood, stone = (env.world.maps.get(name) for name in ("Wood", "Stone"))
        assert not (wood * stone).any()


@pytest.mark.parametrize("kinds", [(0, 3, 0), (3, 0, 0), (0, 0, 0), (0, 0, 9), (9, 0, 0)])
def test_zones_of_one_kind_or_none(kinds):
    names = ("num_wood_zones", "num_stone_zones", "num_wood_and_stone_zones")
    env = economy(
        "multi_zone",
        num_partitions_row=3,
        num_partitions_col=3,
        **dict(zip(names, kinds, strict=True)),
    )
    for seed in range(1, 4):
        env.seed(seed)
        env.reset()
        assert env.world.maps.get("Wood").any()
        assert env.world.maps.get("Stone").any()


@pytest.mark.parametrize("scenario", ["uniform", "quadrant"])
def test_any_steepness_leaves_a_layout(scenario):
    for steepness in (1, 1000, 1e6):
        env = economy(scenario, 3, world_size=[25, 25], gradient_steepness=steepness)
        assert env.world.maps.get("Wood").any()


def test_coverage_is_met_within_its_tolerance():
    env = economy("uniform", world_size=[25, 25])
    shares = []
    for seed in range(1, 40):
        env.seed(seed)
        env.reset()
        shares += [(env.world.maps.get(name) > 0).mean() for name in ("Wood", "Stone")]
    assert np.mean([0.025 / 1.4 <= share <= 0.025 * 1.4 for share in shares]) > 0.95
