"""What Gather is and which parameters it takes."""

import inspect

import numpy as np
import pytest

from ecumene import foundation

EMPTY_HANDED = ["...", ".01", "W.S"]


def gather_class():
    return foundation.components.get("Gather")


def gather_with(draw, **parameters):
    return draw(*EMPTY_HANDED, components=[("Gather", parameters)]).get_component("Gather")


def test_g_01_registered_as_gather():
    assert foundation.components.has("Gather")
    assert "Gather" in foundation.components.entries
    assert issubclass(
        foundation.components.get("Gather"), foundation.base.base_component.BaseComponent
    )


def test_g_01_environments_find_it_by_that_name(draw):
    env = draw(*EMPTY_HANDED)
    assert type(env.get_component("Gather")) is gather_class()
    assert [component.name for component in env.components] == ["Gather"]


def test_g_02_class_is_named_gather():
    assert gather_class().__name__ == "Gather"
    assert gather_class().name == "Gather"


def test_g_03_serves_basic_mobile_agents_only():
    assert gather_class().agent_subclasses == ["BasicMobileAgent"]


def test_g_03_planner_gets_nothing_from_it(draw):
    env = draw(*EMPTY_HANDED, flatten_observations=False, flatten_masks=False)
    obs, _, _, _ = env.step()
    component, planner = env.get_component("Gather"), env.world.planner
    assert not component.get_n_actions("BasicPlanner")
    assert component.get_additional_state_fields("BasicPlanner") == {}
    assert not planner.has_component("Gather")
    assert planner.action_spaces.tolist() == [1]  # the one thing to do is nothing
    assert set(planner.state) == {"inventory", "escrow", "endogenous"}
    assert "p" not in component.obs()
    assert "p" not in {str(idx) for idx in component.generate_masks()}
    assert obs["p"]["action_mask"] == {}


def test_g_04_requires_coin_house_and_labor():
    assert set(gather_class().required_entities) == {"Coin", "House", "Labor"}


def test_g_04_brings_them_into_the_world(draw):
    env = draw(*EMPTY_HANDED)
    assert "Coin" in env.resources
    assert "House" in env.landmarks
    assert "Labor" in env.endogenous
    assert env.world.maps.get("House").shape == (3, 3)


def test_g_05_agents_walk_and_pick_up_what_lies_where_they_stand(draw):
    env = draw(
        "0.W",
        "..S",
        "..1",
    )
    walker = env.get_agent(0)
    path = []
    for action in (2, 2, 4, 1, 3):
        env.step({"0": action})
        path.append((tuple(walker.loc), walker.inventory["Wood"], walker.inventory["Stone"]))
    assert path == [
        ((0, 1), 0, 0),
        ((0, 2), 1, 0),
        ((1, 2), 1, 1),
        ((1, 1), 1, 1),
        ((0, 1), 1, 1),
    ]


def parameter(name):
    return inspect.signature(gather_class()).parameters[name]


def test_g_06_move_labor_is_a_float_1_by_default(draw):
    assert type(parameter("move_labor").default) is float
    assert parameter("move_labor").default == gather_with(draw).move_labor == 1.0
    assert gather_with(draw, move_labor=2.5).move_labor == 2.5
    assert type(gather_with(draw, move_labor=2).move_labor) is float


def test_g_07_move_labor_may_be_0_but_not_less(draw):
    assert gather_with(draw, move_labor=0).move_labor == 0
    with pytest.raises(AssertionError, match="move_labor.*-0.1"):
        gather_with(draw, move_labor=-0.1)


def test_g_08_collect_labor_is_a_float_1_by_default(draw):
    assert type(parameter("collect_labor").default) is float
    assert parameter("collect_labor").default == gather_with(draw).collect_labor == 1.0
    assert gather_with(draw, collect_labor=0.25).collect_labor == 0.25


def test_g_09_collect_labor_may_be_0_but_not_less(draw):
    assert gather_with(draw, collect_labor=0).collect_labor == 0
    with pytest.raises(AssertionError, match="collect_labor.*-0.1"):
        gather_with(draw, collect_labor=-0.1)


@pytest.mark.parametrize("name", ["move_labor", "collect_labor"])
@pytest.mark.parametrize("value", ["1", None, float("nan"), [1.0]])
def test_labor_that_is_no_number_is_refused(draw, name, value):
    with pytest.raises(AssertionError, match=name):
        gather_with(draw, **{name: value})


def test_g_10_skill_dist_is_a_string_none_by_default(draw):
    assert parameter("skill_dist").default == "none"
    assert gather_with(draw).skill_dist == "none"


@pytest.mark.parametrize("name", ["none", "pareto", "lognormal"])
def test_g_11_skill_dist_takes_three_names_in_any_case(draw, name):
    assert gather_with(draw, skill_dist=name).skill_dist == name
    assert gather_with(draw, skill_dist=name.upper()).skill_dist == name


@pytest.mark.parametrize("value", ["normal", "", None, 0, ["none"]])
def test_g_11_skill_dist_takes_nothing_else(draw, value):
    with pytest.raises(AssertionError, match="skill_dist.*'none', 'pareto', 'lognormal'"):
        gather_with(draw, skill_dist=value)


def test_unknown_parameters_are_refused(draw):
    with pytest.raises(TypeError, match="run_labor"):
        gather_with(draw, run_labor=1.0)


def test_g_50_example_configuration_builds_an_environment():
    env_config = {
        "components": [
            {
                "Gather": {
                    "move_labor": 1.0,
                    "collect_labor": 1.0,
                    "skill_dist": "pareto",
                }
            }
        ]
    }
    env = foundation.make_env_instance(
        "uniform/simple_wood_and_stone", n_agents=4, world_size=[15, 15], **env_config
    )
    obs = env.reset()
    assert set(obs) == {"0", "1", "2", "3", "p"}
    before = [env.get_agent(i).loc for i in range(4)]
    moves = {}
    for i in range(4):
        open_moves = np.flatnonzero(obs[str(i)]["action_mask"][1:])
        assert open_moves.size
        moves[str(i)] = int(open_moves[0]) + 1
    obs, rew, done, info = env.step(moves)
    assert set(obs) == set(rew) == set(info) == {"0", "1", "2", "3", "p"}
    assert done == {"__all__": False}
    assert [env.get_agent(i).loc for i in range(4)] != before
    assert (env.get_component("Gather").skill_dist, env.n_agents) == ("pareto", 4)
