"""Certificates against the counts of an independent script, and what they promise."""

import json
from pathlib import Path

import numpy as np
import pytest
from wrappers.worlds import WORLDS, make, random_actions

from ecumene.gridworlds import Pursuit
from ecumene.wrappers import LabelledEnv, ShieldedEnv

GOLDEN = Path(__file__).parent / "golden" / "Pursuit_shield_levels.json"
CASES = json.loads(GOLDEN.read_text())["cases"]


@pytest.mark.parametrize("case", CASES)
def test_g2_levels_of_pursuit(case):
    world = Pursuit(layout=case["layout"], num_agents=case["num_agents"])
    env = ShieldedEnv(LabelledEnv.for_world(world), controlled=case["controlled"])
    env.reset(seed=0)
    found = env.certify()
    assert found.complete
    assert found.states == case["states"]
    assert list(found.winning_by_level) == case["winning_states_by_level"]
    assert found.fixpoint_level == case["fixpoint_level"]
    assert len(found.doomed) == found.states - found.winning_by_level[-1]


def test_g2_from_winning_states_the_fixpoint_level_is_safe_for_ever():
    case = CASES[4]  # three agents, and all states doomed at level 7; so the one before it:
    world = Pursuit(layout="...G/.##./....", max_moves=300)
    env = ShieldedEnv(
        LabelledEnv.for_world(world), controlled=["player_1"], floor=1, max_level=1, raise_on=()
    )
    env.reset(seed=1)
    found = env.certify()
    assert (found.fixpoint_level, found.present_is_winning) == (1, True)
    generator = np.random.default_rng(0)
    while env.agents:
        _, _, _, _, infos = env.step(random_actions(env, generator))
        assert infos["player_0"]["safe"]
    assert env.episode.violations == 0
    assert case["winning_states_by_level"][-1] == 0


def test_g2_doomed_states_are_doomed():
    case = CASES[3]
    world = Pursuit(layout=case["layout"])
    env = ShieldedEnv(LabelledEnv.for_world(world), controlled=["player_1"], floor=3, raise_on=())
    env.reset(seed=0)
    doomed = env.certify().doomed
    assert len(doomed) == 240
    # Level 3 lets nothing through in the 240 - 216 states that cannot be saved for three steps.
    stuck = 0
    for snapshot in doomed:
        env.restore(snapshot)
        # Their answers are not ours to choose: one of ours has to do against all.
        stuck += not env.allowed_joint_actions().all(axis=0).any()
    assert stuck == 240 - 216


def test_states_that_end_the_game_safely_need_no_saving():
    world = Pursuit(layout="G.", start_positions=[(0, 0), (0, 1)], terminate_on_goal=True)
    env = ShieldedEnv(LabelledEnv.for_world(world), controlled=["player_1"])
    with pytest.raises(RuntimeError, match="reset"):
        env.certify()
    env.reset(seed=0)
    found = env.certify()
    # Every safe step leaves one of the two in the goal, and so ends the game.
    assert (found.states, found.winning_by_level) == (1, (0,))
    env.step({"player_0": 4, "player_1": 4})
    assert env.agents == []
    for ask in (env.certify, env.allowed_joint_actions):
        with pytest.raises(RuntimeError, match="reset"):
            ask()


def test_too_many_states_are_given_up():
    env = ShieldedEnv(LabelledEnv.for_world(Pursuit()), controlled=["player_1"])
    env.reset(seed=0)
    found = env.certify(max_states=50)
    assert not found.complete
    assert found.states > 50
    assert found.fixpoint_level is None


@pytest.mark.parametrize("name", [name for name in WORLDS if name != "MarkovStagHunt"])
def test_g2_with_all_agents_under_control_one_level_is_enough(name):
    parameters = {"slip_prob": 0.0} if name == "IceDuel" else {}
    env = ShieldedEnv(LabelledEnv.for_world(make(name, **parameters)), max_level=1)
    env.reset(seed=0)
    found = env.certify()
    assert found.complete
    assert found.fixpoint_level == 1
    assert found.winning_by_level == (found.states,)
    assert found.doomed == []


def test_chance_that_slips_is_told_apart_from_chance_that_is_not_listed():
    duel = ShieldedEnv(LabelledEnv.for_world(make("IceDuel")), max_level=1)
    duel.reset(seed=0)
    found = duel.certify()
    assert found.complete
    assert found.winning_by_level[-1] == found.states  # standing still is always safe
    hunt = ShieldedEnv(LabelledEnv.for_world(make("MarkovStagHunt")), max_level=1)
    hunt.reset(seed=0)
    with pytest.raises(ValueError, match="no certificate"):
        hunt.certify()
