"""Bertrand, Chicken and Inspection: payoffs, channels and flags of all joint actions."""

import itertools

import pytest
from matrix.games import CLASSES, bits, play

PAYOFFS = {
    "BertrandMatrix": {
        (0, 0): (5.0, 5.0), (0, 1): (0.0, 8.0), (1, 0): (8.0, 0.0), (1, 1): (0.0, 0.0),
    },
    "ChickenMatrix": {
        (0, 0): (2.0, 2.0), (0, 1): (1.0, 3.0), (1, 0): (3.0, 1.0), (1, 1): (0.0, 0.0),
    },
    "InspectionMatrix": {
        (0, 0): (0.0, 0.0), (0, 1): (-4.0, 5.0), (1, 0): (-2.0, 0.0), (1, 1): (1.0, -10.0),
    },
}  # fmt: skip
# The joint action of the flag; its name in infos, and of its channel.
FLAGS = {
    "BertrandMatrix": ((1, 1), "war", "price_war"),
    "ChickenMatrix": ((1, 1), "crash", "crash"),
    "InspectionMatrix": ((0, 1), "undetected", "undetected_violation"),
}
JOINT = list(itertools.product((0, 1), repeat=2))


def seen_after(name, joint):
    """Return the channels as text: both moves one-hot, then the flag."""
    moves = "".join("10" if move == 0 else "01" for move in joint)
    return moves + ("1" if joint == FLAGS[name][0] else "0")


@pytest.mark.parametrize("name", PAYOFFS)
@pytest.mark.parametrize("joint", JOINT)
def test_c46_l_82_l_83_l_88_l_89_l_120_l_121_l_122_l_123_the_stage_game(name, joint):
    env = CLASSES[name](max_moves=2)
    observations, infos = env.reset()
    assert bits(observations["player_0"]) == "00000"
    assert infos["player_1"]["last_actions"] is None
    observations, rewards, _, truncations, infos = play(env, *joint)
    assert tuple(rewards.values()) == PAYOFFS[name][joint]
    assert set(truncations.values()) == {False}
    assert bits(observations["player_1"]) == seen_after(name, joint)
    assert infos["player_0"]["last_actions"] == joint
    assert infos["player_1"]["last_actions"] == joint[::-1]
    at, info, channel = FLAGS[name]
    assert infos["player_0"][info] is (joint == at)
    assert env.channel_names()[4] == channel
    assert env.get_state()[2] is (joint == at)
    assert set(play(env, *joint)[3].values()) == {True}


def test_l_84_l_85_l_86_l_87_bertrand():
    env = CLASSES["BertrandMatrix"]()
    assert (env.T, env.R, env.S, env.P) == (8.0, 5.0, 0.0, 0.0)
    assert [env.action_names(i) for i in (0, 1)] == ["high", "low"]
    assert env.channel_names() == [
        "player_0_high", "player_0_low", "player_1_high", "player_1_low", "price_war",
    ]  # fmt: skip
    env.reset()
    _, _, _, _, infos = play(env, 0, 1)
    assert infos["player_1"]["outcome"] == "High-Low"


def test_l_90_l_91_l_92_chicken():
    env = CLASSES["ChickenMatrix"]()
    assert (env.T, env.R, env.S, env.P) == (3.0, 2.0, 1.0, 0.0)
    assert [env.action_names(i) for i in (0, 1)] == ["swerve", "straight"]
    assert env.channel_names() == [
        "player_0_swerve", "player_0_straight", "player_1_swerve", "player_1_straight", "crash",
    ]  # fmt: skip


def test_l_118_l_119_l_124_l_125_l_126_inspection():
    env = CLASSES["InspectionMatrix"]()
    assert (env.b, env.f, env.c, env.h, env.v) == (5.0, 10.0, 2.0, 4.0, 3.0)
    assert [env.action_names(i) for i in (0, 1)] == ["not_inspect_or_comply", "inspect_or_violate"]
    assert env.channel_names() == [
        "inspector_notinspect", "inspector_inspect", "inspectee_comply", "inspectee_violate",
        "undetected_violation",
    ]  # fmt: skip
    env.reset()
    for joint in JOINT:
        play(env, *joint)
        assert env.get_state()[2] is (joint == (0, 1))


@pytest.mark.parametrize("name", ["BertrandMatrix", "ChickenMatrix"])
def test_payoffs_can_be_chosen(name):
    env = CLASSES[name](T=11, R=12, S=13, P=14)
    env.reset()
    paid = [tuple(play(env, *joint)[1].values()) for joint in JOINT]
    assert paid == [(12.0, 12.0), (13.0, 11.0), (11.0, 13.0), (14.0, 14.0)]


def test_the_payoffs_of_inspection_can_be_chosen():
    env = CLASSES["InspectionMatrix"](b=1, f=2, c=4, h=8, v=16)
    env.reset()
    paid = [tuple(play(env, *joint)[1].values()) for joint in JOINT]
    assert paid == [(0.0, 0.0), (-8.0, 1.0), (-4.0, 0.0), (12.0, -2.0)]
