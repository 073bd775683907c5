"""Refusals: what was given, what is allowed; and nothing has changed after one."""

import numpy as np
import pytest

from ecumene import foundation
from ecumene.engine.errors import EcumeneError, InvalidAction, InvalidParameter, ResetNeeded

BAD = {
    "components": [None, "Gather", ("Gather", {}), {"Gather": {}}, 3, [None], [["Gather"]]],
    "n_agents": [1, 0, -4, 2.0, "2", None, True, [2]],
    "world_size": [None, 5, "55", [5], [5, 5, 5], [0, 5], [5, 0], [5, "5"], [2.5, 5], [True, 5]],
    "episode_length": [0, -1, 0.9, "9", None, float("nan"), [9]],
    "dense_log_frequency": [0, -1, 0.5, "2", float("nan"), [2]],
    "world_dense_log_frequency": [0, -1, 0.5, None, "2", float("nan")],
    "seed": [0, -1, 0.5, "3", float("nan"), float("inf"), 2**32, [3], True],
}
CASES = [(name, value) for name, values in BAD.items() for value in values]


@pytest.mark.parametrize(("name", "value"), CASES, ids=[f"{n}-{v!r}" for n, v in CASES])
def test_constructor(field, name, value):
    given = {"components": [("Gather", {})], "n_agents": 2, "world_size": [5, 6], name: value}
    with pytest.raises(AssertionError) as caught:
        field(**given)
    error = caught.value
    assert isinstance(error, InvalidParameter)
    assert isinstance(error, ValueError)
    message = str(error)
    inner = name == "components" and isinstance(value, list | tuple)
    assert repr(value[0] if inner else value) in message
    assert name in message


def test_constructor_empty_list_of_components(make_field):
    env = make_field()
    env.reset()
    assert env.step()[2] == {"__all__": False}


@pytest.mark.parametrize("value", [1, 2.7, np.int64(3)])
def test_numbers_that_count_are_cut_to_integers(make_field, value):
    env = make_field(
        ("Gather", {}),
        episode_length=value,
        dense_log_frequency=value,
        world_dense_log_frequency=value,
    )
    assert env.episode_length == int(value)
    assert type(env.episode_length) is int


def test_arguments_that_nobody_knows(make_field):
    with pytest.raises(TypeError, match="move_labour"):
        make_field(("Gather", {"move_labour": 1.0}))
    with pytest.raises(TypeError, match="episodes"):
        make_field(("Gather", {}), episodes=3)


def test_unknown_names(make_field, field):
    for name, near in (("gathr", "Gather"), ("Biuld", "Build")):
        with pytest.raises(KeyError, match=rf"`{name}`.*Did you mean `{near}`.*Known: .*`Build`"):
            make_field((name, {}))
    for attribute, value, near in (
        ("required_entities", ["Watr"], "Water"),
        ("required_entities", ["Labour"], "Labor"),
        ("agent_subclasses", ["BasicMobilAgent"], "BasicMobileAgent"),
    ):
        cls = type("Wrong", (field,), {attribute: value})
        with pytest.raises(KeyError, match=rf"`{value[0]}`.*Did you mean `{near}`"):
            make_field(cls=cls)
    with pytest.raises(KeyError, match="Did you mean `quadrant/simple_wood_and_stone`"):
        foundation.scenarios.get("quadrat/simple_wood_and_stone")


def test_case_of_component_names_does_not_matter(make_field):
    assert make_field(("gather", {})).components[0].name == "Gather"


def everything(env):
    """All that a refused call must leave alone."""
    return {
        "maps": (env.world.maps.state, env.world.maps.owner_state),
        "states": {str(agent.idx): agent.state.plain() for agent in env.all_agents},
        "actions": {str(agent.idx): dict(agent.action) for agent in env.all_agents},
        "clock": env.world.timestep,
        "generator": np.random.get_state(),
        "replay": len(env.replay_log["step"]),
        "dense": {name: len(each) for name, each in env.dense_log.items()},
        "metrics": env.metrics,
    }


WRONG_ACTIONS = [
    ({3: 1}, ValueError, r"there is no agent 3; the agents are 0, 1, 2, p"),
    ({"a": 1}, ValueError, r"there is no agent 'a'"),
    ({-1: 1}, ValueError, r"there is no agent -1"),
    ({None: 1}, ValueError, r"there is no agent None"),
    ({1.0: 1}, ValueError, r"there is no agent 1.0"),
    ({True: 1}, ValueError, r"there is no agent True"),
    ({1: 10}, TypeError, r"agent 1: action 10 is outside 0\.\.9"),
    ({"1": -1}, TypeError, r"agent 1: action -1 is outside 0\.\.9"),
    ({1: 2.0}, TypeError, r"agent 1: an action is an integer in 0\.\.9, not 2\.0 \(float\)"),
    ({1: "2"}, TypeError, r"agent 1: an action is an integer in 0\.\.9, not '2' \(str\)"),
    ({1: None}, TypeError, r"agent 1: .*NoneType"),
    ({1: [2]}, TypeError, r"agent 1: .*\[2\] \(list\)"),
    ({1: {"Gather": 5}}, TypeError, r"agent 1, Gather: action 5 is outside 0\.\.4"),
    ({1: {"Gathr": 1}}, KeyError, r"agent 1 `Gathr`.*Did you mean `Gather`"),
    ({"p": 1}, AssertionError, r"agent p .*TestMint\.Bonus.*not 1"),
    ({"p": [1]}, AssertionError, r"agent p has 2 subspaces .*, not 1"),
    ({"p": [3, 0]}, TypeError, r"agent p, TestMint\.Bonus: action 3 is outside 0\.\.2"),
    ({"p": [0, 1.5]}, TypeError, r"agent p, TestMint\.Toll: an action is an integer in 0\.\.4"),
    ({0: 1, "0": 2}, ValueError, r"agent 0 is given two actions"),
    ([1, 2, 3], AssertionError, r"actions are a dict agent index -> action, not \[1, 2, 3\]"),
    (3, AssertionError, r"actions are a dict"),
    ("noop", AssertionError, r"actions are a dict"),
]


@pytest.mark.parametrize("first", [{}, {0: 3, 2: 9}], ids=["alone", "after good ones"])
@pytest.mark.parametrize(
    ("actions", "kind", "message"), WRONG_ACTIONS, ids=[repr(each[0]) for each in WRONG_ACTIONS]
)
def test_refused_step_changes_nothing(make_field, equal, actions, kind, message, first):
    env = make_field(("TestMint", {}), ("Gather", {}), dense_log_frequency=1, seed=3)
    env.reset()
    env.step({0: 2, 1: 6})
    before = everything(env)
    if isinstance(actions, dict) and 0 not in actions:
        actions = {**first, **actions}
    for call in (env.step, env.parse_actions):
        with pytest.raises(kind, match=message) as caught:
            call(actions)
        assert isinstance(caught.value, EcumeneError)
        assert equal(everything(env), before)
    env.step()  # no part of a refused dict was kept
    assert not env.dense_log["actions"][-1]["0"]
    assert env.get_agent(2).loc == [0, 2]


def test_refusals_are_invalid_actions(make_field):
    env = make_field(("Gather", {}))
    env.reset()
    for actions in ({7: 1}, {0: 99}, {0: "x"}):
        with pytest.raises(InvalidAction):
            env.step(actions)


@pytest.mark.parametrize("actions", [None, {}, {0: 1}])
def test_step_before_reset(make_uniform, actions):
    env = make_uniform()
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(actions)
    with pytest.raises(RuntimeError):
        env.step(actions)
    env.reset()
    env.step()
    assert env.world.timestep == 1


def test_a_batch_of_copies_is_refused_what_a_single_one_is(field):
    with pytest.raises(AssertionError, match="n_agents"):
        field.batch(2, [("Gather", {})], n_agents=1, world_size=[4, 4])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("starting_agent_coin", -1),
        ("starting_agent_coin", "1"),
        ("isoelastic_eta", 1.1),
        ("isoelastic_eta", -0.1),
        ("isoelastic_eta", None),
        ("energy_cost", -0.1),
        ("energy_warmup_constant", -1),
        ("energy_warmup_method", "slow"),
        ("energy_warmup_method", 3),
        ("mobile_agent_observation_range", -1),
        ("mobile_agent_observation_range", 2.5),
        ("mixing_weight_gini_vs_coin", 1.5),
        ("planner_reward_type", "coins"),
        ("starting_wood_coverage", 0.6),
        ("starting_wood_coverage", 0),
        ("wood_regen_halfwidth", 4),
        ("wood_regen_weight", 1.5),
        ("stone_max_health", 0),
        ("stone_clumpiness", -0.5),
        ("gradient_steepness", 0.5),
    ],
)
def test_parameters_of_a_scenario(make_uniform, name, value):
    with pytest.raises(AssertionError, match=name):
        make_uniform(**{name: value})
