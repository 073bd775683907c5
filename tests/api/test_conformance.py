"""What every registered world must do, whatever it is about."""

import copy
import multiprocessing
import pickle
import subprocess
import sys

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.utils.conversions import parallel_to_aec

import ecumene
from ecumene.engine import runner

# A world may rightly show nothing but zeros, such as a matrix game before its first round.
ZEROS = "ignore:Observation numpy array is all zeros:UserWarning"
# The economy's documented names of agents are "0", "1", ... and "p".
NAMES = "ignore:We recommend agents to be named:UserWarning"
# Groups of agents differ in their spaces: that is what groups are for.
GROUPS = "ignore:(Agents have different|Observations are different):UserWarning"
# An agent that can only do nothing has one action.
PASSIVE = "ignore:Action mask is a single number:UserWarning"
# PettingZoo warns of every observation that is a dict, even where the space is a `Dict`.
DICTS = "ignore:Observation (is not a NumPy array|space for each agent probably):UserWarning"

# Nor does it expect actions of several parts.
PARTS = "ignore:Action space for each agent probably should be:UserWarning"


def masks_of(space, mask):
    return [mask] if isinstance(space, spaces.Discrete) else list(mask)


def play(env, sample, infos, steps):
    """Yield the five dicts of random steps, starting episodes afresh as they end."""
    for _ in range(steps):
        if not env.agents:
            _, infos = env.reset()
        result = env.step(sample(env, infos))
        infos = result[4]
        yield result


def seeded(env, seed):
    """Reset an environment and seed its action spaces."""
    for i, name in enumerate(env.possible_agents):
        env.action_space(name).seed(seed + i)
    return env.reset(seed=seed)


def test_c31_pettingzoos_parallel_test(world_id, make_short, capsys):
    parallel_api_test(make_short(world_id), num_cycles=40)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.filterwarnings(ZEROS, DICTS, NAMES, GROUPS, PASSIVE, PARTS)
def test_c31_pettingzoos_test_of_taking_turns(world_id, make_short, capsys):
    api_test(parallel_to_aec(make_short(world_id)), num_cycles=40)
    assert "Passed" in capsys.readouterr().out


def test_c31_pettingzoos_seed_tests(world_id, make_short):
    parallel_seed_test(lambda: make_short(world_id), num_cycles=20)
    seed_test(lambda: parallel_to_aec(make_short(world_id)), num_cycles=20)


def test_c29_observations_lie_in_their_spaces(world_variant, sample):
    world, parameters = world_variant
    env = ecumene.make(world, **parameters)
    for seed in range(3):
        observations, infos = seeded(env, seed)
        assert_in_spaces(env, observations)
        for result in play(env, sample, infos, 20):
            assert_in_spaces(env, result[0])


def assert_in_spaces(env, observations):
    for name, observation in observations.items():
        assert env.observation_space(name).contains(observation), name
    if hasattr(env, "state_space"):
        assert env.state_space.contains(env.state())


def test_c23_every_live_agent_may_do_something(world_variant, sample):
    world, parameters = world_variant
    env = ecumene.make(world, **parameters)
    _, infos = seeded(env, 0)
    for result in play(env, sample, infos, 25):
        for name, info in result[4].items():
            parts = masks_of(env.action_space(name), info["action_mask"])
            assert all(part.dtype == np.int8 for part in parts)
            assert all(set(part.tolist()) <= {0, 1} for part in parts)
            assert all(part.any() for part in parts)
            assert env.action_space(name).contains(
                env.action_space(name).sample(info["action_mask"])
            )
            if name not in env.agents:
                assert flat_mask(info["action_mask"]).tolist() == no_ops(env, name).tolist()


def test_the_five_dicts_hold_the_agents_that_were_live(world_id, make_short, sample):
    env = make_short(world_id)
    _, infos = seeded(env, 1)
    while env.agents:
        live = list(env.agents)
        result = env.step(sample(env, infos))
        assert all(list(each) == live for each in result)
        infos, done = result[4], [result[2][name] or result[3][name] for name in live]
        assert env.agents == [name for name, gone in zip(live, done, strict=True) if not gone]
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_the_same_seed_is_the_same_episode(world_variant, sample, equal):
    world, parameters = world_variant
    one, other = (ecumene.make(world, **parameters) for _ in range(2))
    first = seeded(one, 11)
    assert equal(first, seeded(other, 11))
    for left, right in zip(
        play(one, sample, first[1], 20), play(other, sample, first[1], 20), strict=True
    ):
        assert equal(left, right)
        assert one.state_hash() == other.state_hash()


def test_c25_forms_of_seeds(world_id, make_short, equal):
    env, other = make_short(world_id), make_short(world_id)
    for seed, alike in ((0, 0), (np.int64(7), 7), (2**32 - 1, np.uint32(2**32 - 1)), (2**40,) * 2):
        assert equal(env.reset(seed=seed), other.reset(seed=alike))
        assert env.state_hash() == other.state_hash()
    for seed in (-1, 1.5, True):
        with pytest.raises(ValueError, match="a seed is an integer from 0 up"):
            env.reset(seed=seed)


def test_c27_settings_hold_and_unseeded_resets_go_on(world_variant, equal):
    world, parameters = world_variant

    def chain(env):
        return [env.reset(seed=seed) for seed in (3, None, None)], env.state_hash()

    env = ecumene.make(world, **parameters)
    before = dict(env.simulation.spec.parameters)
    first = chain(env)
    assert equal(first, chain(env))
    assert equal(first, chain(ecumene.make(world, **parameters)))
    assert dict(env.simulation.spec.parameters) == before


def test_c40_episodes_end_at_the_horizon(world_id, make_short):
    env = make_short(world_id)
    env.reset(seed=0)
    horizon = env.simulation.spec.horizon
    for step in range(1, horizon + 1):
        idle = {name: no_op(env, name) for name in env.agents}
        _, _, terminations, truncations, _ = env.step(idle)
        assert not any(terminations[name] and truncations[name] for name in truncations)
        assert any(truncations.values()) == (step == horizon)
    assert env.agents == []


def no_op(env, name):
    """Return the action with which an agent does nothing: the one called so, else the first."""
    group, _ = env.simulation.spec.place[name]
    if isinstance(group.action_space, spaces.Discrete) and "stay" in group.action_names:
        return group.action_names.index("stay")
    return np.zeros(group.action_shape, np.int64)[()]


def no_ops(env, name):
    """Return the mask, all parts in a row, that allows an agent to do nothing and no more."""
    group, _ = env.simulation.spec.place[name]
    parts = [np.zeros(size, np.int8) for size in group.action_sizes]
    for part, choice in zip(parts, np.atleast_1d(no_op(env, name)), strict=True):
        part[choice] = 1
    return np.concatenate(parts)


def test_c51_copies_continue_alike_and_go_their_own_ways(world_id, make_short, sample, equal):
    env = make_short(world_id)
    _, infos = seeded(env, 5)
    for result in play(env, sample, infos, 3):
        infos = result[4]
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    expected = list(play(env, sample, infos, 20))
    for twin in twins:
        assert equal(list(play(twin, sample, infos, 20)), expected)
    before = twins[0].state_hash()
    _, infos = twins[1].reset(seed=77)
    list(play(twins[1], sample, infos, 2))
    assert twins[0].state_hash() == before == env.state_hash() != twins[1].state_hash()


REPLAY = """
import pickle, sys
env, steps = pickle.load(sys.stdin.buffer)
print(*[env.step(actions) and env.state_hash() for actions in steps])
"""


def mid_episode(env, sample):
    """Return actions for the next steps of an environment, and the digests they lead to."""
    _, infos = seeded(env, 6)
    infos = env.step(sample(env, infos))[4]
    here = pickle.dumps(env)
    steps, digests = [], []
    while env.agents:
        steps.append(sample(env, infos))
        infos = env.step(steps[-1])[4]
        digests.append(env.state_hash())
    return pickle.loads(here), steps, digests


def test_c51_another_interpreter_continues_alike(world_id, make_short, sample):
    env, steps, digests = mid_episode(make_short(world_id), sample)
    done = subprocess.run(
        [sys.executable, "-c", REPLAY], input=pickle.dumps((env, steps)), capture_output=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.decode().split() == digests


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_c51_worker_processes_step_alike(world_id, make_short, sample, equal, method):
    env, steps, _ = mid_episode(make_short(world_id), sample)
    with multiprocessing.get_context(method).Pool(1) as pool:
        told = pool.apply(env.step, (steps[0],))
    assert equal(told, env.step(steps[0]))


@given(seed=st.integers(0, 2**32), before=st.integers(0, 12), after=st.integers(1, 9))
@settings(max_examples=8)
def test_a_snapshot_has_the_same_future(world_id, make_short, sample, equal, seed, before, after):
    env = make_short(world_id)
    _, infos = seeded(env, seed)
    for result in play(env, sample, infos, before):
        infos = result[4]
    kept = env.snapshot()
    other = make_short(world_id)
    other.restore(pickle.loads(pickle.dumps(kept)))
    for each in (env, other):
        for i, name in enumerate(each.possible_agents):
            each.action_space(name).seed(i)
    future = list(play(env, sample, infos, after))
    assert equal(list(play(other, sample, infos, after)), future)
    assert other.state_hash() == env.state_hash()


def test_no_world_touches_numpys_global_generator(world_id, make_short, sample):
    np.random.seed(123)
    before = np.random.get_state()[1].tolist()
    env = make_short(world_id)
    _, infos = seeded(env, 2)
    list(play(env, sample, infos, 12))
    assert np.random.get_state()[1].tolist() == before


def test_c50_copies_start_differently_where_chance_plays_a_part(world_id, make_vec_short):
    vec = make_vec_short(world_id, 8)
    streams = vec.simulation.state.stream
    for seed in (0, range(10, 18), None):
        vec.reset(seed=seed)
        assert len({row.tobytes() for row in streams}) == 8


class Single:
    """Copy k of a batch, modelled by a single world and the rule of an autoreset mode."""

    def __init__(self, env, mode, seed):
        self.env, self.mode = env, mode
        self.observations, self.infos = env.reset(seed=seed)
        self.rewards, self.terminations, self.truncations = ({} for _ in range(3))
        self.final = None

    def step(self, actions):
        self.final = None
        if not self.env.agents:  # NEXT_STEP, or DISABLED after a reset by mask
            self._begin()
            return
        live = {name: actions[name] for name in self.env.agents}
        told = self.env.step(live)
        self.observations, self.rewards, self.terminations, self.truncations, self.infos = told
        if not self.env.agents and self.mode == "SameStep":
            self.final = self.observations, self.infos
            self.observations, self.infos = self.env.reset()

    def _begin(self):
        self.observations, self.infos = self.env.reset()
        self.rewards, self.terminations, self.truncations = ({} for _ in range(3))


def row(arrays, copy, i):
    if isinstance(arrays, dict):
        return {name: row(part, copy, i) for name, part in arrays.items()}
    return np.asarray(arrays[copy, i])


def flat_mask(mask):
    return np.concatenate(mask) if isinstance(mask, tuple) else mask


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@given(seed=st.integers(0, 2**32), copies=st.integers(1, 4), threads=st.integers(1, 3))
@settings(max_examples=5)
def test_c48_c50_copy_k_is_the_single_world_with_seed_s_plus_k(
    world_id, make_short, make_vec_short, equal, mode, seed, copies, threads
):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "WORTH_SPLITTING_SECONDS", 1e-9)  # split whatever the work
        vec = make_vec_short(world_id, copies, num_threads=threads, autoreset_mode=mode)
        singles = [Single(make_short(world_id), mode, seed + k) for k in range(copies)]
        observations, infos = vec.reset(seed=seed)
        generator = np.random.default_rng(seed)
        for k, single in enumerate(singles):
            assert_alike(vec, single, k, observations, infos, equal)
        for _ in range(18):
            actions = vec.sample_actions(generator)
            over = np.array([not single.env.agents for single in singles])
            if mode == "Disabled" and over.any():
                observations, infos = vec.reset(options={"reset_mask": over})
                for k in np.flatnonzero(over):
                    singles[k]._begin()
                continue
            observations, *told, infos = vec.step(actions)
            for k, single in enumerate(singles):
                single.step(by_name(vec, actions, k))
                assert_alike(vec, single, k, observations, infos, equal)
                assert_told_alike(vec, single, k, told)
                assert_final_alike(vec, single, k, infos, equal)
                assert vec.state_hash(k) == single.env.state_hash()
        vec.close()


def by_name(vec, actions, copy):
    return {
        name: actions[group.name][copy, i]
        for group in vec.groups
        for i, name in enumerate(group.agents)
    }


def members(vec):
    return [(group, i, name) for group in vec.groups for i, name in enumerate(group.agents)]


def assert_alike(vec, single, copy, observations, infos, equal):
    for group, i, name in members(vec):
        assert infos[group.name]["alive"][copy, i] == (name in single.env.agents)
        if name in single.observations:
            seen = row(observations[group.name], copy, i)
            assert equal(seen, single.observations[name])
            mask = infos[group.name]["action_mask"][copy, i]
            assert mask.tolist() == flat_mask(single.infos[name]["action_mask"]).tolist()


def assert_told_alike(vec, single, copy, told):
    rewards, terminations, truncations = told
    for group, i, name in members(vec):
        assert rewards[group.name][copy, i] == single.rewards.get(name, 0.0)
        assert terminations[group.name][copy, i] == single.terminations.get(name, False)
        assert truncations[group.name][copy, i] == single.truncations.get(name, False)


def assert_final_alike(vec, single, copy, infos, equal):
    marked = bool(infos.get("_final_obs", np.zeros(vec.num_envs, bool))[copy])
    assert marked == (single.final is not None)
    if single.final is None:
        return
    observations, final_infos = single.final
    for group, i, name in members(vec):
        if name in observations:
            seen = row(infos["final_obs"][group.name], copy, i)
            assert equal(seen, observations[name])
            mask = infos["final_info"][group.name]["action_mask"][copy, i]
            assert mask.tolist() == flat_mask(final_infos[name]["action_mask"]).tolist()
