"""Gathering: one agent per cell, apples eaten once, beams, freezing and thawing."""

import itertools

import numpy as np
import pytest
from gridworlds.worlds import (
    DOWN,
    LEFT,
    RIGHT,
    STAY,
    TAG_DOWN,
    TAG_LEFT,
    TAG_RIGHT,
    TAG_UP,
    UP,
    begin,
    play,
    random_play,
    where,
)

from ecumene.engine import InvalidParameter
from ecumene.gridworlds import Gathering

MOVES = {LEFT: (0, -1), RIGHT: (0, 1), UP: (-1, 0), DOWN: (1, 0), STAY: (0, 0)}
BEAMS = {TAG_LEFT: LEFT, TAG_RIGHT: RIGHT, TAG_UP: UP, TAG_DOWN: DOWN}


def at(*cells, **parameters):
    """Return a gathering that begins at given cells; no apples but where told."""
    settings = {"grid_size": (7, 7), "apple_sites": [], "apple_respawn_prob": 0.0, **parameters}
    return begin(Gathering, num_agents=len(cells), start_positions=cells, **settings)


def cells(env):
    return env.get_state()[1]


def test_l_16_l_60_l_61_l_62_channels():
    env = at((0, 0), (0, 2), apple_sites=[(3, 3), (4, 4)], hits_to_freeze=1)
    assert env.channel_names() == [
        "player_0_active",
        "player_1_active",
        "player_0_frozen",
        "player_1_frozen",
        "apple",
    ]
    assert where(env, "apple") == [(3, 3), (4, 4)]
    play(env, TAG_RIGHT, STAY)
    assert (where(env, "player_0_active"), where(env, "player_1_active")) == ([(0, 0)], [])
    assert (where(env, "player_0_frozen"), where(env, "player_1_frozen")) == ([], [(0, 2)])


def test_l_64_l_65_l_66_l_67_the_tuple():
    env = at((0, 0), (0, 2), apple_sites=[(4, 4), (3, 3), (3, 1)], freeze_time=9)
    agents, agent_pos, tag_hits, frozen_timer, apples, _ = env.get_state()
    assert agents == ("player_0", "player_1")
    assert agent_pos == ((0, 0), (0, 2))
    assert (tag_hits, frozen_timer) == ((0, 0), (0, 0))
    assert apples == ((3, 1), (3, 3), (4, 4))
    play(env, TAG_RIGHT, STAY)
    assert env.get_state()[2:4] == ((0, 1), (0, 0))
    play(env, TAG_RIGHT, STAY)
    assert env.get_state()[2:4] == ((0, 0), (0, 9))
    assert Gathering().get_state()[1] == (None, None)


def test_the_default_board():
    env = begin(Gathering)
    middle = {(r, c) for r in range(7) for c in range(11) if abs(r - 3) + abs(c - 5) <= 2}
    assert set(env.get_state()[4]) == middle
    assert len(middle) == 13
    for seed in range(30):
        env.reset(seed=seed)
        assert len(set(cells(env)) - middle) == 2


# Moves.


def moved(starts, wanted):
    """Return where everyone ends: contested cells and swaps set back, all at once, repeatedly."""
    goals = list(wanted)
    while True:
        back = [
            i
            for i, goal in enumerate(goals)
            if goal != starts[i]
            and any(
                goals[j] == goal or (goal == starts[j] and goals[j] == starts[i])
                for j in range(len(goals))
                if j != i
            )
        ]
        if not back:
            return tuple(goals)
        for i in back:
            goals[i] = starts[i]


def target(cell, action, rows, columns):
    r, c = cell[0] + MOVES[action][0], cell[1] + MOVES[action][1]
    return (r, c) if 0 <= r < rows and 0 <= c < columns else cell


def test_one_agent_per_cell_whatever_they_do():
    env = at((0, 0), (0, 1), (1, 0), (1, 1), (1, 2), grid_size=(2, 3))
    generator = np.random.default_rng(1)
    for _ in range(600):
        before = cells(env)
        joint = generator.integers(0, 5, 5).tolist()
        play(env, *joint)
        wanted = [target(cell, a, 2, 3) for cell, a in zip(before, joint, strict=True)]
        assert cells(env) == moved(before, wanted)
        assert len(set(cells(env))) == 5
        if not env.agents:
            env.reset()


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_c41_followers_follow_whatever_their_order(order):
    line = [(3, 1), (3, 2), (3, 3)]
    env = at(*(line[i] for i in order))
    observations = play(env, RIGHT, RIGHT, RIGHT)[0]
    assert cells(env) == tuple((3, line[i][1] + 1) for i in order)
    for agent in range(3):
        assert where(env, f"player_{agent}_active") == [cells(env)[agent]]
    assert all(np.array_equal(seen, env.state()) for seen in observations.values())


def test_c41_a_ring_turns():
    ring = [(2, 2), (2, 3), (3, 3), (3, 2)]
    env = at(*ring)
    play(env, RIGHT, DOWN, LEFT, UP)
    assert cells(env) == ((2, 3), (3, 3), (3, 2), (2, 2))


# Beams.


def first_in_line(shooter, action, others, reach):
    down, right = MOVES[BEAMS[action]]
    for away in range(1, reach + 1):
        cell = (shooter[0] + down * away, shooter[1] + right * away)
        if cell in others:
            return cell
    return None


def test_c44_beams_hit_the_first_active_agent_in_line_and_in_reach():
    generator = np.random.default_rng(2)
    env = at((0, 0), (0, 1), (0, 2), grid_size=(3, 5), beam_range=2, hits_to_freeze=9)
    spots = list(itertools.product(range(3), range(5)))
    for _ in range(600):
        places = tuple(spots[i] for i in generator.choice(15, 3, replace=False))
        frozen = tuple(generator.integers(0, 2, 3).tolist())
        joint = generator.integers(5, 9, 3).tolist()
        env.set_state((("player_0", "player_1", "player_2"), places, (0,) * 3, frozen, (), None))
        infos = play(env, *joint)[4]
        hits = [0, 0, 0]
        active = {places[i]: i for i in range(3) if not frozen[i]}
        for i, action in enumerate(joint):
            others = {cell: j for cell, j in active.items() if j != i}
            hit = None if frozen[i] else first_in_line(places[i], action, others, 2)
            if hit is not None:
                hits[others[hit]] += 1
        assert env.get_state()[2] == tuple(hits)
        for i, name in enumerate(env.agents):
            assert infos[name]["tagged"] is (hits[i] > 0)
            labels = env.labels()[name]
            assert ("tagged" in labels) is ("unsafe" in labels) is (hits[i] > 0)
            assert ("fired" in labels) is (not frozen[i])


@pytest.mark.parametrize("action", BEAMS)
def test_c44_beams_are_alike_in_all_directions_and_do_not_wrap_around(action):
    down, right = MOVES[BEAMS[action]]
    for away in range(1, 4):
        other = (3 + down * away, 3 + right * away)
        env = at((3, 3), other, beam_range=2)
        assert play(env, action, STAY)[4]["player_1"]["tagged"] is (away <= 2)
        env = at((3, 3), (3 - down * away, 3 - right * away), beam_range=6)
        assert not play(env, action, STAY)[4]["player_1"]["tagged"]
        env = at((3, 3), (other[0] + right, other[1] + down))
        assert not play(env, action, STAY)[4]["player_1"]["tagged"]
    edge = (3 + 3 * down, 3 + 3 * right)
    env = at(edge, (3 - 3 * down, 3 - 3 * right), beam_range=20)
    assert not play(env, action, STAY)[4]["player_1"]["tagged"]


def test_two_beams_at_once_hit_twice():
    env = at((3, 1), (3, 3), (3, 5))
    infos = play(env, TAG_RIGHT, STAY, TAG_LEFT)[4]
    assert infos["player_1"]["got_frozen"]
    assert "got_frozen" in env.labels()["player_1"]


def test_c44_the_frozen_let_beams_pass_and_miss_exactly_freeze_time_actions():
    env = at((3, 0), (3, 1), (3, 2), freeze_time=3, hits_to_freeze=1)
    infos = play(env, TAG_RIGHT, STAY, STAY)[4]
    assert infos["player_1"]["frozen"]
    infos = play(env, TAG_RIGHT, DOWN, STAY)[4]
    assert infos["player_2"]["got_frozen"]
    for _ in range(2):
        assert env.labels()["player_1"] >= {"frozen"}
        play(env, STAY, DOWN, STAY)
        assert cells(env)[1] == (3, 1)
    assert "active" in env.labels()["player_1"]
    play(env, STAY, DOWN, STAY)
    assert cells(env)[1] == (4, 1)


def test_agents_freeze_each_other_in_one_step():
    env = at((3, 0), (3, 1), hits_to_freeze=1, freeze_time=5)
    play(env, TAG_RIGHT, TAG_LEFT)
    assert env.get_state()[3] == (5, 5)


# Apples.


def test_an_apple_is_eaten_once():
    for seed in range(3):
        env = Gathering(
            grid_size=(3, 4), num_agents=4, apple_sites=[(0, 0), (1, 1), (2, 3)],
            apple_respawn_prob=0.3, apple_reward=2.5, freeze_time=2,
        )  # fmt: skip
        env.reset(seed=seed)
        before = set(env.get_state()[4])
        for _, rewards, _, _, infos in random_play(env, 300, seed):
            after = set(env.get_state()[4])
            eaten = [infos[name]["position"] for name in infos if infos[name]["collected"]]
            assert len(set(eaten)) == len(eaten)
            assert set(eaten) <= before | {(0, 0), (1, 1), (2, 3)}
            assert not set(eaten) & after
            for name, paid in rewards.items():
                assert paid == (2.5 if infos[name]["collected"] else 0.0)
                assert ("collected_apple" in env.labels()[name]) is infos[name]["collected"]
            standing = {info["position"] for info in infos.values()}
            assert not (after - before) & standing
            before = after


def test_apples_grow_back_as_often_as_told():
    sites = [(r, c) for r in range(4) for c in range(4)]
    env = at((6, 6), apple_sites=sites, apple_respawn_prob=0.2)
    empty = (("player_0",), ((6, 6),), (0,), (0,), (), None)
    grown = []
    for _ in range(300):
        env.set_state(empty)
        play(env, STAY)
        grown.append(len(env.get_state()[4]))
    assert abs(sum(grown) - 300 * 16 * 0.2) < 5 * (300 * 16 * 0.2 * 0.8) ** 0.5
    never = at((6, 6), apple_sites=sites)
    never.set_state(empty)
    assert "apples_gone" in never.labels()["player_0"]
    always = at((0, 0), apple_sites=sites, apple_respawn_prob=1.0)
    always.set_state((("player_0",), ((0, 0),), (0,), (0,), (), None))
    play(always, STAY)
    assert set(always.get_state()[4]) == set(sites) - {(0, 0)}
    assert "apples_gone" not in always.labels()["player_0"]
    assert always.metrics() == {"apples": 15.0, "frozen": 0.0}


def test_the_frozen_eat_nothing():
    env = at((0, 0), apple_sites=[(0, 0)])
    env.set_state((("player_0",), ((0, 0),), (0,), (2,), ((0, 0),), None))
    for eaten in (False, False, True):
        assert play(env, STAY)[4]["player_0"]["collected"] is eaten


def test_one_agent_may_play_alone_and_tagging_pays_nothing():
    env = at((0, 0), (0, 3))
    assert play(env, TAG_RIGHT, STAY)[1] == {"player_0": 0.0, "player_1": 0.0}
    assert at((2, 2)).n_agents == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"num_agents": 0}, "num_agents"),
        ({"num_agents": 65}, "num_agents is 65, but only 64 cells are no apple sites"),
        ({"apple_sites": [(0, 0), (0, 0)]}, "apple_sites are distinct"),
        ({"apple_sites": [(0, 11)]}, r"apple_sites\[0\] \(column\)"),
        ({"apple_sites": "all"}, "apple_sites is a sequence of cells"),
        ({"apple_respawn_prob": -0.1}, "apple_respawn_prob"),
        ({"hits_to_freeze": 0}, "hits_to_freeze"),
        ({"freeze_time": 0}, "freeze_time"),
        ({"beam_range": 0}, "beam_range"),
        ({"start_positions": [(0, 0)]}, "start_positions is 2 cells"),
        ({"start_positions": [(0, 0), (0, 0)]}, "start_positions are distinct"),
    ],
)
def test_wrong_arguments(given, message):
    with pytest.raises(InvalidParameter, match=message):
        Gathering(**given)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (1, ((0, 0), (0, 0)), "agent_pos is distinct cells"),
        (2, (0, 2), r"tag_hits\[1\]"),
        (2, (0,), "tag_hits is a tuple of 2 integers"),
        (3, (-1, 0), r"frozen_timer\[0\]"),
        (3, (26, 0), r"frozen_timer\[0\]"),
        (4, ((0, 0),), "is no apple site"),
        (4, ((3, 5), (3, 5)), "apples are distinct"),
    ],
)
def test_wrong_tuples(field, value, message):
    env = begin(Gathering)
    state = list(env.get_state())
    state[field] = value
    with pytest.raises(InvalidParameter, match=message):
        env.set_state(tuple(state))
