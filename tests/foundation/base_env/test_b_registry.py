"""`BaseEnvironment`: the registry of scenarios, and the examples of the documentation."""

import numpy as np
import pytest

from ecumene import foundation
from ecumene.foundation.base.base_env import BaseEnvironment, scenario_registry
from ecumene.foundation.base.registrar import Registry


def test_b_112_scenario_registry():
    assert isinstance(scenario_registry, Registry)
    cls = scenario_registry.get("uniform/simple_wood_and_stone")
    assert isinstance(cls, type)
    assert issubclass(cls, BaseEnvironment)


def test_b_113_add_returns_the_class(field):
    class Added(field):
        name = "test-base/added"

    assert scenario_registry.add(Added) is Added
    assert scenario_registry.get("test-base/added") is Added


def test_b_114_has():
    assert scenario_registry.has("uniform/simple_wood_and_stone") is True
    assert scenario_registry.has("uniform/simple_wood_and_ston") is False


def test_b_115_foundation_scenarios():
    assert foundation.scenarios is scenario_registry


def test_b_116_visible_once_imported(tmp_path, monkeypatch):
    source = """
        from ecumene.foundation.base.base_env import BaseEnvironment, scenario_registry

        @scenario_registry.add
        class Mine(BaseEnvironment):
            name = "test-base/in-a-module"
    """
    lines = source.splitlines()
    (tmp_path / "mine_of_a_user.py").write_text("\n".join(line[8:] for line in lines))
    monkeypatch.syspath_prepend(tmp_path)
    assert not foundation.scenarios.has("test-base/in-a-module")
    import mine_of_a_user  # type: ignore[import-not-found]

    assert foundation.scenarios.get("test-base/in-a-module") is mine_of_a_user.Mine


def test_b_116_scenarios_of_the_library():
    shipped = ["layout_from_file", "multi_zone", "quadrant", "split_layout", "uniform"]
    names = [f"{each}/simple_wood_and_stone" for each in shipped]
    assert [name for name in foundation.scenarios.entries if name in names] == names


def test_b_117_opening_snippet():
    ScenarioClass = foundation.scenarios.get("uniform/simple_wood_and_stone")  # noqa: N806

    env = ScenarioClass(
        components=[
            ("Build", {"payment": 20}),
            ("Gather", {"move_labor": 1.0, "collect_labor": 2.0}),
        ],
        n_agents=4,
        world_size=[25, 25],
    )

    obs = env.reset()
    actions = {agent.idx: 0 for agent in env.all_agents}
    actions["p"] = [0]
    obs, rew, done, info = env.step(actions)

    assert set(obs) == set(rew) == set(info) == {"0", "1", "2", "3", "p"}
    assert done == {"__all__": False}
    assert env.episode_length == 1000
    assert env.get_component("Build").payment == 20
    assert env.get_component("Gather").collect_labor == 2.0
    assert obs["0"]["world-map"].shape == (6, 11, 11)
    assert obs["p"]["world-map"].shape == (5, 25, 25)


@pytest.mark.parametrize("nothing", [0, [0], [], None, np.int64(0), np.array([0]), (0,)], ids=repr)
def test_b_117_planner_without_actions(make_uniform, nothing):
    env = make_uniform()
    env.reset()
    env.step({"p": nothing})
    assert env.world.timestep == 1


@pytest.mark.parametrize("something", [1, [1], [0, 0], "0", ..., 0.0], ids=repr)
def test_b_117_planner_can_only_do_nothing(make_uniform, something):
    env = make_uniform()
    env.reset()
    with pytest.raises((AssertionError, TypeError), match="agent p"):
        env.step({"p": something})


def test_b_117_the_dots_stand_for_an_action(make_uniform):
    env = make_uniform()
    env.reset()
    with pytest.raises(TypeError, match=r"agent 0.*Ellipsis"):
        env.step({agent.idx: ... for agent in env.all_agents})


def test_b_118_example_scenario():
    @scenario_registry.add
    class ExampleScenario(BaseEnvironment):
        name = "example/my_scenario"
        agent_subclasses = ["BasicMobileAgent"]
        required_entities = ["Wood"]

        def reset_starting_layout(self): ...
        def reset_agent_states(self): ...
        def scenario_step(self): ...
        def generate_observations(self): ...
        def compute_reward(self): ...

    assert scenario_registry.has("example/my_scenario")
    assert ExampleScenario is foundation.scenarios.get("example/my_scenario")
    env = ExampleScenario([("Gather", {})], n_agents=2, world_size=[4, 4])
    assert env.resources == ["Coin", "Wood"]


def test_b_119_names_of_the_document():
    assert foundation.scenarios.has("uniform/simple_wood_and_stone")
    assert foundation.components.get("Build").name == "Build"
    assert foundation.components.get("Gather").name == "Gather"
    assert foundation.agents.get("BasicMobileAgent").name == "BasicMobileAgent"
    assert foundation.resources.get("Wood").name == "Wood"


def test_make_env_instance():
    env = foundation.make_env_instance(
        "uniform/simple_wood_and_stone",
        components=[("Gather", {})],
        n_agents=2,
        world_size=[9, 9],
    )
    assert type(env) is foundation.scenarios.get("uniform/simple_wood_and_stone")
    with pytest.raises(KeyError, match="Did you mean `uniform/simple_wood_and_stone`"):
        foundation.make_env_instance("uniform/simple_wod_and_stone", n_agents=2)
