"""`BaseEnvironment`: what a scenario implements, and when it is called."""

import numpy as np
import pytest

from ecumene import foundation

SHIPPED = [
    ("uniform/simple_wood_and_stone", {}),
    ("quadrant/simple_wood_and_stone", {}),
    ("multi_zone/simple_wood_and_stone", {}),
    ("layout_from_file/simple_wood_and_stone", {}),
    (
        "split_layout/simple_wood_and_stone",
        {"components": [("Build", {"skill_dist": "pareto"}), ("Gather", {})]},
    ),
]


@pytest.fixture
def recorded(field):
    class Recorded(field):
        name = "test-base/recorded-scenario"
        calls = []

        def __init__(self, *args, **kwargs):
            self.calls = []
            super().__init__(*args, **kwargs)

        def reset_starting_layout(self):
            self.calls.append("reset_starting_layout")
            super().reset_starting_layout()

        def reset_agent_states(self):
            self.calls.append("reset_agent_states")
            super().reset_agent_states()

        def scenario_step(self):
            self.calls.append("scenario_step")

        def additional_reset_steps(self):
            self.calls.append("additional_reset_steps")

    return Recorded


def test_b_103_reset_starting_layout(make_field, recorded):
    class Wooded(recorded):
        name = "test-base/wooded"
        required_entities = ["Wood", "Water"]

        def reset_starting_layout(self):
            super().reset_starting_layout()
            self.world.maps.set_point("Wood", 1, 2, 3)
            self.world.create_landmark("Water", 2, 2)

    env = make_field(("Gather", {}), cls=Wooded)
    assert env.calls == []
    for _ in range(2):
        env.calls.clear()
        env.reset()
        assert env.calls[0] == "reset_starting_layout"
        assert env.calls.count("reset_starting_layout") == 1
        assert env.world.location_resources(1, 2) == {"Wood": 3}
        assert env.world.location_landmarks(2, 2) == {"Water": 1}
        env.step({0: 4})


def test_b_104_reset_agent_states(make_field, recorded):
    class Endowed(recorded):
        name = "test-base/endowed"

        def reset_agent_states(self):
            super().reset_agent_states()
            for i, agent in enumerate(self.world.agents):
                agent.inventory["Coin"] = 10 * i
                self.world.set_agent_loc(agent, 2, i)

    env = make_field(("TestMint", {}), cls=Endowed)
    for _ in range(2):
        env.calls.clear()
        env.reset()
        assert env.calls[:2] == ["reset_starting_layout", "reset_agent_states"]
        assert env.calls.count("reset_agent_states") == 1
        assert [agent.inventory["Coin"] for agent in env.world.agents] == [0, 10, 20]
        assert [agent.loc for agent in env.world.agents] == [[2, 0], [2, 1], [2, 2]]
        env.step({0: 3})


def test_b_105_scenario_step(make_field, recorded):
    class Interest(recorded):
        name = "test-base/interest"

        def scenario_step(self):
            super().scenario_step()
            for agent in self.world.agents:
                agent.inventory["Coin"] *= 2

    env = make_field(("TestMint", {"luck": 0.0}), cls=Interest, flatten_observations=False)
    env.reset()
    assert "scenario_step" not in env.calls
    obs, rew, _, _ = env.step({0: 3})
    assert env.calls.count("scenario_step") == 1
    assert obs["0"]["world-coin"] == pytest.approx(0.06)
    assert rew["0"] == 6


def observing(field, make_field, observed, *components, **parameters):
    class Observing(field):
        name = "test-base/observing"

        def generate_observations(self):
            return observed(self)

    return make_field(*components, cls=Observing, **parameters)


@pytest.mark.parametrize("flatten", [True, False])
class TestObservations:
    def test_b_106_none(self, field, make_field, flatten):
        env = observing(field, make_field, lambda env: {}, flatten_observations=flatten)
        for obs in (env.reset(), env.step()[0]):
            assert list(obs) == ["0", "1", "2", "p"]
            assert all(list(fields) == ["action_mask"] for fields in obs.values())

    def test_b_106_agents_only(self, field, make_field, flatten):
        env = observing(
            field,
            make_field,
            lambda env: {agent.idx: {"here": agent.loc[1]} for agent in env.world.agents},
            flatten_observations=flatten,
        )
        for t, obs in enumerate((env.reset(), env.step()[0])):
            assert list(obs["p"]) == ["action_mask"]
            assert obs["1"]["time"] == [t / 6]
            if flatten:
                assert obs["1"]["flat"].tolist() == [np.float32(t / 6), 1]
            else:
                assert obs["1"]["world-here"] == 1

    def test_b_106_planner_only(self, field, make_field, flatten):
        env = observing(
            field,
            make_field,
            lambda env: {env.world.planner.idx: {"all": np.arange(4)}},
            flatten_observations=flatten,
        )
        for obs in (env.reset(), env.step()[0]):
            assert list(obs["0"]) == ["action_mask"]
            if flatten:
                assert obs["p"]["flat"][-4:].tolist() == [0, 1, 2, 3]
            else:
                assert obs["p"]["world-all"].tolist() == [0, 1, 2, 3]

    def test_b_106_what_the_planner_sees_of_agents(self, field, make_field, flatten):
        env = observing(
            field,
            make_field,
            lambda env: {f"p{agent.idx}": {"n": agent.idx} for agent in env.world.agents},
            flatten_observations=flatten,
        )
        for obs in (env.reset(), env.step()[0]):
            seen = obs["p"]["p2"]
            assert (seen.tolist() == [2]) if flatten else (seen == {"world-n": 2})
            assert list(obs) == ["0", "1", "2", "p"]

    def test_b_106_agents_that_differ(self, field, make_field, flatten):
        env = observing(
            field,
            make_field,
            lambda env: {0: {"a": 1.0}, "1": {"b": [2.0, 3.0]}, "p": {"c": np.eye(2)}},
            flatten_observations=flatten,
        )
        for t, obs in enumerate((env.reset(), env.step()[0])):
            if flatten:
                assert obs["0"]["flat"].tolist() == [np.float32(t / 6), 1]
                assert obs["1"]["flat"].tolist() == [np.float32(t / 6), 2, 3]
            else:
                assert obs["0"]["world-a"] == 1
                assert obs["1"]["world-b"] == [2, 3]
            assert list(obs["2"]) == ["action_mask"]
            assert obs["p"]["world-c"].tolist() == [[1, 0], [0, 1]]

    def test_b_106_unknown_agent(self, field, make_field, flatten):
        env = observing(field, make_field, lambda env: {7: {"a": 1}}, flatten_observations=flatten)
        with pytest.raises(KeyError, match="agent to observe `7`"):
            env.reset()


def keys(value):
    if not isinstance(value, dict):
        return np.shape(value)
    return {name: keys(part) for name, part in value.items()}


@pytest.mark.parametrize("flatten", [True, False])
@pytest.mark.parametrize(("scenario", "given"), SHIPPED, ids=[name for name, _ in SHIPPED])
def test_b_107_always_the_same_structure(scenario, given, flatten, play):
    parameters = {
        "components": [("Build", {}), ("Gather", {})],
        "n_agents": 4,
        "world_size": [25, 25],
        "episode_length": 8,
        "flatten_observations": flatten,
        **given,
    }
    env = foundation.make_env_instance(scenario, **parameters)
    first = keys(env.reset())
    for _ in range(2):
        returned = play(env, seed=6)
        assert keys(returned[0]) == first
        assert all(keys(obs) == first for obs, *_ in returned[1:])


FIRST = {"grid": np.zeros((2, 2), np.int64), "row": [1.0, 2.0]}
LATER = {
    "another field": {"other": 1.0},
    "another shape": {"grid": np.zeros((1, 2), np.int64)},
    "floats in place of ints": {"grid": np.full((2, 2), 0.5)},
    "a longer row": {"row": [1.0, 2.0, 3.0]},
    "a shorter row": {"row": 1.0},
    "a table in place of a row": {"row": np.zeros((2, 1))},
}


@pytest.mark.parametrize("later", LATER.values(), ids=LATER.keys())
def test_b_107_changed_structure_is_refused(field, make_field, later):
    def observed(env):
        fields = {**FIRST, **(later if env.world.timestep == 2 else {})}
        return {agent.idx: fields for agent in env.world.agents}

    env = observing(field, make_field, observed)
    env.reset()
    env.step()
    with pytest.raises(AssertionError, match=r"observation `world-.*at the first reset"):
        env.step()


def test_b_108_compute_reward(make_field, field):
    class Rewarding(field):
        name = "test-base/rewarding"

        def compute_reward(self):
            return {0: -1.5, "1": np.float32(0.25), 2: 3, "p": self.world.timestep}

    env = make_field(("TestMint", {}), cls=Rewarding)
    env.reset()
    env.step()
    rew = env.step()[1]
    assert rew == {"0": -1.5, "1": 0.25, "2": 3.0, "p": 2.0}
    assert all(type(each) is float for each in rew.values())


def test_b_109_additional_reset_steps(make_field, recorded, field):
    env = make_field(("TestMint", {}), cls=recorded)
    env.reset()
    assert env.calls == ["reset_starting_layout", "reset_agent_states", "additional_reset_steps"]
    assert make_field(cls=field).additional_reset_steps() is None


def test_b_109_may_change_what_components_reset(make_field, field):
    class Generous(field):
        name = "test-base/generous"

        def additional_reset_steps(self):
            for agent in self.world.agents:
                agent.state["earned"] = 5.0

    env = make_field(("TestMint", {}), cls=Generous, flatten_observations=False)
    assert env.reset()["1"]["TestMint-earned"] == 5.0


def test_b_110_scenario_metrics(make_field, field):
    class Measured(field):
        name = "test-base/measured-too"

        def scenario_metrics(self):
            return {"a/b": np.float64(1.5), "n": 3}

    env = make_field(("Build", {}), cls=Measured)
    env.reset()
    assert env.metrics["a/b"] == 1.5
    assert env.metrics["n"] == 3
    assert "Build/total_builds" in env.metrics


def test_b_111_no_scenario_metrics(make_field, field):
    env = make_field(("TestMint", {}), ("Gather", {}))
    assert env.scenario_metrics() is None
    env.reset()
    assert env.metrics == {"Mint/earned": 0}
    assert make_field(("Gather", {})).metrics == {}
