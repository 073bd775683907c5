"""Resources, landmarks and endogenous variables, and those of a user."""

import numpy as np
import pytest

from ecumene import foundation
from ecumene.foundation.entities import (
    endogenous,
    endogenous_registry,
    landmark_registry,
    landmarks,
    resource_registry,
    resources,
)


def test_where_they_are_found():
    assert foundation.resources is resource_registry
    assert foundation.landmarks is landmark_registry
    assert foundation.endogenous is endogenous_registry
    assert issubclass(resource_registry.get("Wood"), resources.Resource)
    assert issubclass(landmark_registry.get("House"), landmarks.Landmark)
    assert issubclass(endogenous_registry.get("Labor"), endogenous.Endogenous)


@pytest.mark.parametrize(
    ("name", "color", "collectible"),
    [
        ("Wood", (107, 143, 113), True),
        ("Stone", (241, 233, 219), True),
        ("Coin", (229, 211, 82), False),
    ],
)
def test_resources(name, color, collectible):
    resource = resource_registry.get(name)()
    np.testing.assert_allclose(resource.color, np.array(color) / 255)
    assert resource.collectible is collectible


@pytest.mark.parametrize(
    ("name", "color", "ownable", "solid", "kind"),
    [
        ("WoodSourceBlock", (107, 143, 113), False, False, "public"),
        ("StoneSourceBlock", (241, 233, 219), False, False, "public"),
        ("House", (220, 20, 220), True, True, "private"),
        ("Water", (50, 50, 250), False, True, "blocking"),
    ],
)
def test_landmarks(name, color, ownable, solid, kind):
    landmark = landmark_registry.get(name)()
    np.testing.assert_allclose(landmark.color, np.array(color) / 255)
    assert landmark.ownable is ownable
    assert landmark.solid is solid
    kinds = {each: getattr(landmark, each) for each in ("blocking", "private", "public")}
    assert kinds == {each: each == kind for each in kinds}


GREY = np.array([0.5, 0.5, 0.5])


def test_defaults_and_checks():
    landmark = type("Rock", (landmarks.Landmark,), {"name": "R", "color": GREY, "ownable": False})
    assert landmark().solid is True
    assert landmark().blocking is True
    lacking = [
        (resources.Resource, {"color": GREY, "collectible": True}, "name"),
        (resources.Resource, {"name": "R", "collectible": True}, "color"),
        (resources.Resource, {"name": "R", "color": GREY}, "collectible"),
        (landmarks.Landmark, {"color": GREY, "ownable": True}, "name"),
        (landmarks.Landmark, {"name": "R", "ownable": True}, "color"),
        (landmarks.Landmark, {"name": "R", "color": GREY}, "ownable"),
        (endogenous.Endogenous, {}, "name"),
    ]
    for base, attributes, missing in lacking:
        with pytest.raises(AssertionError, match=missing):
            type("Lacking", (base,), attributes)()


@pytest.fixture
def clay():
    @foundation.resources.add
    class Clay(resources.Resource):
        name = "TestClay"
        color = GREY
        collectible = True

    return Clay


def test_a_resource_of_a_user(clay, make_field, field):
    """It gets a source block, a place on the map and in inventories, and Gather collects it."""

    class Pit(field):
        name = "test-base/pit"
        required_entities = ["TestClay"]

        def reset_starting_layout(self):
            self.world.maps.clear()
            self.world.maps.set_point("TestClay", 1, 0, 1)
            self.world.create_landmark("TestClaySourceBlock", 1, 0)

    env = make_field(("Gather", {}), cls=Pit)
    assert env.resources == ["Coin", "TestClay"]
    assert list(env.world.maps.keys()) == ["TestClay", "House", "TestClaySourceBlock"]
    block = landmark_registry.get("TestClaySourceBlock")()
    assert block.public
    np.testing.assert_array_equal(block.color, GREY)
    env.reset(force_dense_logging=True)
    env.step({0: 4})
    assert env.get_agent(0).inventory == {"Coin": 0, "TestClay": 1}
    assert env.world.location_resources(1, 0) == {}
    event = {"agent": 0, "resource": "TestClay", "n": 1, "loc": [1, 0]}
    assert env.get_component("Gather").get_dense_log() == [[event]]


def test_a_resource_that_does_not_lie_around(make_field, field):
    @foundation.resources.add
    class Fame(resources.Resource):
        name = "TestFame"
        color = GREY
        collectible = False

    famous = type("Famous", (field,), {"required_entities": ["TestFame"]})
    env = make_field(("Gather", {}), cls=famous)
    assert env.resources == ["Coin", "TestFame"]
    assert list(env.world.maps.keys()) == ["House"]
    assert not landmark_registry.has("TestFameSourceBlock")
    env.reset()
    env.get_agent(0).inventory["TestFame"] = 4
    assert env.get_agent(0).total_endowment("TestFame") == 4


@pytest.mark.parametrize(("ownable", "solid"), [(True, True), (False, True), (False, False)])
def test_a_landmark_of_a_user(make_field, field, ownable, solid):
    attributes = {"name": "TestThing", "color": GREY, "ownable": ownable, "solid": solid}
    foundation.landmarks.add(type("Thing", (landmarks.Landmark,), attributes))

    class Built(field):
        name = "test-base/built"
        required_entities = ["TestThing"]

        def reset_starting_layout(self):
            self.world.maps.clear()
            for c in range(3):
                owner = 1 if ownable else None
                self.world.create_landmark("TestThing", 1, c, owner)

    env = make_field(("Gather", {}), cls=Built)
    env.reset()
    obs = env.step(dict.fromkeys(range(3), 4))[0]
    moved = [agent.loc[0] == 1 for agent in env.world.agents]
    assert moved == [not solid, not solid or ownable, not solid]
    assert obs["0"]["action_mask"][0] == 1


def test_an_endogenous_variable_of_a_user(make_field, field):
    @foundation.endogenous.add
    class Joy(endogenous.Endogenous):
        name = "TestJoy"

    class Joyful(field):
        name = "test-base/joyful"
        required_entities = ["TestJoy"]

        def scenario_step(self):
            for agent in self.world.agents:
                agent.endogenous["TestJoy"] += 0.5

    env = make_field(("Gather", {}), cls=Joyful)
    env.reset()
    env.step()
    env.step()
    assert env.get_agent(1).endogenous == {"Labor": 0, "TestJoy": 1.0}
    assert env.world.planner.endogenous == {}
