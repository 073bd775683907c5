"""The step log holds what happened, and is readable however the run ended."""

import json
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from toy import Countdown, fixed_policy

import ecumene.record.parquet as parquet_module
from ecumene.engine import EcumeneError, MissingExtra
from ecumene.matrix import ChickenSimulation
from ecumene.record import ParquetLog, Rollout


def log_of(path, simulation, policy, episodes=1, steps=None):
    log = ParquetLog(path, simulation, {"world": simulation.spec.id, "seed": 0})
    rollout = Rollout(simulation, policy, episodes, 0, [log])
    while not rollout.over and (steps is None or steps > 0):
        rollout.advance()
        steps = None if steps is None else steps - 1
    log.close()
    return log, pq.read_table(path)


def test_one_row_per_copy_step_and_acting_agent(tmp_path):
    simulation = Countdown(2)
    log, table = log_of(tmp_path / "run.parquet", simulation, fixed_policy(simulation))
    rows = table.to_pylist()
    assert log.rows == len(rows) == (3 + 3 + 2) + (3 + 3 + 2 + 2)
    first = {"copy": 0, "episode": 0, "step": 0, "agent": "walker_0", "action": [1]}
    assert rows[0] == {**first, "reward": 1.0, "terminated": False, "truncated": False}
    assert [(row["copy"], row["agent"]) for row in rows[:6]] == [
        (copy, agent) for copy in (0, 1) for agent in ("walker_0", "walker_1", "judge")
    ]
    deaths = [row for row in rows if row["terminated"]]
    assert [(row["copy"], row["step"], row["agent"]) for row in deaths] == [
        (0, 1, "walker_0"),
        (1, 1, "walker_0"),
    ]
    assert {(row["copy"], row["step"]) for row in rows if row["truncated"]} == {(0, 2), (1, 3)}
    assert {tuple(row["action"]) for row in rows if row["agent"] == "judge"} == {(1, 3)}


def test_single_actions_are_plain_integers(tmp_path):
    simulation = ChickenSimulation(3, max_moves=4)
    actions = {"players": np.array([[0, 1], [1, 0], [1, 1]])}
    _, table = log_of(tmp_path / "run.parquet", simulation, lambda o, m: actions, episodes=2)
    assert table.num_rows == 3 * 4 * 2 * 2
    assert str(table.schema.field("action").type) == "int64"
    assert table.column("action").to_pylist()[:6] == [0, 1, 1, 0, 1, 1]
    assert set(table.column("episode").to_pylist()) == {0, 1}


def test_metadata_tells_what_was_run(tmp_path):
    simulation = Countdown()
    _, table = log_of(tmp_path / "run.parquet", simulation, fixed_policy(simulation))
    facts = json.loads(table.schema.metadata[b"ecumene"])
    assert facts == {"world": "toy/countdown-v0", "seed": 0}


def test_row_groups_are_written_while_the_run_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_module, "ROWS_PER_GROUP", 10)
    simulation = ChickenSimulation(2, max_moves=10)
    actions = {"players": np.zeros((2, 2), np.int64)}
    log, table = log_of(tmp_path / "run.parquet", simulation, lambda o, m: actions)
    assert pq.ParquetFile(tmp_path / "run.parquet").num_row_groups == 5
    assert table.column("step").to_pylist() == [step for step in range(10) for _ in range(4)]
    assert log.rows == 40


def test_a_log_closed_in_mid_episode_is_readable(tmp_path):
    simulation = Countdown(2, first=50)
    _, table = log_of(tmp_path / "run.parquet", simulation, fixed_policy(simulation), steps=7)
    assert max(table.column("step").to_pylist()) == 6


def test_closing_twice_is_harmless(tmp_path):
    log = ParquetLog(tmp_path / "run.parquet", Countdown())
    log.close()
    log.close()
    assert pq.read_table(tmp_path / "run.parquet").num_rows == 0


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(EcumeneError, match=r"cannot write .*nowhere"):
        ParquetLog(tmp_path / "nowhere" / "run.parquet", Countdown())


def test_without_pyarrow_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r'pip install "ecumene\[logs\]"'):
        ParquetLog(tmp_path / "run.parquet", Countdown())
