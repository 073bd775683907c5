"""What must hold in every economy at any time, whatever the agents do."""

import numpy as np
import pytest
from foundation.batch.economies import IDS, draw_actions, idle, simulation
from hypothesis import given, settings
from hypothesis import strategies as st

MOVES = {2: (0, -1), 3: (0, 1), 4: (-1, 0), 5: (1, 0)}  # index of the joined action space


class Books:
    """What an economy holds at one moment."""

    def __init__(self, simulation):
        state, world = simulation.state, simulation.world
        self.goods = [world.entity(name) for name in ("Stone", "Wood")]
        self.coin = state.inventory[:, :-1, world.entity("Coin")].copy()
        self.owned = state.inventory[:, :-1, self.goods].copy()
        self.labor = state.endogenous[:, :-1, 0].copy()
        self.location = state.location.copy()
        channels = world.maps.channel
        self.stock = state.tile[:, [channels["Stone"], channels["Wood"]]].copy()
        self.sources = state.tile[:, [channels["StoneSourceBlock"], channels["WoodSourceBlock"]]]
        self.houses = state.tile[:, channels["House"]].copy()
        self.owners = state.marks[:, 0] - 2
        self.water = state.tile[:, channels["Water"]] if "Water" in channels else None


def events(simulation, part, copy):
    arrays = simulation.state.parts[part]
    return arrays.events[copy, : arrays.event_count[copy]]


def assert_balanced(simulation, before, after, copy):
    """Check every unit, coin, house and bit of labor of a step."""
    owned, coin, labor = (each[copy].copy() for each in (before.owned, before.coin, before.labor))
    stock, houses = before.stock[copy].copy(), before.houses[copy].copy()
    for builder, r, c, income in events(simulation, "Build", copy):
        owned[int(builder)] -= 1
        coin[int(builder)] += income
        labor[int(builder)] += 10
        assert not before.stock[copy, :, int(r), int(c)].any()
        assert houses[int(r), int(c)] == 0
        houses[int(r), int(c)] = 1
        assert after.owners[copy, int(r), int(c)] == builder
    moved = (before.location[copy] != after.location[copy]).any(axis=1)
    labor += moved
    for agent, good, units, r, c in events(simulation, "Gather", copy):
        assert units in (1, 2)
        owned[agent, good] += units
        stock[good, r, c] -= 1
        labor[agent] += 1
        assert (after.location[copy, agent] == (r, c)).all()
    assert np.array_equal(after.owned[copy], owned)
    np.testing.assert_allclose(after.coin[copy], coin)
    np.testing.assert_allclose(after.labor[copy], labor)
    assert np.array_equal(after.houses[copy], houses)
    grown = after.stock[copy] - stock
    assert np.isin(grown, (0, 1)).all()
    assert not grown[after.sources[copy] == 0].any()
    assert (stock >= 0).all()


def assert_orderly(simulation, books, copy):
    """Check who stands where."""
    location = books.location[copy]
    assert len({tuple(each) for each in location.tolist()}) == len(location)
    people = np.full(books.houses[copy].shape, -2)
    for i, (r, c) in enumerate(location):
        people[r, c] = i
        assert books.houses[copy, r, c] == 0 or books.owners[copy, r, c] == i
        assert books.water is None or books.water[copy, r, c] == 0
    assert np.array_equal(simulation.state.marks[copy, -1] - 2, people)
    assert np.array_equal(books.owners[copy] >= 0, books.houses[copy] > 0)
    assert np.array_equal(
        simulation.out["planner"].observation["world-map"][copy, 0], simulation.state.tile[copy]
    )
    assert np.array_equal(
        simulation.out["planner"].observation["world-idx_map"][copy, 0],
        simulation.state.marks[copy],
    )


@pytest.mark.parametrize("world", IDS)
@given(seed=st.integers(0, 2**32), coin=st.sampled_from([0, 3.5]), agents=st.integers(2, 9))
@settings(max_examples=6)
def test_nothing_is_lost_and_nobody_trespasses(world, seed, coin, agents):
    here = simulation(world, 2, n_agents=agents, starting_agent_coin=coin)
    here.reset(seed=seed)
    generator = np.random.default_rng(seed)
    before = Books(here)
    for _ in range(40):
        here.step(draw_actions(here, generator))
        after = Books(here)
        for copy in range(2):
            assert_balanced(here, before, after, copy)
            assert_orderly(here, after, copy)
        before = after
    built = here.state.parts["Build"].built
    assert np.array_equal(built.sum(axis=1), before.houses.sum(axis=(1, 2)))


@pytest.mark.parametrize("world", IDS)
@given(seed=st.integers(0, 2**32), steps=st.integers(0, 25), agents=st.integers(2, 6))
@settings(max_examples=6)
def test_masks_tell_exactly_what_the_rules_allow(world, seed, steps, agents):
    here = simulation(world, 6, n_agents=agents)
    here.reset(seed=seed)
    generator = np.random.default_rng(seed)
    only_first = np.arange(6) == 0
    # Agents that own both materials can build as well as move.
    goods = [here.world.entity("Wood"), here.world.entity("Stone")]
    here.state.inventory[0, :-1, goods[0]] += generator.integers(0, 2, agents)
    here.state.inventory[0, :-1, goods[1]] += generator.integers(0, 2, agents)
    for _ in range(steps):
        here.step(draw_actions(here, generator), only_first)
    here.step(idle(here), only_first)
    masks = here.out["agents"].action_mask[0].copy()
    places = here.state.location[0].copy()
    houses = here.state.parts["Build"].built[0].copy()
    assert masks[:, 0].all()
    for agent in range(agents):
        actions = idle(here)
        for copy in range(1, 6):
            here.fork(0, copy)
            actions["agents"][copy, agent] = copy
        here.step(actions, ~only_first)
        for action in range(1, 6):
            moved = here.state.location[action, agent] - places[agent]
            built = here.state.parts["Build"].built[action, agent] - houses[agent]
            allowed = masks[agent, action]
            expected = MOVES.get(action, (0, 0)) if allowed else (0, 0)
            assert tuple(moved) == expected
            assert built == (allowed and action == 1)


@pytest.mark.parametrize("world", IDS)
def test_everybodys_numbers_are_those_of_the_state(world):
    here = simulation(world, 3, flatten_observations=False)
    here.reset(seed=3)
    generator = np.random.default_rng(3)
    for _ in range(25):
        here.step(draw_actions(here, generator, masked=True))
    agents, planner = (here.out[name].observation for name in ("agents", "planner"))
    state = here.state
    for name in ("Coin", "Stone", "Wood"):
        owned = state.inventory[:, :, here.world.entity(name)] * 0.01
        seen = agents[f"world-inventory-{name}"][..., 0]
        np.testing.assert_allclose(seen, owned[:, :-1], rtol=1e-6)
        np.testing.assert_allclose(planner[f"world-inventory-{name}"][..., 0], owned[:, -1:])
        for i in range(4):
            of_planner = planner[f"p{i}-world-inventory-{name}"][:, 0, 0]
            np.testing.assert_allclose(of_planner, owned[:, i], rtol=1e-6)
    size = here.world.world_size
    np.testing.assert_allclose(
        agents["world-loc-row"][..., 0], state.location[..., 0] / size[0], rtol=1e-6
    )
    np.testing.assert_allclose(
        agents["world-loc-col"][..., 0], state.location[..., 1] / size[1], rtol=1e-6
    )
    parts = state.parts
    np.testing.assert_allclose(
        agents["Gather-bonus_gather_prob"][..., 0], parts["Gather"].bonus, rtol=1e-6
    )
    np.testing.assert_allclose(
        agents["Build-build_payment"][..., 0], parts["Build"].payment / 10, rtol=1e-6
    )
