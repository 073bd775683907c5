"""What holds of every world in every step, whatever is done in it."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ecumene
from ecumene.api.policies import random_actions
from ecumene.survival import columns as c
from ecumene.survival import tiles
from ecumene.survival.rules import ground

WORLDS = sorted(
    name for name in ecumene.registry if name.startswith("survival/") and "custom" not in name
)
seeds = st.integers(0, 2**40)


def play(simulation, seed, steps):
    """Yield after each random step (allowed actions and others)."""
    generator = np.random.default_rng(seed)
    for k in range(steps):
        masks = {name: out.action_mask for name, out in simulation.out.items()}
        if k % 3 == 2:
            masks = {name: np.ones_like(mask) for name, mask in masks.items()}
        yield simulation.step(random_actions(masks, simulation.spec.groups, generator))


@pytest.mark.parametrize("world", WORLDS)
@given(seed=seeds)
@settings(max_examples=6)
def test_state_stays_within_its_bounds(world, seed):
    simulation = ecumene.make_simulation(world, 2, 1, horizon=25)
    simulation.reset(seed=seed)
    n = simulation.numbers
    dead = np.zeros((2, n.agents), bool)
    total = np.zeros((2, n.agents))
    for _ in play(simulation, seed, 25):
        body = simulation.state.body
        assert (body[:, :, c.HEALTH] >= 0).all()
        assert (body[:, :, c.HEALTH] <= simulation.tables.trait[:, c.HEALTH_MAX]).all()
        for stock in (c.FOOD, c.WATER):
            assert ((body[:, :, stock] >= 0) & (body[:, :, stock] <= n.stock)).all()
        assert_occupancy(simulation)
        present = body[:, : n.agents, c.PRESENT] == 1
        assert not (present & dead).any()  # death is final
        dead |= ~present
        alive = np.concatenate([out.alive for out in simulation.out.values()], axis=1)
        reward = np.concatenate([out.reward for out in simulation.out.values()], axis=1)
        ended = np.concatenate(
            [out.terminated | out.truncated for out in simulation.out.values()], axis=1
        )
        assert (reward[~alive & ~ended] == 0).all()
        total += reward
        if not n.bonuses:
            assert (reward[~ended] == 0).all()
    assert not any(out.alive.any() for out in simulation.out.values())
    if not n.bonuses:
        assert np.isin(total, (-1.0, 0.0, 1.0)).all()


def assert_occupancy(simulation):
    """The derived arrays are what they would be if worked out anew."""
    n = simulation.numbers
    for copy in range(simulation.copies):
        body = simulation.state.body[copy]
        there = np.flatnonzero(body[:, c.PRESENT])
        expected = np.zeros_like(simulation.derived.occupant[copy])
        expected[body[there, c.CELL]] = there + 1
        assert (simulation.derived.occupant[copy] == expected).all()
        assert len(set(body[there, c.CELL].tolist())) == len(there)
        layers = simulation.derived.ground[copy].copy()
        ground.paint_all(
            n, simulation.tables.sees, simulation.tables.opens, simulation.state.look[copy],
            simulation.state.visibility[copy], simulation.state.access[copy], layers,
        )  # fmt: skip
        assert (layers == simulation.derived.ground[copy]).all()
        spent = simulation.state.look[copy] != simulation.state.material[copy]
        assert (spent == (simulation.state.ripe_at[copy] >= 0)).all()


@pytest.mark.parametrize("world", ["survival/spying-v0", "survival/exploring-v0"])
@given(seed=seeds)
@settings(max_examples=8)
def test_hidden_sources_are_stone_bit_by_bit(world, seed):
    """If what is hidden were stone, every observation would be the same."""
    simulation = ecumene.make_simulation(world, 1, 1, horizon=20)
    simulation.reset(seed=seed)
    names = simulation.channels.names
    for _ in play(simulation, seed, 12):
        grid = simulation.out["agent"].observation["grid"][0]
        for agent in range(4):
            if not simulation.out["agent"].alive[0, agent]:
                continue
            bit = agent + 1
            colours = simulation.cells(0, "visibility")
            shown = simulation.cells(0)
            hidden = (colours > 0) & (colours != bit)
            shown = np.pad(np.where(hidden, tiles.STONE, shown), 7, constant_values=tiles.LAVA)
            row, column = simulation.places()[agent]
            window = shown[row : row + 15, column : column + 15]
            for channel in ("forest", "river", "stone", "bush", "grass", "lava"):
                kind = tiles.NAMES.index(channel)
                assert (grid[agent, :, :, names.index(channel)] == (window == kind)).all()
            if "harvestable" in names:
                ripe = grid[agent, :, :, names.index("harvestable")] == 1
                assert np.isin(window[ripe], (tiles.FOREST, tiles.RIVER)).all()


@given(seed=seeds, before=st.integers(0, 15))
@settings(max_examples=10)
def test_a_restored_copy_of_a_batch_goes_on_alike(seed, before):
    one = ecumene.make_simulation("survival/siege-v0", 3, 1, horizon=40)
    one.reset(seed=seed)
    for _ in play(one, seed, before):
        pass
    two = ecumene.make_simulation("survival/siege-v0", 3, 1, horizon=40)
    two.reset(seed=seed + 77)
    for copy in range(3):
        two.restore(copy, one.snapshot(copy))
    for _ in zip(play(one, 1, 10), play(two, 1, 10), strict=True):
        for copy in range(3):
            assert one.state_hash(copy) == two.state_hash(copy)
        for name, part in one.out["agent"].observation.items():
            assert (part == two.out["agent"].observation[name]).all()
        assert (one.out["agent"].action_mask == two.out["agent"].action_mask).all()


CROWDS = {
    "npcs": ("pve-v0", {"n_groups": 30, "size": [16, 22], "forests_per_agent": 1, "radius": 4}),
    "teams": ("gathering-v0", {"n_groups": 20, "agents_per_group": 2, "size": [20, 30]}),
    "wide": ("arena-v0", {"n_groups": 40, "size": [44, 40], "radius": 18, "start": "anywhere"}),
}


def crowd(name, seed):
    world, parameters = CROWDS[name]
    simulation = ecumene.make_simulation(f"survival/{world}", 1, 1, horizon=9, **parameters)
    simulation.reset(seed=seed)
    for _ in play(simulation, seed, 8):
        yield simulation


@pytest.mark.parametrize("name", CROWDS)
@given(seed=seeds)
@settings(max_examples=4)
def test_many_agents_are_found_as_few_are(name, seed):
    """The blocks by which many entities are looked up change nothing: compare with all pairs."""
    for simulation in crowd(name, seed):
        body = simulation.state.body[0]
        places = simulation.places()
        radius = simulation.numbers.radius
        teams = simulation.tables.trait[:, c.TEAM]
        npcs = np.arange(len(body)) >= simulation.numbers.agents
        names = simulation.channels.names
        rows = simulation.out["agent"].observation["entities"][0]
        grids = simulation.out["agent"].observation["grid"][0]
        for agent in np.flatnonzero(simulation.out["agent"].alive[0]):
            away = places - places[agent]
            ring = np.abs(away).max(axis=1)
            near = (body[:, c.PRESENT] == 1) & (ring <= radius) & (np.arange(len(body)) != agent)
            order = sorted(
                np.flatnonzero(near), key=lambda e: (ring[e], places[e, 0], places[e, 1])
            )
            expected = (away[order] / np.float32(radius)).astype(np.float32)
            assert (rows[agent, : len(order), 1:3] == expected).all()
            own = teams == teams[agent]
            assert (rows[agent, : len(order), 3] == own[order]).all()
            assert (rows[agent, len(order) :] == 0).all()
            kinds = {"own_team": own & ~npcs, "other_team": ~own & ~npcs, "npc": npcs}
            for channel, kind in kinds.items():
                window = np.zeros(grids.shape[1:3], np.uint8)
                window[tuple((away[near & kind] + radius).T)] = 1
                if channel in names:
                    assert (grids[agent, :, :, names.index(channel)] == window).all()


@pytest.mark.parametrize("name", CROWDS)
@given(seed=seeds)
@settings(max_examples=4)
def test_moves_are_allowed_onto_free_ground_and_into_lava(name, seed):
    for simulation in crowd(name, seed):
        material, occupant = simulation.state.material[0], simulation.derived.occupant[0]
        stride = simulation.numbers.stride
        free = np.isin(material, (tiles.GRASS, tiles.FOREST, tiles.BUSH)) & (occupant == 0)
        open_to = free | (material == tiles.LAVA)
        body = simulation.state.body[0, : simulation.numbers.agents]
        beside = body[:, c.CELL, None] + np.array([-stride, stride, 1, -1])
        expected = open_to[beside] & (body[:, c.FREEZE, None] <= 1)
        alive = simulation.out["agent"].alive[0]
        assert (simulation.out["agent"].action_mask[0, alive, 1:5] == expected[alive]).all()


@given(seed=seeds)
@settings(max_examples=6)
def test_masks_say_what_has_an_effect(seed):
    """Alone on a map, every allowed move is taken and every other one is not."""
    simulation = ecumene.make_simulation("survival/planting-v0", 8, 1, n_groups=1, horizon=30)
    simulation.reset(seed=seed)
    generator = np.random.default_rng(seed)
    group = simulation.spec.groups[0]
    for _ in range(12):
        mask = simulation.out["agent"].action_mask[:, 0].copy()
        alive = simulation.out["agent"].alive[:, 0].copy()
        vain = simulation.state.body[:, 0, c.VAIN].copy()
        actions = np.zeros((8, 1, 2), np.int64)
        actions[:, 0, 0] = generator.integers(5, size=8)
        simulation.step({group.name: actions})
        allowed = mask[np.arange(8), actions[:, 0, 0]] == 1
        failed = simulation.state.body[:, 0, c.VAIN] > vain
        assert (failed == ~allowed)[alive].all()


def test_a_copy_of_a_simulation_in_use_goes_on_alone():
    world = ecumene.make_simulation("survival/gathering-v0", 2, 1)
    world.reset(seed=3)
    for _ in play(world, 1, 4):
        pass
    twins = [deepcopy(world), pickle.loads(pickle.dumps(world))]
    before = world.out["agent"].observation["grid"].copy()
    for twin in twins:
        for _ in play(twin, 2, 4):
            pass
    assert (world.out["agent"].observation["grid"] == before).all()
    for _ in play(world, 2, 4):
        pass
    for twin in twins:
        assert twin.state_hash(1) == world.state_hash(1)
        for name, expected in world.out["agent"].observation.items():
            assert (twin.out["agent"].observation[name] == expected).all(), name
