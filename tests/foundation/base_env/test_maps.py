"""`Maps`: every member, on a world of its own and as part of an environment."""

import numpy as np
import pytest

from ecumene import foundation
from ecumene.foundation.base.world import Maps
from ecumene.foundation.entities.landmarks import Landmark
from ecumene.foundation.entities.resources import Resource

RESOURCES = ["Coin", "Stone", "Wood"]
KEYS = ["Stone", "Wood", "House", "Water", "StoneSourceBlock", "WoodSourceBlock"]


class Walker:
    """What `Maps` needs of an agent."""

    def __init__(self, idx):
        self.idx = idx
        self.state = {"loc": [0, 0]}


@pytest.fixture
def maps():
    return Maps([3, 4], 2, list(RESOURCES), ["House", "Water"])


def nothing_but(*entries, size=(3, 4)):
    field = np.zeros(size)
    for r, c, value in entries:
        field[r, c] = value
    return field.tolist()


def test_size_and_names(maps):
    assert list(maps.size) == [3, 4]
    assert (maps.sz_h, maps.sz_w, maps.n_agents) == (3, 4, 2)
    assert maps.resources == RESOURCES
    assert maps.entities == ["Coin", "Stone", "Wood", "House", "Water"]


def test_source_blocks_are_appended_to_the_list():
    landmarks = ["House"]
    maps = Maps([3, 3], 2, ["Coin", "Wood"], landmarks)
    assert landmarks == ["House", "WoodSourceBlock"]
    assert maps.landmarks is landmarks
    assert list(maps.keys()) == ["Wood", "House", "WoodSourceBlock"]


def test_keys_values_items(maps):
    assert list(maps.keys()) == KEYS
    maps.set_point("Wood", 1, 2, 3)
    values = list(maps.values())
    assert len(values) == len(KEYS)
    assert values[1].tolist() == nothing_but((1, 2, 3))
    assert set(values[2]) == {"owner", "health"}
    items = dict(maps.items())
    assert list(items) == KEYS
    assert items["Wood"].tolist() == values[1].tolist()
    assert items["House"]["owner"].dtype == np.int16
    assert (items["House"]["owner"] == -1).all()


def test_clear_one(maps):
    for name in ("Wood", "Stone", "Water"):
        maps.set_point(name, 1, 1, 1)
    maps.set_point("House", 2, 2, 1, owner=0)
    maps.clear("Wood")
    assert maps.get("Wood").tolist() == nothing_but()
    assert maps.get_point("Stone", 1, 1) == 1
    maps.clear("House")
    assert maps.get("House").tolist() == nothing_but()
    assert (maps.get("House", owner=True) == -1).all()
    assert maps.is_accessible(2, 2, 1)
    assert not maps.is_accessible(1, 1, 0)  # the water is still there


def test_clear_all(maps):
    for name in KEYS:
        maps.set_point(name, 0, 1, 1, **({"owner": 1} if name == "House" else {}))
    maps.clear()
    assert not maps.state.any()
    assert (maps.owner_state == -1).all()
    assert maps.accessibility.all()
    assert maps.empty.all()


def test_agents_on_the_map(maps):
    one, other = Walker(0), Walker(1)
    maps.set_agent_loc(one, 1, 2)
    assert one.state["loc"] == [1, 2]
    maps.set_agent_loc(other, 0, 0)
    assert np.argwhere(~maps.unoccupied).tolist() == [[0, 0], [1, 2]]
    maps.set_agent_loc(one, 1, 2)  # there already
    assert np.argwhere(~maps.unoccupied).tolist() == [[0, 0], [1, 2]]
    maps.set_agent_loc(one, 2, 3)  # the old tile is free again
    assert np.argwhere(~maps.unoccupied).tolist() == [[0, 0], [2, 3]]


def test_agents_go_anywhere_on_the_map(maps):
    walker = Walker(1)
    maps.set_point("Water", 1, 1, 1)
    maps.set_agent_loc(walker, 1, 1)
    assert walker.state["loc"] == [1, 1]
    for r, c in ((3, 0), (0, 4), (-1, 0), (0, -1)):
        with pytest.raises(AssertionError, match=r"outside the 3x4 world"):
            maps.set_agent_loc(walker, r, c)
    assert walker.state["loc"] == [1, 1]
    assert not maps.unoccupied[1, 1]


def test_clear_agent_loc(maps):
    walkers = [Walker(0), Walker(1)]
    for i, walker in enumerate(walkers):
        maps.set_agent_loc(walker, 1, i)
    maps.clear_agent_loc(walkers[0])
    assert np.argwhere(~maps.unoccupied).tolist() == [[1, 1]]
    assert walkers[0].state["loc"] == [1, 0]
    maps.set_agent_loc(walkers[0], 2, 2)
    maps.clear_agent_loc()
    assert maps.unoccupied.all()
    assert walkers[1].state["loc"] == [1, 1]


def test_get(maps):
    maps.set_point("Stone", 0, 3, 2)
    maps.set_point("House", 2, 1, 1, owner=1)
    assert maps.get("Stone").tolist() == nothing_but((0, 3, 2))
    assert maps.get("House").tolist() == nothing_but((2, 1, 1))
    owners = maps.get("House", owner=True)
    assert owners.dtype == np.int16
    assert owners[2, 1] == 1
    assert (owners == -1).sum() == 11
    assert maps.get("Stone", owner=True).tolist() == nothing_but((0, 3, 2))
    with pytest.raises(KeyError, match="Did you mean `Stone`"):
        maps.get("Ston")


@pytest.mark.parametrize("name", ["Wood", "WoodSourceBlock", "Water"])
def test_set_a_whole_map(maps, name):
    given = np.zeros((3, 4), int)
    given[1, 2], given[0, 0] = 2, -3
    maps.set(name, given)
    assert maps.get(name).tolist() == nothing_but((1, 2, 2))
    assert maps.is_accessible(1, 2, 0) == (name != "Water")
    given[1, 2] = 7  # the map has its own memory
    assert maps.get_point(name, 1, 2) == 2
    for shape in ((4, 3), (3,), (3, 4, 1)):
        with pytest.raises(AssertionError, match=rf"`{name}` is \[3, 4\]"):
            maps.set(name, np.ones(shape))
    assert maps.get(name).tolist() == nothing_but((1, 2, 2))


def test_set_a_private_landmark(maps):
    owner, health = np.full((3, 4), -1), np.zeros((3, 4))
    owner[0, 1], health[0, 1] = 1, 1
    owner[2, 2], health[2, 2] = 0, -4  # no health, no owner
    maps.set("House", {"owner": owner, "health": health})
    assert maps.get("House").tolist() == nothing_but((0, 1, 1))
    assert maps.get_point("House", 0, 1, owner=True) == 1
    assert maps.get_point("House", 2, 2, owner=True) == -1
    assert not maps.is_accessible(0, 1, 0)
    assert maps.is_accessible(0, 1, 1)
    assert maps.is_accessible(2, 2, 1)


def test_set_a_private_landmark_wrongly(maps):
    owner, health = np.full((3, 4), -1), np.zeros((3, 4))
    health[0, 1] = 1
    with pytest.raises(AssertionError, match="needs an owner"):
        maps.set("House", {"owner": owner, "health": health})
    with pytest.raises(AssertionError, match="needs `owner`"):
        maps.set("House", {"health": health})
    with pytest.raises(AssertionError, match="needs `health`"):
        maps.set("House", {"owner": owner})
    with pytest.raises(AssertionError, match="needs"):
        maps.set("House", health)
    with pytest.raises(AssertionError, match=r"0\.\.1"):
        maps.set("House", {"owner": np.full((3, 4), 2), "health": health})
    assert maps.get("House").tolist() == nothing_but()


def test_set_add(maps):
    maps.set_point("Wood", 0, 0, 2)
    change = np.zeros((3, 4))
    change[0, 0], change[1, 1], change[2, 2] = -1, 3, -1
    maps.set_add("Wood", change)
    assert maps.get("Wood").tolist() == nothing_but((0, 0, 1), (1, 1, 3))
    with pytest.raises(AssertionError, match="has owners"):
        maps.set_add("House", change)


def test_points(maps):
    maps.set_point("Wood", 1, 1, 2.5)
    assert maps.get_point("Wood", 1, 1) == 2.5
    maps.set_point_add("Wood", 1, 1, -1)
    assert maps.get_point("Wood", 1, 1) == 1.5
    maps.set_point_add("Wood", 1, 1, -9)
    assert maps.get_point("Wood", 1, 1) == 0
    maps.set_point("Wood", 1, 1, -2)
    assert maps.get_point("Wood", 1, 1) == 0


def test_points_of_a_blocking_landmark(maps):
    maps.set_point("Water", 1, 1, 1)
    assert np.argwhere(~maps.accessibility[0]).tolist() == [[1, 1]]
    assert np.argwhere(~maps.accessibility[1]).tolist() == [[1, 1]]
    maps.set_point("Water", 1, 1, 0)
    assert maps.accessibility.all()


def test_points_of_a_private_landmark(maps):
    with pytest.raises(AssertionError, match="needs an owner"):
        maps.set_point("House", 1, 1, 1)
    maps.set_point("House", 1, 1, 1, owner=1)
    assert maps.get_point("House", 1, 1) == 1
    assert maps.get_point("House", 1, 1, owner=True) == 1
    with pytest.raises(AssertionError, match=r"the `House` at \(1, 1\) belongs to 1"):
        maps.set_point("House", 1, 1, 1, owner=0)
    assert [maps.is_accessible(1, 1, i) for i in (0, 1)] == [False, True]
    maps.set_point_add("House", 1, 1, 2, owner=1)
    assert maps.get_point("House", 1, 1) == 3
    maps.set_point("House", 1, 1, 0, owner=1)
    assert maps.get_point("House", 1, 1, owner=True) == -1
    assert maps.is_accessible(1, 1, 0)
    maps.set_point("House", 1, 1, 1, owner=0)
    assert maps.get_point("House", 1, 1, owner=True) == 0


@pytest.mark.parametrize("owner", [-1, 2, 7])
def test_owners_are_agents(maps, owner):
    with pytest.raises(AssertionError, match="owner"):
        maps.set_point("House", 1, 1, 1, owner=owner)
    assert maps.get_point("House", 1, 1) == 0
    assert maps.accessibility.all()


@pytest.mark.parametrize(("r", "c"), [(-1, 0), (0, -1), (3, 0), (0, 4)])
def test_accessible_tiles_are_in_the_world(maps, r, c):
    with pytest.raises((AssertionError, IndexError)):
        maps.set_point("Wood", r, c, 1)
    assert not maps.state.any()


def test_is_accessible(maps):
    assert all(maps.is_accessible(r, c, i) for r in range(3) for c in range(4) for i in (0, 1))
    maps.set_point("Water", 0, 0, 1)
    maps.set_point("House", 0, 1, 1, owner=0)
    maps.set_point("WoodSourceBlock", 0, 2, 1)
    maps.set_point("Stone", 0, 3, 1)
    assert [maps.is_accessible(0, c, 0) for c in range(4)] == [False, True, True, True]
    assert [maps.is_accessible(0, c, 1) for c in range(4)] == [False, False, True, True]
    assert isinstance(maps.is_accessible(0, 0, 0), bool)


def test_accessibility_is_one_map_per_agent(maps):
    maps.set_point("House", 0, 1, 1, owner=0)
    maps.set_point("House", 2, 1, 1, owner=1)
    maps.set_point("Water", 2, 3, 1)
    access = maps.accessibility
    assert access.dtype == bool
    assert access.shape == (2, 3, 4)
    assert np.argwhere(~access).tolist() == [[0, 2, 1], [0, 2, 3], [1, 0, 1], [1, 2, 3]]


def test_accessibility_without_landmarks_in_the_way():
    maps = Maps([2, 2], 3, ["Coin", "Wood"], [])
    assert maps.accessibility.shape == (3, 2, 2)
    assert maps.accessibility.all()


def test_what_is_on_a_tile(maps):
    assert maps.location_resources(1, 1) == {}
    assert maps.location_landmarks(1, 1) == {}
    maps.set_point("Wood", 1, 1, 2)
    maps.set_point("Stone", 1, 1, 0.5)
    maps.set_point("WoodSourceBlock", 1, 1, 1)
    maps.set_point("House", 1, 1, 1, owner=1)
    assert list(maps.location_resources(1, 1).items()) == [("Stone", 0.5), ("Wood", 2)]
    assert maps.location_landmarks(1, 1) == {"House": 1, "WoodSourceBlock": 1}
    maps.set_point("Wood", 1, 1, 0)
    assert maps.location_resources(1, 1) == {"Stone": 0.5}


def test_unoccupied_is_where_nobody_is(maps):
    assert maps.unoccupied.dtype == bool
    assert maps.unoccupied.shape == (3, 4)
    assert maps.unoccupied.all()
    maps.set_point("Water", 0, 0, 1)
    assert maps.unoccupied.all()


def test_empty(maps):
    assert maps.empty.all()
    for c, name in enumerate(("Stone", "Water", "WoodSourceBlock")):
        maps.set_point(name, 0, c, 1)
    maps.set_point("House", 2, 0, 1, owner=0)
    maps.set_agent_loc(Walker(0), 2, 3)
    assert np.argwhere(~maps.empty).tolist() == [[0, 0], [0, 1], [0, 2], [2, 0]]
    assert maps.empty.dtype == bool


def test_state(maps):
    for channel, name in enumerate(KEYS):
        maps.set_point(name, 1, 2, channel + 1, **({"owner": 1} if name == "House" else {}))
    assert maps.state.dtype == np.float32
    assert maps.state.shape == (6, 3, 4)
    assert maps.state[:, 1, 2].tolist() == [1, 2, 3, 4, 5, 6]
    assert np.count_nonzero(maps.state) == 6


def test_owner_state(maps):
    maps.set_point("House", 1, 2, 1, owner=1)
    assert maps.owner_state.dtype == np.int16
    assert maps.owner_state.shape == (1, 3, 4)
    assert maps.owner_state[0, 1, 2] == 1
    assert (maps.owner_state == -1).sum() == 11


def test_owner_state_without_private_landmarks():
    maps = Maps([2, 3], 2, ["Coin"], ["Water"])
    assert maps.owner_state.shape == (0, 2, 3)


def test_state_dict_is_live(maps):
    state = maps.state_dict
    maps.set_point("Wood", 0, 0, 1)
    assert list(state) == KEYS
    assert state["Wood"][0, 0] == 1
    state["Stone"][1, 1] = 4
    assert maps.get_point("Stone", 1, 1) == 4


def test_entities_of_a_user():
    @foundation.resources.add
    class Clay(Resource):
        name = "TestClay"
        color = np.array([0.5, 0.3, 0.1])
        collectible = True

    @foundation.landmarks.add
    class Fence(Landmark):
        name = "TestFence"
        color = np.array([0.1, 0.1, 0.1])
        ownable = True

    @foundation.landmarks.add
    class Road(Landmark):
        name = "TestRoad"
        color = np.array([0.2, 0.2, 0.2])
        ownable = False
        solid = False

    landmarks = ["House", "TestFence", "TestRoad"]
    maps = Maps([3, 4], 2, ["Coin", "TestClay"], landmarks)
    assert list(maps.keys()) == [
        "TestClay",
        "House",
        "TestFence",
        "TestRoad",
        "TestClaySourceBlock",
    ]
    maps.set_point("House", 0, 0, 1, owner=0)
    maps.set_point("TestFence", 0, 1, 1, owner=1)
    maps.set_point("TestRoad", 0, 2, 1)
    assert [maps.is_accessible(0, c, 0) for c in range(3)] == [True, False, True]
    assert [maps.is_accessible(0, c, 1) for c in range(3)] == [False, True, True]
    assert maps.owner_state.shape == (2, 3, 4)
    assert maps.owner_state[:, 0, :2].tolist() == [[0, -1], [-1, 1]]


def test_a_tile_with_two_owners(maps):
    """Nobody enters a tile that two agents own a part of."""

    @foundation.landmarks.add
    class Shed(Landmark):
        name = "TestShed"
        color = np.array([0.1, 0.1, 0.1])
        ownable = True

    maps = Maps([2, 2], 2, ["Coin"], ["House", "TestShed"])
    maps.set_point("House", 0, 0, 1, owner=0)
    maps.set_point("TestShed", 0, 0, 1, owner=1)
    assert not maps.is_accessible(0, 0, 0)
    assert not maps.is_accessible(0, 0, 1)
