"""The dynamic public goods game: its pot, level by level."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrix.games import CLASSES, bits, play

DPGGMatrix = CLASSES["DPGGMatrix"]


def plain_round(env, index, actions):
    """Return rewards and the next index, said plainly."""
    pot = index * env.pot_step
    payout = env.payout_rate * pot
    rewards = [payout / 2 - (env.contribution_cost if a == 0 else 0.0) for a in actions]
    rest = max(0.0, pot - payout) * (1 - env.decay)
    new = rest + (env.alpha * env.contribution_cost) * actions.count(0)
    new = min(max(new, 0.0), env.pot_cap)
    return rewards, min(max(math.floor(new / env.pot_step + 0.5), 0), env.pot_levels - 1)


@given(
    rate=st.floats(0, 1),
    decay=st.floats(0, 1),
    step=st.floats(0.1, 20),
    cap=st.floats(0, 300),
    cost=st.floats(-5, 20),
    alpha=st.floats(-1, 4),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=40)
def test_l_107_l_113_rounds_follow_the_plain_formula(rate, decay, step, cap, cost, alpha, seed):
    env = DPGGMatrix(
        payout_rate=rate, decay=decay, pot_step=step, pot_cap=cap, contribution_cost=cost,
        alpha=alpha, initial_pot=cap / 3,
    )  # fmt: skip
    env.reset()
    index = env._pot_idx
    generator = np.random.default_rng(seed)
    for _ in range(30):
        actions = generator.integers(0, 2, 2).tolist()
        expected, index = plain_round(env, index, actions)
        assert list(play(env, *actions)[1].values()) == expected
        assert env._pot_idx == index
        assert 0 <= index < env.pot_levels


def test_l_108_l_109_the_pot_is_a_multiple_of_its_step():
    env = DPGGMatrix(pot_step=2.5, initial_pot=6.0)
    _, infos = env.reset()
    assert type(env._pot_idx) is int
    assert (env._pot_idx, infos["player_0"]["pot"]) == (2, 5.0)  # 6 / 2.5 = 2.4
    _, _, _, _, infos = play(env, 0, 0)
    assert infos["player_1"]["pot"] == env._pot_idx * 2.5
    assert infos["player_1"]["pot_before"] == 5.0
    assert infos["player_1"]["payout"] == 0.3 * 5.0


def test_l_110_l_116_moves():
    env = DPGGMatrix()
    assert [env.action_names(i) for i in (0, 1)] == ["contribute", "withhold"]
    env.reset()
    observations, rewards, *_ = play(env, 0, 1)
    assert bits(observations["player_0"][:4]) == "1001"
    assert rewards == {"player_0": -10.0, "player_1": 0.0}


def test_l_111_l_112_every_level_is_shown_in_binary():
    env = DPGGMatrix()
    env.reset()
    state = env.get_state()
    for index in range(env.pot_levels):
        env.set_state((*state[:2], index, *state[3:]))
        seen = env.state()
        assert seen.dtype == np.uint8
        assert sum(int(bit) << i for i, bit in enumerate(seen[4:])) == index


def test_l_113_both_ends_of_the_pot():
    env = DPGGMatrix(pot_cap=20, payout_rate=1.0)
    env.reset()
    play(env, 0, 0)
    assert env._pot_idx == env.pot_levels - 1 == 20
    play(env, 1, 1)
    assert env._pot_idx == 0


def test_l_114_the_observation_is_markov():
    env = DPGGMatrix(pot_cap=12, pot_step=3, decay=0.1, max_moves=10_000)
    generator = np.random.default_rng(3)
    followed = {}
    env.reset()
    for _ in range(4000):
        before = bits(env.state())
        actions = tuple(generator.integers(0, 2, 2).tolist())
        observations, rewards, *_ = play(env, *actions)
        after = (tuple(rewards.values()), bits(observations["player_0"]))
        assert followed.setdefault((before, actions), after) == after
    assert len(followed) > 20


@pytest.mark.parametrize(
    ("cap", "step", "levels", "bits_"),
    [(500, 1, 501, 9), (0.5, 1, 1, 1), (1, 1, 2, 1), (511, 1, 512, 9), (512, 1, 513, 10)],
)
def test_l_115_levels_and_bits(cap, step, levels, bits_):
    env = DPGGMatrix(pot_cap=cap, pot_step=step, initial_pot=1000)
    assert env.pot_levels == levels
    assert env.pot_bits == bits_
    assert env.n_obs_types == 4 + bits_
    env.reset()
    assert env._pot_idx == levels - 1  # as much of the initial pot as there is room for


def test_l_117_the_state_tuple():
    env = DPGGMatrix(initial_pot=7)
    env.reset()
    assert env.get_state()[:4] == (("player_0", "player_1"), (None, None), 7, (0.0, 0.0))
    play(env, 1, 0)
    state = env.get_state()
    assert len(state) == 5
    assert state[1] == (1, 0)
    assert type(state[2]) is int


@pytest.mark.parametrize("index", [-1, 501, 2.0, True])
def test_a_pot_outside_its_levels_is_refused(index):
    env = DPGGMatrix()
    env.reset()
    state = env.get_state()
    with pytest.raises(ValueError, match="pot_idx"):
        env.set_state((*state[:2], index, *state[3:]))


def test_the_last_payout_is_forgotten_where_it_is_not_known():
    env = DPGGMatrix(initial_pot=40)
    env.reset()
    play(env, 0, 0)
    env.set_state(env.get_state())
    assert env.simulation.infos(0)["player_0"]["payout"] == 0.0


def test_shares_are_clipped_and_steps_are_not():
    env = DPGGMatrix(payout_rate=3, decay=-1, initial_pot=-2, pot_cap=-5)
    assert (env.payout_rate, env.decay, env.initial_pot, env.pot_cap) == (1.0, 0.0, 0.0, 0.0)
    for bad in (0, -1, float("inf"), 1e-300):
        with pytest.raises(ValueError, match="pot_step"):
            DPGGMatrix(pot_step=bad)


def test_halves_round_up():
    env = DPGGMatrix(initial_pot=2.5)
    env.reset()
    assert env._pot_idx == 3
