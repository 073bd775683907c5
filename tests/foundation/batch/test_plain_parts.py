"""Parts in plain Python, in batches: as alone, apart from one another, and beside built-in ones."""

import copy as copying
import json
import pickle
import random

import numpy as np
import pytest
from foundation.batch import grove
from foundation.batch.economies import draw_actions, idle, same_future, simulation, told
from hypothesis import given, settings
from hypothesis import strategies as st

from ecumene import foundation
from ecumene.api.parallel import ParallelEnv
from ecumene.api.vector import VectorEnv
from ecumene.engine import InvalidParameter

UNIFORM = "foundation/uniform-v0"
ATTRIBUTES = ("Dance/danced", "weather", "episodes")


@pytest.fixture(autouse=True)
def registered():
    before = grove.register()
    yield
    grove.unregister(before)


def advance(simulation, generator, steps):
    for _ in range(steps):
        ended = ~simulation.out["agents"].alive.any(axis=1)
        if ended.any():
            simulation.reset(copies=ended)
        simulation.step(draw_actions(simulation, generator))


def attributes(simulation, copy):
    metrics = simulation.metrics([copy])
    return {name: float(metrics[name][0]) for name in ATTRIBUTES}


@given(seed=st.integers(0, 2**40), copies=st.integers(2, 4))
@settings(max_examples=6)
def test_copy_k_is_the_single_copy_of_seed_s_plus_k(seed, copies):
    batch = grove.GroveSimulation(copies=copies)
    singles = [grove.GroveSimulation() for _ in range(copies)]
    batch.reset(seed=seed)
    for k, single in enumerate(singles):
        single.reset(seed=seed + k)
    generator = np.random.default_rng(seed)
    for step in range(20):
        ended = ~batch.out["agents"].alive.any(axis=1)
        if ended.any():
            batch.reset(copies=ended)
        actions = draw_actions(batch, generator)
        batch.step(actions)
        for k, single in enumerate(singles):
            if ended[k]:
                single.reset()
            single.step({name: given[k : k + 1] for name, given in actions.items()})
            assert told(batch, k) == told(single, 0), step
            assert batch.state_hash(k) == single.state_hash()
            assert attributes(batch, k) == attributes(single, 0)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_batch_goes_alike_however_it_is_reset_and_looked_at(mode):
    vec, plain = VectorEnv(grove.GroveSimulation(copies=2), mode), grove.GroveSimulation(copies=2)
    vec.reset(seed=3)
    plain.reset(seed=3)
    generator = np.random.default_rng(3)
    for step in range(1, 30):
        actions = draw_actions(plain, generator)
        vec.step(actions)
        vec.metrics()
        if mode == "NextStep" and step % 9 == 0:
            plain.reset()
        else:
            plain.step(actions)
            if mode == "SameStep" and step % 8 == 0:
                plain.reset()
        assert [vec.state_hash(k) for k in range(2)] == [plain.state_hash(k) for k in range(2)]
        for k in range(2):
            assert attributes(vec.simulation, k) == attributes(plain, k)


def test_the_global_generators_are_left_alone():
    np.random.seed(4)
    random.seed(4)
    before = pickle.dumps((np.random.get_state(), random.getstate()))
    here = grove.GroveSimulation(copies=2)
    here.enable_dense_log(1)
    here.reset(seed=1)
    advance(here, np.random.default_rng(1), 10)
    here.metrics()
    here.restore(1, here.snapshot(0))
    here.fork(1, 0)
    assert pickle.dumps((np.random.get_state(), random.getstate())) == before


def test_the_global_generators_are_of_no_account():
    digests = []
    for seed in (1, 2):
        np.random.seed(seed)
        random.seed(seed)
        here = grove.GroveSimulation(copies=2)
        here.reset(seed=7)
        np.random.seed(seed + 10)
        advance(here, np.random.default_rng(7), 6)
        digests.append([here.state_hash(k) for k in range(2)])
    assert digests[0] == digests[1]


def test_looking_changes_nothing():
    here = grove.GroveSimulation(copies=2)
    here.reset(seed=5)
    advance(here, np.random.default_rng(5), 3)
    before = here.state_hash(1), told(here, 1), attributes(here, 1)
    metrics = here.metrics()
    again = here.metrics()
    for name, values in metrics.items():
        assert np.array_equal(values, again[name])
    here.snapshot(1)
    assert (here.state_hash(1), told(here, 1), attributes(here, 1)) == before


def test_attributes_of_copies_do_not_mix():
    here = grove.GroveSimulation(copies=3)
    here.reset(seed=5)
    actions = idle(here)
    actions["agents"][1] = 1  # all three of copy 1 dance
    for _ in range(4):
        here.step(actions)
    assert here.metrics()["Dance/danced"].tolist() == [0, 12, 0]
    only_last = np.array([False, False, True])
    here.reset(copies=only_last)
    assert here.metrics()["episodes"].tolist() == [1, 1, 2]
    assert here.metrics()["Dance/danced"].tolist() == [0, 12, 0]
    weather = here.metrics()["weather"]
    here.step(actions, only_last)
    assert here.metrics()["weather"][:2].tolist() == weather[:2].tolist()


def test_every_copy_begins_with_what_construction_left():
    here = grove.GroveSimulation(copies=3)
    parts = [here.world.plain.extra(k) for k in range(3)]
    dance, scenario = ([copy[place] for copy in parts] for place in range(2))
    both = sorted((dance[0], scenario[0]), key=lambda own: "danced" in own)
    assert both[0]["episodes"] == 0
    assert both[1]["danced"] == []
    assert len({own["made_with"] for copy in parts for own in copy if "made_with" in own}) == 1
    assert not here.world.maps.tile.any()
    assert all(fields == {} for k in range(3) for fields in here.world.fields_of(k))


@given(seed=st.integers(0, 2**32), before=st.integers(0, 12), source=st.integers(0, 2))
@settings(max_examples=8)
def test_snapshots_hold_attributes_and_fields(seed, before, source):
    here = grove.GroveSimulation(copies=3)
    here.reset(seed=seed)
    advance(here, np.random.default_rng(seed), before)
    frozen = here.state_hash(source), told(here, source), attributes(here, source)
    kept = here.snapshot(source)
    assert len(pickle.dumps(kept)) < 100_000  # nothing of the world around it
    kept = pickle.loads(pickle.dumps(copying.deepcopy(kept)))
    advance(here, np.random.default_rng(1), 3)
    elsewhere = grove.GroveSimulation(copies=2)
    elsewhere.restore(1, kept)
    here.restore(source, kept)
    for each, copy in ((elsewhere, 1), (here, source)):
        now = each.state_hash(copy), told(each, copy), attributes(each, copy)
        assert now == frozen
    assert same_future(here, source, elsewhere, 1, steps=20, seed=seed)
    assert attributes(here, source) == attributes(elsewhere, 1)
    # What the component holds of the world is that of its own world.
    elsewhere.fork(1, 0)
    favourite = elsewhere.environment.get_component("Dance").favourite
    assert favourite is elsewhere.world.agents[0]


def test_a_snapshot_is_of_its_moment():
    here = grove.GroveSimulation(copies=2)
    here.reset(seed=1)
    kept = here.snapshot(0)
    before = attributes(here, 0)
    for _ in range(2):
        advance(here, np.random.default_rng(2), 5)
        here.restore(0, kept)
        assert attributes(here, 0) == before


@pytest.mark.parametrize("duplicate", [copying.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_duplicates_continue_alike_and_apart(duplicate):
    here = grove.GroveSimulation(copies=2)
    here.enable_dense_log(1)
    here.reset(seed=4)
    advance(here, np.random.default_rng(4), 3)
    there = duplicate(here)
    frozen = [(told(there, k), attributes(there, k)) for k in range(2)]
    advance(here, np.random.default_rng(9), 12)
    assert [(told(there, k), attributes(there, k)) for k in range(2)] == frozen
    advance(there, np.random.default_rng(9), 12)
    for k in range(2):
        assert told(there, k) == told(here, k)
        assert there.state_hash(k) == here.state_hash(k)
        assert attributes(there, k) == attributes(here, k)
    assert there.dense_log(1) == here.dense_log(1)


def test_single_worlds_of_a_users_own():
    env = ParallelEnv(grove.GroveSimulation())
    _, infos = env.reset(seed=1)
    assert infos["0"]["action_mask"].tolist()[:3] == [1, 1, 1]
    result = env.step({"0": 2, "1": 0, "2": 1, "p": 0})
    assert result[1]["0"] > 0
    twin = copying.deepcopy(env)
    assert (
        env.step({"0": 1, "1": 0, "2": 1, "p": 0})[1]
        == twin.step({"0": 1, "1": 0, "2": 1, "p": 0})[1]
    )


def test_the_documented_interface_tells_the_same_fields():
    env = grove.Grove(**{**grove.GroveSimulation.defaults, "flatten_observations": False})
    env.seed(3)
    obs = env.reset()
    fields = set(obs["0"]) - {"action_mask"}
    here = grove.GroveSimulation(flatten_observations=False)
    assert set(here.out["agents"].observation) - {"action_mask"} == fields
    assert "p0-Dance-favourite" in here.out["planner"].observation
    assert env.metrics["episodes"] == 1


def test_agents_of_one_kind_see_the_same_fields_in_a_batch(monkeypatch):
    def of_one(self):
        return {0: {"energy": 1.0}}

    monkeypatch.setattr(grove.Dance, "generate_observations", of_one)
    with pytest.raises(InvalidParameter, match="mobile agents differ in what they observe"):
        grove.GroveSimulation(copies=2)
    env = grove.Grove(**grove.GroveSimulation.defaults)
    obs = env.reset()
    assert len(obs["0"]["flat"]) == len(obs["1"]["flat"]) + 1


def test_a_part_that_fails_leaves_the_generators_alone(monkeypatch):
    def fail(self):
        np.random.rand()
        raise RuntimeError("no berries today")

    monkeypatch.setattr(grove.Grove, "scenario_step", fail)
    here = grove.GroveSimulation(copies=2)
    here.reset(seed=1)
    before = np.random.get_state()[1].tolist()
    with pytest.raises(RuntimeError, match="no berries today"):
        here.step(idle(here))
    assert np.random.get_state()[1].tolist() == before
    assert here.world.focus.copy == 0


def test_dense_logs_of_plain_parts():
    here = grove.GroveSimulation(copies=2)
    for copy in range(2):
        here.enable_dense_log(copy)
    here.reset(seed=2)
    actions = idle(here)
    actions["agents"][1] = 1
    for _ in range(8):
        here.step(actions)
    assert here.dense_log(0)["Dance"] == [0] * 8
    assert here.dense_log(1)["Dance"] == [3] * 8
    states = here.dense_log(1)["states"]
    assert len(states) == 9
    assert states[0]["0"]["energy"] == 1
    json.dumps(here.dense_log(1))


@pytest.mark.parametrize("watcher_first", [True, False])
def test_plain_and_built_in_parts_take_turns_as_listed(watcher_first):
    order = [("Watcher", {}), ("Gather", {})]
    here = simulation(UNIFORM, 2, components=order if watcher_first else order[::-1])
    here.reset(seed=3)
    moved = np.zeros(2, bool)
    for _ in range(12):
        before = here.state.location[:, 0].copy()
        actions = idle(here)
        masks = here.out["agents"].action_mask[:, 0, 1:]
        actions["agents"][:, 0] = np.where(masks.any(axis=1), masks.argmax(axis=1) + 1, 0)
        here.step(actions)
        now = here.state.location[:, 0]
        moved |= (before != now).any(axis=1)
        seen = before if watcher_first else now
        assert here.metrics()["Watcher/place"].tolist() == (seen @ [100, 1]).tolist()
    assert moved.all()


def gathering(name, copies=2):
    return simulation(UNIFORM, copies, components=[(name, {"skill_dist": "pareto"})])


def test_a_subclass_that_overrides_the_step_alone():
    here = gathering("MoodyGather", 3)
    here.enable_dense_log(2)
    here.reset(seed=11)
    assert here.runner.num_threads == 1
    assert here.state.parts["MoodyGather"].bonus.any()
    idle_steps = np.zeros(3, int)
    generator = np.random.default_rng(11)
    for _ in range(40):
        before = here.state.location.copy()
        actions = draw_actions(here, generator, masked=True)
        actions["agents"][:, 0] = here.out["agents"].action_mask[:, 0, 1:].argmax(axis=1) + 1
        here.step(actions)
        idle_steps += (before == here.state.location).all(axis=(1, 2))
    idle = [here.world.plain.extra(k)[0]["idle"] for k in range(3)]
    assert all(10 < each < 30 for each in idle)
    assert (idle_steps >= idle).all()
    assert len(set(idle)) > 1


def test_a_subclass_keeps_the_log_of_each_copy():
    here = simulation(UNIFORM, 2, components=[("DutifulGather", {})], episode_length=20)
    for copy in range(2):
        here.enable_dense_log(copy)
    here.reset(seed=1)
    advance(here, np.random.default_rng(1), 20)
    for copy in range(2):
        gathered = here.dense_log(copy)["DutifulGather"]
        assert len(gathered) == 20
        units = sum(event["n"] for step in gathered for event in step)
        metrics = here.metrics([copy])
        owned = sum(metrics[f"endow/{i}/{name}"][0] for i in range(4) for name in ("Wood", "Stone"))
        assert units == owned > 0


@pytest.mark.parametrize("name", ["DutifulGather", "PlainGather"])
def test_alone_a_users_gather_goes_exactly_as_the_built_in_one(name):
    envs = []
    for component in (name, "Gather"):
        own = {} if component == "PlainGather" else {"skill_dist": "pareto"}
        envs.append(
            foundation.make_env_instance(
                "uniform/simple_wood_and_stone",
                components=[(component, own), ("Build", {})],
                n_agents=4,
                world_size=[8, 8],
                starting_wood_coverage=0.2,
                starting_stone_coverage=0.2,
                wood_regen_weight=0.2,
                episode_length=60,
            )
        )
    outcomes = []
    for env in envs:
        env.seed(17)
        env.reset()
        generator = np.random.default_rng(17)
        for _ in range(60):
            obs, rewards, _, _ = env.step(dict(enumerate(generator.integers(0, 6, 4).tolist())))
        state = np.random.get_state()
        inventories = [agent.inventory.plain() for agent in env.world.agents]
        labors = [agent.endogenous["Labor"] for agent in env.world.agents]
        outcomes.append((inventories, labors, rewards, state[1].tolist(), state[2:]))
        outcomes[-1] += (env.world.maps.state.tolist(), obs["2"]["action_mask"].tolist())
    assert outcomes[0] == outcomes[1]
    assert sum(inventory["Wood"] for inventory in outcomes[0][0]) > 0


def test_a_plain_gather_in_a_batch_gathers_as_much():
    def wood(name):
        own = {} if name == "PlainGather" else {"skill_dist": "pareto"}
        here = simulation(UNIFORM, 60, components=[(name, own)], episode_length=30)
        here.reset(seed=1)
        advance(here, np.random.default_rng(1), 30)
        return here.metrics()["endow/0/Wood"]

    one, other = wood("PlainGather"), wood("Gather")
    error = np.sqrt((np.var(one) + np.var(other)) / 60)
    assert abs(np.mean(one) - np.mean(other)) < 4 * error
    assert np.mean(one) > 0
