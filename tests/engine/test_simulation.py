"""What the base class checks before the rules run."""

import numpy as np
import pytest

from ecumene.engine import InvalidAction, InvalidParameter, ResetNeeded

RED = np.zeros((2, 2), int)
BLUE = np.zeros((2, 1, 2), int)


@pytest.fixture
def world(toy):
    world = toy(2)
    world.reset(seed=0)
    return world


@pytest.mark.parametrize("copies", [0, -1, 1.0, True, "2", None])
def test_copies_are_at_least_one(toy, copies):
    with pytest.raises(InvalidParameter, match="copies is"):
        toy(copies)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ({"red": RED}, "no actions for group `blue`"),
        (
            {"red": RED, "blue": BLUE, "green": RED},
            "no group `green`; the groups are `red`, `blue`",
        ),
        ({"red": RED.astype(float), "blue": BLUE}, "integers\\[2, 2\\], not float64"),
        ({"red": RED.astype(bool), "blue": BLUE}, "not bool"),
        ({"red": RED[:1], "blue": BLUE}, "not int64\\[1, 2\\]"),
        ({"red": RED + 3, "blue": BLUE}, "copy 0, red_0: action 3 is outside Discrete\\(3\\)"),
        ({"red": RED, "blue": BLUE - 1}, "blue_0: action \\[-1, -1\\] is outside MultiDiscrete"),
        (RED, "actions is a dict group -> integers, not ndarray"),
    ],
)
def test_bad_actions_are_refused_and_nothing_is_stepped(world, actions, message):
    before = world.state_hash(0), world.state_hash(1)
    with pytest.raises(InvalidAction, match=message):
        world.step(actions)
    assert (world.state_hash(0), world.state_hash(1)) == before


def test_a_step_needs_a_reset(toy):
    world = toy(2)
    actions = {"red": RED, "blue": BLUE}
    with pytest.raises(ResetNeeded, match="toy/toy-v0"):
        world.step(actions)
    world.reset(copies=np.array([True, False]))
    with pytest.raises(ResetNeeded):
        world.step(actions)
    world.step(actions, copies=np.array([True, False]))
    assert world.state.clock.tolist() == [1, 0]


def test_masks_of_copies_are_checked(world):
    for mask in ([True], np.ones(3, bool), np.ones(2, int)):
        with pytest.raises(InvalidParameter, match="boolean vector of length 2"):
            world.reset(copies=mask)


def test_only_chosen_copies_are_stepped_and_reset(world):
    actions = {"red": RED, "blue": BLUE}
    world.step(actions)
    world.step(actions, copies=np.array([False, True]))
    assert world.state.clock.tolist() == [1, 2]
    world.reset(copies=np.array([True, False]))
    assert world.state.clock.tolist() == [0, 2]
