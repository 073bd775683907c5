"""Logs of whole episodes, for worlds that keep them."""

import json

import pytest
from toy import Countdown, LoggedCountdown, fixed_policy

from ecumene.engine import InvalidParameter
from ecumene.record import EpisodeLogs, Rollout


def test_the_last_episode_of_copy_0_is_written(tmp_path):
    simulation = LoggedCountdown(2)
    files = {"dense": tmp_path / "dense.json", "replay": tmp_path / "replay.json"}
    logs = EpisodeLogs(simulation, files)
    rollout = Rollout(simulation, fixed_policy(simulation), 2, 0, [logs])
    while not rollout.over:
        rollout.advance()
    assert logs.write() == list(files.values())
    assert json.loads(files["dense"].read_text()) == {"length": 3}
    assert json.loads(files["replay"].read_text()) == {"copy": 0}


def test_nothing_is_written_before_an_episode_has_ended(tmp_path):
    simulation = LoggedCountdown()
    logs = EpisodeLogs(simulation, {"dense": tmp_path / "dense.json"})
    Rollout(simulation, fixed_policy(simulation), 1, 0, [logs]).advance()
    assert logs.write() == []
    assert not (tmp_path / "dense.json").exists()


def test_worlds_without_such_logs_are_refused(tmp_path):
    with pytest.raises(InvalidParameter, match="toy/countdown-v0 keeps no dense and replay log"):
        EpisodeLogs(Countdown(), {"dense": tmp_path / "a", "replay": tmp_path / "b"})
