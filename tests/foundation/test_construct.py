"""Arguments that a component or scenario does not know, or lacks, are named."""

import pytest

import ecumene
from ecumene import foundation
from ecumene.engine import EcumeneError
from ecumene.foundation.base.base_component import BaseComponent, component_registry
from ecumene.foundation.base.construct import parameters_of
from ecumene.foundation.base.errors import Refused, UnfitArguments

UNIFORM = "uniform/simple_wood_and_stone"
GOOD = {"components": [("Gather", {})], "n_agents": 2, "world_size": [6, 7]}


@pytest.fixture
def register():
    """Return a function that registers a component for the length of a test."""
    before = dict(component_registry._classes)
    yield component_registry.add
    component_registry._classes.clear()
    component_registry._classes.update(before)


class Idle(BaseComponent):
    """Does nothing."""

    name = "Idle"
    agent_subclasses = ["BasicMobileAgent"]
    required_entities = []

    def get_n_actions(self, agent_cls_name):
        return None

    def get_additional_state_fields(self, agent_cls_name):
        return {}

    def component_step(self):
        pass

    def generate_observations(self):
        return {}


@pytest.fixture(params=["make_env_instance", "make_vec"])
def make(request):
    """Return each of the ways to make an economy with given components."""
    if request.param == "make_vec":
        return lambda *components: ecumene.make_vec(
            "foundation/uniform-v0", components=list(components)
        )
    return lambda *components: foundation.make_env_instance(
        UNIFORM, **{**GOOD, "components": list(components)}
    )


def test_an_unknown_argument_of_a_component_is_named(make):
    with pytest.raises(UnfitArguments) as raised:
        make(("Gather", {}), ("Build", {"paymnt": 3}))
    assert str(raised.value) == (
        "component `Build` has no parameter `paymnt`. Did you mean `payment`? "
        "Parameters: payment, payment_max_skill_multiplier, skill_dist, build_labor."
    )
    assert isinstance(raised.value, TypeError)
    assert isinstance(raised.value, ValueError)
    assert isinstance(raised.value, EcumeneError)


@pytest.mark.parametrize("name", ["world", "episode_length", "inventory_scale"])
def test_what_the_environment_hands_over_is_no_argument_of_a_component(make, name):
    with pytest.raises(UnfitArguments, match=f"component `Gather` has no parameter `{name}`"):
        make(("Gather", {name: 1}))


def test_a_refused_value_is_named_with_its_component(make):
    with pytest.raises(Refused, match="component `Gather`: move_labor .*-1"):
        make(("Build", {}), ("Gather", {"move_labor": -1}))


def test_a_component_may_take_whatever_it_likes(make, register):
    @register
    class Liberal(Idle):
        name = "Liberal"

        def __init__(self, world, episode_length, inventory_scale=1, **options):
            super().__init__(world, episode_length, inventory_scale)
            self.options = options

    make(("Liberal", {"whatever": 3}))


def test_a_missing_argument_of_a_component_is_named(make, register):
    @register
    class Needy(Idle):
        name = "Needy"

        def __init__(self, *args, wish, **kwargs):
            super().__init__(*args, **kwargs)

    make(("Needy", {"wish": 1}))
    with pytest.raises(UnfitArguments, match="component `Needy` needs the parameter `wish`"):
        make(("Needy", {}))
    with pytest.raises(UnfitArguments, match="`Needy` has no parameter `wsh`. Did you mean `wish`"):
        make(("Needy", {"wsh": 1}))


def test_a_component_without_parameters_says_so(make, register):
    register(Idle)
    with pytest.raises(UnfitArguments, match="`Idle` has no parameter `x`. It has none"):
        make(("Idle", {"x": 1}))


def test_a_type_error_inside_a_component_is_left_as_it_is(make, register):
    @register
    class Faulty(Idle):
        name = "Faulty"

        def __init__(self, *args, size=3, **kwargs):
            super().__init__(*args, **kwargs)
            self.half = size / "2"

    with pytest.raises(TypeError, match="unsupported operand") as raised:
        make(("Faulty", {"size": 4}))
    assert not isinstance(raised.value, EcumeneError)


def test_unknown_and_missing_arguments_of_a_scenario_are_named():
    with pytest.raises(UnfitArguments, match="scenario .* no parameter `n_agent`.*`n_agents`"):
        foundation.make_env_instance(UNIFORM, **GOOD, n_agent=3)
    with pytest.raises(
        UnfitArguments, match=f"scenario `{UNIFORM}` needs the parameter `n_agents`"
    ):
        foundation.make_env_instance(UNIFORM, components=[], world_size=[6, 7])
    with pytest.raises(UnfitArguments, match="`foundation/uniform-v0` has no parameter `n_agent`"):
        ecumene.make("foundation/uniform-v0", n_agent=3)


def test_parameters_of_base_classes_are_found():
    names = list(parameters_of(foundation.scenarios.get(UNIFORM)))
    assert {"starting_wood_coverage", "energy_cost", "n_agents", "seed"} <= set(names)
    assert not {"self", "base_env_args", "base_env_kwargs"} & set(names)
