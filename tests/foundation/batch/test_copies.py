"""Copies of economies: each goes its own way, exactly as it would alone."""

import copy as copying
import pickle

import numpy as np
import pytest
from foundation.batch.economies import (
    IDS,
    UNIFORM,
    WORLDS,
    draw_actions,
    idle,
    same_future,
    simulation,
    told,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import ecumene
from ecumene.engine import SnapshotMismatch, runner

MODES = ("NextStep", "SameStep", "Disabled")


def row(arrays, copy):
    """Return one copy of nested dicts and tuples of arrays, as a batch of one."""
    if isinstance(arrays, tuple):
        return tuple(row(each, copy) for each in arrays)
    if isinstance(arrays, dict):
        return {name: row(each, copy) for name, each in arrays.items()}
    return arrays[copy : copy + 1]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("world", IDS)
@given(
    seed=st.integers(0, 2**40),
    copies=st.integers(2, 5),
    threads=st.integers(1, 4),
    multi=st.booleans(),
)
@settings(max_examples=4)
def test_copy_k_of_a_batch_is_the_single_copy_of_seed_s_plus_k(
    world, mode, seed, copies, threads, multi, equal
):
    options = {
        **WORLDS[world],
        "episode_length": 6,
        "autoreset_mode": mode,
        "multi_action_mode_agents": multi,
        "energy_warmup_constant": 2,
        "energy_warmup_method": "auto",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "WORTH_SPLITTING_SECONDS", 1e-9)  # split whatever the work
        vec = ecumene.make_vec(world, copies, num_threads=threads, **options)
        singles = [ecumene.make_vec(world, **options) for _ in range(copies)]
        batch = vec.reset(seed=seed)
        for k, single in enumerate(singles):
            assert equal(row(batch, k), single.reset(seed=seed + k))
        generator = np.random.default_rng(seed)
        for step in range(1, 16):
            over = mode == "Disabled" and step % 7 == 0
            if over:
                everybody = {"reset_mask": np.ones(copies, bool)}
                batch = vec.reset(options=everybody)
            else:
                actions = draw_actions(vec.simulation, generator)
                batch = vec.step(actions)
            for k, single in enumerate(singles):
                alone = (
                    single.reset(options={"reset_mask": np.ones(1, bool)})
                    if over
                    else single.step(row(actions, k))
                )
                assert equal(row(batch, k), alone)
                assert vec.state_hash(k) == single.state_hash()
                assert equal(row(vec.metrics(), k), single.metrics())
        vec.close()


@pytest.mark.parametrize("world", IDS)
@given(seed=st.integers(0, 2**32), before=st.integers(0, 9), source=st.integers(0, 2))
@settings(max_examples=5)
def test_snapshots_forks_and_digests(world, seed, before, source):
    here = simulation(world, 3, episode_length=7)
    here.reset(seed=seed)
    generator = np.random.default_rng(seed)
    for _ in range(before):
        here.step(draw_actions(here, generator))
        ended = ~here.out["agents"].alive.any(axis=1)
        if ended.any():
            here.reset(copies=ended)
    digests = [here.state_hash(k) for k in range(3)]
    assert len(set(digests)) == 3
    kept = pickle.loads(pickle.dumps(here.snapshot(source)))
    elsewhere = simulation(world, 2, episode_length=7)
    elsewhere.restore(1, kept)
    assert told(elsewhere, 1) == told(here, source)
    target = (source + 1) % 3
    here.fork(source, target)
    assert told(here, target) == told(here, source)
    assert [here.state_hash(k) for k in range(3)] == [
        digests[source] if k == target else digests[k] for k in range(3)
    ]
    alone = simulation(world, 1, episode_length=7)
    alone.restore(0, kept)
    assert same_future(elsewhere, 1, alone, 0, seed=seed)
    elsewhere.restore(0, kept)
    assert elsewhere.state_hash(0) == digests[source]


def test_a_snapshot_of_other_parameters_does_not_fit():
    small, wide = simulation(UNIFORM), simulation(UNIFORM, world_size=(9, 9))
    small.reset(seed=1)
    wide.reset(seed=1)
    before = wide.state_hash()
    for other in (small, simulation("foundation/quadrant-v0")):
        other.reset(seed=1)
        with pytest.raises(SnapshotMismatch):
            wide.restore(0, other.snapshot())
    assert wide.state_hash() == before


@pytest.mark.parametrize("duplicate", [copying.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
@pytest.mark.parametrize("world", IDS)
def test_duplicates_continue_alike_and_apart(world, duplicate):
    here = simulation(world, 2, episode_length=9)
    here.enable_dense_log(1)
    here.reset(seed=4)
    generator = np.random.default_rng(4)
    for _ in range(4):
        here.step(draw_actions(here, generator))
    there = duplicate(here)
    frozen = [told(there, k) for k in range(2)], there.state_hash(1)
    generator = np.random.default_rng(7)
    actions = [draw_actions(here, generator) for _ in range(5)]
    for each in actions:
        here.step(each)
    assert ([told(there, k) for k in range(2)], there.state_hash(1)) == frozen
    for each in actions:
        there.step(each)
    for k in range(2):
        assert told(there, k) == told(here, k)
        assert there.state_hash(k) == here.state_hash(k)
    assert there.dense_log(1) == here.dense_log(1)
    assert len(here.dense_log(1)["states"]) == 10
    for name in here.out:
        assert not np.shares_memory(here.out[name].reward, there.out[name].reward)


@pytest.mark.parametrize("world", IDS)
def test_numpys_generator_is_left_alone(world):
    np.random.seed(3)
    before = np.random.get_state()
    here = simulation(world, 2)
    here.reset(seed=1)
    here.step(idle(here))
    here.metrics()
    here.restore(1, here.snapshot(0))
    after = np.random.get_state()
    assert np.array_equal(before[1], after[1])
    assert before[2:] == after[2:]


def test_a_reset_without_a_seed_goes_on():
    one, other = (simulation(UNIFORM, 2) for _ in range(2))
    digests = []
    for each in (one, other):
        each.reset(seed=9)
        first = each.state_hash(0)
        each.reset()
        digests.append((first, each.state_hash(0)))
    assert digests[0] == digests[1]
    assert digests[0][0] != digests[0][1]


@pytest.mark.parametrize("world", IDS)
def test_a_seed_says_it_all(world):
    here = simulation(world, 2)
    for _ in range(3):
        here.reset(seed=5)
        digests = [here.state_hash(k) for k in range(2)]
        here.step(draw_actions(here, np.random.default_rng(1)))
        here.reset(seed=5)
        again = [here.state_hash(k) for k in range(2)]
        assert again == digests


def test_copies_that_are_not_stepped_stay_as_they_are():
    here = simulation(UNIFORM, 3)
    here.reset(seed=2)
    before = [here.state_hash(k) for k in range(3)]
    seen = [told(here, k) for k in range(3)]
    here.step(draw_actions(here, np.random.default_rng(1)), np.array([False, True, False]))
    for k in (0, 2):
        assert here.state_hash(k) == before[k]
        assert told(here, k) == seen[k]
    assert here.state_hash(1) != before[1]


def test_episodes_are_counted_per_copy():
    here = simulation(UNIFORM, 2, episode_length=2, energy_warmup_constant=1)
    here.reset(seed=2)
    first = np.array([True, False])
    for _ in range(2):
        here.step(idle(here), first)
    here.reset(copies=first)
    weights = here.metrics()["labor/weighted_cost"] / 0.21
    np.testing.assert_allclose(weights, [1 - np.exp(-1), 0])
