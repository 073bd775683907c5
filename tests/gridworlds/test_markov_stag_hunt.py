"""MarkovStagHunt: plants, stags, maulings, and what comes back."""

import itertools

import numpy as np
import pytest
from gridworlds.worlds import DOWN, LEFT, RIGHT, STAY, UP, begin, play, random_play, where

from ecumene.engine import InvalidParameter
from ecumene.gridworlds import MarkovStagHunt

MOVES = {LEFT: (0, -1), RIGHT: (0, 1), UP: (-1, 0), DOWN: (1, 0), STAY: (0, 0)}


def hunt(positions, plants=(), stags=(), **parameters):
    """Return a hunt in a given situation; stags stand still unless told otherwise."""
    settings = {
        "num_agents": len(positions),
        "num_plants": max(len(plants), 1),
        "num_stags": max(len(stags), 1),
        "stag_move_prob": 0.0,
        **parameters,
    }
    env = begin(MarkovStagHunt, **settings)
    place(env, positions, plants, stags)
    return env


def place(env, positions, plants, stags):
    counts = np.zeros((env.simulation.rows, env.simulation.columns), np.int16)
    for cell in positions:
        counts[cell] += 1
    agents = tuple(env.possible_agents)
    damaged = (0,) * len(agents)
    fields = ((0, 0, 0), damaged, tuple(positions), counts, tuple(plants), tuple(stags))
    env.set_state((agents, *fields, None))


def test_l_16_channels():
    env = hunt([(0, 0), (0, 1)], [(4, 4), (3, 3)], [(2, 2)], on_maul="continue")
    assert env.channel_names() == [
        "player_0",
        "player_1",
        "plant",
        "stag",
        "player_0_damaged",
        "player_1_damaged",
    ]
    assert (where(env, "player_0"), where(env, "player_1")) == ([(0, 0)], [(0, 1)])
    assert where(env, "plant") == [(3, 3), (4, 4)]
    assert where(env, "stag") == [(2, 2)]
    place(env, [(2, 1), (0, 1)], [(4, 4)], [(2, 2)])
    play(env, RIGHT, STAY)
    assert (where(env, "player_0_damaged"), where(env, "player_1_damaged")) == ([(2, 2)], [])
    play(env, LEFT, STAY)
    assert where(env, "player_0_damaged") == []


def test_l_18_l_22_l_23_l_24_l_25_the_tuple():
    env = hunt([(0, 0), (0, 0)], [(4, 4), (3, 3)], [(2, 2), (1, 4)], on_maul="remove")
    state = env.get_state()
    assert len(state) == 8
    _, results, damaged, positions, counts, plants, stags, _ = state
    assert (results, damaged) == ((0, 0, 0), (0, 0))
    assert positions == ((0, 0), (0, 0))
    assert all(type(part) is int for cell in positions for part in cell)
    assert (counts.dtype, counts.shape, counts[0, 0], counts.sum()) == (np.int16, (5, 5), 2, 2)
    assert plants == ((3, 3), (4, 4))
    assert stags == ((1, 4), (2, 2))
    place(env, [(2, 1), (0, 0)], [], [(2, 2)])
    play(env, RIGHT, STAY)
    agents, _, damaged, positions, counts, *_ = env.get_state()
    assert (agents, damaged, positions) == (("player_1",), (1, 0), (None, (0, 0)))
    assert counts.sum() == 1


def test_l_20_l_21_what_is_counted():
    env = hunt([(0, 1), (2, 1)], [(0, 0)], [(2, 2)], on_maul="continue")
    play(env, LEFT, STAY)
    assert env.get_state()[1] == (0, 1, 0)
    play(env, STAY, RIGHT)
    assert env.get_state()[1:3] == ((0, 1, 1), (0, 1))
    place(env, [(2, 1), (2, 3)], [], [(2, 2)])
    play(env, RIGHT, LEFT)
    assert env.get_state()[1] == (1, 0, 0)
    assert env.env_logging_info("_a") == {
        "stags_hunted_a": 1,
        "plants_harvested_a": 0,
        "maulings_a": 0,
    }
    assert env.metrics() == {"stags_hunted": 1.0, "plants_harvested": 0.0, "maulings": 0.0}


@pytest.mark.parametrize("min_hunters", [1, 2, 3])
def test_rewards_by_all_joint_actions(min_hunters):
    starts = [(1, 1), (0, 2), (1, 3)]
    plants, stags = [(1, 0), (0, 3)], [(1, 2), (0, 1)]
    env = hunt(
        starts, plants, stags, grid_size=(2, 4), min_hunters_for_stag=min_hunters,
        plant_reward=1.5, stag_reward=8.0, maul_penalty=-3.0,
    )  # fmt: skip
    for joint in itertools.product(MOVES, repeat=3):
        place(env, starts, plants, stags)
        _, rewards, terminations, _, infos = play(env, *joint)
        ends = []
        for (row, column), action in zip(starts, joint, strict=True):
            r, c = row + MOVES[action][0], column + MOVES[action][1]
            ends.append((min(max(r, 0), 1), min(max(c, 0), 3)))
        mauled = [end in stags and ends.count(end) < min_hunters for end in ends]
        for i, (name, end) in enumerate(zip(env.possible_agents, ends, strict=True)):
            hunted = end in stags and not mauled[i]
            expected = 1.5 * (end in plants) + 8.0 * hunted - 3.0 * mauled[i]
            assert rewards[name] == expected
            assert infos[name]["hunted_stag"] is hunted
            assert infos[name]["harvested_plant"] is (end in plants)
            assert infos[name]["mauled"] is mauled[i]
            assert infos[name]["maul_reset"] is any(mauled)
            assert terminations[name] is any(mauled)
            labels = env.labels()[name] - {"next_to_stag"}
            told = {"mauled", "unsafe"} if mauled[i] else {"safe"}
            told |= {"hunted_stag"} if hunted else set()
            assert labels == told | ({"harvested_plant"} if end in plants else set())
        assert env.get_state()[1] == (
            sum(ends.count(stag) >= min_hunters for stag in stags),
            sum(plant in ends for plant in plants),
            sum(0 < ends.count(stag) < min_hunters for stag in stags),
        )


def test_ends_of_maulings():
    situation = [(2, 1), (0, 0), (4, 0)], [(4, 4)], [(2, 2)]
    env = hunt(*situation, on_maul="end", max_moves=1)
    _, _, terminations, truncations, _ = play(env, RIGHT, STAY, STAY)
    assert (set(terminations.values()), set(truncations.values())) == ({True}, {False})
    env = hunt(*situation, on_maul="remove", max_moves=2)
    observations, _, terminations, truncations, infos = play(env, RIGHT, STAY, STAY)
    assert terminations == {"player_0": True, "player_1": False, "player_2": False}
    assert env.agents == ["player_1", "player_2"]
    assert infos["player_0"]["position"] is None
    assert infos["player_0"]["mauled"]
    assert where(env, "player_0") == where(env, "player_0_damaged") == []
    assert np.array_equal(observations["player_0"], env.state())
    assert set(env.labels()) == {"player_0", "player_1", "player_2"}
    assert "unsafe" in env.labels()["player_0"]
    _, _, _, truncations, _ = play(env, STAY, STAY)
    assert truncations == {"player_1": True, "player_2": True}
    assert not env.simulation.out["players"].observation[0, 0].any()
    assert env.state().any()
    env = hunt(*situation, on_maul="continue", max_moves=3)
    play(env, RIGHT, STAY, STAY)
    assert env.get_state()[2] == (1, 0, 0)
    play(env, LEFT, STAY, STAY)
    assert env.get_state()[2] == (0, 0, 0)
    assert env.agents == env.possible_agents


def test_nothing_moves_or_comes_back_after_a_mauling_that_ends_the_hunt():
    env = hunt([(2, 1), (0, 1)], [(0, 0)], [(2, 2)], stag_move_prob=1.0)
    play(env, RIGHT, LEFT)
    assert env.get_state()[5:7] == ((), ((2, 2),))


# Stags.


def situations(env, count):
    """Begin many hunts; yield what stands where before and after a step in which nobody moves."""
    for seed in range(count):
        env.reset(seed=seed)
        before = env.get_state()
        play(env, *[STAY] * env.n_agents)
        yield before, env.get_state()


def test_a_stag_comes_nearer_or_stays():
    came = 0
    for before, after in situations(MarkovStagHunt(stag_move_prob=1.0), 150):
        _, _, _, positions, _, plants, (stag,), _ = before
        (now,) = after[6]
        if now != stag:
            target = nearest(positions, stag)
            assert distance(stag, now) == 1
            assert distance(now, target) == distance(stag, target) - 1
            assert now not in positions + plants
            came += 1
    assert came > 50


def test_many_stags_never_step_onto_anything():
    env = MarkovStagHunt(grid_size=(4, 4), num_plants=3, num_stags=4, stag_move_prob=1.0)
    moves = 0
    for (_, _, _, positions, _, plants, stags, _), after in situations(env, 150):
        fresh = set(after[6]) - set(stags)
        assert len(set(after[6])) == 4
        assert not fresh & {*positions, *plants}
        assert all(min(distance(stag, cell) for stag in stags) == 1 for cell in fresh)
        moves += len(fresh)
    assert moves > 50


def distance(one, other):
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def nearest(cells, origin):
    return min(cells, key=lambda cell: distance(cell, origin))


def test_a_stag_moves_as_often_as_told_along_both_ways():
    env = hunt([(0, 0)], [(4, 4)], [(3, 3)], stag_move_prob=0.4, grid_size=(5, 5))
    seen = {(3, 3): 0, (2, 3): 0, (3, 2): 0}
    trials = 3000
    for _ in range(trials):
        place(env, [(0, 0)], [(4, 4)], [(3, 3)])
        play(env, STAY)
        seen[env.get_state()[6][0]] += 1
    for cell, p in (((3, 3), 0.6), ((2, 3), 0.2), ((3, 2), 0.2)):
        assert abs(seen[cell] - trials * p) < 5 * (trials * p * (1 - p)) ** 0.5


@pytest.mark.parametrize(
    ("agents", "plants", "stags", "expected"),
    [
        ([(0, 0)], [], [(0, 4)], [(0, 3)]),
        ([(4, 2), (0, 2)], [], [(2, 2)], [(3, 2)]),  # the first of two equally near
        ([(0, 0)], [(0, 3)], [(0, 4)], [(0, 4)]),  # a plant in the way
        ([(0, 3)], [], [(0, 4)], [(0, 4)]),  # an agent in the way
        ([(0, 0)], [], [(0, 3), (0, 4)], [(0, 2), (0, 4)]),  # where a stag was before
        ([(2, 2)], [], [(0, 2), (2, 0)], [(1, 2), (2, 1)]),
    ],
)
def test_where_stags_go(agents, plants, stags, expected):
    env = hunt(agents, plants, stags, stag_move_prob=1.0, num_plants=max(len(plants), 0))
    play(env, *[STAY] * len(agents))
    assert list(env.get_state()[6]) == expected


def test_two_stags_that_want_one_cell():
    env = hunt([(0, 2)], [], [(1, 1), (1, 3)], stag_move_prob=1.0, num_plants=0)
    for _ in range(60):
        place(env, [(0, 2)], [], [(1, 1), (1, 3)])
        play(env, STAY)
        stags = env.get_state()[6]
        assert len(set(stags)) == 2
        assert set(stags) <= {(1, 1), (0, 1), (1, 2), (1, 3), (0, 3)}


# What comes back.


def test_what_is_taken_comes_back_on_free_cells_and_all_of_them():
    env = hunt([(0, 0), (1, 1)], [(0, 1), (1, 0)], [(2, 2)], grid_size=(3, 3))
    seen = set()
    for _ in range(300):
        place(env, [(0, 0), (1, 1)], [(0, 1), (1, 0)], [(2, 2)])
        play(env, RIGHT, STAY)
        plants = set(env.get_state()[5])
        assert len(plants) == 2
        assert (1, 0) in plants
        seen |= plants - {(1, 0)}
    assert seen == {(0, 0), (0, 2), (1, 2), (2, 0), (2, 1)}


def test_things_are_on_cells_of_their_own():
    env = MarkovStagHunt(
        grid_size=(3, 3), num_agents=4, num_plants=3, num_stags=3, on_maul="continue"
    )
    for _ in random_play(env, 400):
        _, _, _, positions, counts, plants, stags, _ = env.get_state()
        assert len(set(plants + stags)) == len(plants + stags)
        assert counts.sum() == 4
        for cell in positions:
            assert cell not in plants


def test_fewer_come_back_where_there_is_no_room():
    env = begin(MarkovStagHunt, grid_size=(1, 4), num_agents=3, num_plants=2, num_stags=1)
    short = 0
    for seed in range(40):
        env.reset(seed=seed)
        _, _, _, positions, _, plants, stags, _ = env.get_state()
        free = 4 - len(set(positions))
        assert len(plants) == min(2, free)
        assert len(stags) == min(1, free - len(plants))
        short += free < 3
    assert short


def test_hunts_start_anywhere():
    env = MarkovStagHunt(grid_size=(2, 2), num_plants=1, num_stags=1)
    seen = set()
    for seed in range(200):
        env.reset(seed=seed)
        seen.add(env.get_state()[3])
    cells = list(itertools.product(range(2), range(2)))
    assert seen == set(itertools.product(cells, repeat=2))


def test_next_to_a_stag():
    env = hunt([(2, 1), (2, 3), (0, 0)], [(4, 4)], [(2, 2)])
    labels = env.labels()
    assert [("next_to_stag" in labels[name]) for name in env.agents] == [True, True, False]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"grid_size": (2, 2), "num_plants": 3}, "num_plants . num_stags is less than the 4 cells"),
        ({"grid_size": (2, 0)}, r"grid_size\[1\]"),
        ({"num_agents": 0}, "num_agents"),
        ({"num_stags": -1}, "num_stags"),
        ({"stag_move_prob": 2}, "stag_move_prob"),
        ({"min_hunters_for_stag": 0}, "min_hunters_for_stag"),
        ({"maul_penalty": "a"}, "maul_penalty"),
        ({"on_maul": "stop"}, "on_maul is one of 'end', 'continue', 'remove'"),
    ],
)
def test_wrong_arguments(given, message):
    with pytest.raises(InvalidParameter, match=message):
        MarkovStagHunt(**given)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (1, (0, 0), "results is a tuple"),
        (1, (0, -1, 0), r"results\[1\]"),
        (2, (0, 2), r"damaged\[1\]"),
        (3, ((0, 0), (5, 0)), r"agent_positions\[1\] \(row\)"),
        (4, np.zeros((5, 5), np.int16), "agent_counts is how many"),
        (4, None, "agent_counts is how many"),
        (5, ((1, 1), (1, 1)), "plants are distinct"),
        (5, ((0, 0), (0, 1), (0, 2)), "plants is at most 2 cells"),
        (6, ((1, 1),), "plants and stags are on distinct cells"),
        (6, "none", "stags is a sequence of cells"),
    ],
)
def test_wrong_tuples(field, value, message):
    env = hunt([(0, 0), (0, 1)], [(1, 1), (2, 2)], [(3, 3)])
    state = list(env.get_state())
    state[field] = value
    with pytest.raises(InvalidParameter, match=message):
        env.set_state(tuple(state))
