"""Dense logs, for worlds that keep them."""

import json

import pytest
from toy import Countdown, LoggedCountdown, fixed_policy

from ecumene.engine import EcumeneError, InvalidParameter
from ecumene.record import DenseLogFile, KeepsDenseLog, Rollout


def test_the_last_ended_episode_of_copy_0_is_written(tmp_path):
    simulation = LoggedCountdown(2)
    log = DenseLogFile(tmp_path / "dense.json", simulation)
    rollout = Rollout(simulation, fixed_policy(simulation), 2, 0, [log])
    while not rollout.over:
        rollout.advance()
    assert log.write()
    assert json.loads(log.path.read_text()) == {"length": 3, "copy": 0}


def test_nothing_is_written_before_an_episode_has_ended(tmp_path):
    simulation = LoggedCountdown()
    log = DenseLogFile(tmp_path / "dense.json", simulation)
    Rollout(simulation, fixed_policy(simulation), 1, 0, [log]).advance()
    assert not log.write()
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    log = DenseLogFile(tmp_path / "nowhere" / "dense.json", LoggedCountdown())
    log.log = {}
    with pytest.raises(EcumeneError, match=r"cannot write .*nowhere"):
        log.write()


def test_worlds_without_such_logs_are_refused(tmp_path):
    assert isinstance(LoggedCountdown(), KeepsDenseLog)
    with pytest.raises(InvalidParameter, match="toy/countdown-v0 keeps no dense log"):
        DenseLogFile(tmp_path / "a", Countdown())
