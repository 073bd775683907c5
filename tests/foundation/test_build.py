"""Build: what it takes to build a house, what it brings, and who may live in it."""

import inspect
import json
import math
from functools import partial

import numpy as np
import pytest
from foundation.boards import BUILD, GATHER, at, board, labor, put, same_state, stand, stream
from foundation.episodes import QUADRANT, UNIFORM, differences, play
from foundation.twins import BuildTwin, GatherTwin, SteppingBuild, register

from ecumene import foundation

BUILDING = 1
ROWS = ["0..", "W.1", "@S."]


@pytest.fixture
def draw(tmp_path):
    return partial(board, tmp_path, components=[BUILD])


def build_class():
    return foundation.components.get("Build")


def build_with(draw, **parameters):
    return draw(*ROWS, components=[("Build", parameters)]).get_component("Build")


def endow(env, idx=0, wood=1, stone=1, coin=0):
    env.get_agent(idx).state["inventory"].update({"Wood": wood, "Stone": stone, "Coin": coin})


def can_build(env, idx=0):
    return env.get_component("Build").agent_can_build(env.get_agent(idx))


def houses(env):
    """Return {tile: owner}."""
    owners = env.world.maps.get("House", owner=True)
    standing = env.world.maps.get("House") > 0
    assert np.array_equal(standing, owners >= 0)
    return {(int(r), int(c)): int(owners[r, c]) for r, c in np.argwhere(standing)}


# Declaration.


def test_declares_whom_it_serves_and_what_it_needs():
    cls = build_class()
    assert (cls.__name__, cls.name) == ("Build", "Build")
    assert cls.agent_subclasses == ["BasicMobileAgent"]
    assert set(cls.required_entities) == {"Wood", "Stone", "Coin", "House", "Labor"}


def test_shorthand_is_its_name(draw):
    env = draw(*ROWS)
    assert env.get_component("Build").shorthand == "Build"
    assert type(env.get_component("Build")) is build_class()


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("payment", 10),
        ("payment_max_skill_multiplier", 1),
        ("skill_dist", "none"),
        ("build_labor", 10.0),
    ],
)
def test_defaults(draw, name, default):
    declared = inspect.signature(build_class()).parameters[name].default
    held = getattr(build_with(draw), name)
    assert declared == held == default
    assert type(declared) is type(held) is type(default)


@pytest.mark.parametrize(
    "parameters",
    [
        {"payment": -1},
        {"payment": 2.5},
        {"payment": "10"},
        {"payment": None},
        {"payment_max_skill_multiplier": 0},
        {"payment_max_skill_multiplier": -1},
        {"payment_max_skill_multiplier": 1.5},
        {"build_labor": -0.1},
        {"build_labor": "10"},
        {"build_labor": math.nan},
        {"skill_dist": "normal"},
        {"skill_dist": None},
    ],
)
def test_parameters_out_of_range_are_refused_by_name(draw, parameters):
    ((name, value),) = parameters.items()
    with pytest.raises(AssertionError, match=name) as refusal:
        build_with(draw, **parameters)
    assert repr(value) in str(refusal.value)


@pytest.mark.parametrize(
    "parameters",
    [
        {"payment": 0},
        {"payment": np.int64(7)},
        {"payment_max_skill_multiplier": 1},
        {"build_labor": 0},
        {"build_labor": 3},
        {"skill_dist": "Pareto"},
        {"skill_dist": "LOGNORMAL"},
    ],
)
def test_parameters_at_the_edge_are_fine(draw, parameters):
    ((name, value),) = parameters.items()
    held = getattr(build_with(draw, **parameters), name)
    assert held == (value.lower() if name == "skill_dist" else value)


def test_one_action_per_mobile_agent_and_none_for_the_planner(draw):
    env = draw(*ROWS)
    assert env.get_component("Build").get_n_actions("BasicMobileAgent") == 1
    assert not env.get_component("Build").get_n_actions("BasicPlanner")
    assert [agent.action_spaces for agent in env.world.agents] == [2, 2]
    assert env.get_agent(0).single_action_map == {1: ["Build", 1]}


@pytest.mark.parametrize("action", [2, -1, 1.0, "build"])
def test_other_actions_are_refused_and_nothing_is_built(draw, action):
    env = draw(*ROWS)
    endow(env)
    with pytest.raises(TypeError, match="agent 0"):
        env.step({"0": action})
    env.step()
    assert houses(env) == {}


def test_state_fields(draw):
    env = draw(*ROWS, components=[("Build", {"payment": 15})])
    component = env.get_component("Build")
    assert component.get_additional_state_fields("BasicMobileAgent") == {
        "build_payment": 15.0,
        "build_skill": 1,
    }
    assert component.get_additional_state_fields("BasicPlanner") == {}
    assert list(env.get_agent(0).state)[4:] == ["build_payment", "build_skill"]
    assert list(env.world.planner.state) == ["inventory", "escrow", "endogenous"]
    assert env.get_agent(0).state["build_payment"] == 15.0
    assert env.get_agent(0).state["build_skill"] == 1


# Who can build.


def test_can_build_with_a_unit_of_both_on_an_empty_tile(draw):
    env = draw(*ROWS)
    endow(env)
    assert can_build(env, 0) is True
    assert can_build(env, 1) is False


@pytest.mark.parametrize(
    ("wood", "stone", "enough"),
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.99, 1, 0), (1, 0.5, 0), (1, 1, 1), (1.5, 2, 1), (9, 1, 1)],
)
def test_a_whole_unit_of_each_is_needed(draw, wood, stone, enough):
    env = draw(*ROWS)
    endow(env, wood=wood, stone=stone)
    assert can_build(env) == enough
    env.step({"0": BUILDING})
    assert len(houses(env)) == enough


def test_what_is_in_escrow_does_not_count(draw):
    env = draw(*ROWS)
    endow(env)
    env.get_agent(0).inventory_to_escrow("Wood", 1)
    assert not can_build(env)
    env.step({"0": BUILDING})
    assert houses(env) == {}
    env.get_agent(0).escrow_to_inventory("Wood", 1)
    assert can_build(env)


@pytest.mark.parametrize(
    "lying",
    [{"Wood": 1}, {"Stone": 0.5}, {"WoodSourceBlock": 1}, {"StoneSourceBlock": 1}, {"Water": 1}],
)
def test_neither_resource_nor_landmark_may_be_on_the_tile(draw, lying):
    env = draw(*ROWS)
    endow(env)
    put(env, (0, 0), **lying)
    assert not can_build(env)
    env.step({"0": BUILDING})
    assert houses(env) == {}
    assert env.get_agent(0).inventory["Coin"] == 0
    assert labor(env) == 0


def test_an_emptied_source_stays_a_source(draw):
    env = draw("0W", "1.", components=[BUILD, GATHER])
    env.step({"0": 3})  # right, where it takes all the wood
    assert env.world.location_resources(0, 1) == {}
    endow(env)
    assert not can_build(env)
    env.step({"0": BUILDING})
    assert houses(env) == {}


def test_not_off_the_map(draw):
    env = draw(*ROWS)
    endow(env)
    env.world.clear_agent_locs()
    assert not can_build(env)
    env.step({"0": BUILDING})
    assert houses(env) == {}


# What building does.


def test_a_house_costs_wood_stone_and_labor_and_brings_coin(draw):
    env = draw(*ROWS, components=[("Build", {"payment": 7, "build_labor": 2.5})])
    endow(env, wood=3, stone=2, coin=4)
    env.get_agent(0).state["endogenous"]["Labor"] = 1
    env.step({"0": BUILDING})
    assert dict(env.get_agent(0).inventory) == {"Coin": 11, "Stone": 1, "Wood": 2}
    assert dict(env.get_agent(0).escrow) == {"Coin": 0, "Stone": 0, "Wood": 0}
    assert labor(env) == 3.5
    assert houses(env) == {(0, 0): 0}
    assert env.world.location_landmarks(0, 0) == {"House": 1}
    assert env.get_agent(0).loc == [0, 0]
    assert dict(env.get_agent(1).inventory) == {"Coin": 0, "Stone": 0, "Wood": 0}
    assert labor(env, 1) == 0


def test_income_is_the_agent_s_payment_of_the_moment(draw):
    env = draw(*ROWS)
    endow(env)
    env.get_agent(0).state["build_payment"] = 22.75
    env.step({"0": BUILDING})
    assert env.get_agent(0).inventory["Coin"] == 22.75


@pytest.mark.parametrize("actions", [None, {}, {"0": 0}, {"1": BUILDING}])
def test_who_does_not_choose_to_build_does_not(draw, actions):
    env = draw(*ROWS)
    endow(env, 0)
    env.step(actions)
    assert houses(env) == {}
    assert dict(env.get_agent(0).inventory) == {"Coin": 0, "Stone": 1, "Wood": 1}
    assert (labor(env, 0), labor(env, 1)) == (0, 0)


def test_nobody_builds_twice_on_a_tile(draw):
    env = draw(*ROWS)
    endow(env, wood=5, stone=5)
    for _ in range(3):
        env.step({"0": BUILDING})
    assert dict(env.get_agent(0).inventory) == {"Coin": 10, "Stone": 4, "Wood": 4}
    assert labor(env) == 10
    assert houses(env) == {(0, 0): 0}
    assert env.world.maps.get_point("House", 0, 0) == 1


def test_every_agent_builds_where_it_stands(draw):
    env = draw("0.1", "..2")
    for i in range(3):
        endow(env, i)
    env.step({"0": BUILDING, "1": BUILDING, "2": BUILDING})
    assert houses(env) == {(0, 0): 0, (0, 2): 1, (1, 2): 2}


def test_owner_lives_in_a_house_and_others_stay_out(draw):
    left, right = 2, 3
    env = draw("0.1", "@@@", components=[BUILD, GATHER])
    endow(env)
    env.step({"0": right})
    env.step({"0": BUILDING})
    assert houses(env) == {(0, 1): 0}
    env.step({"0": left})
    assert env.get_agent(0).loc == [0, 0]
    obs, _, _, _ = env.step({"1": left})
    assert env.get_agent(1).loc == [0, 2]
    assert obs["1"]["action_mask"].tolist() == [1, 0, 0, 0, 0, 0]
    assert obs["0"]["action_mask"].tolist() == [1, 0, 0, 1, 0, 0]
    env.step({"0": right})
    assert env.get_agent(0).loc == [0, 1]
    endow(env)
    assert not can_build(env)


def test_houses_are_gone_after_a_reset(draw):
    env = draw(*ROWS)
    endow(env)
    env.step({"0": BUILDING})
    env.reset()
    assert houses(env) == {}
    assert env.world.maps.accessibility[1, 0, 0]


def test_build_acts_before_gather_in_its_place_of_the_list(draw):
    # Standing on the only stone, which would complete its goods: Gather first, and it still
    # cannot build on what was a resource's tile a moment ago; off it, it can.
    gather_first = draw("0S", "1.", components=[GATHER, BUILD], multi_action_mode_agents=True)
    endow(gather_first, wood=1, stone=0)
    gather_first.step({"0": [2, 1], "1": [0, 0]})
    assert houses(gather_first) == {}
    put(gather_first, (1, 1), Stone=1)
    gather_first.step({"0": [4, 1], "1": [0, 0]})
    assert houses(gather_first) == {(1, 1): 0}
    build_first = draw("0.", "1.", components=[BUILD, GATHER], multi_action_mode_agents=True)
    endow(build_first)
    build_first.step({"0": [1, 2], "1": [0, 0]})
    assert houses(build_first) == {(0, 0): 0}
    assert build_first.get_agent(0).loc == [0, 1]


# Order.


def test_one_permutation_is_drawn_per_step_whoever_builds(draw):
    for actions in ({}, {"0": BUILDING}):
        env = draw("0.1", ".2.")
        endow(env)
        env.step(actions, seed_state=at(4))
        twin = stream(4)
        twin.permutation(3)
        assert same_state(np.random.get_state(), twin.get_state())


@pytest.mark.parametrize("seed", range(6))
def test_agents_act_in_its_order(draw, seed):
    env = draw("0.1", ".2.")
    for i in range(3):
        endow(env, i)
    env.step({"0": BUILDING, "1": BUILDING, "2": BUILDING}, seed_state=at(seed))
    (events,) = env.get_component("Build").get_dense_log()
    assert [event["builder"] for event in events] == stream(seed).permutation(3).tolist()


# Skill and payment.


def redraw(twin, skill_dist, n):
    """Return n skills by NumPy's own functions."""
    if skill_dist == "pareto":
        return [twin.pareto(4) for _ in range(n)]
    return [twin.lognormal(-1, 0.5) for _ in range(n)]


@pytest.mark.parametrize("skill_dist", ["pareto", "lognormal"])
@pytest.mark.parametrize("most", [1, 3, 5])
@pytest.mark.parametrize("seed", range(6))
def test_payment_grows_with_the_skill_up_to_a_multiple(draw, skill_dist, most, seed):
    parameters = {
        "payment": 12,
        "payment_max_skill_multiplier": most,
        "skill_dist": skill_dist,
    }
    env = draw("...", "012", "34.", components=[("Build", parameters)])
    twin = stream(seed)
    np.random.set_state(at(seed))
    for _ in range(3):
        env.get_component("Build").reset()
        skills = redraw(twin, skill_dist, 5)
        rates = [np.minimum(most, (most - 1) * skill + 1) for skill in skills]
        states = [agent.state for agent in env.world.agents]
        assert [state["build_skill"] for state in states] == skills
        assert [state["build_payment"] for state in states] == [rate * 12 for rate in rates]
        assert same_state(np.random.get_state(), twin.get_state())


def test_the_multiple_is_reached_and_never_passed(draw):
    parameters = {"payment_max_skill_multiplier": 2, "skill_dist": "pareto"}
    env = draw("...", "012", "34.", components=[("Build", parameters)])
    np.random.set_state(at(0))
    payments, skills = [], []
    for _ in range(100):
        env.get_component("Build").additional_reset_steps()
        payments += [agent.state["build_payment"] for agent in env.world.agents]
        skills += [agent.state["build_skill"] for agent in env.world.agents]
    assert max(payments) == 20
    assert min(payments) > 10
    assert [p == 20 for p in payments] == [s >= 1 for s in skills]


def test_without_a_distribution_payment_and_skill_are_fixed_and_nothing_is_drawn(draw):
    env = draw(*ROWS, components=[("Build", {"payment": 9, "payment_max_skill_multiplier": 4})])
    env.get_agent(0).state["build_payment"] = 1
    np.random.set_state(at(8))
    env.get_component("Build").reset()
    for agent in env.world.agents:
        assert (agent.state["build_payment"], agent.state["build_skill"]) == (9, 1)
    assert same_state(np.random.get_state(), at(8))


def test_skill_is_drawn_after_placement_and_in_the_order_of_the_components(draw):
    skilled = {"skill_dist": "lognormal"}
    env = draw("...", "012", components=[("Build", skilled), ("Gather", skilled)])
    env.reset(seed_state=at(6))
    twin, taken = stream(6), []
    while len(taken) < 3:
        place = [twin.randint(0, 2), twin.randint(0, 3)]
        if place not in taken:
            taken.append(place)
    assert [agent.loc for agent in env.world.agents] == taken
    states = [agent.state for agent in env.world.agents]
    assert [state["build_skill"] for state in states] == redraw(twin, "lognormal", 3)
    bonus = [np.minimum(2, twin.lognormal(-2.022, 0.938)) / 2 for _ in range(3)]
    assert [state["bonus_gather_prob"] for state in states] == bonus
    assert same_state(np.random.get_state(), twin.get_state())


# Observation.


def test_agents_observe_their_payment_in_payments_and_their_skill_as_drawn(draw):
    parameters = {"payment": 20, "payment_max_skill_multiplier": 3, "skill_dist": "pareto"}
    env = draw(*ROWS, components=[("Build", parameters)], flatten_observations=False)
    obs = env.reset()
    for i in range(2):
        state = env.get_agent(i).state
        assert obs[str(i)]["Build-build_payment"] == state["build_payment"] / 20
        assert obs[str(i)]["Build-build_skill"] == state["build_skill"]


def test_observed_payment_follows_the_state_and_observed_skill_the_draw(draw):
    parameters = {"payment": 20, "payment_max_skill_multiplier": 3, "skill_dist": "pareto"}
    env = draw(*ROWS, components=[("Build", parameters)], flatten_observations=False)
    env.reset()
    drawn = env.get_agent(0).state["build_skill"]
    env.get_agent(0).state.update({"build_payment": 50.0, "build_skill": 123.0})
    obs, _, _, _ = env.step()
    assert obs["0"]["Build-build_payment"] == 2.5
    assert obs["0"]["Build-build_skill"] == drawn


def test_in_flat_observations_both_come_first(draw):
    env = draw(*ROWS)
    env.get_agent(1).state["build_payment"] = 15
    obs, _, _, _ = env.step()
    assert obs["0"]["flat"][:2].tolist() == [1, 1]
    assert obs["1"]["flat"][:2].tolist() == [1.5, 1]


def test_planner_observes_nothing_of_it(draw):
    obs = draw(*ROWS, flatten_observations=False, flatten_masks=False).reset()
    seen_by_planner = {**obs["p"], **obs["p"]["p0"], **obs["p"]["p1"]}
    assert not [name for name in seen_by_planner if "uild" in name]
    assert obs["p"]["action_mask"] == {}


def test_component_s_observations_are_keyed_by_index_as_a_string(draw):
    env = draw(*ROWS)
    assert env.get_component("Build").obs() == {
        "0": {"build_payment": 1.0, "build_skill": 1.0},
        "1": {"build_payment": 1.0, "build_skill": 1.0},
    }


def test_no_payment_at_all_leaves_observations_finite(draw):
    env = draw(*ROWS, components=[("Build", {"payment": 0})])
    endow(env)
    obs, rew, _, _ = env.step({"0": BUILDING})
    assert np.isfinite(obs["0"]["flat"]).all()
    assert obs["0"]["flat"][0] == 0
    assert houses(env) == {(0, 0): 0}
    assert env.get_agent(0).inventory["Coin"] == 0
    assert math.isfinite(rew["0"])


# Masks.


def test_mask_tells_whether_the_agent_can_build(draw):
    env = draw(*ROWS)
    for goods in ((0, 0), (1, 0), (1, 1), (3, 2)):
        endow(env, wood=goods[0], stone=goods[1])
        obs, _, _, _ = env.step()
        mask = env.get_component("Build").generate_masks()
        assert {str(idx) for idx in mask} == {"0", "1"}
        assert mask[0].shape == (1,)
        assert mask[0].dtype == np.bool_
        assert mask[0][0] == can_build(env) == (min(goods) >= 1)
        assert obs["0"]["action_mask"].tolist() == [1, min(goods) >= 1]
        assert obs["1"]["action_mask"].tolist() == [1, 0]


def test_mask_falls_once_the_house_stands(draw):
    env = draw(*ROWS)
    endow(env, wood=2, stone=2)
    obs, _, _, _ = env.step()
    assert obs["0"]["action_mask"].tolist() == [1, 1]
    obs, _, _, _ = env.step({"0": BUILDING})
    assert obs["0"]["action_mask"].tolist() == [1, 0]


def test_masks_are_advice_only(draw):
    env = draw(*ROWS)
    obs, _, _, _ = env.step({"0": BUILDING})
    assert obs["0"]["action_mask"].tolist() == [1, 0]
    assert houses(env) == {}


# Metrics and log.


def test_metrics_count_houses_by_builder_and_in_all(draw):
    env = draw("0..", "1..")
    assert metrics(env) == {"0/n_builds": 0, "1/n_builds": 0, "total_builds": 0}
    endow(env, 0, 9, 9)
    endow(env, 1, 9, 9)
    env.step({"0": BUILDING, "1": BUILDING})
    stand(env, (0, 1), (1, 0))
    env.step({"0": BUILDING, "1": BUILDING})  # agent 1 stands in its house
    assert metrics(env) == {"0/n_builds": 2, "1/n_builds": 1, "total_builds": 3}
    env.world.create_landmark("House", 1, 2, 1)  # a house that nobody built
    assert metrics(env) == {"0/n_builds": 2, "1/n_builds": 1, "total_builds": 4}
    env.reset()
    assert metrics(env) == {"0/n_builds": 0, "1/n_builds": 0, "total_builds": 0}


def metrics(env):
    """Return the component's metrics, which must be those of the environment."""
    own = env.get_component("Build").get_metrics()
    of_environment = {name: value for name, value in env.metrics.items() if "Build/" in name}
    assert of_environment == {f"Build/{name}": value for name, value in own.items()}
    assert {type(value) for value in own.values()} == {int}
    return own


def test_log_has_one_list_of_events_per_step(draw):
    env = draw("0..", "1..")
    component = env.get_component("Build")
    assert component.get_dense_log() == []
    endow(env, 1)
    env.get_agent(1).state["build_payment"] = 12.5
    env.step()
    env.step({"1": BUILDING})
    env.step({"1": BUILDING})
    first, (event,), last = component.get_dense_log()
    assert first == last == []
    assert set(event) == {"builder", "loc", "income"}
    assert (event["builder"], event["loc"].tolist(), event["income"]) == (1, [1, 0], 12.5)
    assert [type(event[name]) for name in ("builder", "loc", "income")] == [int, np.ndarray, float]
    env.reset()
    assert component.get_dense_log() == []


def test_log_goes_into_the_dense_log_of_the_episode(draw):
    env = draw("0..", "1..", episode_length=2, dense_log_frequency=1)
    endow(env)
    env.step({"0": BUILDING})
    env.step()
    logged = env.previous_episode_dense_log
    assert logged["Build"] == [[{"builder": 0, "loc": [0, 0], "income": 10.0}], []]
    assert logged["actions"] == [{"0": {"Build": 1}, "1": {}, "p": {}}, {"0": {}, "1": {}, "p": {}}]
    assert json.loads(json.dumps(logged)) == logged
    assert env.previous_episode_metrics["Build/0/n_builds"] == 1


# The twin in plain Python.

SKILLED = {"payment": 11, "payment_max_skill_multiplier": 3, "build_labor": 2.1}


@pytest.mark.parametrize("twin", [BuildTwin, SteppingBuild])
@pytest.mark.parametrize("skill_dist", ["none", "pareto", "lognormal"])
@pytest.mark.parametrize(("scenario", "seed"), [(UNIFORM, 1), (QUADRANT, 2)])
def test_plain_python_twin_makes_the_same_episodes(monkeypatch, twin, skill_dist, scenario, seed):
    register(monkeypatch, twin)
    parameters = {**SKILLED, "skill_dist": skill_dist}
    gather = ("Gather", {"skill_dist": skill_dist})
    ours = play([("Build", parameters), gather], scenario, seed, n_agents=8)
    slow = play([(twin.name, parameters), gather], scenario, seed, n_agents=8)
    assert differences(ours, slow) == []
    assert ours[-2]["Build/total_builds"] > 2


@pytest.mark.parametrize("multi", [False, True])
def test_both_twins_together_make_the_same_episodes(monkeypatch, multi):
    register(monkeypatch, BuildTwin, GatherTwin)
    parameters = {**SKILLED, "skill_dist": "lognormal"}
    ours = play([("Build", parameters), GATHER], multi_action_mode_agents=multi, n_agents=7)
    slow = play(
        [(BuildTwin.name, parameters), (GatherTwin.name, {})],
        multi_action_mode_agents=multi,
        n_agents=7,
    )
    assert differences(ours, slow) == []
    assert ours[-2]["Build/total_builds"] > 2
