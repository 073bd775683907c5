"""Labels and costs in the infos of every world."""

import numpy as np
import pytest

import ecumene
from ecumene.api.labels import SetMaker, cost_fn


def test_labels_and_costs_are_told_where_asked_for(world_id, short, sample):
    env = ecumene.make(world_id, labels=True, **short(world_id))
    bare = ecumene.make(world_id, **short(world_id))
    assert "unsafe" in env.propositions
    _, infos = env.reset(seed=0)
    _, others = bare.reset(seed=0)
    for _ in range(12):
        assert not any("labels" in info or "cost" in info for info in others.values())
        assert list(infos) == list(others)
        assert env.labels() == {name: info["labels"] for name, info in infos.items()}
        for info in infos.values():
            assert info["labels"] <= set(env.propositions)
            assert info["cost"] == cost_fn(info["labels"])
        if not env.agents:
            break
        actions = sample(bare, others)
        infos, others = env.step(actions)[4], bare.step(actions)[4]
        assert env.state_hash() == bare.state_hash()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_arrays_hold_the_labels_of_single_worlds(world_id, short, mode):
    copies = 3
    vec = ecumene.make_vec(
        world_id, copies, num_threads=1, autoreset_mode=mode, labels=True, **short(world_id)
    )
    singles = [ecumene.make(world_id, labels=True, **short(world_id)) for _ in range(copies)]
    make_set = SetMaker(vec.propositions)
    _, infos = vec.reset(seed=5)
    told = [single.reset(seed=5 + k)[1] for k, single in enumerate(singles)]
    generator = np.random.default_rng(0)
    for _ in range(15):
        for k, facts in enumerate(told):
            assert_alike(vec, infos, k, facts, make_set)
        actions = vec.sample_actions(generator)
        infos = vec.step(actions)[-1]
        for k, single in enumerate(singles):
            if not single.agents:
                told[k] = single.reset()[1]
                continue
            told[k] = single.step(by_name(vec, single, actions, k))[-1]
            if mode == "SameStep" and not single.agents:
                final = infos["final_info"]
                assert_alike(vec, final, k, told[k], make_set)
                told[k] = single.reset()[1]


def by_name(vec, single, actions, copy):
    return {
        name: actions[group.name][copy, i]
        for group in vec.groups
        for i, name in enumerate(group.agents)
        if name in single.agents
    }


def assert_alike(vec, infos, copy, facts, make_set):
    for group in vec.groups:
        arrays = infos[group.name]
        for i, name in enumerate(group.agents):
            held = make_set(arrays["labels"][copy, i])
            assert held == (facts[name]["labels"] if name in facts else frozenset())
            assert arrays["cost"][copy, i] == cost_fn(held)


def test_unlabelled_batches_hold_no_labels():
    vec = ecumene.make_vec("matrix/chicken-v0", 2, num_threads=1)
    assert vec.labelled is False
    _, infos = vec.reset(seed=0)
    assert "labels" not in infos["players"]
    with pytest.raises(ValueError, match="labels"):
        ecumene.make("matrix/chicken-v0", labels=1)


def test_equal_rows_share_a_set():
    make_set = SetMaker(("a", "b"))
    row = np.array([True, False])
    assert make_set(row) is make_set(row.copy())
    assert make_set(row) == {"a"}
    assert make_set(np.array([False, False])) == frozenset()
