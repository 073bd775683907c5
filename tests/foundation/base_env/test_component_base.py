"""`BaseComponent`: what a component written in plain Python declares, implements and gets."""

import inspect

import numpy as np
import pytest

from ecumene import foundation
from ecumene.foundation.base.base_component import BaseComponent, component_registry

REQUIRED = (
    "get_n_actions",
    "get_additional_state_fields",
    "component_step",
    "generate_observations",
)
DECLARED = {
    "name": "TestPart",
    "agent_subclasses": ["BasicMobileAgent"],
    "required_entities": ["Coin"],
}


def part(**attributes):
    """A component class that does nothing but what is given."""
    methods = {
        "get_n_actions": lambda self, name: None,
        "get_additional_state_fields": lambda self, name: {},
        "component_step": lambda self: None,
        "generate_observations": lambda self: {},
    }
    return type("Part", (BaseComponent,), {**DECLARED, **methods, **attributes})


@pytest.fixture
def world(make_field):
    return make_field(("Gather", {})).world


def test_where_it_is_found():
    assert foundation.components is component_registry
    assert foundation.base.base_component.BaseComponent is BaseComponent


def test_signature():
    parameters = inspect.signature(BaseComponent.__init__).parameters
    assert list(parameters)[1:] == ["world", "episode_length", "inventory_scale"]
    assert parameters["inventory_scale"].default == 1


@pytest.mark.parametrize("missing", REQUIRED)
def test_abstract(world, missing):
    with pytest.raises(TypeError, match="abstract"):
        BaseComponent(world, 5)
    complete = part()
    body = {name: value for name, value in vars(complete).items() if name != missing}
    incomplete = type("Incomplete", (BaseComponent,), body)
    with pytest.raises(TypeError, match=missing):
        incomplete(world, 5)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"name": ""}, "name"),
        ({"name": None}, "name"),
        ({"agent_subclasses": []}, "agent_subclasses"),
        ({"agent_subclasses": None}, "agent_subclasses"),
        ({"required_entities": None}, "required_entities"),
        ({"required_entities": "Coin"}, "required_entities"),
    ],
)
def test_declarations(world, attributes, message):
    with pytest.raises(AssertionError, match=message):
        part(**attributes)(world, 5)


def test_no_inheritance_among_agent_classes(world):
    mobile = foundation.agents.get("BasicMobileAgent")
    foundation.agents.add(type("Rider", (mobile,), {"name": "TestRider"}))
    with pytest.raises(AssertionError, match="TestRider is a subclass of BasicMobileAgent"):
        part(agent_subclasses=["BasicMobileAgent", "TestRider"])(world, 5)
    with pytest.raises(KeyError, match="Nobody"):
        part(agent_subclasses=["Nobody"])(world, 5)


def test_members(world):
    component = part()(world, 8, inventory_scale=0.5)
    assert component.world is world
    assert component.episode_length == 8
    assert component.inv_scale == 0.5
    assert component.n_agents == 3
    assert component.resources == ["Coin"]
    assert component.landmarks == world.landmarks
    assert component.timescale == 1
    assert component.name == component.shorthand == "TestPart"
    assert component.component_type is None
    assert part(component_type="P")(world, 8).shorthand == "P"


@pytest.mark.parametrize("length", [0, -1, 2.5, "9", None])
def test_episode_length(world, length):
    with pytest.raises(AssertionError, match="episode_length"):
        part()(world, length)


@pytest.mark.parametrize("thing", [None, "world", 3, object()])
def test_check_world(thing, world):
    with pytest.raises(AssertionError, match="World"):
        BaseComponent.check_world(thing)
    with pytest.raises(AssertionError, match="World"):
        part()(thing, 5)
    BaseComponent.check_world(world)


def test_source_blocks_are_among_its_landmarks(make_uniform):
    env = make_uniform()
    landmarks = ["House", "StoneSourceBlock", "WoodSourceBlock"]
    assert env.components[0].landmarks == env.world.landmarks == landmarks
    assert env.landmarks == ["House"]


def test_required_entities_reach_the_environment(make_field):
    foundation.components.add(part(required_entities=["Wood", "Water", "Labor"]))
    env = make_field(("TestPart", {}))
    assert env.resources == ["Coin", "Wood"]
    assert env.landmarks == ["Water"]
    foundation.components.add(part(required_entities=["Wodo"]), override=True)
    with pytest.raises(KeyError, match="Did you mean `Wood`"):
        make_field(("TestPart", {}))


def test_own_arguments(make_field):
    env = make_field(("TestMint", {"luck": 0.25}))
    assert env.components[0].luck == 0.25
    assert env.components[0].episode_length == 6


def test_reset_gives_state_fields(make_field):
    seen = []

    def fields(self, name):
        return {"rank": 1.5, "friends": []} if name == "BasicMobileAgent" else {"power": 3}

    def more(self):
        seen.append([agent.state["rank"] for agent in self.world.agents])

    foundation.components.add(part(get_additional_state_fields=fields, additional_reset_steps=more))
    env = make_field(("TestPart", {}))
    assert "rank" not in env.get_agent(0).state
    env.reset()
    assert seen == [[1.5, 1.5, 1.5]]
    assert env.get_agent(1).state["friends"] == []
    assert env.get_agent(1).state["friends"] is not env.get_agent(2).state["friends"]
    assert env.world.planner.state["power"] == 3
    env.get_agent(0).state["rank"] = 9
    env.reset()
    assert env.get_agent(0).state["rank"] == 1.5


def test_obs_has_string_keys(world):
    component = part(generate_observations=lambda self: {0: {"a": 1}, "p": {"b": 2}})(world, 5)
    assert component.obs() == {"0": {"a": 1}, "p": {"b": 2}}
    with pytest.raises(AssertionError, match="returns a dict"):
        part(generate_observations=lambda self: None)(world, 5).obs()


def test_default_masks(world):
    wanted = {"BasicMobileAgent": 3, "BasicPlanner": [("A", 2), ("B", 1)]}
    masks = part(get_n_actions=lambda self, name: wanted[name])(world, 5).generate_masks()
    assert {idx: np.asarray(mask).tolist() for idx, mask in masks.items() if idx != "p"} == {
        0: [1, 1, 1],
        1: [1, 1, 1],
        2: [1, 1, 1],
    }
    assert {sub: mask.tolist() for sub, mask in masks["p"].items()} == {"A": [1, 1], "B": [1]}


def test_default_masks_of_no_actions(world):
    wanted = {"BasicMobileAgent": None, "BasicPlanner": 0}
    masks = part(get_n_actions=lambda self, name: wanted[name])(world, 5).generate_masks()
    assert {idx: mask.tolist() for idx, mask in masks.items()} == {"p": []}


def test_default_masks_of_nonsense(world):
    with pytest.raises(TypeError, match=r"get_n_actions"):
        part(get_n_actions=lambda self, name: "four")(world, 5).generate_masks()


def test_completed_episodes_reach_the_masks(make_field):
    seen = []

    def masks(self, completions=0):
        seen.append(completions)
        return {}

    foundation.components.add(part(generate_masks=masks))
    env = make_field(("TestPart", {}), episode_length=2)
    for _ in range(3):
        env.reset()
        env.step()
        env.step()
    assert seen == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_a_missing_mask_is_noticed(make_field):
    foundation.components.add(
        part(get_n_actions=lambda self, name: 2, generate_masks=lambda self, completions=0: {})
    )
    with pytest.raises(KeyError, match="TestPart"):
        make_field(("TestPart", {})).reset()


def test_optional_methods(world):
    component = part()(world, 5)
    assert component.get_metrics() is None
    assert component.get_dense_log() is None
    assert component.additional_reset_steps() is None


def test_an_action_subspace_reaches_the_component(make_field):
    taken = []

    def step(self):
        taken.append([agent.get_component_action("TestPart") for agent in self.world.agents])

    foundation.components.add(
        part(
            get_n_actions=lambda self, name: 2 if name == "BasicMobileAgent" else None,
            component_step=step,
        )
    )
    env = make_field(("TestPart", {}))
    env.reset()
    env.step({0: 2, 2: 1})
    env.step()
    assert taken == [[2, 0, 1], [0, 0, 0]]


def test_a_component_derived_from_one_of_the_library(make_uniform):
    """Whichever class defines a documented method itself counts."""
    gather = foundation.components.get("Gather")

    @foundation.components.add
    class Lazy(gather):
        name = "TestLazy"

        def component_step(self):
            for agent in self.world.agents:
                if agent.get_component_action(self.name) == 1:
                    agent.endogenous["Labor"] += 100

    env = make_uniform(components=[("Build", {}), ("TestLazy", {})])
    env.reset()
    before = env.get_agent(0).loc
    obs = env.step({0: 2})[0]
    assert env.get_agent(0).endogenous["Labor"] == 100
    assert env.get_agent(0).loc == before
    assert obs["0"]["action_mask"].shape == (6,)
    assert env.metrics["endogenous/0/Labor"] == 100
