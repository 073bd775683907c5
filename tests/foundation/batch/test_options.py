"""Options of batches: what is refused, choosing in every subspace, fields apart, many agents."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from foundation.batch.economies import (
    IDS,
    SKILLED,
    UNIFORM,
    WORLDS,
    draw_actions,
    idle,
    simulation,
)
from gymnasium import spaces

import ecumene
from ecumene.engine import InvalidAction, InvalidParameter


@pytest.mark.parametrize("make", [ecumene.make, ecumene.make_vec, ecumene.make_simulation])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"flatten_masks": False}, "flatten_masks is True in a batch, not False: masks are arrays"),
        ({"collate_agent_step_and_reset_data": True}, "is False in a batch, not True: arrays hold"),
        ({"seed": 3}, r"seed is None in a batch, not 3: seed by reset\(seed=\.\.\.\)"),
        ({"dense_log_frequency": 2}, "is None in a batch, not 2: dense logs are made by enable"),
        ({"energy_csot": 1}, "no parameter `energy_csot`. Did you mean `energy_cost`"),
        ({"n_agents": 1}, "n_agents is .*from 2 up, not 1"),
        ({"world_size": 5}, "world_size"),
        ({"components": [("Gathr", {})]}, "`Gathr`. Did you mean `Gather`"),
        ({"components": [("Gather", {"move_labour": 1})]}, "move_labour"),
        ({"components": [("Gather", {"move_labor": -1})]}, "move_labor"),
        ({"isoelastic_eta": 2}, "isoelastic_eta is .*in 0..1, not 2"),
        ({"episode_length": 0}, "episode_length is .*1.*, not 0"),
    ],
)
def test_what_is_refused(make, parameters, message):
    with pytest.raises((InvalidParameter, KeyError, TypeError), match=message):
        make(UNIFORM, **parameters)


@pytest.mark.parametrize("parameters", [{"components": [("Gathr", {})]}, {"n_agents": 1}])
def test_refusals_reach_a_worker_process_and_come_back(parameters):
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        job = pool.submit(ecumene.make_simulation, UNIFORM, **parameters)
    with pytest.raises((KeyError, AssertionError), match="Gathr|n_agents") as caught:
        job.result()
    with pytest.raises(type(caught.value)) as direct:
        ecumene.make_simulation(UNIFORM, **parameters)
    # What else is registered, here and there, is listed after "Known".
    said_here, said_there = (str(each.value).split("Known:")[0] for each in (direct, caught))
    assert said_here == said_there


@pytest.mark.parametrize("world", IDS)
def test_values_that_mean_the_same_are_taken(world):
    harmless = {"flatten_masks": True, "seed": None, "collate_agent_step_and_reset_data": False}
    simulation(world, **harmless).reset(seed=1)


@pytest.mark.parametrize("world", IDS)
def test_agents_may_choose_in_every_subspace(world):
    joined, apart = (
        simulation(world, 3, multi_action_mode_agents=multi, multi_action_mode_planner=multi)
        for multi in (False, True)
    )
    group = apart.spec.groups[0]
    assert group.action_space == spaces.MultiDiscrete([2, 5])
    names = ["no-op", "Build.1", "no-op", *(f"Gather.{move}" for move in range(1, 5))]
    assert [name.split(".")[0] for name in group.action_names] == [n.split(".")[0] for n in names]
    assert apart.spec.groups[1].action_space == spaces.Discrete(1)
    assert "action_mask" not in apart.out["agents"].observation
    for each in (joined, apart):
        each.reset(seed=6)
    generator = np.random.default_rng(6)
    for _ in range(30):
        single = joined.out["agents"].action_mask
        both = apart.out["agents"].action_mask
        assert both[..., [0, 2]].all()
        assert np.array_equal(both[..., [1, 3, 4, 5, 6]], single[..., 1:])
        actions = draw_actions(joined, generator)
        chosen = actions["agents"]
        parts = np.stack([chosen == 1, np.maximum(chosen - 1, 0)], axis=-1).astype(int)
        joined.step(actions)
        apart.step({"agents": parts, "planner": actions["planner"]})
        assert [joined.state_hash(k) for k in range(3)] == [apart.state_hash(k) for k in range(3)]


def test_building_and_moving_in_one_step():
    here = simulation(UNIFORM, 1, multi_action_mode_agents=True)
    here.reset(seed=8)
    world, state = here.world, here.state
    state.inventory[0, :-1, [world.entity("Wood"), world.entity("Stone")]] = 1
    here.step(idle(here))
    able = np.flatnonzero(here.out["agents"].action_mask[0, :, 1])
    assert len(able)
    actions = idle(here)
    actions["agents"][0] = 1, 1
    here.step(actions)
    assert (state.parts["Build"].built[0, able] == 1).all()


def test_one_subspace_is_a_plain_choice_in_either_mode():
    for multi in (False, True):
        here = simulation(UNIFORM, 1, components=[("Gather", {})], multi_action_mode_agents=multi)
        assert here.spec.groups[0].action_space == spaces.Discrete(5)
        here.reset(seed=2)
        free = here.out["agents"].action_mask[0, 0]
        choice = int(np.flatnonzero(free[1:])[0]) + 1
        before = here.state.location[0, 0].copy()
        actions = idle(here)
        actions["agents"][0, 0] = choice
        only = np.zeros_like(actions["agents"])
        only[0, 0] = choice
        here.step({**actions, "agents": only})
        assert (here.state.location[0, 0] != before).any()


@pytest.mark.parametrize("world", IDS)
def test_a_single_world_takes_lists_and_tells_masks_apart(world):
    env = ecumene.make(world, **WORLDS[world], multi_action_mode_agents=True)
    _, infos = env.reset(seed=1)
    build, gather = infos["0"]["action_mask"]
    assert (build.shape, gather.shape) == ((2,), (5,))
    actions = {name: 0 if name == "p" else [0, 1] for name in env.agents}
    env.step(actions)
    before = env.state_hash()
    for bad in ([0, 5], [2, 0], [0], 3, [0, 1.0], None):
        with pytest.raises(InvalidAction, match="2: "):
            env.step({**actions, "2": bad})
    assert env.state_hash() == before


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("world", IDS)
def test_fields_apart_are_the_columns_of_flat(world, full, spatial):
    options = {"full_observability": full, "planner_gets_spatial_info": spatial}
    joined = ecumene.make_vec(world, 2, **WORLDS[world], **options)
    apart = ecumene.make_vec(world, 2, **WORLDS[world], **options, flatten_observations=False)
    observations = [vec.reset(seed=4)[0] for vec in (joined, apart)]
    generator = np.random.default_rng(4)
    for _ in range(6):
        assert_joined(*observations)
        for name, space in apart.single_observation_space.items():
            first = {key: each[0, 0] for key, each in observations[1][name].items()}
            assert space.contains(first)
        actions = draw_actions(joined.simulation, generator)
        observations = [vec.step(actions)[0] for vec in (joined, apart)]


def assert_joined(joined, apart):
    for name in ("agents", "planner"):
        fields = dict(apart[name])
        kept = {key: fields.pop(key) for key in list(fields) if key in joined[name]}
        for key, value in kept.items():
            assert np.array_equal(joined[name][key], value)
        seen = {key: fields.pop(key) for key in list(fields) if key.startswith("p")}
        fields["time"] = kept["time"]
        vector = np.concatenate([fields[key] for key in sorted(fields)], axis=-1)
        assert np.array_equal(joined[name]["flat"], vector.astype(np.float32))
        for i in range(4) if seen else ():
            own = [seen[key] for key in sorted(seen) if key.startswith(f"p{i}-")]
            assert np.array_equal(joined[name][f"p{i}"], np.concatenate(own, axis=-1))


def test_many_agents():
    here = simulation(UNIFORM, 4, n_agents=250, world_size=(30, 40), components=SKILLED)
    here.reset(seed=1)
    generator = np.random.default_rng(1)
    for _ in range(20):
        here.step(draw_actions(here, generator))
    assert here.spec.groups[0].agents[-1] == "249"
    assert here.out["agents"].observation["world-idx_map"].max() == 251
    for copy in range(4):
        assert len(set(map(tuple, here.state.location[copy].tolist()))) == 250
    equality = here.metrics()["social/equality"]
    assert ((equality >= 0) & (equality <= 1)).all()


def test_a_window_may_be_a_single_tile_or_larger_than_the_world():
    for reach in (0, 30):
        here = simulation(UNIFORM, 2, mobile_agent_observation_range=reach)
        here.reset(seed=1)
        seen = here.out["agents"].observation["world-map"]
        assert seen.shape[-2:] == (2 * reach + 1,) * 2
        assert (seen[:, :, -1].sum(axis=(2, 3)) == (1 if reach == 0 else 72)).all()


def test_the_spec_tells_the_parameters():
    parameters = simulation(UNIFORM, energy_cost=0.5).spec.parameters
    assert parameters["energy_cost"] == 0.5
    assert parameters["n_agents"] == 4


def test_rules_that_split_over_threads_are_told_apart():
    serial, threaded = (simulation(UNIFORM, 64, num_threads=n) for n in (1, 4))
    for each in (serial, threaded):
        each.runner._seconds_per_copy = {"begin": 1.0, "step": 1.0, "observe": 1.0}
        each.reset(seed=3)
    generator = np.random.default_rng(3)
    for _ in range(20):
        actions = draw_actions(serial, generator)
        serial.step(actions)
        threaded.step(actions)
    hashes = [[each.state_hash(k) for k in range(64)] for each in (serial, threaded)]
    assert hashes[0] == hashes[1]
