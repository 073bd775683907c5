"""The scripted baselines."""

import numpy as np
import pytest
from battle.recordings import placed
from battle.test_properties import random_actions

import ecumene
from ecumene.battle import baselines
from ecumene.engine import InvalidParameter


def play(world, names, steps, **parameters):
    """Return the world after some steps, and the total reward of each group."""
    simulation = ecumene.make_simulation(world, 2, **parameters)
    simulation.reset(seed=0)
    total = dict.fromkeys(simulation.out, 0.0)
    generator = np.random.default_rng(0)
    for _ in range(steps):
        if names == "random":
            simulation.step(random_actions(simulation, generator))
        else:
            simulation.step(baselines.act(simulation, names))
        for name, output in simulation.out.items():
            total[name] += float(output.reward.sum())
    return simulation, total


def test_rush_fights_the_battle_to_its_end():
    for world in ("battle/battle-v0", "battle/battlefield-v0", "battle/combined-arms-v0"):
        simulation, total = play(world, "rush", 120)
        assert (simulation.state.over == 2).all()
        assert min(total.values()) > 0


def test_forage_eats_and_leaves_others_alone():
    world = "battle/gather-v0"
    simulation, total = play(world, "forage", 40, observations="none")
    assert simulation.metrics()["living/food"].max() < 2000
    assert (simulation.metrics()["living/omnivore"] == 495).all()
    assert total["omnivore"] > play(world, "random", 40, observations="none")[1]["omnivore"]


def test_flight_helps_prey():
    world = "battle/adversarial-pursuit-v0"
    chased = play(world, {"predator": "rush", "prey": "flee"}, 60)[1]
    standing = ecumene.make_simulation(world, 2)
    standing.reset(seed=0)
    lost = 0.0
    for _ in range(60):
        actions = baselines.rush(standing)
        actions["prey"][:] = standing.spec.groups[1].action_names.index("stay")
        standing.step(actions)
        lost += float(standing.out["prey"].reward.sum())
    assert chased["prey"] > lost


def test_tigers_live_longer_when_they_forage():
    simulation, _ = play("battle/tiger-deer-v0", {"tiger": "forage", "deer": "flee"}, 110)
    assert (simulation.metrics()["living/tiger"] > 0).all()


def test_rush_hits_the_weakest_and_goes_around_walls():
    walls = [(5, y) for y in range(1, 10)]
    simulation = placed(
        "battle_v4",
        {"red": [(4, 5)], "blue": [(6, 5), (8, 5)]},
        walls,
        parameters={"map_size": 12},
    )
    simulation.reset(seed=0)
    simulation.state.hp[0, 2] = 3
    for _ in range(9):
        simulation.step({**baselines.rush(simulation), "blue": np.full((1, 2), 6)})
    assert simulation.state.hp[0].tolist() != [10, 10, 3]
    simulation = placed(
        "battle_v4", {"red": [(5, 5)], "blue": [(4, 5), (6, 5)]}, parameters={"map_size": 12}
    )
    simulation.reset(seed=0)
    simulation.state.hp[0, 2] = 3
    names = simulation.spec.groups[0].action_names
    assert names[int(baselines.rush(simulation)["red"][0, 0])] == "attack_1_0"
    assert names[int(baselines.flee(simulation)["red"][0, 0])].startswith("move")


def test_names_are_checked():
    simulation = ecumene.make_simulation("battle/battle-v0", map_size=12)
    simulation.reset(seed=0)
    with pytest.raises(InvalidParameter, match="no baseline 'rus'. Did you mean `rush`"):
        baselines.act(simulation, "rus")
    with pytest.raises(InvalidParameter, match="names has the groups red, blue"):
        baselines.act(simulation, {"red": "rush"})
