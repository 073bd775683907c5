"""IceDuel: moving, pushing, clashing, slipping and falling."""

import itertools
from collections import Counter

import pytest
from gridworlds.worlds import DOWN, LEFT, RIGHT, STAY, UP, begin, play, random_play, where

from ecumene.engine import InvalidParameter
from ecumene.gridworlds import IceDuel

MOVES = {LEFT: (0, -1), RIGHT: (0, 1), UP: (-1, 0), DOWN: (1, 0), STAY: (0, 0)}


def at(one, other, **parameters):
    """Return a duel without slipping that begins at given cells."""
    return begin(IceDuel, **{"slip_prob": 0.0, "start_positions": (one, other), **parameters})


def cells(env):
    return env.get_state()[1]


def test_l_16_l_30_channels():
    env = at((2, 1), (2, 3), holes=[(0, 4), (1, 1)])
    assert env.channel_names() == ["hole", "player_0", "player_1"]
    assert where(env, "hole") == [(0, 4), (1, 1)]
    assert (where(env, "player_0"), where(env, "player_1")) == ([(2, 1)], [(2, 3)])


def test_l_32_l_33_the_tuple():
    env = at((2, 1), (0, 3))
    agents, agent_pos, _ = env.get_state()
    assert agents == ("player_0", "player_1")
    assert agent_pos == ((2, 1), (0, 3))
    observations = play(env, STAY, UP)[0]
    assert env.get_state()[:2] == ((), ((2, 1), None))
    assert where(env, "player_1") == []
    assert observations["player_1"].sum() == 1  # the other one


def expected(starts, joint, rows, columns, holes, push):
    """Return where two agents end, None if fallen, and who was pushed and who clashed."""
    ends = [(r + MOVES[a][0], c + MOVES[a][1]) for (r, c), a in zip(starts, joint, strict=True)]
    moving = [action != STAY for action in joint]
    pushed, clash = [False, False], False
    if all(moving) and (ends[0] == ends[1] or ends == list(reversed(starts))):
        ends, clash = list(starts), True
    for i in range(2):
        if moving[i] and not moving[1 - i] and ends[i] == starts[1 - i]:
            if push:
                down, right = MOVES[joint[i]]
                ends[1 - i] = (starts[1 - i][0] + down, starts[1 - i][1] + right)
                pushed[1 - i] = True
            else:
                ends[i] = starts[i]
    on_ice = [0 <= r < rows and 0 <= c < columns and (r, c) not in holes for r, c in ends]
    return [end if dry else None for end, dry in zip(ends, on_ice, strict=True)], pushed, clash


@pytest.mark.parametrize("push", [True, False])
def test_every_joint_action_from_every_place(push):
    holes = [(0, 1)]
    rewards = {"win_reward": 3.0, "lose_reward": -4.0, "both_fall_reward": -2.5, "step_reward": 0.5}
    env = at((1, 0), (1, 2), grid_size=(2, 3), holes=holes, push=push, **rewards)
    ice = [cell for cell in itertools.product(range(2), range(3)) if cell not in holes]
    for starts in itertools.permutations(ice, 2):
        for joint in itertools.product(MOVES, repeat=2):
            env.set_state((("player_0", "player_1"), starts, None))
            _, paid, terminations, _, infos = play(env, *joint)
            ends, pushed, clash = expected(starts, joint, 2, 3, holes, push)
            assert list(cells(env)) == ends
            fell = [end is None for end in ends]
            for i, name in enumerate(env.possible_agents):
                other = fell[1 - i]
                gain = (-2.5 if other else -4.0) if fell[i] else (3.0 if other else 0.0)
                assert paid[name] == 0.5 + gain
                assert terminations[name] is any(fell)
                assert infos[name]["position"] == ends[i]
                assert infos[name]["fell"] is fell[i]
                assert infos[name]["pushed"] is pushed[i]
                assert infos[name]["clash"] is clash
                assert infos[name]["slipped"] is False
                labels = env.labels()[name]
                assert ("fell" in labels) is ("unsafe" in labels) is fell[i]
                assert ("opponent_fell" in labels) is other
                assert ("pushed" in labels) is pushed[i]
                assert ("clash" in labels) is clash


def test_labels_of_places():
    env = at((2, 2), (2, 3), holes=[(3, 2)])
    assert env.labels() == {"player_0": {"at_edge", "adjacent"}, "player_1": {"adjacent"}}
    env = at((0, 0), (2, 2))
    assert env.labels() == {"player_0": {"at_edge"}, "player_1": set()}


@pytest.mark.parametrize("slip_prob", [0.0, 0.1, 1.0])
def test_slips_happen_as_often_as_outcomes_say(slip_prob):
    env = at((2, 2), (5, 5), grid_size=(8, 8), slip_prob=slip_prob)
    joint = (RIGHT, STAY)
    outcomes = {ends: p for p, ends in env.outcomes(joint)}
    assert sum(outcomes.values()) == pytest.approx(1)
    landed = {(2, 3): RIGHT, (1, 2): UP, (3, 2): DOWN}
    seen = Counter()
    state = env.get_state()[:2]
    trials = 3000
    for _ in range(trials):
        env.set_state((*state, None))
        infos = play(env, *joint)[4]
        heading = landed[cells(env)[0]]
        seen[heading, STAY] += 1
        assert infos["player_0"]["slipped"] is (heading != RIGHT)
        assert infos["player_1"]["slipped"] is False
    assert set(seen) <= set(outcomes)
    for ends, p in outcomes.items():
        assert abs(seen[ends] - trials * p) <= 5 * (trials * p * (1 - p)) ** 0.5


def test_outcomes_are_probabilities_of_headings():
    env = at((2, 1), (2, 3), slip_prob=0.2)
    outcomes = env.outcomes((LEFT, UP))
    assert len(outcomes) == 9
    assert sum(p for p, _ in outcomes) == pytest.approx(1)
    assert (pytest.approx(0.64), (LEFT, UP)) in outcomes
    assert (pytest.approx(0.01), (DOWN, RIGHT)) in outcomes
    assert env.outcomes((STAY, STAY)) == [(1.0, (STAY, STAY))]
    assert at((2, 1), (2, 3)).outcomes((LEFT, UP)) == [(1.0, (LEFT, UP))]


def test_every_duel_ends_in_one_of_its_outcomes():
    env = begin(IceDuel, grid_size=(3, 4), slip_prob=0.4, start_positions="random", max_moves=20)
    still = begin(IceDuel, grid_size=(3, 4), slip_prob=0.0, start_positions="random")
    for joint in itertools.islice(itertools.cycle(itertools.product(MOVES, repeat=2)), 150):
        if not env.agents:
            env.reset()
        before = env.get_state()[:2]
        play(env, *joint)
        ends = set()
        for _, headings in env.outcomes(joint):
            still.set_state((*before, None))
            play(still, *headings)
            ends.add(cells(still))
        assert cells(env) in ends


def test_two_agents_are_never_on_one_cell():
    env = begin(IceDuel, grid_size=(3, 4), start_positions="random", slip_prob=0.3)
    for _ in random_play(env, 400):
        one, other = cells(env)
        assert one != other or one is None


def test_where_duels_start():
    assert cells(begin(IceDuel)) == ((2, 1), (2, 3))
    env = IceDuel(grid_size=(2, 3), holes=[(0, 0)], start_positions="random")
    seen = set()
    for seed in range(200):
        env.reset(seed=seed)
        seen.add(cells(env))
    ice = [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert seen == set(itertools.permutations(ice, 2))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"grid_size": (0, 5)}, r"grid_size\[0\]"),
        ({"grid_size": 5}, "grid_size is a pair"),
        ({"grid_size": (5, 3)}, "a board of 3 columns has no default ones"),
        ({"holes": [(9, 9)]}, r"holes\[0\] \(row\)"),
        ({"holes": [(2, 1)]}, "start_positions is two cells without a hole"),
        ({"holes": [(1, 1), (1, 1)]}, "holes are distinct"),
        ({"start_positions": "anywhere"}, "start_positions is one of 'random'"),
        ({"start_positions": [(1, 1), (1, 1)]}, "start_positions are distinct"),
        ({"start_positions": "random", "grid_size": (1, 1)}, "two cells without a hole"),
        ({"slip_prob": 1.5}, "slip_prob"),
        ({"push": 1}, "push is True or False"),
        ({"win_reward": None}, "win_reward"),
    ],
)
def test_wrong_arguments(given, message):
    with pytest.raises(InvalidParameter, match=message):
        IceDuel(**given)


@pytest.mark.parametrize(
    ("agents", "agent_pos", "message"),
    [
        (("player_0", "player_1"), ((2, 1), (2, 1)), "agent_pos is distinct cells"),
        (("player_0", "player_1"), ((2, 1), (1, 1)), "agent_pos is distinct cells without a hole"),
        (("player_0", "player_1"), ((2, 1), None), "player_1 is live"),
        (("player_0",), ((2, 1), (2, 2)), "all end together"),
        ((), ((2, 1), (5, 2)), r"agent_pos\[1\] \(row\)"),
        ((), ((2, 1),), "agent_pos is a tuple of 2 cells"),
    ],
)
def test_wrong_tuples(agents, agent_pos, message):
    env = at((2, 1), (2, 3), holes=[(1, 1)])
    with pytest.raises(InvalidParameter, match=message):
        env.set_state((agents, agent_pos, None))
