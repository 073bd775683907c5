"""`World`: every member."""

import numpy as np
import pytest

from ecumene import foundation
from ecumene.foundation.base.world import Maps, World


@pytest.fixture
def world():
    """A world made by hand, outside any environment."""
    return World([3, 4], 2, ["Coin", "Stone", "Wood"], ["House", "Water"], False, True)


@pytest.fixture(params=["by hand", "of an environment"])
def any_world(request, world, make_uniform):
    """The same world by hand, and as part of an environment."""
    if request.param == "by hand":
        return world
    env = foundation.make_env_instance(
        "layout_from_file/simple_wood_and_stone",
        components=[("Build", {}), ("Gather", {})],
        n_agents=2,
        world_size=[25, 25],
    )
    env.reset()
    env.world.maps.clear()
    env.world.clear_agent_locs()
    return env.world


def test_where_they_are_found():
    assert foundation.base.world.World is World
    assert foundation.base.world.Maps is Maps


def test_attributes(world):
    assert world.world_size == [3, 4]
    assert world.n_agents == 2
    assert world.resources == ["Coin", "Stone", "Wood"]
    assert world.landmarks == ["House", "Water", "StoneSourceBlock", "WoodSourceBlock"]
    assert world.multi_action_mode_agents is False
    assert world.multi_action_mode_planner is True
    assert isinstance(world.maps, Maps)
    assert world.timestep == 0


def test_agents(world):
    assert [agent.idx for agent in world.agents] == [0, 1]
    assert {agent.name for agent in world.agents} == {"BasicMobileAgent"}
    assert all(agent.multi_action_mode is False for agent in world.agents)
    assert world.planner.idx == "p"
    assert world.planner.name == "BasicPlanner"
    assert world.planner.multi_action_mode is True


def test_timestep_can_be_set(any_world):
    any_world.timestep = 5
    assert any_world.timestep == 5


def test_loc_map(any_world):
    any_world.set_agent_loc(any_world.agents[0], 2, 1)
    any_world.set_agent_loc(any_world.agents[1], 0, 3)
    assert any_world.loc_map.dtype == np.int16
    assert any_world.loc_map.shape == tuple(any_world.world_size)
    assert any_world.loc_map[2, 1] == 0
    assert any_world.loc_map[0, 3] == 1
    assert (any_world.loc_map == -1).sum() == any_world.loc_map.size - 2


def test_loc_map_of_agents_off_the_map(any_world):
    any_world.clear_agent_locs()
    assert any_world.loc_map[-1, -1] == 1  # -1 counts from the end


def test_random_order(any_world):
    np.random.seed(6)
    orders = [[agent.idx for agent in any_world.get_random_order_agents()] for _ in range(8)]
    source = np.random.RandomState(6)
    assert orders == [source.permutation(2).tolist() for _ in range(8)]
    assert np.random.rand() == source.rand()
    assert {tuple(order) for order in orders} == {(0, 1), (1, 0)}


def test_is_valid(world):
    inside = [(r, c) for r in range(-2, 5) for c in range(-2, 6) if world.is_valid(r, c)]
    assert inside == [(r, c) for r in range(3) for c in range(4)]


def test_accessible_and_free(any_world):
    one, other = any_world.agents
    maps = any_world.maps
    maps.set_point("Water", 0, 1, 1)
    maps.set_point("House", 0, 2, 1, owner=1)
    any_world.set_agent_loc(other, 1, 0)
    tiles = [(0, 0), (0, 1), (0, 2), (1, 0), (-1, 0), (0, -1), (99, 0), (0, 99)]
    accessible = [any_world.is_location_accessible(r, c, one) for r, c in tiles]
    assert accessible == [True, False, False, True, False, False, False, False]
    free = [any_world.can_agent_occupy(r, c, one) for r, c in tiles]
    assert free == [True, False, False, False, False, False, False, False]
    assert any_world.can_agent_occupy(0, 2, other)
    assert not any_world.can_agent_occupy(1, 0, other)  # its own tile counts as taken


def test_set_agent_loc(any_world):
    one, other = any_world.agents
    assert any_world.set_agent_loc(one, 1, 1) == (1, 1)
    assert one.loc == one.state["loc"] == [1, 1]
    assert any_world.set_agent_loc(other, 1, 1) == tuple(other.loc) != (1, 1)
    assert any_world.set_agent_loc(one, 1, 2) == (1, 2)
    assert any_world.set_agent_loc(other, 1, 1) == (1, 1)
    any_world.maps.set_point("Water", 0, 1, 1)
    for r, c in ((0, 1), (-1, 1), (1, -1), (99, 1), (1, 99), (1, 1)):
        assert any_world.set_agent_loc(one, r, c) == (1, 2)
    assert one.loc == [1, 2]
    assert np.argwhere(~any_world.maps.unoccupied).tolist() == [[1, 1], [1, 2]]
    result = any_world.set_agent_loc(one, np.int64(2), np.int64(2))
    assert [type(each) for each in result] == [int, int]


def test_clear_agent_locs(any_world):
    for i, agent in enumerate(any_world.agents):
        any_world.set_agent_loc(agent, 0, i)
    any_world.clear_agent_locs()
    assert [agent.state["loc"] for agent in any_world.agents] == [[-1, -1], [-1, -1]]
    assert any_world.maps.unoccupied.all()


def test_agent_locs_are_valid(any_world):
    assert any_world.agent_locs_are_valid() in (True, False)
    any_world.clear_agent_locs()
    assert not any_world.agent_locs_are_valid()
    for i, agent in enumerate(any_world.agents):
        any_world.set_agent_loc(agent, 0, i)
    assert any_world.agent_locs_are_valid()
    any_world.maps.set_point("House", 0, 1, 1, owner=1)
    assert any_world.agent_locs_are_valid()
    any_world.maps.set_point("House", 0, 0, 1, owner=1)
    assert not any_world.agent_locs_are_valid()


def test_what_is_on_a_tile(any_world):
    any_world.maps.set_point("Wood", 1, 2, 2)
    any_world.maps.set_point("WoodSourceBlock", 1, 2, 1)
    assert any_world.location_resources(1, 2) == {"Wood": 2}
    assert any_world.location_landmarks(1, 2) == {"WoodSourceBlock": 1}
    assert any_world.location_resources(0, 0) == {}
    for r, c in ((-1, 2), (1, -2), (99, 2), (1, 99)):
        assert any_world.location_resources(r, c) == {}
        assert any_world.location_landmarks(r, c) == {}


def test_create_landmark(any_world):
    any_world.create_landmark("Water", 1, 1)
    assert any_world.location_landmarks(1, 1) == {"Water": 1}
    any_world.create_landmark("House", 2, 2, agent_idx=1)
    assert any_world.location_landmarks(2, 2) == {"House": 1}
    assert any_world.maps.get_point("House", 2, 2, owner=True) == 1
    assert not any_world.can_agent_occupy(2, 2, any_world.agents[0])
    assert any_world.can_agent_occupy(2, 2, any_world.agents[1])
    any_world.create_landmark("StoneSourceBlock", 0, 3)
    assert any_world.location_landmarks(0, 3) == {"StoneSourceBlock": 1}
    with pytest.raises(AssertionError, match="needs an owner"):
        any_world.create_landmark("House", 0, 0)
    with pytest.raises(KeyError, match="Did you mean `House`"):
        any_world.create_landmark("Hose", 0, 0)


def test_consume_resource(any_world):
    any_world.maps.set_point("Wood", 1, 2, 2)
    any_world.consume_resource("Wood", 1, 2)
    assert any_world.location_resources(1, 2) == {"Wood": 1}
    any_world.consume_resource("Wood", 1, 2)
    any_world.consume_resource("Wood", 1, 2)
    assert any_world.location_resources(1, 2) == {}


def test_the_planner_does_not_walk(any_world):
    with pytest.raises(AssertionError, match="agent 'p' neither walks"):
        any_world.can_agent_occupy(0, 0, any_world.planner)


def test_a_state_set_by_hand_is_seen(make_uniform):
    env = make_uniform(flatten_observations=False)
    env.reset()
    agent = env.get_agent(1)
    agent.state["inventory"]["Wood"] = 3
    agent.state["endogenous"]["Labor"] = 1.5
    agent.state["build_payment"] = 25.0
    obs = env.step()[0]["1"]
    assert obs["world-inventory-Wood"] == pytest.approx(0.03)
    assert obs["Build-build_payment"] == pytest.approx(2.5)
    assert env.metrics["endogenous/1/Labor"] == pytest.approx(1.5, abs=2)
