"""Every matrix game against recorded games: observations, rewards, infos, states and labels."""

import numpy as np
import pytest
from matrix.games import CLASSES, IDS, as_json, bits, load, play, recordings, without_mask

import ecumene

GOLDEN = recordings()


@pytest.fixture(params=GOLDEN, ids=lambda path: path.stem)
def recorded(request):
    return load(request.param)


def test_the_recordings_are_there():
    assert len(GOLDEN) == 16
    assert {path.name.split("_")[0] for path in GOLDEN} == set(CLASSES)


@pytest.mark.parametrize("flat", [True, False])
def test_recorded_games_are_reproduced_exactly(recorded, flat):
    env = CLASSES[recorded["env"]](**recorded["params"], flatten_observations=flat)
    shape = tuple(recorded["obs_shape_flat" if flat else "obs_shape_grid"])
    observations, infos = env.reset(seed=0)
    assert_seen(env, observations, infos, recorded["reset"], shape)
    for step in recorded["steps"]:
        observations, rewards, terminations, truncations, infos = play(env, *step["actions"])
        assert_seen(env, observations, infos, step, shape)
        assert all(
            list(each) == recorded["agents"] for each in (rewards, terminations, truncations)
        )
        assert list(rewards.values()) == step["rewards"]
        assert list(terminations.values()) == step["terminations"]
        assert list(truncations.values()) == step["truncations"]
    if recorded["case"] == "default":
        assert len(recorded["steps"]) == 200
        assert env.agents == []


def assert_seen(env, observations, infos, expected, shape):
    for seen in (*observations.values(), env.state()):
        assert (seen.shape, seen.dtype) == (shape, np.uint8)
        assert bits(seen) == expected["obs"]
    told = expected.get("infos") or dict.fromkeys(env.possible_agents, expected.get("infos_each"))
    assert as_json(without_mask(infos)) == told
    assert as_json([*env.get_state()[:-1], None]) == expected["state"]
    labels = {name: sorted(held) for name, held in env.labels().items()}
    assert labels == dict.fromkeys(env.possible_agents, expected["labels"])
    held = env.label_fn(observations["player_0"])
    assert sorted(held) == expected["labels"]
    assert env.cost_fn(held) == expected["cost"]


def test_recorded_names(recorded):
    env = CLASSES[recorded["env"]](**recorded["params"])
    assert env.possible_agents == recorded["agents"]
    assert env.channel_names() == recorded["channel_names"]
    assert env.n_obs_types == recorded["n_obs_types"]
    assert env.num_cells() == recorded["num_cells"]
    ids = [*range(len(recorded["action_names"]) - 1), 99]
    assert [env.action_names(i) for i in ids] == recorded["action_names"]
    assert env.n_agents == len(recorded["agents"])


def test_a_batch_does_what_the_recording_does(recorded):
    vec = ecumene.make_vec(
        IDS[recorded["env"]], 3, num_threads=1, labels=True, **recorded["params"]
    )
    vec.reset(seed=0)
    players = len(recorded["agents"])
    propositions = np.array(vec.propositions)
    for t, step in enumerate(recorded["steps"]):
        others = [[t % 2] * players, [(t + i) % 2 for i in range(players)]]
        actions = np.array([others[0], step["actions"], others[1]])
        observations, rewards, _, truncations, infos = vec.step({"players": actions})
        assert rewards["players"].dtype == np.float64
        assert rewards["players"][1].tolist() == step["rewards"]
        assert truncations["players"][1].tolist() == step["truncations"]
        assert bits(observations["players"][1, players - 1]) == step["obs"]
        told = infos["players"]
        assert sorted(propositions[told["labels"][1, 1]]) == step["labels"]
        assert told["cost"][1].tolist() == [step["cost"]] * players
        assert_arrays_tell_the_infos(told, step, players)
    assert vec.metrics([1])["total_reward/player_0"] == step["state"][-2][0]


def assert_arrays_tell_the_infos(told, step, players):
    for i in range(players):
        infos = step["infos_each"] if "infos_each" in step else step["infos"][f"player_{i}"]
        for name, value in infos.items():
            if name in told:
                assert told[name][1, i].tolist() == value, name
