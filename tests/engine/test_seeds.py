"""Forms of seeds, and what unseeded copies start from."""

import numpy as np
import pytest

from ecumene.engine import InvalidSeed
from ecumene.engine.random import parse_seed, parse_seeds


@pytest.mark.parametrize("seed", [0, 7, np.int64(7), np.uint8(7), 2**32 - 1, 2**40, 2**70])
def test_c25_integers_from_zero_up_are_seeds(seed):
    assert parse_seed(seed) == int(seed)
    assert type(parse_seed(seed)) is int


@pytest.mark.parametrize("seed", [-1, np.int8(-1), 1.5, 1.0, True, np.True_, "3", [3], None])
def test_c25_anything_else_is_refused(seed):
    with pytest.raises(InvalidSeed, match="integer from 0 up"):
        parse_seed(seed)


def test_c50_one_seed_per_copy():
    assert parse_seeds(3, 4) == [3, 4, 5, 6]
    assert parse_seeds(range(10, 14), 4) == [10, 11, 12, 13]
    assert parse_seeds(np.array([5, 5, 1, 0]), 4) == [5, 5, 1, 0]
    with pytest.raises(InvalidSeed, match="3 seeds were given for 4 copies"):
        parse_seeds([1, 2, 3], 4)


def test_a_refused_seed_changes_nothing(toy):
    world = toy(2)
    world.reset(seed=1)
    before = world.state_hash(0)
    for seed in (-1, [1, -1], [1]):
        with pytest.raises(InvalidSeed):
            world.reset(seed=seed)
    assert world.state_hash(0) == before


def test_c50_unseeded_copies_differ(toy):
    world = toy(8)
    world.reset()
    assert len(set(world.state.draw.tolist())) == 8


def test_c50_copies_left_out_of_a_seeded_reset_are_seeded_later(toy):
    world = toy(4)
    world.reset(seed=0, copies=np.array([True, False, False, False]))
    world.reset()
    assert len(set(world.state.draw.tolist())) == 4
    again = toy(4)
    again.reset()
    assert world.state.draw[1] != again.state.draw[1]


def test_c27_unseeded_resets_continue_the_stream(toy):
    def chain():
        world = toy()
        draws = []
        for seed in (3, None, None):
            world.reset(seed=seed)
            draws.append(world.state.draw[0])
        return draws

    first = chain()
    assert len(set(first)) == 3
    assert chain() == first
