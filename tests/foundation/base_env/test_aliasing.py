"""What reset and step return belongs to the caller, and so do the actions that it gives."""

import copy

import numpy as np
import pytest

from ecumene import foundation


def spoil(value):
    """Overwrite every array and list in a structure."""
    if isinstance(value, np.ndarray):
        value[...] = 77
    elif isinstance(value, list):
        for i, part in enumerate(value):
            if isinstance(part, list | np.ndarray | dict):
                spoil(part)
            else:
                value[i] = 77
    elif isinstance(value, dict):
        for key, part in value.items():
            if isinstance(part, list | np.ndarray | dict):
                spoil(part)
            else:
                value[key] = 77


def arrays_in(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from arrays_in(part)


OPTIONS = [
    {},
    {"flatten_observations": False},
    {"flatten_observations": False, "flatten_masks": False},
    {"full_observability": True},
    {"full_observability": True, "flatten_observations": False},
    {"collate_agent_step_and_reset_data": True},
    {"planner_gets_spatial_info": False},
    {"multi_action_mode_agents": True},
    {"components": [("Gather", {})]},
    {"components": [("TestMint", {}), ("Build", {}), ("Gather", {})]},
    {
        "components": [("TestMint", {}), ("Build", {}), ("Gather", {})],
        "flatten_observations": False,
    },
]


def actions_of(env, rng):
    if env.multi_action_mode_agents:
        return {
            agent.idx: [int(rng.integers(0, n)) for n in agent.action_spaces]
            for agent in env.world.agents
        }
    return {agent.idx: int(rng.integers(0, agent.action_spaces)) for agent in env.world.agents}


def trajectory(env, spoiled):
    """Play from one seed; overwrite (or not) all that is returned, and return copies of it."""
    env.seed(5)
    rng = np.random.default_rng(2)
    returned = [env.reset(force_dense_logging=True)]
    kept = [copy.deepcopy(returned[0])]
    for _ in range(env.episode_length):
        if spoiled:
            spoil(returned[-1])
        returned.append(env.step(actions_of(env, rng)))
        kept.append(copy.deepcopy(returned[-1]))
    if spoiled:
        spoil(returned[-1][0])
        spoil(returned[-1][1])
    return kept, env.previous_episode_dense_log, env.previous_episode_metrics


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_overwriting_what_was_returned_changes_nothing(make_uniform, equal, options):
    untouched = trajectory(make_uniform(**options), spoiled=False)
    spoiled = trajectory(make_uniform(**options), spoiled=True)
    assert equal(list(spoiled), list(untouched))


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_later_steps_leave_earlier_observations_alone(make_uniform, equal, options):
    env = make_uniform(**options)
    env.seed(5)
    rng = np.random.default_rng(2)
    held = [env.reset()]
    kept = [copy.deepcopy(held[0])]
    for _ in range(6):
        held.append(env.step(actions_of(env, rng))[0])
        kept.append(copy.deepcopy(held[-1]))
    env.reset()
    assert equal(held, kept)


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_agents_do_not_share_arrays(make_uniform, options):
    env = make_uniform(**options)
    for obs in (env.reset(), env.step()[0], env.step()[0]):
        arrays = list(arrays_in(obs))
        for i, one in enumerate(arrays):
            assert not any(np.shares_memory(one, other) for other in arrays[i + 1 :])


def test_observations_do_not_share_the_map(make_uniform):
    env = make_uniform(full_observability=True)
    for obs in (env.reset(), env.step()[0]):
        before = np.array(env.world.maps.get("Wood"))
        spoil(obs)
        np.testing.assert_array_equal(env.world.maps.get("Wood"), before)


def test_a_user_s_own_arrays_are_not_handed_out(make_field):
    """The first observation of an episode, unlike later ones, comes straight from the component."""
    for flatten in (True, False):
        env = make_field(("TestMint", {}), flatten_observations=flatten)
        obs = env.reset()
        spoil(obs)
        assert env.get_component("Mint").board.tolist() == [[0, 0], [0, 0]]
        obs = env.step()[0]
        spoil(obs)
        assert env.get_component("Mint").board.tolist() == [[1, 0], [0, 0]]


def test_rewards_in_the_log_are_its_own(make_field):
    env = make_field(("TestMint", {"luck": 0.0}), episode_length=2)
    env.reset(force_dense_logging=True)
    rew = env.step({0: 3})[1]
    rew["0"] = 99.0
    env.step()
    assert env.previous_episode_dense_log["rewards"][0]["0"] == 3.0


def test_states_in_the_log_are_its_own(make_field):
    env = make_field(("TestMint", {"luck": 0.0}), episode_length=3)
    env.reset(force_dense_logging=True)
    for _ in range(3):
        env.step({0: 1})
    states = env.previous_episode_dense_log["states"]
    assert [state["0"]["diary"] for state in states] == [[], [1], [1, 2], [1, 2, 3]]
    assert [state["0"]["inventory"]["Coin"] for state in states] == [0, 1, 2, 3]


def test_lists_of_names_belong_to_the_caller(make_uniform):
    env = make_uniform()
    for names in (env.resources, env.landmarks, env.endogenous):
        names.append("x")
    assert env.resources == ["Coin", "Stone", "Wood"]
    assert "x" not in env.landmarks + env.endogenous
    size = [8, 9]
    env = make_uniform(world_size=size)
    size[0] = 3
    assert env.world.world_size == [8, 9]


def test_the_list_of_components_belongs_to_the_caller(make_field):
    given = {"luck": 0.5}
    components = [("TestMint", given)]
    env = foundation.make_env_instance(
        "test-base/field", components=components, n_agents=2, world_size=[3, 3]
    )
    given["luck"] = 2.0
    components.clear()
    env.reset()
    assert env.components[0].luck == 0.5
