"""Compact observations, observations on request, and single worlds of many agents."""

import numpy as np
import pytest
from battle.test_properties import random_actions

import ecumene
from ecumene.battle import compact, simulation
from ecumene.engine import InvalidParameter, runner


def pair(world, copies=2, **parameters):
    """Return the same world with float32 and with compact observations."""
    worlds = [
        ecumene.make_simulation(world, copies, observations=form, **parameters)
        for form in ("float32", "uint8")
    ]
    for each in worlds:
        each.reset(seed=4)
    return worlds


def played(wide, narrow, steps):
    """Play both alike; after each step, yield every group's name and its compact output."""
    generator = np.random.default_rng(0)
    for _ in range(steps):
        actions = random_actions(wide, generator)
        for each in (wide, narrow):
            each.step(actions)
        yield from narrow.out.items()


@pytest.mark.parametrize(
    ("world", "parameters", "groups"),
    [
        ("battle/battle-v0", {"map_size": 20}, 2),
        ("battle/combined-arms-v0", {"map_size": 20}, 4),
        ("battle/adversarial-pursuit-v0", {"map_size": 20}, 2),
    ],
)
def test_compact_views_hold_what_float_views_hold(world, parameters, groups):
    wide, narrow = pair(world, **parameters)
    for name, output in played(wide, narrow, 15):
        assert output.observation.dtype == np.uint8
        found = compact.expand(output.observation, groups)
        expected = wide.out[name].observation
        assert np.abs(found - expected).max() <= 0.5 / 255 + 1e-6
        assert np.array_equal(found[..., 1::2] > 0, expected[..., 1::2] > 0)


def test_compact_features_and_densities():
    options = {"map_size": 14, "minimap_mode": True, "extra_features": True}
    wide, narrow = pair("battle/battle-v0", **options)
    for name, output in played(wide, narrow, 4):
        whole = wide.out[name].observation
        parts = output.observation
        assert np.array_equal(parts["features"], whole[:, :, 0, 0, 7:])
        density = parts["density"].copy()
        x, y = (parts["features"][..., k] * 14 for k in (-2, -1))
        for copy, agent in np.ndindex(x.shape):
            row, column = (round(float(each[copy, agent])) // 2 for each in (y, x))
            density[copy, agent, row, column] += output.alive[copy, agent]
        told = output.alive
        assert np.array_equal(density[told], whole[..., [3, 6]][told])


def test_observations_on_request():
    full = ecumene.make_simulation("battle/battle-v0", 2, map_size=20, extra_features=True)
    bare = ecumene.make_simulation(
        "battle/battle-v0", 2, map_size=20, extra_features=True, observations="none"
    )
    for each in (full, bare):
        each.reset(seed=1)
    generator = np.random.default_rng(0)
    buffer = None
    for _ in range(10):
        for name, output in full.out.items():
            for copy in range(2):
                seen = bare.observe_agents(name, copy=copy)
                assert np.array_equal(seen, output.observation[copy])
                some = bare.observe_agents(name, [3, 0, 3], copy, out=buffer)
                buffer = some if buffer is None else buffer
                assert np.array_equal(some, output.observation[copy][[3, 0, 3]])
                chunks = [
                    (agents, seen.copy()) for agents, seen in bare.observation_chunks(name, 5, copy)
                ]
                order = np.concatenate([agents for agents, _ in chunks])
                living = np.flatnonzero(
                    full.state.status[copy][full.world.owner == (name == "blue")] == 1
                )
                assert sorted(order.tolist()) == living.tolist()
                for agents, seen in chunks:
                    assert len(agents) <= 5
                    assert np.array_equal(seen, output.observation[copy][agents])
        actions = random_actions(full, generator)
        for each in (full, bare):
            each.step(actions)
    assert bare.out["red"].observation.size == 0


def test_requests_are_checked():
    world = ecumene.make_simulation("battle/battle-v0", map_size=12)
    world.reset(seed=0)
    with pytest.raises(InvalidParameter, match="no controlled group 'rd'. Did you mean `red`"):
        world.observe_agents("rd")
    with pytest.raises(InvalidParameter, match=r"the agents of 'red' are 0..1"):
        world.observe_agents("red", [2])
    with pytest.raises(InvalidParameter, match="agents is a vector of integers"):
        world.observe_agents("red", [0.5])
    with pytest.raises(InvalidParameter, match=r"out is float32\[2 or more, 13, 13, 5\]"):
        world.observe_agents("red", out=np.zeros((1, 13, 13, 5), np.float32))


@pytest.mark.parametrize("options", [{}, {"minimap_mode": True}, {"observations": "none"}])
@pytest.mark.parametrize("size", [45, 130])
def test_a_large_world_is_the_same_on_any_number_of_threads(monkeypatch, equal, size, options):
    """Split by agents and bands on one, two or three threads, or not split at all."""
    monkeypatch.setattr(runner, "WORTH_SPLITTING_SECONDS", 1e-9)
    worlds = []
    for threads, least in ((1, simulation.LARGE), (1, 1), (2, 1), (3, 1)):
        world = ecumene.make_simulation("battle/battle-v0", 1, threads, map_size=size, **options)
        worlds.append((world, least))
    generator = np.random.default_rng(0)
    told = []
    for world, least in worlds:
        monkeypatch.setattr(simulation, "LARGE", least)
        world.reset(seed=2)
    for _ in range(8):
        actions = random_actions(worlds[0][0], generator)
        told.clear()
        for world, least in worlds:
            monkeypatch.setattr(simulation, "LARGE", least)
            world.step(actions)
            seen = {name: world.observe_agents(name) for name in world.out}
            told.append((world.state_hash(), seen, {n: list(o) for n, o in world.out.items()}))
        assert all(equal(told[0], each) for each in told[1:])
    for world, _ in worlds:
        world.close()


def test_big_bodies_on_a_large_map_are_moved_by_one_thread():
    world = ecumene.make_simulation("battle/adversarial-pursuit-v0", 1, 3, map_size=700)
    assert len(world.world.owner) > simulation.LARGE
    world.reset(seed=0)
    world.step(random_actions(world, np.random.default_rng(0)))
    again = ecumene.make_simulation("battle/adversarial-pursuit-v0", 2, 1, map_size=700)
    again.reset(seed=0)
    actions = random_actions(world, np.random.default_rng(0))
    again.step({name: np.concatenate([each, each]) for name, each in actions.items()})
    assert world.state_hash() == again.state_hash(0)


@pytest.mark.parametrize(
    ("world", "walls", "parameters"),
    [
        ("battle/battle-v0", True, {"map_size": 16}),
        ("battle/gather-v0", True, {}),
        ("battle/adversarial-pursuit-v0", False, {"map_size": 24}),
    ],
)
def test_copies_share_boards_only_where_their_walls_are_the_same(
    monkeypatch, world, walls, parameters
):
    """However the copies are divided: views cut from boards are those written without them."""
    monkeypatch.setattr(runner, "WORTH_SPLITTING_SECONDS", 1e-9)
    copies, generator = 7, np.random.default_rng(0)
    batch = ecumene.make_simulation(world, copies, 3, **parameters)
    assert batch.sights.boards.shared == walls
    batch.reset(seed=0)
    for turn in range(9):
        batch.runner.num_threads = 1 + turn % 3
        some = generator.random(copies) < 0.5
        if turn == 4:
            batch.reset(copies=some)
        elif turn == 6:
            batch.fork(0, 5)
        else:
            batch.step(random_actions(batch, generator), None if turn % 2 else some)
        for name, output in batch.out.items():
            for copy in range(copies):
                assert np.array_equal(
                    output.observation[copy], batch.observe_agents(name, copy=copy)
                )
    batch.close()
