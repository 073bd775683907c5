"""Play episodes and keep a record of them."""

from ecumene.record.episode_logs import EpisodeLogs, KeepsEpisodeLogs
from ecumene.record.parquet import ParquetLog
from ecumene.record.rollout import Listener, Policy, Rollout, StepRecord, finished, return_name
from ecumene.record.tally import Statistics, Tally

__all__ = [
    "EpisodeLogs",
    "KeepsEpisodeLogs",
    "Listener",
    "ParquetLog",
    "Policy",
    "Rollout",
    "Statistics",
    "StepRecord",
    "Tally",
    "finished",
    "return_name",
]
