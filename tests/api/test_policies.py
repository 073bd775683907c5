"""Random and idle actions for whole batches."""

import numpy as np

from ecumene.api.policies import noop_actions, random_actions


def test_random_actions_keep_to_the_masks(toy):
    groups = (toy.RED, toy.BLUE)
    generator = np.random.default_rng(0)
    masks = {
        "red": np.tile(np.array([[1, 0, 1], [0, 1, 0]], np.int8), (500, 1, 1)),
        "blue": np.tile(np.array([[1, 1, 0, 1, 1]], np.int8), (500, 1, 1)),
    }
    drawn = random_actions(masks, groups, generator)
    assert drawn["red"].shape == (500, 2)
    assert drawn["blue"].shape == (500, 1, 2)
    assert set(drawn["red"][:, 0]) == {0, 2}
    assert set(drawn["red"][:, 1]) == {1}
    assert set(drawn["blue"][:, 0, 0]) == {0, 1}
    assert set(drawn["blue"][:, 0, 1]) == {1, 2}


def test_random_actions_are_uniform(toy):
    masks = {"red": np.ones((3000, 2, 3), np.int8)}
    drawn = random_actions(masks, [toy.RED], np.random.default_rng(1))["red"]
    shares = np.bincount(drawn.ravel(), minlength=3) / drawn.size
    assert np.abs(shares - 1 / 3).max() < 0.03


def test_random_actions_follow_their_generator(toy):
    masks = {"red": np.ones((4, 2, 3), np.int8)}
    one, other = (random_actions(masks, [toy.RED], np.random.default_rng(7)) for _ in range(2))
    assert one["red"].tolist() == other["red"].tolist()


def test_noop_is_action_zero(toy):
    idle = noop_actions([toy.RED, toy.BLUE], 3)
    assert idle["red"].shape == (3, 2)
    assert idle["blue"].shape == (3, 1, 2)
    assert not any(actions.any() for actions in idle.values())
