"""Labelled environments and their logs."""

import dataclasses
import inspect
import json

import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils import BaseParallelWrapper
from wrappers.worlds import WORLDS, make, random_actions

from ecumene.engine import InvalidParameter
from ecumene.gridworlds import MarkovStagHunt
from ecumene.matrix import ChickenMatrix, CongestionMatrix
from ecumene.record.episode_files import write_records
from ecumene.wrappers import EpisodeLog, LabelledEnv, ShieldEvent, UnsafeFreeEnv


@pytest.fixture(params=WORLDS)
def world(request):
    return make(request.param)


def chicken(**options):
    return LabelledEnv.for_world(ChickenMatrix(max_moves=3), **options)


def both(env, first, second):
    return env.step({"player_0": first, "player_1": second})


def play_through(env, seed=0):
    """Yield actions and results of every step of an episode of random actions."""
    generator = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(25):
        if not env.agents:
            break
        actions = random_actions(env, generator)
        yield actions, env.step(actions)


def test_l_02_l_11_the_names_can_be_imported():
    from ecumene import wrappers

    assert {"LabelledEnv", "EpisodeLog", "ShieldedEnv"} <= set(wrappers.__all__)


def test_l_03_an_episode_log_is_a_dataclass():
    assert dataclasses.is_dataclass(EpisodeLog)


def test_l_04_labelled_environments_are_parallel_wrappers():
    assert issubclass(LabelledEnv, BaseParallelWrapper)
    assert isinstance(chicken(), pettingzoo.ParallelEnv)


def test_l_05_l_07_every_world_is_labelled_and_costs(world):
    env = LabelledEnv.for_world(world)
    propositions = set(world.propositions)
    _, infos = env.reset(seed=1)
    total = {name: info["cost"] for name, info in infos.items()}
    unsafe_steps = 0
    for _, (_, _, _, _, infos) in play_through(env, 1):
        for name, info in infos.items():
            assert isinstance(info["labels"], frozenset)
            assert info["labels"] <= propositions
            assert info["cost"] == (1.0 if "unsafe" in info["labels"] else 0.0)
            assert type(info["cost"]) is float
            assert env.cost(name) == info["cost"]
            total[name] += info["cost"]
        safe = not any("unsafe" in info["labels"] for info in infos.values())
        assert {info["safe"] for info in infos.values()} == {safe}
        unsafe_steps += not safe
    assert env.episode.violations == unsafe_steps
    assert env.total_cost() == sum(total.values())
    assert {name: env.total_cost(name) for name in total} == total == env.episode.total_costs


def test_l_05_a_labelled_world_plays_as_the_world_does(world, equal):
    name = type(world).__name__
    labelled = list(play_through(LabelledEnv.for_world(make(name)), 3))
    bare = list(play_through(world, 3))
    assert len(labelled) == len(bare)
    for (_, one), (_, other) in zip(labelled, bare, strict=True):
        assert equal(one[:4], other[:4])
        for agent, info in other[4].items():
            assert equal(info, {key: one[4][agent][key] for key in info})


def test_l_06_the_log_is_what_was_played(world):
    env = LabelledEnv.for_world(world)
    steps = list(play_through(env, 2))
    log = env.episode
    assert log.world == world.simulation.spec.id
    assert log.params == dict(world.simulation.spec.parameters)
    assert (log.seed, log.episode, log.length) == (2, 0, len(steps))
    assert log.agents == tuple(world.possible_agents)
    for t, (actions, (_, rewards, _, _, infos)) in enumerate(steps):
        assert log.actions[t] == actions
        assert log.submitted[t] is None
        assert log.rewards[t] == rewards
        assert log.labels[t] == {name: info["labels"] for name, info in infos.items()}
        assert log.safe[t] == infos[world.possible_agents[0]]["safe"]
    for name in world.possible_agents:
        assert log.returns[name] == sum(each.get(name, 0.0) for each in log.rewards)
    env.reset()
    assert list(env.episodes) == [log]
    assert log.complete == (len(steps) < 25)


def test_l_08_subclasses_say_what_is_safe():
    env = LabelledEnv(ChickenMatrix())
    with pytest.raises(NotImplementedError, match="subclass"):
        env.safe({})
    with pytest.raises(NotImplementedError):
        env.reset()

    class Polite(LabelledEnv):
        def safe(self, labels):
            return "player_0_swerve" in labels["player_0"]

    polite = Polite(ChickenMatrix())
    polite.reset(seed=0)
    assert [both(polite, first, 1)[4]["player_1"]["safe"] for first in (0, 1)] == [True, False]
    assert polite.episode.first_violation == 1
    ready = UnsafeFreeEnv(ChickenMatrix())
    assert ready.safe({"a": frozenset({"crash"}), "b": frozenset()})
    assert not ready.safe({"a": frozenset(), "b": frozenset({"unsafe"})})


def test_l_09_record_shield_raise():
    assert list(inspect.signature(LabelledEnv.record_shield_raise).parameters)[1:] == [
        "prev_floor", "new_floor",
    ]  # fmt: skip
    env = chicken()
    env.reset(seed=0)
    both(env, 0, 0)
    env.record_shield_raise(0, 1)
    env.record_shield_raise(1, 3)
    assert env.episode.events == [
        ShieldEvent(1, "raise", prev_floor=0, new_floor=1),
        ShieldEvent(1, "raise", prev_floor=1, new_floor=3),
    ]
    assert env.episode.raises == [(0, 1), (1, 3)]
    assert (env.episode.floor_start, env.episode.floor_end) == (0, 3)
    for bad in ((3, 3), (3, 2), (2, 4), (-1, 5), (3, 4.5)):
        with pytest.raises(ValueError, match="floor"):
            env.record_shield_raise(*bad)
    assert env.episode.raises == [(0, 1), (1, 3)]


def test_costs_of_the_first_state_count():
    env = LabelledEnv.for_world(
        CongestionMatrix(), cost_fn=lambda labels: 0.5 if "roadA_empty" in labels else 0.0
    )
    _, infos = env.reset()
    assert infos["player_0"]["cost"] == 0.5
    assert env.total_cost("player_3") == 0.5
    assert env.total_cost() == 3.0
    assert env.episode.initial_cost == dict.fromkeys(env.possible_agents, 0.5)


def test_an_early_reset_keeps_the_part_that_was_played():
    env = chicken(keep_episodes=2)
    for _ in range(3):
        env.reset()
        both(env, 1, 1)
    env.reset()
    for _ in range(3):
        both(env, 0, 0)
    assert [(log.episode, log.complete, log.length) for log in env.episodes] == [
        (2, False, 1), (3, True, 3),
    ]  # fmt: skip
    assert env.episode is env.episodes[-1]
    assert env.episode.truncated == {"player_0": True, "player_1": True}
    assert env.episode.terminated == {"player_0": False, "player_1": False}


def test_totals_alone_and_nothing_at_all():
    full, totals, off = (chicken(log=log) for log in ("steps", "totals", "off"))
    for env in (full, totals, off):
        env.reset(seed=0)
        for joint in ((1, 1), (0, 1), (1, 1)):
            both(env, *joint)
    assert totals.episode.summary() == full.episode.summary()
    assert totals.episode.actions == []
    assert totals.episode.team_cost == off.total_cost() == 4.0
    assert off.episode is None
    assert not off.episodes
    with pytest.raises(InvalidParameter, match="log is one of"):
        chicken(log="all")


def test_label_functions_of_users():
    def crowd(observation):
        return ["many"] if observation[:2].any() else []

    env = LabelledEnv.for_world(ChickenMatrix(), label_fn=crowd)
    env.reset(seed=0)
    infos = both(env, 0, 1)[4]
    assert infos["player_1"]["labels"] == frozenset({"many"})
    own = {"player_0": crowd, "player_1": lambda observation: {"unsafe"}}
    env = LabelledEnv.for_world(ChickenMatrix(), label_fn=own)
    _, infos = env.reset(seed=0)
    assert (infos["player_0"]["cost"], infos["player_1"]["cost"]) == (0.0, 1.0)
    assert infos["player_0"]["safe"] is False
    for bad in ({"player_0": crowd}, {**own, "player_2": crowd}, 5):
        with pytest.raises(ValueError, match="label_fn"):
            LabelledEnv.for_world(ChickenMatrix(), label_fn=bad)


def test_everything_else_is_the_worlds():
    env = chicken()
    env.reset(seed=4)
    assert env.get_state()[1] == (None, None)
    assert env.T == 3.0
    assert env.num_moves == 0
    assert env.channel_names()[4] == "crash"
    assert env.agents == ["player_0", "player_1"]


def test_a_jump_is_noted():
    env = chicken()
    env.reset(seed=0)
    both(env, 1, 0)
    here, snapshot = env.get_state(), env.snapshot()
    both(env, 1, 1)
    env.set_state(here)
    assert env.episode.events == [ShieldEvent(2, "jump")]
    both(env, 0, 0)
    assert env.episode.complete
    env.restore(snapshot)
    assert not env.episode.complete
    assert (env.episode.episode, env.episode.length) == (1, 0)
    assert env.episode.events == [ShieldEvent(0, "jump")]


def test_agents_that_leave_have_no_labels_any_more():
    hunt = MarkovStagHunt(grid_size=(1, 4), num_plants=0, on_maul="remove", stag_move_prob=0.0)
    env = LabelledEnv.for_world(hunt)
    env.reset(seed=0)
    state = list(hunt.get_state())
    counts = np.zeros((1, 4), np.int16)
    counts[0, 0] = counts[0, 3] = 1
    state[3], state[4], state[6] = ((0, 0), (0, 3)), counts, ((0, 1),)
    env.set_state(tuple(state))
    infos = env.step({"player_0": 1, "player_1": 4})[4]
    assert "unsafe" in infos["player_0"]["labels"]
    assert env.agents == ["player_1"]
    assert env.episode.terminated == {"player_0": True}
    infos = env.step({"player_1": 4})[4]
    assert list(infos) == ["player_1"]
    assert env.cost("player_0") == 0.0
    assert env.total_cost("player_0") == 1.0
    with pytest.raises(InvalidParameter, match="no agent 'x'"):
        env.cost("x")


def test_a_log_survives_json():
    env = chicken()
    env.attach_shield(1)
    env.reset(seed=7)
    env.record_submitted({"player_0": np.int64(1), "player_1": 1})
    env.record_event(ShieldEvent(0, "intervene", 1, {"player_0": 1}, {"player_0": 0}, 1.0, 0.0))
    both(env, 0, 1)
    env.record_shield_raise(1, 2)
    both(env, 1, 1)
    log = env.episode
    copy = EpisodeLog.from_dict(json.loads(json.dumps(log.to_dict())))
    assert copy == log
    assert copy.summary() == log.summary()
    assert copy.interventions == 1
    with pytest.raises(ValueError, match="lacks `world`"):
        EpisodeLog.from_dict({k: v for k, v in log.to_dict().items() if k != "world"})
    with pytest.raises(ValueError, match="unknown field `x`"):
        EpisodeLog.from_dict({**log.to_dict(), "x": 1})


def test_records_are_flat_rows(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    env = chicken()
    env.attach_shield(1)
    env.reset(seed=7)
    env.record_submitted({"player_0": 1, "player_1": 1})
    both(env, 0, 1)
    env.record_shield_raise(1, 2)
    both(env, 1, 1)
    rows = list(env.episode.records())
    assert len(rows) == 4
    assert rows[0] == {
        "episode": 0, "t": 0, "agent": "player_0", "submitted": 1, "action": 0, "reward": 1.0,
        "cost": 0.0, "safe": True, "labels": "player_0_swerve;player_1_straight;swerve_straight",
        "level": 1, "intervened": True,
    }  # fmt: skip
    assert rows[1]["intervened"] is False
    assert (rows[3]["submitted"], rows[3]["level"], rows[3]["cost"]) == (None, 2, 1.0)
    path = tmp_path / "log.parquet"
    assert write_records(path, [env.episode]) == 4
    assert parquet.read_table(path).to_pylist() == rows


def test_only_worlds_that_tell_labels_need_no_label_function():
    class Bare(pettingzoo.ParallelEnv):
        metadata = {"name": "bare"}
        possible_agents = ["a"]

    with pytest.raises(InvalidParameter, match="label_fn"):
        LabelledEnv.for_world(Bare())
