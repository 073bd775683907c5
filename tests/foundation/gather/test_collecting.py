"""A step: who goes first, what is collected and what it costs."""

import numpy as np
import pytest
from foundation.boards import DOWN, LEFT, RIGHT, UP, at, labor, put, same_state, stand, stream

COSTS = {"move_labor": 3.0, "collect_labor": 5.0}


def costly(draw, *rows, **kwargs):
    return draw(*rows, components=[("Gather", COSTS)], **kwargs)


def wealth(env, idx=0):
    inventory = env.get_agent(idx).inventory
    return inventory["Wood"], inventory["Stone"]


# Order.


def test_g_22_one_permutation_of_the_agents_is_drawn_per_step(draw):
    env = draw("0.1", ".2.", "@@@", still=False)
    env.step({"0": RIGHT, "1": LEFT}, seed_state=at(11))
    twin = stream(11)
    twin.permutation(3)
    twin.rand(3, 3)  # the scenario's draws, for wood
    twin.rand(3, 3)  # and for stone
    assert same_state(np.random.get_state(), twin.get_state())


@pytest.mark.parametrize("seed", range(12))
def test_g_22_first_of_the_order_gets_a_contested_tile(draw, seed):
    env = draw("0.1", "@2@")
    env.step({"0": RIGHT, "1": LEFT, "2": UP}, seed_state=at(seed))
    winner = stream(seed).permutation(3)[0]
    assert env.world.loc_map[0, 1] == winner
    assert [labor(env, i) for i in range(3)] == [float(i == winner) for i in range(3)]


def test_g_22_every_agent_is_first_about_equally_often(draw):
    env = draw("0.1", "@2@")
    np.random.set_state(at(0))
    wins = [0, 0, 0]
    for _ in range(600):
        stand(env, (0, 0), (0, 2), (1, 1))
        env.step({"0": RIGHT, "1": LEFT, "2": UP})
        wins[env.world.loc_map[0, 1]] += 1
    # 200 each, with a standard deviation of 11.5
    assert all(150 < won < 250 for won in wins)


@pytest.mark.parametrize("seed", range(8))
def test_g_22_moves_see_the_moves_before_them(draw, seed):
    env = draw("01.")
    env.step({"0": RIGHT, "1": RIGHT}, seed_state=at(seed))
    leader_first = stream(seed).permutation(2).tolist() == [1, 0]
    assert env.get_agent(1).loc == [0, 2]
    assert env.get_agent(0).loc == ([0, 1] if leader_first else [0, 0])


# Labor of moves.


def test_g_24_move_labor_is_charged_for_moves_that_succeed(draw):
    env = costly(draw, "0..@", "1...")
    bill = []
    for action in (RIGHT, RIGHT, RIGHT, UP, 0, LEFT):
        env.step({"0": action})
        bill.append(labor(env))
    assert bill == [3, 6, 6, 6, 6, 9]
    assert labor(env, 1) == 0


def test_g_24_labor_adds_to_what_is_there(draw):
    env = costly(draw, "0.", "1.")
    env.get_agent(0).state["endogenous"]["Labor"] = 100.5
    env.step({"0": RIGHT})
    assert labor(env) == 103.5


# Collecting.


def test_g_25_all_resources_of_the_final_tile_are_looked_at(draw):
    env = draw("0.", "1.")
    put(env, (0, 1), Wood=1, Stone=1)
    env.step({"0": RIGHT})
    assert wealth(env) == (1, 1)
    assert env.world.location_resources(0, 1) == {}


def test_g_25_not_those_of_the_tile_it_left(draw):
    env = draw("0.", "1.")
    put(env, (0, 0), Wood=1, Stone=1)
    env.step({"0": RIGHT})
    assert wealth(env) == (0, 0)
    assert env.world.location_resources(0, 0) == {"Stone": 1, "Wood": 1}


@pytest.mark.parametrize(
    ("health", "collected", "left"),
    [(0, 0, 0), (0.5, 0, 0.5), (0.99, 0, 0.99), (1, 1, 0), (1.25, 1, 0.25), (2, 1, 1), (7, 1, 6)],
)
@pytest.mark.parametrize("resource", ["Wood", "Stone"])
def test_g_26_a_resource_is_collected_from_health_1_on(draw, resource, health, collected, left):
    env = costly(draw, "0.", "1.")
    env.world.maps.set_point(resource, 0, 1, health)
    env.step({"0": RIGHT})
    assert env.get_agent(0).inventory[resource] == collected
    assert env.world.maps.get_point(resource, 0, 1) == pytest.approx(left)
    assert labor(env) == 3 + 5 * collected


def test_g_26_each_resource_by_its_own_health(draw):
    env = draw("0.", "1.")
    put(env, (0, 1), Wood=0.5, Stone=2)
    env.step({"0": RIGHT})
    assert wealth(env) == (0, 1)


def test_g_27_one_unit_goes_to_the_inventory(draw):
    env = draw("0W", "1S")
    agent = env.get_agent(0)
    agent.state["inventory"]["Wood"] = 4
    env.step({"0": RIGHT, "1": RIGHT})
    assert wealth(env, 0) == (5, 0)
    assert wealth(env, 1) == (0, 1)
    assert dict(agent.escrow) == {"Coin": 0, "Stone": 0, "Wood": 0}
    assert agent.inventory["Coin"] == 0


def gained(env, resource="Wood"):
    before = env.get_agent(0).inventory[resource]
    put(env, tuple(env.get_agent(0).loc), **{resource: 1})
    env.step()
    return env.get_agent(0).inventory[resource] - before


def test_g_28_two_units_at_probability_1_and_one_at_0(draw):
    env = draw("0.", "1.")
    env.get_agent(0).state["bonus_gather_prob"] = 1.0
    assert {gained(env) for _ in range(50)} == {2}
    env.get_agent(0).state["bonus_gather_prob"] = 0.0
    assert {gained(env) for _ in range(50)} == {1}


def test_g_28_the_comparison_is_strict(draw):
    # An MT19937 whose words are all 0 goes on drawing exactly 0.0 for a while.
    zeros = ("MT19937", np.zeros(624, np.uint32), 0, 0, 0.0)
    env = draw("0.", "1.")
    put(env, (0, 0), Wood=1, Stone=1)
    np.random.set_state(zeros)
    assert np.random.rand() == 0.0
    env.step(seed_state=zeros)
    assert wealth(env) == (1, 1)


@pytest.mark.parametrize("seed", range(20))
def test_g_28_bonus_units_follow_the_stream(draw, seed):
    env = draw("0.1", "2.3")
    chances = [0.2, 0.5, 0.8, 0.5]
    for i, place in enumerate([(0, 0), (0, 2), (1, 0), (1, 2)]):
        env.get_agent(i).state["bonus_gather_prob"] = chances[i]
        put(env, place, Wood=1, **({"Stone": 3} if i != 2 else {}))
    env.step(seed_state=at(seed))

    twin = stream(seed)
    expected = {i: [0, 0] for i in range(4)}
    for i in twin.permutation(4):
        if i != 2:
            expected[i][1] = 1 + (twin.rand() < chances[i])  # stone comes first
        expected[i][0] = 1 + (twin.rand() < chances[i])
    assert {i: list(wealth(env, i)) for i in range(4)} == expected
    assert same_state(np.random.get_state(), twin.get_state())


def test_g_28_a_number_is_drawn_also_without_any_skill(draw):
    env = draw("0.", "1.")
    put(env, (0, 0), Wood=1)
    env.step(seed_state=at(5))
    twin = stream(5)
    twin.permutation(2)
    twin.rand()
    assert same_state(np.random.get_state(), twin.get_state())


@pytest.mark.parametrize("chance", [0.0, 1.0])
def test_g_29_the_tile_loses_one_unit_whatever_was_gained(draw, chance):
    env = draw("0.", "1.")
    env.get_agent(0).state["bonus_gather_prob"] = chance
    put(env, (0, 1), Wood=3, Stone=1)
    env.step({"0": RIGHT})
    assert wealth(env) == (1 + chance, 1 + chance)
    assert env.world.location_resources(0, 1) == {"Wood": 2}


def test_g_29_like_consume_resource(draw):
    env, twin = draw("0.", "1."), draw("0.", "1.")
    for world in (env, twin):
        put(world, (0, 1), Wood=2.5)
    env.step({"0": RIGHT})
    twin.world.consume_resource("Wood", 0, 1)
    assert np.array_equal(env.world.maps.get("Wood"), twin.world.maps.get("Wood"))


def test_g_30_collect_labor_per_resource_on_top_of_the_move(draw):
    env = costly(draw, "0.", "1.")
    put(env, (0, 1), Wood=9, Stone=9)
    env.step({"0": RIGHT})
    assert labor(env) == 3 + 2 * 5
    env.step()
    assert labor(env) == 3 + 4 * 5


def test_g_31_the_bonus_unit_is_free(draw):
    bills = {}
    for chance in (0.0, 1.0):
        env = costly(draw, "0.", "1.")
        env.get_agent(0).state["bonus_gather_prob"] = chance
        put(env, (0, 1), Wood=1)
        env.step({"0": RIGHT})
        bills[wealth(env)[0]] = labor(env)
    assert bills == {1: 8, 2: 8}


def test_g_32_standing_still_collects_too(draw):
    env = costly(draw, "0.", "1.")
    put(env, (0, 0), Wood=2, Stone=1)
    env.step({"0": 0})
    assert (wealth(env), labor(env)) == ((1, 1), 10)
    env.step()
    assert (wealth(env), labor(env)) == ((2, 1), 15)
    env.step()
    assert (wealth(env), labor(env)) == ((2, 1), 15)


def test_g_32_also_what_grew_back(draw):
    # It grows at the end of each step, and so is there for the next.
    env = costly(draw, "W.", "01", still=False, resource_regen_prob=1)
    env.step({"0": UP})
    assert (wealth(env), labor(env)) == ((1, 0), 8)
    env.step()
    assert (wealth(env), labor(env)) == ((2, 0), 13)


def test_a_tile_is_collected_from_by_who_stands_there_in_the_end(draw):
    env = draw("W1", "0.")
    env.step({"0": UP, "1": DOWN})
    assert (wealth(env, 0), wealth(env, 1)) == ((1, 0), (0, 0))
