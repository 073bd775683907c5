"""Labels of an economy: what happened in the step, and who is worn out."""

import numpy as np
import pytest

import ecumene

WORLD = "foundation/uniform-v0"
SMALL = {"n_agents": 2, "world_size": [6, 6], "episode_length": 30}


def make(**parameters):
    return ecumene.make(WORLD, labels=True, **{**SMALL, **parameters})


def sample(env, infos, generator):
    actions = {}
    for name in env.agents:
        masks = infos[name]["action_mask"]
        parts = masks if isinstance(masks, tuple) else (masks,)
        drawn = [int(generator.choice(np.flatnonzero(part))) for part in parts]
        actions[name] = drawn if isinstance(masks, tuple) else drawn[0]
    return actions


def test_labels_follow_from_what_agents_own_and_did():
    env = make(overworked_above=12.0, broke_below=5.0)
    simulation = env.simulation
    world = simulation.world
    assert env.propositions == (
        "collected_stone", "collected_wood", "built_house", "broke", "overworked", "unsafe",
    )  # fmt: skip
    coin, labor = world.entity("Coin"), world.felt("Labor")
    goods = {f"collected_{n.lower()}": world.entity(n) for n in ("Stone", "Wood")}
    houses = simulation.environment.get_component("Build").arrays.built
    generator = np.random.default_rng(2)
    _, infos = env.reset(seed=4)
    world.inventory[0, 0, [world.entity("Stone"), world.entity("Wood")]] = 9  # to build with
    seen = set()
    while env.agents:
        owned, built = world.inventory[0].copy(), houses[0].copy()
        infos = env.step(sample(env, infos, generator))[4]
        for i, name in enumerate(("0", "1")):
            labels = infos[name]["labels"]
            seen |= labels
            new_house = houses[0, i] > built[i]
            assert ("built_house" in labels) == new_house
            for label, column in goods.items():
                gained = world.inventory[0, i, column] - owned[i, column] + new_house
                assert (label in labels) == (gained > 0)
            assert ("broke" in labels) == (world.inventory[0, i, coin] < 5.0)
            worn = world.endogenous[0, i, labor] > 12.0
            assert ("overworked" in labels) == ("unsafe" in labels) == worn
            assert infos[name]["cost"] == float(worn)
        assert infos["p"]["labels"] == frozenset()
    assert seen == set(env.propositions)


def test_nothing_has_happened_after_a_reset():
    env = make()
    generator = np.random.default_rng(0)
    for _ in range(2):
        _, infos = env.reset(seed=0)
        assert infos["0"]["labels"] == {"broke"}  # nobody starts with coin
        for _ in range(8):
            infos = env.step(sample(env, infos, generator))[4]


def test_coin_in_escrow_counts():
    env = make(broke_below=3.0)
    env.reset(seed=0)
    world = env.simulation.world
    coin = world.entity("Coin")
    world.inventory[0, :2, coin] = [1.0, 1.0]
    world.escrow[0, :2, coin] = [2.0, 1.0]
    assert "broke" not in env.labels()["0"]
    assert "broke" in env.labels()["1"]


def test_only_what_an_economy_has_is_spoken_of():
    env = make(components=[("Gather", {})])
    assert env.propositions == (
        "collected_stone", "collected_wood", "broke", "overworked", "unsafe"
    )  # fmt: skip
    env = make(components=[("Build", {})])
    assert env.propositions == ("built_house", "broke", "overworked", "unsafe")


@pytest.mark.parametrize("name", ["broke_below", "overworked_above"])
def test_thresholds_are_numbers(name):
    with pytest.raises(ValueError, match=name):
        make(**{name: "much"})
    assert make(**{name: 2.5}).simulation.spec.parameters[name] == 2.5
