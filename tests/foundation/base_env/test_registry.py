"""`Registry`, and the six registries of the economy."""

import pytest

from ecumene import foundation
from ecumene.foundation.base.registrar import Registry


class Animal:
    name = ""


class Cat(Animal):
    name = "Cat"


@pytest.fixture
def registry():
    animals = Registry(Animal)
    animals.add(Cat)
    return animals


def test_add_returns_the_class(registry):
    @registry.add
    class Dog(Animal):
        name = "Dog"

    assert isinstance(Dog, type)
    assert registry.get("Dog") is Dog


@pytest.mark.parametrize("name", ["Cat", "cat", "CAT", "cAt"])
def test_look_ups_ignore_case(registry, name):
    assert registry.get(name) is Cat
    assert registry.has(name) is True


@pytest.mark.parametrize("name", ["Dog", "", "Cat ", None, 3, Cat])
def test_unknown_names(registry, name):
    assert registry.has(name) is False
    with pytest.raises(KeyError, match=r"no animal .*Known: `Cat`\."):
        registry.get(name)


def test_a_near_match_is_suggested(registry):
    with pytest.raises(KeyError) as caught:
        registry.get("Cta")
    assert str(caught.value) == "no animal `Cta`. Did you mean `Cat`? Known: `Cat`."


def test_entries(registry):
    for name in ("zebra", "Ape", "ant"):
        registry.add(type(name, (Animal,), {"name": name}))
    assert registry.entries == sorted(["Cat", "zebra", "Ape", "ant"])
    assert Registry().entries == []


def test_no_dots(registry):
    with pytest.raises(AssertionError, match=r"`Big.Cat` contains a dot"):
        registry.add(type("Big", (Animal,), {"name": "Big.Cat"}))


@pytest.mark.parametrize("name", ["", None, 4])
def test_a_name_is_needed(registry, name):
    with pytest.raises(AssertionError, match="`name`"):
        registry.add(type("Nameless", (Animal,), {"name": name}))


def test_subclasses_only(registry):
    with pytest.raises(AssertionError, match=r"`Stone` is not a subclass of Animal"):
        registry.add(type("Stone", (), {"name": "Stone"}))
    anything = Registry()
    anything.add(type("Stone", (), {"name": "Stone"}))
    assert anything.entries == ["Stone"]


@pytest.mark.parametrize("name", ["Cat", "cat", "CAT"])
def test_a_different_class_under_a_taken_name(registry, name):
    other = type("Other", (Animal,), {"name": name})
    with pytest.raises(ValueError, match=rf"`{name}` is taken by .*Cat.*override=True"):
        registry.add(other)
    assert registry.get("Cat") is Cat
    assert registry.add(other, override=True) is other
    assert registry.get("Cat") is other
    assert registry.entries == [name]


def test_override_as_a_decorator(registry):
    @registry.add(override=True)
    class Tomcat(Animal):
        name = "cat"

    assert registry.get("Cat") is Tomcat


def test_the_same_class_again(registry):
    assert registry.add(Cat) is Cat
    assert registry.entries == ["Cat"]


def test_the_same_definition_again(registry):
    def define():
        @registry.add
        class Horse(Animal):
            name = "Horse"

        return Horse

    first, second = define(), define()
    assert first is not second
    assert registry.get("Horse") is second


def test_of_the_economy(field):
    class Gather(foundation.components.get("Build")):
        name = "Gather"

    kept = foundation.components.get("Gather")
    with pytest.raises(ValueError, match=r"ecumene\.foundation\.components\.gather\.Gather"):
        foundation.components.add(Gather)
    Gather.name = "gather"
    with pytest.raises(ValueError, match="`gather` is taken"):
        foundation.components.add(Gather)
    assert foundation.components.get("gather") is kept
    assert foundation.components.add(kept) is kept


@pytest.mark.parametrize(
    ("registry", "names"),
    [
        (foundation.components, {"Build", "Gather"}),
        (foundation.agents, {"BasicMobileAgent", "BasicPlanner"}),
        (foundation.resources, {"Coin", "Stone", "Wood"}),
        (foundation.landmarks, {"House", "StoneSourceBlock", "Water", "WoodSourceBlock"}),
        (foundation.endogenous, {"Labor"}),
    ],
    ids=["components", "agents", "resources", "landmarks", "endogenous"],
)
def test_registered_names(registry, names):
    assert isinstance(registry, Registry)
    assert names <= set(registry.entries)
    assert all(registry.get(name).name == name for name in names)
    assert not any(registry.has(name + "x") for name in names)
    with pytest.raises(KeyError, match="Did you mean"):
        registry.get(min(names) + "x")


def test_they_hold_subclasses_only():
    for registry in (
        foundation.scenarios,
        foundation.components,
        foundation.agents,
        foundation.resources,
        foundation.landmarks,
        foundation.endogenous,
    ):
        with pytest.raises(AssertionError, match="is not a subclass of"):
            registry.add(type("Odd", (), {"name": "TestOdd"}))
