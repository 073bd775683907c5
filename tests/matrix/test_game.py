"""Any matrix game: payoff tables, players of different kinds, presets."""

import copy
import itertools

import numpy as np
import pytest
from matrix.games import bits, play

import ecumene
from ecumene.matrix import PRESETS, MatrixGame


def test_c46_three_rounds_of_the_prisoners_dilemma():
    env = MatrixGame(preset="prisoners_dilemma", max_moves=3)
    observations, infos = env.reset()
    assert bits(observations["player_0"]) == "0000"
    assert infos["player_0"]["last_actions"] is None
    paid, over = [], []
    for joint in ((0, 0), (0, 1), (1, 1)):
        _, rewards, _, truncations, _ = play(env, *joint)
        paid.append(tuple(rewards.values()))
        over.append(set(truncations.values()))
    assert paid == [(3.0, 3.0), (0.0, 5.0), (1.0, 1.0)]
    assert over == [{False}, {False}, {True}]
    assert env.agents == []


def test_c46_one_round():
    env = MatrixGame(preset="stag_hunt", max_moves=1)
    env.reset()
    assert set(play(env, 0, 1)[3].values()) == {True}


ROW = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
COLUMN = [[-1.0, 7.0, 0.0], [2.0, 8.0, 9.0]]


def test_c46_row_and_column_player_are_paid_from_their_own_tables():
    env = MatrixGame((ROW, COLUMN), [["Up", "Down"], ["Left", "Middle", "Right"]], max_moves=10)
    assert (env.action_space("player_0").n, env.action_space("player_1").n) == (2, 3)
    env.reset()
    for a, b in itertools.product(range(2), range(3)):
        observations, rewards, _, _, infos = play(env, a, b)
        assert tuple(rewards.values()) == (ROW[a][b], COLUMN[a][b])
        shown = [0] * 5
        shown[a] = shown[2 + b] = 1
        assert observations["player_1"].tolist() == observations["player_0"].tolist() == shown
        assert infos["player_1"]["last_actions"] == (b, a)
        names = ("Up", "Down")[a], ("Left", "Middle", "Right")[b]
        assert infos["player_0"]["outcome"] == "-".join(names)
        assert "_".join(names).lower() in env.labels()["player_1"]
    assert [env.action_names(i) for i in range(4)] == [
        "up_or_left", "down_or_middle", "right", "action_3",
    ]  # fmt: skip


def test_players_of_different_sizes_are_groups_of_their_own():
    vec = ecumene.make_vec("matrix/game-v0", 3, payoffs=[ROW, COLUMN], labels=True, num_threads=1)
    vec.reset(seed=0)
    actions = {"player_0": np.array([[0], [1], [1]]), "player_1": np.array([[2], [0], [1]])}
    observations, rewards, _, _, infos = vec.step(actions)
    assert rewards["player_0"].tolist() == [[3.0], [4.0], [5.0]]
    assert rewards["player_1"].tolist() == [[0.0], [2.0], [8.0]]
    assert np.array_equal(observations["player_0"], observations["player_1"])
    assert infos["player_1"]["action_mask"].shape == (3, 1, 3)
    assert infos["player_1"]["last_actions"][:, 0].tolist() == [[2, 0], [0, 1], [1, 1]]
    assert np.array_equal(infos["player_0"]["labels"], infos["player_1"]["labels"])
    twin = copy.deepcopy(vec)
    assert twin.step(actions)[1]["player_1"].tolist() == rewards["player_1"].tolist()
    assert np.shares_memory(twin.simulation.out["player_1"].reward, twin.simulation.reward)


@pytest.mark.parametrize("players", [1, 2, 3, 5])
def test_any_number_of_players(players):
    generator = np.random.default_rng(players)
    table = generator.normal(size=(players, *[2] * players)).round(3)
    env = MatrixGame(table, max_moves=100)
    assert env.n_agents == players
    env.reset()
    for joint in itertools.product((0, 1), repeat=players):
        observations, rewards, _, _, infos = play(env, *joint)
        assert list(rewards.values()) == [table[(i, *joint)] for i in range(players)]
        last = infos[f"player_{players - 1}"]["last_actions"]
        assert last == (joint[-1], *joint[:-1])
        assert env.label_fn(observations["player_0"]) == env.labels()["player_0"]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_games_as_they_are_known(name):
    env = MatrixGame(preset=name)
    preset = PRESETS[name]
    size = len(preset.action_names)
    assert env.payoffs.shape == (2, size, size)
    assert env.action_space("player_1").n == size
    env.reset()
    for joint in itertools.product(range(size), repeat=2):
        _, rewards, *_ = play(env, *joint)
        assert list(rewards.values()) == [env.payoffs[(i, *joint)] for i in range(2)]
        assert ("unsafe" in env.labels()["player_0"]) == (joint in preset.unsafe)


# Pure equilibria and efficient outcomes, worked out by hand.
KNOWN = {
    "prisoners_dilemma": ({(1, 1)}, {(0, 0), (0, 1), (1, 0)}),
    "stag_hunt": ({(0, 0), (1, 1)}, {(0, 0)}),
    "chicken": ({(0, 1), (1, 0)}, {(0, 0), (0, 1), (1, 0)}),
    "hawk_dove": ({(0, 1), (1, 0)}, {(0, 0), (0, 1), (1, 0)}),
    "matching_pennies": (set(), {(0, 0), (0, 1), (1, 0), (1, 1)}),
    "battle_of_the_sexes": ({(0, 0), (1, 1)}, {(0, 0), (1, 1)}),
    "coordination": ({(0, 0), (1, 1)}, {(0, 0), (1, 1)}),
    "pure_coordination": ({(0, 0), (1, 1)}, {(0, 0)}),
    "deadlock": ({(1, 1)}, {(1, 1), (0, 1), (1, 0)}),
    "harmony": ({(0, 0)}, {(0, 0)}),
    "rock_paper_scissors": (set(), set(itertools.product(range(3), repeat=2))),
}


@pytest.mark.parametrize("name", PRESETS)
def test_labels_know_equilibria_and_efficient_outcomes(name):
    env = MatrixGame(preset=name)
    env.reset()
    found = {"equilibrium": set(), "efficient": set(), "best_welfare": set()}
    size = env.payoffs.shape[1]
    for joint in itertools.product(range(size), repeat=2):
        play(env, *joint)
        for label, where in found.items():
            if label in env.labels()["player_1"]:
                where.add(joint)
    assert (found["equilibrium"], found["efficient"]) == KNOWN[name]
    welfare = {joint: env.payoffs[(slice(None), *joint)].sum() for joint in np.ndindex(size, size)}
    assert found["best_welfare"] == {j for j, w in welfare.items() if w == max(welfare.values())}


def test_many_outcomes_are_not_named_one_by_one():
    env = MatrixGame(np.zeros((7, *[2] * 7)), unsafe=[[1] * 7])
    assert len(env.propositions) == 14 + 4
    env.reset()
    play(env, *[1] * 7)
    assert env.labels()["player_6"] >= {"unsafe", "equilibrium", "player_3_1"}


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"payoffs": [[1, 2], [3, 4]]}, "payoffs"),
        ({"payoffs": [[[1, 2], [3]], [[1, 2], [3, 4]]]}, "payoffs"),
        ({"payoffs": "table"}, "payoffs"),
        ({"payoffs": [[[1, float("nan")]], [[1, 2]]]}, "payoffs are finite"),
        ({"payoffs": np.zeros((3, 2, 2))}, "payoffs"),
        ({"payoffs": np.zeros((2, 0, 2))}, "payoffs"),
        ({"payoffs": [ROW, COLUMN], "preset": "chicken"}, "payoffs and preset"),
        ({"payoffs": [ROW, COLUMN], "action_names": ["a", "b"]}, "action_names of player_1"),
        ({"preset": "chicken", "action_names": ["a", "A"]}, "action_names of player_0"),
        ({"preset": "chicken", "action_names": ["a", " "]}, "action_names of player_0"),
        ({"preset": "chicken", "action_names": 5}, "action_names"),
        ({"preset": "chicken", "action_names": [["a", "b"]] * 3}, "action_names"),
        ({"preset": "chickn"}, "preset"),
        ({"preset": "chicken", "unsafe": [[0]]}, "unsafe"),
        ({"preset": "chicken", "unsafe": [[0, 2]]}, "unsafe"),
        ({"preset": "chicken", "unsafe": ["01"]}, "unsafe"),
        ({"preset": "chicken", "max_moves": 0}, "max_moves"),
    ],
)
def test_bad_games_are_refused_by_name(parameters, named):
    with pytest.raises(ValueError, match=named):
        MatrixGame(**parameters)


def test_the_state_tuple_has_no_flag():
    env = MatrixGame(preset="coordination")
    env.reset(seed=1)
    play(env, 0, 1)
    state = env.get_state()
    assert state[:3] == (("player_0", "player_1"), (0, 1), (0.0, 0.0))
    assert len(state) == 4
    other = MatrixGame(preset="coordination")
    other.set_state(state)
    assert bits(other.state()) == "1001"


def test_the_payoffs_of_an_environment_are_its_own():
    table = np.array([ROW, COLUMN])
    env = MatrixGame(table)
    table[:] = 0
    env.payoffs[:] = 0
    env.reset()
    assert play(env, 1, 2)[1] == {"player_0": 6.0, "player_1": 9.0}
