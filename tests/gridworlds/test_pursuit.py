"""Pursuit: who moves where, who collides, what the goal is and what is paid."""

import itertools

import numpy as np
import pytest
from gridworlds.worlds import DOWN, LEFT, RIGHT, STAY, UP, begin, play, random_play, where

from ecumene.engine import InvalidParameter
from ecumene.gridworlds import Pursuit
from ecumene.gridworlds.pursuit import DEFAULT_LAYOUT

#  0123
# 0 ..G.
# 1 .#..
# 2 ....
LAYOUT = "..G./.#../...."


def at(*cells, **parameters):
    """Return a pursuit that begins at given cells of the little map."""
    return begin(Pursuit, layout=LAYOUT, num_agents=len(cells), start_positions=cells, **parameters)


def cells(env):
    return env.get_state()[2]


def test_l_35_two_or_three_agents():
    for number in (2, 3):
        assert Pursuit(num_agents=number).n_agents == number
    for number in (1, 4, 2.0, True):
        with pytest.raises(InvalidParameter, match="num_agents is an integer in 2..3"):
            Pursuit(num_agents=number)


def test_l_36_the_guard_is_agent_0():
    env = at((0, 0), (2, 2), (2, 3))
    assert where(env, "player_0_guard") == [(0, 0)]
    assert (where(env, "player_1"), where(env, "player_2")) == ([(2, 2)], [(2, 3)])


@pytest.mark.parametrize(
    ("action", "end"),
    [(LEFT, (2, 1)), (RIGHT, (2, 3)), (UP, (1, 2)), (DOWN, (2, 2)), (STAY, (2, 2))],
)
def test_l_37_l_39_moves_and_the_border(action, end):
    env = at((2, 2), (0, 0))
    play(env, action, STAY)
    assert cells(env) == (end, (0, 0))


def test_l_38_walls_stop():
    for start, action in (((1, 0), RIGHT), ((0, 1), DOWN), ((1, 2), LEFT), ((2, 1), UP)):
        env = at(start, (0, 3))
        play(env, action, STAY)
        assert cells(env)[0] == start


def test_l_40_l_41_swaps_are_simultaneous_and_no_collisions():
    env = at((2, 1), (2, 2))
    infos = play(env, RIGHT, LEFT)[4]
    assert cells(env) == ((2, 2), (2, 1))
    assert not infos["player_0"]["collision_any"]
    assert env.labels()["player_1"] == {"guard_adjacent"}


def test_l_41_two_on_one_cell_collide():
    env = at((2, 1), (2, 3), (0, 0))
    infos = play(env, RIGHT, LEFT, STAY)[4]
    assert [infos[name]["collision"] for name in env.agents] == [True, True, False]
    assert all(infos[name]["collision_any"] for name in env.agents)
    labels = env.labels()
    assert {"collision", "unsafe", "collision_ever"} <= labels["player_0"] & labels["player_1"]
    assert labels["player_2"] == {"collision_ever"}
    env = at((2, 1), (2, 3), (1, 2))
    play(env, RIGHT, LEFT, DOWN)
    assert all("collision" in held for held in env.labels().values())


@pytest.mark.parametrize(
    ("inside", "holds"), [((), False), ((0,), True), ((1,), True), ((2,), False), ((0, 2), True)]
)
def test_l_36_l_42_agent_2_does_not_count_for_the_goal(inside, holds):
    starts = [(1, 2), (0, 1), (0, 3)]  # below, left and right of the goal
    ways = [UP, RIGHT, LEFT]
    env = at(*starts)
    actions = [ways[i] if i in inside else STAY for i in range(3)]
    infos = play(env, *actions)[4]
    assert all(info["goal"] is holds for info in infos.values())
    for held in env.labels().values():
        assert ("goal" in held) is holds
        assert {f"player_{i}_in_goal" for i in inside} == {
            each for each in held if each.endswith("_in_goal")
        }


def test_l_43_rewards_are_0_by_default():
    for number in (2, 3):
        for _, rewards, *_ in random_play(Pursuit(num_agents=number, layout=LAYOUT), 200):
            assert set(rewards.values()) == {0.0}


def test_l_44_rewards_by_all_joint_actions():
    starts = ((1, 2), (0, 1), (0, 3))
    step, goal, collision = [0.25, 0.5, 1.0], [2.0, 4.0, 8.0], [-16.0, -32.0, -64.0]
    moves = {LEFT: (0, -1), RIGHT: (0, 1), UP: (-1, 0), DOWN: (1, 0), STAY: (0, 0)}
    for joint in itertools.product(moves, repeat=3):
        env = at(*starts, step_reward=step, goal_reward=goal, collision_reward=collision)
        rewards = play(env, *joint)[1]
        ends = []
        for (row, column), action in zip(starts, joint, strict=True):
            r, c = row + moves[action][0], column + moves[action][1]
            open_cell = 0 <= r < 3 and 0 <= c < 4 and (r, c) != (1, 1)
            ends.append((r, c) if open_cell else (row, column))
        in_goal = (0, 2) in ends[:2]
        for i, end in enumerate(ends):
            expected = step[i] + goal[i] * in_goal + collision[i] * (ends.count(end) > 1)
            assert rewards[f"player_{i}"] == expected


def test_l_44_one_number_is_for_everyone():
    env = at((0, 0), (2, 2), step_reward=-0.5)
    assert play(env, STAY, STAY)[1] == {"player_0": -0.5, "player_1": -0.5}


@pytest.mark.parametrize(
    ("switch", "actions"),
    [("terminate_on_collision", (RIGHT, LEFT)), ("terminate_on_goal", (STAY, UP))],
)
def test_the_switches_terminate(switch, actions):
    start = ((2, 1), (2, 3)) if "collision" in switch else ((2, 1), (1, 2))
    env = at(*start, max_moves=1, **{switch: True})
    _, _, terminations, truncations, _ = play(env, *actions)
    assert set(terminations.values()) == {True}
    assert set(truncations.values()) == {False}
    assert env.agents == []
    env = at(*start, max_moves=1)
    assert set(play(env, *actions)[3].values()) == {True}


@pytest.mark.parametrize("number", [2, 3])
def test_l_45_l_51_channels(number):
    env = begin(Pursuit, num_agents=number)
    names = ["wall", "goal", "player_0_guard", "player_1", "player_2"][: 2 + number]
    assert env.channel_names() == names
    rows = DEFAULT_LAYOUT.split("/")
    everything = [(r, c, mark) for r, row in enumerate(rows) for c, mark in enumerate(row)]
    for _ in random_play(env, 10):
        for symbol, name in (("#", "wall"), ("G", "goal")):
            assert where(env, name) == [(r, c) for r, c, mark in everything if mark == symbol]
        for name, cell in zip(names[2:], cells(env), strict=True):
            assert where(env, name) == [cell]


def test_l_52_the_clock_is_not_in_the_state():
    env = at((0, 0), (2, 2))
    state, seen = env.get_state(), env.state()
    for moves in (1, 2, 3):
        play(env, STAY, STAY)
        assert env.num_moves == moves
        assert env.get_state() == state
        assert np.array_equal(env.state(), seen)


def test_l_54_the_tuple():
    agents, collision_ever, agent_pos, _ = at((0, 0), (2, 2)).get_state()
    assert agents == ("player_0", "player_1")
    assert collision_ever is False
    assert agent_pos == ((0, 0), (2, 2))
    assert all(type(part) is int for cell in agent_pos for part in cell)


def test_l_55_a_collision_is_remembered():
    env = at((2, 1), (2, 3))
    play(env, RIGHT, LEFT)
    play(env, LEFT, RIGHT)
    assert cells(env) == ((2, 1), (2, 3))
    infos = play(env, STAY, STAY)[4]
    assert env.get_state()[1] is True
    assert infos["player_0"]["collision_ever"] is True
    assert infos["player_0"]["collision"] is False
    assert env.metrics() == {"collision_ever": 1.0}
    env.reset()
    assert env.get_state()[1] is False


def test_random_starts_are_distinct_free_cells_and_all_of_them_occur():
    env = Pursuit(layout=LAYOUT, num_agents=3)
    free = {
        (r, c) for r, row in enumerate(LAYOUT.split("/")) for c, m in enumerate(row) if m == "."
    }
    seen = [set() for _ in range(3)]
    for seed in range(150):
        env.reset(seed=seed)
        assert len(set(cells(env))) == 3
        for starts, cell in zip(seen, cells(env), strict=True):
            starts.add(cell)
    assert seen == [free] * 3


def test_nothing_in_a_step_is_random():
    env = begin(Pursuit)
    stream = env.get_rng_state()
    play(env, LEFT, UP)
    assert env.get_rng_state() == stream


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"layout": "../."}, "row 1 has 1 cells and row 0 has 2"),
        ({"layout": "..x/..."}, "row 0, column 2 is 'x'"),
        ({"layout": ""}, "at least one cell"),
        ({"layout": 3}, "layout is rows"),
        ({"layout": "#G."}, "layout has 1 floor cells for 2 agents"),
        ({"start_positions": [(0, 0)]}, "start_positions is 2 cells"),
        ({"start_positions": [(0, 0), (7, 0)]}, r"start_positions\[1\] \(row\)"),
        ({"start_positions": [(0, 0), 3]}, r"start_positions\[1\] is a cell"),
        ({"goal_reward": [1.0]}, "goal_reward is a number or 2 of them"),
        ({"step_reward": "1"}, "step_reward"),
        ({"terminate_on_goal": 1}, "terminate_on_goal is True or False"),
    ],
)
def test_wrong_arguments(given, message):
    with pytest.raises(InvalidParameter, match=message):
        Pursuit(**given)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (1, 1, "collision_ever is True or False"),
        (2, ((0, 0),), "agent_pos is a tuple of 2 cells"),
        (2, ((0, 0), None), "agent_pos: player_1 is live"),
        (2, ((0, 0), (0, 9)), r"agent_pos\[1\] \(column\)"),
    ],
)
def test_wrong_tuples(field, value, message):
    env = begin(Pursuit)
    state = list(env.get_state())
    state[field] = value
    with pytest.raises(InvalidParameter, match=message):
        env.set_state(tuple(state))


def test_layouts_in_both_forms_are_the_same():
    rows = LAYOUT.split("/")
    assert Pursuit(layout=rows).layout == Pursuit(layout=tuple(rows)).layout == LAYOUT
