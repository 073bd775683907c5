"""The four moves, and what stops an agent."""

import pytest
from foundation.boards import BUILD, DOWN, GATHER, LEFT, RIGHT, STEPS, UP, labor, put

OPEN = ["...", ".0.", "..1"]


def test_g_12_adds_four_actions_per_mobile_agent(draw):
    env = draw(*OPEN)
    assert env.get_component("Gather").get_n_actions("BasicMobileAgent") == 4
    for agent in env.world.agents:
        assert agent.action_dim == {"Gather": 4}
        assert agent.action_spaces == 5
        assert agent.single_action_map == {i: ["Gather", i] for i in (1, 2, 3, 4)}


def test_g_12_in_multi_action_mode_with_a_noop_of_its_own(draw):
    env = draw(*OPEN, multi_action_mode_agents=True)
    assert env.get_agent(0).action_spaces.tolist() == [5]


def test_g_12_behind_the_actions_of_components_before_it(draw):
    env = draw(*OPEN, components=[BUILD, GATHER])
    agent = env.get_agent(0)
    assert agent.action_spaces == 6
    assert agent.single_action_map[1] == ["Build", 1]
    assert agent.single_action_map[5] == ["Gather", 4]
    env.step({"0": 5})
    assert agent.loc == [2, 1]


@pytest.mark.parametrize("action", [{"0": 0}, {}, None, {"0": {}}, {"0": {"Gather": 0}}])
def test_g_13_noop_stays(draw, action):
    env = draw(*OPEN)
    env.step(action)
    assert env.get_agent(0).loc == [1, 1]
    assert labor(env) == 0


def moved(draw, action):
    """Return where an agent in the middle of a 3x3 world gets, and at what labor."""
    env = draw(*OPEN)
    env.step({"0": action})
    assert env.get_agent(1).loc == [2, 2]
    assert env.world.loc_map.tolist() == [
        [0 if [r, c] == env.get_agent(0).loc else 1 if (r, c) == (2, 2) else -1 for c in range(3)]
        for r in range(3)
    ]
    return env.get_agent(0).loc, labor(env)


def test_g_14_1_is_left(draw):
    assert moved(draw, 1) == ([1, 0], 1.0)


def test_g_15_2_is_right(draw):
    assert moved(draw, 2) == ([1, 2], 1.0)


def test_g_16_3_is_up(draw):
    assert moved(draw, 3) == ([0, 1], 1.0)


def test_g_17_4_is_down(draw):
    assert moved(draw, 4) == ([2, 1], 1.0)


@pytest.mark.parametrize("action", [5, -1, 99, "left", 1.0, None, ...])
def test_other_actions_are_refused_and_nothing_happens(draw, action):
    env = draw(*OPEN)
    with pytest.raises(TypeError, match="agent 0"):
        env.step({"1": LEFT, "0": action})
    assert env.world.timestep == 0
    env.step()
    assert [env.get_agent(i).loc for i in (0, 1)] == [[1, 1], [2, 2]]


# Agent 0 in the middle; a drawn letter, digit or sign on each side stops it, a blank does not.
AROUND = {LEFT: (1, 0), RIGHT: (1, 2), UP: (0, 1), DOWN: (2, 1)}


def surrounded(draw, action, mark, **kwargs):
    rows = [list("..."), list(".0."), list("...")]
    r, c = AROUND[action]
    rows[r][c] = mark
    corner = "1" if mark != "1" else "."
    rows[0][0] = corner
    return draw(*("".join(row) for row in rows), **kwargs)


@pytest.mark.parametrize("action", STEPS)
def test_g_18_move_onto_another_agent_is_ignored(draw, action):
    env = surrounded(draw, action, "1")
    env.step({"0": action})
    assert env.get_agent(0).loc == [1, 1]
    assert tuple(env.get_agent(1).loc) == AROUND[action]
    assert (labor(env, 0), labor(env, 1)) == (0, 0)


def test_g_18_two_neighbours_cannot_swap(draw):
    env = draw(".01.")
    for _ in range(20):  # whatever the order of the two
        env.step({"0": RIGHT, "1": LEFT})
    assert [env.get_agent(i).loc for i in (0, 1)] == [[0, 1], [0, 2]]
    assert (labor(env, 0), labor(env, 1)) == (0, 0)


@pytest.mark.parametrize("action", STEPS)
def test_g_19_move_onto_water_is_ignored(draw, action):
    env = surrounded(draw, action, "@")
    env.step({"0": action})
    assert (env.get_agent(0).loc, labor(env)) == ([1, 1], 0)


@pytest.mark.parametrize("action", STEPS)
def test_g_19_move_onto_the_house_of_another_is_ignored(draw, action):
    env = surrounded(draw, action, "b")
    env.step({"0": action})
    assert (env.get_agent(0).loc, labor(env)) == ([1, 1], 0)


@pytest.mark.parametrize("action", STEPS)
def test_g_19_own_house_can_be_entered(draw, action):
    env = surrounded(draw, action, "a")
    env.step({"0": action})
    assert (tuple(env.get_agent(0).loc), labor(env)) == (AROUND[action], 1)


@pytest.mark.parametrize("action", STEPS)
@pytest.mark.parametrize("source", ["W", "S"])
def test_g_19_source_blocks_stop_nobody_full_or_empty(draw, action, source):
    env = surrounded(draw, action, source)
    env.world.maps.clear("Wood")
    env.step({"0": action})
    assert (tuple(env.get_agent(0).loc), labor(env)) == (AROUND[action], 1 + (source == "S"))


@pytest.mark.parametrize("action", STEPS)
def test_g_20_move_off_the_map_is_ignored(draw, action):
    env = draw("01", "..")
    corner = {LEFT: (0, 0), UP: (0, 0), RIGHT: (1, 1), DOWN: (1, 1)}[action]
    env.world.clear_agent_locs()
    assert env.world.set_agent_loc(env.get_agent(0), *corner) == corner
    env.step({"0": action})
    assert tuple(env.get_agent(0).loc) == corner
    assert labor(env) == 0


def test_g_21_refused_move_costs_nothing(draw):
    env = draw("@0@", ".1.")
    for action in STEPS:
        if action != DOWN:
            env.step({"0": action})
    assert (env.get_agent(0).loc, labor(env)) == ([0, 1], 0)


def test_g_21_but_what_lies_on_the_own_tile_is_collected_and_charged(draw):
    env = draw("@0@", ".1.", components=[("Gather", {"move_labor": 3, "collect_labor": 5})])
    put(env, (0, 1), Wood=1)
    env.step({"0": LEFT})
    assert env.get_agent(0).loc == [0, 1]
    assert env.get_agent(0).inventory["Wood"] == 1
    assert labor(env) == 5
