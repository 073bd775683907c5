"""Snapshots, forks and digests."""

import copy
import pickle

import numpy as np
import pytest

from ecumene.engine import SnapshotMismatch


def act(world):
    world.step(
        {
            "red": np.ones((world.copies, 2), int),
            "blue": np.tile([1, 2], (world.copies, 1, 1)),
        }
    )


def seen(world, copy):
    """Return all that is told of one copy, as bytes."""
    outputs = world.out
    return [
        np.asarray(array[copy]).tobytes()
        for out in outputs.values()
        for array in (*out[1:], *([] if isinstance(out.observation, dict) else [out.observation]))
    ] + [outputs["blue"].observation["inner"]["draw"][copy].tobytes()]


def test_a_snapshot_brings_back_state_outputs_and_stream(toy):
    world = toy(3, limits=9)
    world.reset(seed=5)
    act(world)
    kept, told = world.snapshot(1), seen(world, 1)
    digest, others = world.state_hash(1), (seen(world, 0), seen(world, 2))
    act(world)
    future = seen(world, 1)
    world.restore(1, kept)
    assert world.state_hash(1) == digest
    assert seen(world, 1) == told
    act(world)
    assert seen(world, 1) == future
    assert (seen(world, 0), seen(world, 2)) != others  # they went on meanwhile


def test_restoring_one_copy_leaves_the_others_alone(toy):
    world = toy(3, limits=9)
    world.reset(seed=5)
    kept = world.snapshot(0)
    act(world)
    before = seen(world, 1), seen(world, 2), world.state_hash(1)
    world.restore(0, kept)
    assert (seen(world, 1), seen(world, 2), world.state_hash(1)) == before


def test_a_snapshot_does_not_follow_the_world(toy):
    world = toy(limits=9)
    world.reset(seed=5)
    kept = world.snapshot()
    clock = kept.arrays["state.clock"].item()
    act(world)
    assert kept.arrays["state.clock"].item() == clock


def test_a_snapshot_travels_to_another_instance(toy):
    one, other = toy(2, limits=9), toy(1, limits=9)
    one.reset(seed=5)
    act(one)
    other.restore(0, pickle.loads(pickle.dumps(one.snapshot(1))))
    act(one)
    act(other)
    assert seen(other, 0) == seen(one, 1)
    assert other.state_hash(0) == one.state_hash(1)


def test_a_fork_has_the_same_future(toy):
    world = toy(4, limits=9)
    world.reset(seed=5)
    act(world)
    world.fork(0, 3)
    for _ in range(3):
        act(world)
        assert seen(world, 3) == seen(world, 0)
        assert world.state_hash(3) == world.state_hash(0)
        assert world.state_hash(1) != world.state_hash(0)


def test_digests_tell_states_apart(toy):
    world = toy(limits=9)
    world.reset(seed=5)
    first = world.state_hash()
    world.state.draw[0] = np.nextafter(world.state.draw[0], 2)
    assert world.state_hash() != first


def test_a_snapshot_of_another_world_is_refused(toy, make_short):
    world = toy()
    world.reset(seed=1)
    chicken = make_short("matrix/chicken-v0")
    chicken.reset(seed=1)
    before = world.state_hash()
    with pytest.raises(SnapshotMismatch, match="matrix/chicken-v0 does not fit toy/toy-v0"):
        world.restore(0, chicken.snapshot())
    odd = world.snapshot()
    odd.arrays["state.clock"] = np.zeros(3)
    with pytest.raises(SnapshotMismatch, match=r"state\.clock"):
        world.restore(0, odd)
    del odd.arrays["state.clock"]
    with pytest.raises(SnapshotMismatch, match=r"lacks array `state\.clock`"):
        world.restore(0, odd)
    assert world.state_hash() == before


def test_deepcopy_and_pickle_continue_alike(toy):
    world = toy(2, limits=9)
    world.reset(seed=5)
    act(world)
    twins = [copy.deepcopy(world), pickle.loads(pickle.dumps(world))]
    for each in (world, *twins):
        act(each)
    for twin in twins:
        assert seen(twin, 1) == seen(world, 1)
    act(twins[0])
    assert twins[1].state_hash(0) == world.state_hash(0) != twins[0].state_hash(0)
