"""`BaseEnvironment`: what the class is and what a scenario declares."""

import pytest

from ecumene import foundation
from ecumene.foundation.base.base_agent import BaseAgent
from ecumene.foundation.base.base_component import BaseComponent
from ecumene.foundation.base.base_env import BaseEnvironment, scenario_registry
from ecumene.foundation.base.registrar import Registry
from ecumene.foundation.base.world import World
from ecumene.foundation.entities.endogenous import Endogenous

REQUIRED = (
    "reset_starting_layout",
    "reset_agent_states",
    "scenario_step",
    "generate_observations",
    "compute_reward",
)


def test_b_01_import():
    cls = foundation.scenarios.get("uniform/simple_wood_and_stone")
    assert issubclass(cls, BaseEnvironment)
    assert cls.name == "uniform/simple_wood_and_stone"


def test_b_02_exports():
    assert isinstance(BaseEnvironment, type)
    assert isinstance(scenario_registry, Registry)
    assert foundation.base.base_env.BaseEnvironment is BaseEnvironment


def test_b_03_abstract():
    with pytest.raises(TypeError, match="abstract"):
        BaseEnvironment([("Gather", {})], n_agents=2, world_size=[4, 4])


@pytest.mark.parametrize("missing", REQUIRED)
def test_b_04_required_methods(field, make_field, missing):
    methods = {name: vars(field)[name] for name in REQUIRED if name != missing}
    declared = {
        "name": "test-base/incomplete",
        "agent_subclasses": ["BasicMobileAgent"],
        "required_entities": [],
    }
    incomplete = type("Incomplete", (BaseEnvironment,), {**declared, **methods})
    with pytest.raises(TypeError, match=missing):
        make_field(cls=incomplete)
    complete = type("Complete", (incomplete,), {missing: vars(field)[missing]})
    assert make_field(cls=complete).n_agents == 3


def test_b_05_makes_its_parts(make_field):
    env = make_field(("TestMint", {}))
    assert isinstance(env.world, World)
    assert len(env.all_agents) == 4
    assert all(isinstance(agent, BaseAgent) for agent in env.all_agents)
    assert [type(each).__name__ for each in env.components] == ["Mint"]
    assert isinstance(env.components[0], BaseComponent)
    assert env.components[0].world is env.world


@pytest.mark.parametrize("name", ["", None, 3])
def test_b_06_name(field, make_field, name):
    nameless = type("Nameless", (field,), {"name": name})
    with pytest.raises(AssertionError, match="name"):
        make_field(cls=nameless)


def test_b_06_name_missing(make_field):
    methods = {name: lambda self: {} for name in REQUIRED}
    declared = {"agent_subclasses": ["BasicMobileAgent"], "required_entities": []}
    with pytest.raises(AssertionError, match="name"):
        make_field(cls=type("Nameless", (BaseEnvironment,), {**methods, **declared}))


def test_b_06_name_unique(field):
    class Other(field):
        name = field.name

    with pytest.raises(ValueError, match=field.name):
        foundation.scenarios.add(Other)


def test_b_07_key_in_the_registry(field):
    class Found(field):
        name = "test-base/found"

    foundation.scenarios.add(Found)
    assert foundation.scenarios.get("test-base/found") is Found


@pytest.mark.parametrize("subclasses", [[], (), None, "BasicMobileAgent"])
def test_b_08_agent_subclasses(field, make_field, subclasses):
    empty = type("Empty", (field,), {"agent_subclasses": subclasses})
    with pytest.raises(AssertionError, match="agent_subclasses"):
        make_field(cls=empty)


def test_b_08_agent_subclasses_missing(make_field):
    methods = {name: lambda self: {} for name in REQUIRED}
    declared = {"name": "test-base/no-agents", "required_entities": []}
    with pytest.raises(AssertionError, match="agent_subclasses"):
        make_field(cls=type("NoAgents", (BaseEnvironment,), {**methods, **declared}))


def test_b_08_agent_subclasses_unknown(field, make_field):
    unknown = type("Unknown", (field,), {"agent_subclasses": ["BasicMobileAgnt"]})
    with pytest.raises(KeyError, match="Did you mean `BasicMobileAgent`"):
        make_field(cls=unknown)


def test_b_09_no_inheritance(field, make_field):
    mobile = foundation.agents.get("BasicMobileAgent")

    @foundation.agents.add
    class Rider(mobile):
        name = "TestRider"

    for names in (["BasicMobileAgent", "TestRider"], ["TestRider", "BasicMobileAgent"]):
        both = type("Both", (field,), {"agent_subclasses": names})
        with pytest.raises(AssertionError, match="TestRider is a subclass of BasicMobileAgent"):
            make_field(cls=both)
    apart = type("Apart", (field,), {"agent_subclasses": ["TestRider", "BasicPlanner"]})
    assert make_field(cls=apart).n_agents == 3


def test_b_10_required_entities(field, make_field):
    methods = {name: lambda self: {} for name in REQUIRED}
    declared = {"name": "test-base/needs-nothing", "agent_subclasses": ["BasicMobileAgent"]}
    undeclared = type("Undeclared", (BaseEnvironment,), {**methods, **declared})
    with pytest.raises(AssertionError, match="required_entities"):
        make_field(cls=undeclared)
    assert make_field(cls=type("Bare", (undeclared,), {"required_entities": []})).landmarks == []


def test_b_11_kinds_of_entities(field, make_field):
    @foundation.endogenous.add
    class Fatigue(Endogenous):
        name = "TestFatigue"

    kinds = type("Kinds", (field,), {"required_entities": ["Wood", "Water", "TestFatigue"]})
    env = make_field(cls=kinds)
    assert env.resources == ["Coin", "Wood"]
    assert env.landmarks == ["Water"]
    assert env.endogenous == ["Labor", "TestFatigue"]
    assert env.get_agent(0).endogenous == {"Labor": 0, "TestFatigue": 0}


def test_b_11_unknown_entity(field, make_field):
    unknown = type("Unknown", (field,), {"required_entities": ["Wod"]})
    with pytest.raises(KeyError, match=r"`Wod`.*Did you mean `Wood`"):
        make_field(cls=unknown)


def test_b_12_coin_and_labor(make_field):
    env = make_field()
    assert env.resources == ["Coin"]
    assert env.endogenous == ["Labor"]
    assert env.landmarks == []
