"""The `ParallelEnv` of one copy, on a world that uses every part of the interface."""

import enum
import re

import numpy as np
import pytest
from pettingzoo.utils.conversions import parallel_to_aec

from ecumene.api.parallel import ParallelEnv
from ecumene.engine import InvalidAction, InvalidParameter, InvalidSeed, ResetNeeded, UnknownAgent

WAIT = {"red_0": 0, "red_1": 0, "blue_0": [0, 0]}


@pytest.fixture
def env(toy):
    env = ParallelEnv(toy(limits=5))
    env.reset(seed=1)
    return env


def test_one_copy_only(toy):
    with pytest.raises(InvalidParameter, match="1 copy, not 2: use VectorEnv"):
        ParallelEnv(toy(2))


def test_reset_tells_every_agent(toy):
    env = ParallelEnv(toy())
    assert env.agents == []
    observations, infos = env.reset(seed=1, options={"anything": 1})
    assert env.agents == env.possible_agents == ["red_0", "red_1", "blue_0"]
    assert list(observations) == list(infos) == env.agents
    assert observations["red_0"].dtype == np.float32
    assert set(observations["blue_0"]) == {"clock", "inner"}
    assert all(env.observation_space(name).contains(observations[name]) for name in env.agents)
    assert infos["red_0"]["clock"] == 0


def test_c31_every_agent_has_spaces_of_its_own(env):
    for name in env.possible_agents:
        assert env.action_space(name) is env.action_space(name)
        assert env.observation_space(name) is env.observation_space(name)
    reds = [env.action_space("red_0"), env.action_space("red_1")]
    assert reds[0] == reds[1]
    assert reds[0] is not reds[1]
    reds[0].seed(3)
    first = [reds[0].sample() for _ in range(9)]
    reds[0].seed(3)
    reds[1].seed(5)
    assert [reds[0].sample() for _ in range(9)] == first


def test_rewards_and_flags_are_python_values(env):
    _, rewards, terminations, truncations, _ = env.step({**WAIT, "red_0": 1, "blue_0": [1, 2]})
    assert rewards == {"red_0": 1.0, "red_1": 1.0, "blue_0": 3.0}
    assert all(type(reward) is float for reward in rewards.values())
    flags = [*terminations.values(), *truncations.values()]
    assert all(type(flag) is bool for flag in flags)


def test_what_is_handed_out_is_never_overwritten(env, equal):
    first, infos = env.reset(seed=1)
    kept = [first["red_0"].copy(), first["blue_0"]["clock"].copy(), infos["red_0"]["clock"]]
    masks = [infos["red_0"]["action_mask"].copy(), infos["blue_0"]["action_mask"][0].copy()]
    second, *_ = env.step(WAIT)
    assert equal([first["red_0"], first["blue_0"]["clock"], infos["red_0"]["clock"]], kept)
    assert equal([infos["red_0"]["action_mask"], infos["blue_0"]["action_mask"][0]], masks)
    second["red_0"][:] = 99
    second["blue_0"]["inner"]["draw"][...] = 99
    third, *_ = env.step(WAIT)
    assert third["red_1"][0] == 2
    assert third["blue_0"]["inner"]["draw"] < 1


def test_c34_who_dies_is_told_and_leaves(env):
    both = {"red_0", "red_1", "blue_0"}
    dicts = env.step({**WAIT, "red_0": 2})
    assert all(set(each) == both for each in dicts)
    assert dicts[2] == {"red_0": True, "red_1": False, "blue_0": False}
    assert dicts[3] == dict.fromkeys(both, False)
    assert env.agents == ["red_1", "blue_0"]
    dicts = env.step({"red_1": 0, "blue_0": [0, 0]})
    assert all(list(each) == ["red_1", "blue_0"] for each in dicts)
    env.reset()
    assert env.agents == env.possible_agents


def test_c40_truncation_comes_exactly_at_the_horizon(env):
    for _ in range(4):
        _, _, terminations, truncations, _ = env.step(WAIT)
        assert not any(terminations.values())
        assert not any(truncations.values())
    _, _, terminations, truncations, _ = env.step({**WAIT, "red_1": 2})
    assert terminations == {"red_0": False, "red_1": True, "blue_0": False}
    assert truncations == {"red_0": True, "red_1": False, "blue_0": True}
    assert env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})
    assert env.step(WAIT) == ({}, {}, {}, {}, {})


def test_c40_episodes_of_one_step(toy):
    env = ParallelEnv(toy(limits=1))
    env.reset(seed=0)
    assert env.step(WAIT)[3] == {"red_0": True, "red_1": True, "blue_0": True}


class Move(enum.IntEnum):
    WAIT = 0
    WORK = 1


@pytest.mark.parametrize(
    "form",
    [
        int,
        np.int64,
        np.int32,
        np.uint8,
        np.array,
        lambda value: np.array(value, np.int16),
        Move,
    ],
)
@pytest.mark.parametrize("parts", [list, tuple, np.array, lambda parts: np.array(parts, np.int32)])
def test_c19_integer_actions_of_every_form_are_the_same(toy, form, parts, equal):
    plain, other = ParallelEnv(toy()), ParallelEnv(toy())
    assert equal(plain.reset(seed=4), other.reset(seed=4))
    for red, blue in ((1, [1, 2]), (0, [0, 1])):
        formed = {"red_0": form(red), "red_1": form(0), "blue_0": parts(blue)}
        given = {"red_0": red, "red_1": 0, "blue_0": blue}
        assert equal(plain.step(given), other.step(formed))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"red_0": 3}, r"red_0: action 3 is outside Discrete\(3\) \(0..2\)"),
        ({"red_0": -1}, "red_0: action -1 is outside"),
        ({"red_1": 2.0}, "red_1: an action is an integer in 0..2, not the float 2.0"),
        ({"red_1": np.float32(1)}, "red_1: an action is an integer"),
        ({"red_1": True}, "not the bool True"),
        ({"red_1": np.True_}, "red_1: an action is an integer"),
        ({"red_1": np.array(True)}, "red_1: an action is an integer"),
        ({"red_1": np.array([1])}, r"not the ndarray array\(\[1\]\)"),
        ({"red_1": [1]}, "not the list"),
        ({"red_1": None}, "not the NoneType None"),
        ({"red_1": "1"}, "not the str '1'"),
        ({"blue_0": [0, 3]}, r"blue_0: action \[0, 3\] is outside MultiDiscrete\(\[2, 3\]\)"),
        ({"blue_0": [-1, 0]}, "blue_0: action"),
        ({"blue_0": [0, 1, 1]}, "blue_0: an action is 2 integers"),
        ({"blue_0": 1}, "blue_0: an action is 2 integers"),
        ({"blue_0": [0.0, 1.0]}, "blue_0: an action is 2 integers"),
        ({"blue_0": [True, 1]}, "blue_0: an action is 2 integers"),
        ({"blue_0": [[0], 1]}, "blue_0: an action is 2 integers"),
        ({"blue_0": None}, "blue_0: an action is 2 integers"),
        ({"green_0": 0}, "there is no agent 'green_0'.*'red_0', 'red_1', 'blue_0'"),
        ({"red_2": 0}, "there is no agent 'red_2'. Did you mean `red_"),
        ({0: 0}, "there is no agent 0."),
    ],
)
def test_bad_actions_are_refused_and_nothing_changes(env, equal, change, message):
    before, agents = env.state_hash(), list(env.agents)
    with pytest.raises(InvalidAction, match=f"{message}.*Nothing was stepped"):
        env.step({**WAIT, **change})
    assert (env.state_hash(), env.agents) == (before, agents)
    twin = ParallelEnv(type(env.simulation)(limits=5))
    twin.reset(seed=1)
    assert equal(env.step(WAIT), twin.step(WAIT))


def test_missing_superfluous_and_misshapen_actions(env):
    with pytest.raises(InvalidAction, match="no action for red_1, blue_0"):
        env.step({"red_0": 0})
    for given in ([0, 0, 0], 5, None):
        with pytest.raises(InvalidAction, match="actions is a dict agent -> action"):
            env.step(given)
    env.step({**WAIT, "red_0": 2})
    with pytest.raises(InvalidAction, match="red_0 is no longer live"):
        env.step(WAIT)


def test_c21_agent_ids_are_strings_and_other_forms_are_refused_by_name(env):
    renamed = {0: 0, 1: 0, 2: [0, 0]}
    with pytest.raises(KeyError, match=re.escape("there is no agent 0. Agents: 'red_0', 'red_1'")):
        env.step(renamed)
    for look_up in (env.action_space, env.observation_space):
        with pytest.raises(UnknownAgent, match=r"no agent 'red0'\. Did you mean `red_0`\?"):
            look_up("red0")


def test_a_step_needs_a_reset(toy):
    env = ParallelEnv(toy())
    for use in (lambda: env.step(WAIT), env.snapshot, env.state):
        with pytest.raises(ResetNeeded, match=r"toy/toy-v0: call reset\(\) first"):
            use()


@pytest.mark.parametrize("seed", [-1, 1.5, True, [3], "7"])
def test_c25_bad_seeds_are_refused_and_nothing_changes(env, seed):
    before = env.state_hash()
    with pytest.raises(InvalidSeed):
        env.reset(seed=seed)
    assert env.state_hash() == before


def test_masks_fit_the_spaces(env):
    _, infos = env.reset(seed=2)
    assert infos["red_0"]["action_mask"].tolist() == [1, 1, 1]
    assert infos["red_0"]["action_mask"].dtype == np.int8
    parts = infos["blue_0"]["action_mask"]
    assert isinstance(parts, tuple)
    assert [part.tolist() for part in parts] == [[1, 1], [1, 1, 1]]
    _, _, _, _, infos = env.step({**WAIT, "red_1": 2})
    assert infos["red_0"]["action_mask"].tolist() == [1, 0, 1]
    assert infos["red_1"]["action_mask"].tolist() == [1, 0, 0]  # dead: action 0 alone
    for name in env.agents:
        space = env.action_space(name)
        assert space.contains(space.sample(infos[name]["action_mask"]))


def test_snapshot_and_restore_bring_back_the_agents(env, equal):
    env.step({**WAIT, "red_0": 2})
    kept, digest = env.snapshot(), env.state_hash()
    rest = {"red_1": 1, "blue_0": [1, 1]}
    future = [env.step(rest), env.step({**rest, "red_1": 2}), env.step({"blue_0": [0, 0]})]
    env.restore(kept)
    assert env.agents == ["red_1", "blue_0"]
    assert env.state_hash() == digest
    again = [env.step(rest), env.step({**rest, "red_1": 2}), env.step({"blue_0": [0, 0]})]
    assert equal(future, again)


def test_a_world_without_renderer_or_global_state_says_so(env):
    with pytest.raises(NotImplementedError, match="toy/toy-v0 has no renderer"):
        env.render()
    with pytest.raises(InvalidParameter, match="no renderer"):
        ParallelEnv(env.simulation, render_mode="human")
    with pytest.raises(NotImplementedError, match="no global state"):
        env.state()
    assert not hasattr(env, "state_space")


def test_closing_twice_is_fine(env):
    env.close()
    env.close()


def test_identity(env):
    assert env.unwrapped is env
    assert env.metrics() == {"clock": 0.0}
    assert str(env) == "toy/toy-v0"
    assert (env.num_agents, env.max_num_agents) == (3, 3)
    assert env.metadata == {
        "name": "toy/toy-v0",
        "render_modes": [],
        "render_fps": 10,
        "is_parallelizable": True,
    }


def test_agents_take_turns_through_pettingzoos_conversion(env):
    turns = parallel_to_aec(env)
    turns.reset(seed=1)
    assert turns.agent_selection == "red_0"
    for action in (2, 0, [0, 0]):
        turns.step(action)
    assert turns.terminations == {"red_0": True, "red_1": False, "blue_0": False}
    turns.step(None)
    assert turns.agents == ["red_1", "blue_0"]
