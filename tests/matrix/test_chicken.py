"""Chicken against recorded games, its payoff table and its documented state."""

import json
from pathlib import Path

import numpy as np
import pytest

import ecumene
from ecumene.engine import InvalidAction, InvalidParameter
from ecumene.matrix import ChickenMatrix

GOLDEN = sorted((Path(__file__).parent / "golden").glob("ChickenMatrix_*.json"))
PLAYERS = ["player_0", "player_1"]


def play(env, first, second):
    return env.step({"player_0": first, "player_1": second})


def without_mask(infos):
    return {
        name: {key: value for key, value in info.items() if key != "action_mask"}
        for name, info in infos.items()
    }


def bits(observation):
    return "".join(map(str, observation.ravel()))


def as_json(value):
    """Return a value as it comes back from a JSON file: tuples become lists."""
    return json.loads(json.dumps(value))


@pytest.fixture(params=GOLDEN, ids=lambda path: path.stem)
def recorded(request):
    return json.loads(request.param.read_text())


def test_the_recordings_are_there():
    assert len(GOLDEN) == 3


@pytest.mark.parametrize("flat", [True, False])
def test_recorded_games_are_reproduced_exactly(recorded, flat):
    env = ChickenMatrix(**recorded["params"], flatten_observations=flat)
    shape = tuple(recorded["obs_shape_flat" if flat else "obs_shape_grid"])
    observations, infos = env.reset(seed=0)
    assert_seen(env, observations, infos, recorded["reset"], shape)
    for step in recorded["steps"]:
        observations, rewards, terminations, truncations, infos = play(env, *step["actions"])
        assert_seen(env, observations, infos, step, shape)
        assert list(rewards) == list(terminations) == list(truncations) == PLAYERS
        assert list(rewards.values()) == step["rewards"]
        assert list(terminations.values()) == step["terminations"]
        assert list(truncations.values()) == step["truncations"]
    assert env.agents == []


def assert_seen(env, observations, infos, expected, shape):
    for seen in (*observations.values(), env.state()):
        assert (seen.shape, seen.dtype) == (shape, np.uint8)
        assert bits(seen) == expected["obs"]
    assert as_json(without_mask(infos)) == expected["infos"]
    assert as_json([*env.get_state()[:4], None]) == expected["state"]


def test_recorded_names(recorded):
    env = ChickenMatrix(**recorded["params"])
    assert env.possible_agents == recorded["agents"]
    assert env.channel_names() == recorded["channel_names"]
    assert env.n_obs_types == recorded["n_obs_types"]
    assert env.num_cells() == recorded["num_cells"]
    assert [env.action_names(i) for i in (0, 1, 99)] == recorded["action_names"]
    assert env.n_agents == 2


def test_a_batch_pays_what_the_recording_pays(recorded):
    vec = ecumene.make_vec("matrix/chicken-v0", 3, num_threads=1, **recorded["params"])
    vec.reset(seed=0)
    for step in recorded["steps"]:
        actions = np.array([step["actions"], [0, 1], [1, 1]])
        observations, rewards, _, truncations, infos = vec.step({"players": actions})
        assert rewards["players"].dtype == np.float64
        assert rewards["players"][0].tolist() == step["rewards"]
        assert truncations["players"][0].tolist() == step["truncations"]
        assert bits(observations["players"][0, 1]) == step["obs"]
        assert infos["players"]["last_actions"][0].tolist() == [
            step["infos"][name]["last_actions"] for name in PLAYERS
        ]
        assert infos["players"]["crash"][2].tolist() == [True, True]
    assert vec.metrics([0])["total_reward/player_0"] == step["state"][3][0]


@pytest.mark.parametrize(
    ("first", "second", "rewards", "seen", "outcome"),
    [
        (1, 0, (3.0, 1.0), "01100", "Straight-Swerve"),
        (0, 1, (1.0, 3.0), "10010", "Swerve-Straight"),
        (0, 0, (2.0, 2.0), "10100", "Swerve-Swerve"),
        (1, 1, (0.0, 0.0), "01011", "Straight-Straight"),
    ],
)
def test_c46_the_stage_game(first, second, rewards, seen, outcome):
    env = ChickenMatrix()
    observations, _ = env.reset()
    assert bits(observations["player_0"]) == "00000"
    observations, paid, _, _, infos = play(env, first, second)
    assert tuple(paid.values()) == rewards
    assert bits(observations["player_1"]) == seen
    assert infos["player_0"]["outcome"] == infos["player_1"]["outcome"] == outcome
    assert infos["player_0"]["last_actions"] == (first, second)
    assert infos["player_1"]["last_actions"] == (second, first)
    assert infos["player_0"]["crash"] is (outcome == "Straight-Straight")


def test_parameters_are_attributes():
    env = ChickenMatrix(T=5, R=1, S=-1, P=-9, max_moves=3, flatten_observations=False)
    assert (env.T, env.R, env.S, env.P) == (5.0, 1.0, -1.0, -9.0)
    assert all(type(payoff) is float for payoff in (env.T, env.R, env.S, env.P))
    assert (env.max_moves, env.flatten_observations) == (3, False)
    assert env.state_space == env.observation_space("player_0")
    with pytest.raises(TypeError):
        ChickenMatrix(2)  # type: ignore[misc]


@pytest.mark.parametrize(
    "bad",
    [
        {"num_agents": 3},
        {"max_moves": 0},
        {"max_moves": 2.0},
        {"T": "3"},
        {"P": None},
        {"S": float("nan")},
        {"flatten_observations": 1},
        {"render_mode": "human"},
        {"seed": -1},
    ],
)
def test_bad_parameters_are_value_errors_that_name_them(bad):
    with pytest.raises(ValueError, match="seed" if "seed" in bad else next(iter(bad))):
        ChickenMatrix(**bad)


def test_bad_actions_are_value_errors():
    env = ChickenMatrix()
    env.reset()
    before = env.get_state()[:4]
    with pytest.raises(ValueError, match="player_1: action 2 is outside"):
        play(env, 0, 2)
    with pytest.raises(InvalidAction, match="no action for player_1"):
        env.step({"player_0": 0})
    assert env.get_state()[:4] == before
    assert env.num_moves == 0


def test_l80_the_state_tuple():
    env = ChickenMatrix()
    env.reset(seed=1)
    agents, last_actions, last_crash, cum_rewards, _ = env.get_state()
    assert agents == ("player_0", "player_1")
    assert last_actions == (None, None)
    assert last_crash is False
    assert cum_rewards == (0.0, 0.0)
    play(env, 1, 1)
    kept = env.get_state()
    assert kept[1:4] == ((1, 1), True, (0.0, 0.0))
    play(env, 1, 0)
    assert kept[1:4] == ((1, 1), True, (0.0, 0.0))  # later steps never change it


def test_l78_set_state_takes_it_back():
    env, other = ChickenMatrix(max_moves=9), ChickenMatrix(max_moves=9)
    env.reset(seed=1)
    play(env, 0, 1)
    kept = env.get_state()
    other.set_state(kept)  # before any reset
    assert other.agents == PLAYERS
    assert bits(other.state()) == bits(env.state()) == "10010"
    assert same_tuple(other.get_state(), kept)
    assert other.num_moves == 0  # the clock is not in it
    env.set_state(kept)
    assert env.num_moves == 1
    assert same_tuple(env.get_state(), kept)
    assert play(env, 1, 1)[1] == play(other, 1, 1)[1]
    assert env.get_state()[1:4] == other.get_state()[1:4]


def same_tuple(one, other):
    return one[:4] == other[:4] and all(map(np.array_equal, one[4], other[4]))


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


def test_l79_the_random_state_is_numpys():
    env, other = ChickenMatrix(), ChickenMatrix()
    env.reset(seed=4)
    other.reset(seed=4)
    state = env.get_state()[4]
    np.random.RandomState(0).set_state(state)
    assert all(map(np.array_equal, state, other.get_rng_state()))
    env.reset()  # no seed: the stream goes on
    assert all(map(np.array_equal, state, env.get_rng_state()))
    env.reset(seed=5)
    assert not np.array_equal(state[1], env.get_rng_state()[1])
    env.reseed(4)
    assert all(map(np.array_equal, state, env.get_rng_state()))


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


def test_the_seed_of_the_constructor_serves_the_first_reset():
    env, other = ChickenMatrix(seed=9), ChickenMatrix()
    env.reset()
    other.reset(seed=9)
    assert env.state_hash() == other.state_hash()


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
