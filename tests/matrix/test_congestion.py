"""Congestion: every split of the players over three routes."""

import itertools

import numpy as np
import pytest
from matrix.games import CLASSES, bits, play

import ecumene

CongestionMatrix = CLASSES["CongestionMatrix"]


def route_costs(actions, env):
    """Return what each player pays, said plainly."""
    costs = []
    for action in actions:
        users = actions.count(action)
        if action == 2:
            costs.append(env.detour_cost)
            continue
        base, slope = ((env.base_A, env.slope_A), (env.base_B, env.slope_B))[action]
        penalty = env.jam_penalty if users >= env.jam_threshold else 0.0
        costs.append(base + slope * users + penalty)
    return costs


@pytest.mark.parametrize(
    "parameters",
    [
        {"num_agents": 3, "jam_threshold": 2},
        {
            "num_agents": 4, "base_A": 0.5, "base_B": 2, "slope_A": 0.25, "slope_B": 3,
            "detour_cost": 1.5, "jam_threshold": 3, "jam_penalty": 7,
        },
    ],
)  # fmt: skip
def test_c46_l_96_l_97_l_98_l_99_l_100_every_joint_action(parameters):
    env = CongestionMatrix(max_moves=100, **parameters)
    env.reset()
    for actions in itertools.product((0, 1, 2), repeat=parameters["num_agents"]):
        _, rewards, _, _, infos = play(env, *actions)
        assert [-paid for paid in rewards.values()] == route_costs(list(actions), env)
        loads = actions.count(0), actions.count(1)
        info = infos["player_1"]
        assert info["loads"] == loads
        assert info["jam"] is (max(loads) >= env.jam_threshold)
        assert info["last_actions"] == actions
        assert info["costs"] == (
            env.base_A + env.slope_A * loads[0],
            env.base_B + env.slope_B * loads[1],
            env.detour_cost,
        )
        if env.num_moves == 99:
            env.reset()


def test_l_93_l_94_l_104_l_105_defaults():
    env = CongestionMatrix()
    assert env.n_agents == 6
    assert env.action_space("player_5").n == 3
    assert [env.action_names(i) for i in range(3)] == ["road_a", "road_b", "detour"]
    assert (env.base_A, env.base_B, env.slope_A, env.slope_B) == (1.0, 1.0, 1.0, 1.0)
    assert (env.detour_cost, env.jam_threshold, env.jam_penalty) == (6.0, 5, 5.0)
    assert type(env.jam_threshold) is int
    assert env.n_obs_types == 33
    assert env.num_cells() == 1


def test_l_95_after_a_reset_both_roads_are_empty():
    env = CongestionMatrix()
    observations, _ = env.reset()
    shown = [env.channel_names()[i] for i in np.flatnonzero(observations["player_3"])]
    assert shown == ["loadA_0", "loadB_0"]


def test_l_99_five_on_a_pay_the_penalty_and_one_on_b_does_not():
    env = CongestionMatrix()
    env.reset()
    _, rewards, _, _, _ = play(env, 0, 0, 0, 0, 0, 1)
    assert list(rewards.values()) == [-(1.0 + 5.0 + 5.0)] * 5 + [-2.0]


@pytest.mark.parametrize(("users", "jam"), [(4, False), (5, True), (6, True)])
@pytest.mark.parametrize("road", [0, 1])
def test_l_100_jam_from_the_threshold_on(users, jam, road):
    env = CongestionMatrix()
    env.reset()
    observations, *_ = play(env, *[road] * users, *[2] * (6 - users))
    assert bool(observations["player_0"][32]) is jam
    assert ("unsafe" in env.labels()["player_0"]) is jam


def test_l_101_l_102_l_103_channels():
    env = CongestionMatrix(num_agents=4)
    names = env.channel_names()
    assert names[3:6] == ["player_1_roadA", "player_1_roadB", "player_1_detour"]
    assert names[12:17] == [f"loadA_{n}" for n in range(5)]
    assert names[17:22] == [f"loadB_{n}" for n in range(5)]
    assert names[22:] == ["jam"]
    env.reset()
    observations, *_ = play(env, 0, 1, 2, 0)
    #  routes        load A  load B  jam
    assert bits(observations["player_2"]) == "100010001100" + "00100" + "01000" + "0"


def test_l_106_the_state_tuple():
    env = CongestionMatrix(num_agents=3)
    env.reset()
    assert env.get_state()[:6] == (
        ("player_0", "player_1", "player_2"), (None,) * 3, 0, 0, False, (0.0,) * 3,
    )  # fmt: skip
    play(env, 1, 1, 2)
    state = env.get_state()
    assert len(state) == 7
    assert state[1:5] == ((1, 1, 2), 0, 2, False)
    assert [type(item) for item in state[2:5]] == [int, int, bool]


@pytest.mark.parametrize(
    ("place", "value", "named"),
    [(2, 1, "loadA is 0"), (3, 1, "loadB is 2"), (3, 9, "loadB"), (4, True, "jam is False")],
)
def test_states_whose_loads_do_not_fit_the_moves_are_refused(place, value, named):
    env = CongestionMatrix(num_agents=3)
    env.reset()
    play(env, 1, 1, 2)
    state = list(env.get_state())
    state[place] = value
    with pytest.raises(ValueError, match=named):
        env.set_state(tuple(state))


def test_two_roads_are_the_game_without_the_detour():
    env = CongestionMatrix(num_agents=2, jam_threshold=2)
    env.reset()
    paid = {joint: play(env, *joint)[1] for joint in itertools.product((0, 1), repeat=2)}
    assert paid[0, 0]["player_0"] == -(1 + 2 + 5)
    assert paid[0, 1] == {"player_0": -2.0, "player_1": -2.0}


def test_the_arrays_of_a_batch_hold_the_loads():
    vec = ecumene.make_vec("matrix/congestion-v0", 2, num_threads=1)
    vec.reset(seed=0)
    *_, infos = vec.step({"players": np.array([[0, 0, 1, 2, 2, 0], [1] * 6])})
    assert infos["players"]["loads"][:, 4].tolist() == [[3, 1], [0, 6]]
    assert infos["players"]["jam"][:, 0].tolist() == [False, True]
