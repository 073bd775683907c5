"""Where agents start, and who gets which rank."""

import numpy as np
import pytest
from foundation.scenarios.twins import (
    PARETO_BUILD,
    SCENARIOS,
    economy,
    place,
    quadrant_water,
)

COMPONENTS = [("Build", {**PARETO_BUILD[1], "payment": 7}), ("Gather", {})]


def locations(env):
    return {agent.idx: agent.loc for agent in env.world.agents}


def assert_generator(state):
    assert all(np.array_equal(a, b) for a, b in zip(np.random.get_state(), state, strict=True))


def free_tiles(env):
    maps = env.world.maps
    blocked = np.zeros(env.world_size, bool)
    if "Water" in maps.channel:
        blocked = maps.get("Water") > 0
    return ~blocked


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_free_tiles_are_drawn_one_agent_at_a_time(scenario, seed):
    env = economy(scenario, seed, n_agents=5)
    before = np.random.get_state()
    shuffled = scenario in ("uniform", "quadrant", "multi_zone")
    order = np.random.permutation(5).tolist() if shuffled else range(5)
    expected = place(order, free_tiles(env), (0, env.world_size[0]))
    after = np.random.get_state()
    np.random.set_state(before)
    env.reset_agent_states()
    assert locations(env) == expected
    assert_generator(after)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_everybody_starts_on_a_tile_of_their_own_with_nothing_but_coin(scenario):
    env = economy(scenario, n_agents=8, starting_agent_coin=2.5)
    for seed in range(1, 20):
        env.seed(seed)
        env.reset()
        places = [tuple(loc) for loc in locations(env).values()]
        assert len(set(places)) == 8
        assert env.world.agent_locs_are_valid()
        for agent in env.world.agents:
            assert agent.inventory == {"Coin": 2.5, "Stone": 0, "Wood": 0}
            assert agent.escrow == {"Coin": 0, "Stone": 0, "Wood": 0}
            assert agent.endogenous == {"Labor": 0}
        assert env.world.planner.inventory == {"Coin": 0, "Stone": 0, "Wood": 0}


@pytest.mark.parametrize("size", [[11, 11], [15, 15], [7, 12], [20, 4], [2, 2], [3, 3]])
def test_the_cross_of_water(size):
    env = economy("quadrant", n_agents=2, world_size=size)
    env.seed(4)
    env.reset()
    maps = env.world.maps
    water = quadrant_water(*size)
    assert np.array_equal(maps.get("Water"), water)
    on_cross = np.zeros(size, bool)
    on_cross[size[0] // 2] = on_cross[:, size[1] // 2] = True
    for name in maps.keys():  # noqa: SIM118
        if name != "Water":
            assert not maps.get(name)[on_cross].any()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_zones_hold_what_they_are_for(seed):
    env = economy(
        "multi_zone",
        seed,
        world_size=[20, 18],
        num_partitions_row=4,
        num_partitions_col=5,
        num_wood_zones=3,
        num_stone_zones=4,
        num_wood_and_stone_zones=2,
        wood_clumpiness=0,
        stone_clumpiness=0,
        starting_wood_coverage=0.03,
        starting_stone_coverage=0.03,
    )
    # The zones of this episode: those of the same seed, drawn first of all.
    kinds = np.repeat([0, 1, 2, -1], [3, 4, 2, 11])
    np.random.seed(seed)
    np.random.shuffle(kinds)
    tiles = np.kron(kinds.reshape(4, 5), np.ones((5, 4), int))[:20, :18]
    for name, kind in (("Wood", 0), ("Stone", 1)):
        sources = env.world.maps.get(f"{name}SourceBlock") > 0
        assert sources.any()
        assert np.isin(tiles[sources], (kind, 2)).all()


@pytest.mark.parametrize("top", [None, 0, 2, [1], [0, 3], np.int64(1)])
@pytest.mark.parametrize("row", [None, 1, 6, 13])
def test_ranks_and_sides_of_the_river(top, row):
    env = economy(
        "split_layout",
        n_agents=4,
        components=COMPONENTS,
        water_row=row,
        skill_rank_of_top_agents=top,
    )
    row = 7 if row is None else row
    tops = [0] if top is None else [int(top)] if np.isscalar(top) else top
    maps = env.world.maps
    for seed in range(1, 9):
        env.seed(seed)
        env.reset()
        assert maps.get("Water")[row].all()
        assert not any(maps.get(n)[row].any() for n in maps.channel if n != "Water")
        payments = [agent.state["build_payment"] for agent in env.world.agents]
        ranks = np.argsort(np.argsort(-np.array(payments)))
        for agent, rank in zip(env.world.agents, ranks, strict=True):
            assert (agent.loc[0] < row) == (rank in tops)
            assert agent.loc[0] != row
        np.testing.assert_allclose(sorted(payments), np.sort(env.avg_ranked_skill))


def test_sides_of_the_river_are_drawn_in_the_order_of_ranks():
    env = economy("split_layout", 3, n_agents=4, components=COMPONENTS)
    before = np.random.get_state()
    order = np.random.permutation(4)
    free = free_tiles(env)
    above = place(order[:1], free, (0, 7))
    below = place(order[1:], free, (8, 15))
    after = np.random.get_state()
    np.random.set_state(before)
    env.additional_reset_steps()
    assert locations(env) == {**above, **below}
    assert_generator(after)


@pytest.mark.parametrize("drawn", ["fixed corners", "river"])
def test_ranks_are_paid_the_mean_of_their_rank(drawn):
    fixed = drawn == "fixed corners"
    np.random.seed(99)
    env = economy(
        "layout_from_file" if fixed else "split_layout",
        n_agents=5,
        components=COMPONENTS,
        **({"fixed_four_skill_and_loc": True} if fixed else {}),
    )
    draws = np.random.RandomState(1 if fixed else 99).pareto(4, (100_000, 5))
    means = 7 * np.sort(np.minimum(3, 2 * draws + 1), axis=1).mean(axis=0)
    np.testing.assert_allclose(env.avg_ranked_skill, means if fixed else means[::-1], rtol=1e-12)


def test_the_four_ranks_of_the_documentation():
    build = ("Build", {**PARETO_BUILD[1], "payment": 10})
    env = economy(
        "layout_from_file", 1, n_agents=4, components=[build], fixed_four_skill_and_loc=True
    )
    expected = [11.33164062, 13.26711234, 16.47237295, 22.2496143]
    np.testing.assert_allclose(env.avg_ranked_skill, expected, rtol=1e-8)


@pytest.mark.parametrize("n", [2, 4, 8, 11, 20])
@pytest.mark.parametrize("layout", ["quadrant_25x25_20each_30clump.txt", "wide"])
def test_fixed_corners(n, layout, tmp_path):
    if layout == "wide":
        layout = tmp_path / "wide.txt"
        layout.write_text(";".join([" " * 13] * 9))
    env = economy(
        "layout_from_file",
        n_agents=n,
        components=COMPONENTS,
        env_layout_file=layout,
        fixed_four_skill_and_loc=True,
    )
    height, width = env.world_size
    corners = [
        lambda g: [g // 4, width - 1 - g % 4],
        lambda g: [height - 1 - g // 4, g % 4],
        lambda g: [g // 4, g % 4],
        lambda g: [height - 1 - g // 4, width - 1 - g % 4],
    ]
    groups = [int(rank * (4 / n)) for rank in range(n)]
    places = [corners[group](groups[:rank].count(group)) for rank, group in enumerate(groups)]
    seen = set()
    for seed in range(1, 6):
        env.seed(seed)
        env.reset()
        before = np.random.get_state()
        order = np.random.permutation(n)
        np.random.set_state(before)
        env.additional_reset_steps()
        for rank, idx in enumerate(order):
            agent = env.world.agents[idx]
            assert agent.loc == places[rank]
            assert agent.state["build_payment"] == env.avg_ranked_skill[rank]
        assert env.world.agent_locs_are_valid()
        seen.add(tuple(order))
    assert len(seen) > 1 or n == 2


def test_a_crowded_map_does_not_fail_by_bad_luck():
    env = economy("uniform", world_size=[12, 12], n_agents=144)
    for seed in range(1, 6):
        env.seed(seed)
        env.reset()
        assert len({tuple(loc) for loc in locations(env).values()}) == 144
