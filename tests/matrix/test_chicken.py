"""States, streams and snapshots, on Chicken: they are the same code in every matrix game."""

import numpy as np
import pytest
from matrix.games import play, same_tuple

import ecumene
from ecumene.engine import InvalidParameter
from ecumene.matrix import ChickenMatrix

PLAYERS = ["player_0", "player_1"]


def test_set_state_after_the_end():
    env = ChickenMatrix(max_moves=1)
    env.reset(seed=1)
    live = env.get_state()
    play(env, 0, 0)
    over = env.get_state()
    assert over[0] == ()
    env.set_state(live)
    assert env.agents == PLAYERS
    env.set_state(over)
    assert env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})


GOOD = (("player_0", "player_1"), (1, 0), False, (3.0, 1.0), None)


@pytest.mark.parametrize(
    ("place", "value", "named"),
    [
        (0, ("player_0",), "agents"),
        (0, ("player_1", "player_0"), "agents"),
        (0, "players", "agents"),
        (1, (1,), "last_actions"),
        (1, (1, 2), r"last_actions\[1\]"),
        (1, (None, 0), r"last_actions\[0\]"),
        (1, (1, 0.0), r"last_actions\[1\]"),
        (1, (1, 1), "last_crash is True"),
        (2, True, "last_crash is False"),
        (2, 0, "last_crash is True or False"),
        (3, (1.0,), "cum_rewards"),
        (3, (1.0, "2"), r"cum_rewards\[1\]"),
        (3, (float("nan"), 0.0), r"cum_rewards\[0\]"),
        (4, "random", "rng_state"),
        (4, ("MT19937", [1, 2], 3), "rng_state"),
    ],
)
def test_bad_states_are_refused_by_field_and_nothing_changes(place, value, named):
    env = ChickenMatrix()
    env.reset(seed=3)
    play(env, 0, 0)
    before = env.get_state(), env.state_hash()
    with pytest.raises(ValueError, match=named):
        env.set_state((*GOOD[:place], value, *GOOD[place + 1 :]))
    assert same_tuple(env.get_state(), before[0])
    assert env.state_hash() == before[1]


@pytest.mark.parametrize("state", [None, (), GOOD[:4], {"agents": ()}])
def test_states_of_another_length_are_refused(state):
    env = ChickenMatrix()
    with pytest.raises(InvalidParameter, match="agents, last_actions, last_crash"):
        env.set_state(state)


def test_a_given_random_state_is_kept_and_travels():
    env, other = ChickenMatrix(), ChickenMatrix()
    env.reset(seed=4)
    given = np.random.RandomState(77).get_state()
    env.set_rng_state(given)
    assert all(map(np.array_equal, given, env.get_rng_state()))
    other.restore(env.snapshot())
    env.reset(seed=4)
    assert all(map(np.array_equal, given, other.get_rng_state()))
    assert not np.array_equal(given[1], env.get_rng_state()[1])
    other.set_state(GOOD)  # None: the present one stays
    assert all(map(np.array_equal, given, other.get_rng_state()))
    with pytest.raises(InvalidParameter, match="rng_state"):
        other.set_rng_state(5)


def test_a_stepped_episode_that_has_ended_stands_still():
    simulation = ecumene.make_simulation("matrix/chicken-v0", 2, max_moves=1)
    simulation.reset(seed=0)
    actions = {"players": np.array([[1, 0], [0, 0]])}
    simulation.step(actions)
    before = simulation.state_hash(0), simulation.state_hash(1)
    simulation.step(actions)
    assert (simulation.state_hash(0), simulation.state_hash(1)) == before
    assert not simulation.out["players"].reward.any()
    assert not simulation.out["players"].truncated.any()


def test_the_named_class_is_the_registered_world(equal):
    env, made = ChickenMatrix(P=-5), ecumene.make("matrix/chicken-v0", P=-5)
    assert equal(env.reset(seed=3), made.reset(seed=3))
    assert equal(play(env, 1, 1), play(made, 1, 1))
    assert env.state_hash() == made.state_hash()
    assert env.metadata == made.metadata
    assert env.metrics() == {"total_reward/player_0": -5.0, "total_reward/player_1": -5.0}
