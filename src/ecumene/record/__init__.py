"""Play episodes and keep a record of them."""

from ecumene.record.dense_log import DenseLogFile, KeepsDenseLog
from ecumene.record.parquet import ParquetLog
from ecumene.record.replay import (
    DamagedReplay,
    ReplayedEpisode,
    ReplayMismatch,
    ReplayReport,
    replay,
)
from ecumene.record.replay_recorder import ReplayRecorder
from ecumene.record.rollout import Listener, Policy, Rollout, StepRecord, finished, return_name
from ecumene.record.tally import Statistics, Tally

__all__ = [
    "DamagedReplay",
    "DenseLogFile",
    "KeepsDenseLog",
    "Listener",
    "ParquetLog",
    "Policy",
    "ReplayMismatch",
    "ReplayRecorder",
    "ReplayReport",
    "ReplayedEpisode",
    "Rollout",
    "Statistics",
    "StepRecord",
    "Tally",
    "finished",
    "replay",
    "return_name",
]
