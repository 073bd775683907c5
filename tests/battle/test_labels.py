"""What labels say of the agents of a battle."""

import numpy as np
from battle.recordings import placed, placed_env
from battle.test_checklist import attack, duel, idle

import ecumene
from ecumene.battle.labelling import PROPOSITIONS


def test_what_happens_between_two_soldiers():
    env, _ = duel(red=((5, 5), (2, 2)), blue=((6, 5), (9, 9)))
    assert env.labels() == {
        "red_0": {"next_to_enemy"}, "red_1": set(), "blue_0": {"next_to_enemy"}, "blue_1": set()
    }  # fmt: skip
    env.step({**idle(env), "red_0": attack(env, 1, 0)})
    assert env.labels()["red_0"] == {"attacked", "next_to_enemy"}
    assert env.labels()["blue_0"] == {"hit", "next_to_enemy"}
    env.simulation.state.hp[0, 2] = 1
    env.step({**idle(env), "red_0": attack(env, 1, 0)})
    assert env.labels() == {
        "red_0": {"attacked", "killed"},
        "red_1": set(),
        "blue_0": {"hit", "dead", "wounded", "unsafe"},
        "blue_1": set(),
    }
    env.step(idle(env))
    assert env.labels() == {"red_0": set(), "red_1": set(), "blue_1": set()}


def test_bumping_and_wounds():
    env, _ = duel(red=((5, 5),), blue=((6, 5),))
    right = env.simulation.spec.groups[0].action_names.index("move_1_0")
    env.simulation.state.hp[0, 0] = 4
    env.step({**idle(env), "red_0": right})
    assert env.labels()["red_0"] == {"collided", "next_to_enemy", "wounded"}


def test_friendly_fire_is_unsafe_in_combined_arms():
    start = {"redmelee": [(3, 3)], "redranged": [(4, 3)], "bluemelee": [(9, 9)], "blueranged": []}
    env = placed_env("combined_arms_v6", start, parameters={"map_size": 16})
    hit = env.simulation.spec.groups[0].action_names.index("attack_1_0")
    env.step({**idle(env), "redmelee_0": hit})
    assert env.labels()["redmelee_0"] == {"attacked", "attacked_friend", "unsafe"}
    assert env.labels()["redranged_0"] == {"hit", "wounded"}


def test_tags_are_unsafe_for_prey_and_hunger_shows():
    env = placed_env("adversarial_pursuit_v4", {"predator": [(4, 4)], "prey": [(6, 4)]})
    tag = env.simulation.spec.groups[0].action_names.index("attack_1_-1")
    env.step({**idle(env), "predator_0": tag})
    assert env.labels() == {
        "predator_0": {"attacked", "next_to_enemy"}, "prey_0": {"hit", "next_to_enemy", "unsafe"}
    }  # fmt: skip
    env = placed_env("tiger_deer_v4", {"deer": [(9, 9)], "tiger": [(4, 4)]})
    env.simulation.state.hp[0, 1] = 4.9
    env.step(idle(env))
    assert env.labels()["tiger_0"] == {"wounded", "hungry"}


def test_costs_are_the_unsafe_in_batches():
    simulation = placed(
        "adversarial_pursuit_v4", {"predator": [(4, 4)], "prey": [(6, 4)]}, copies=3
    )
    simulation.reset(seed=0)
    actions = {"predator": np.array([[2], [8], [2]]), "prey": np.full((3, 1), 4)}
    names = simulation.spec.groups[0].action_names
    actions["predator"][1] = names.index("attack_1_-1")
    simulation.step(actions)
    assert simulation.costs()["prey"].tolist() == [[0], [1], [0]]
    assert simulation.costs()["predator"].tolist() == [[0], [0], [0]]


def test_every_world_names_its_propositions():
    env = ecumene.make("battle/battle-v0", labels=True)
    _, infos = env.reset(seed=0)
    assert env.propositions == PROPOSITIONS
    assert infos["red_0"]["cost"] == 0.0
