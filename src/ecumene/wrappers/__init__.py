"""Wrappers around worlds: labels, costs and logs, shields, and monitors of constraints."""

from ecumene.record.episode_log import EpisodeLog, ShieldEvent
from ecumene.wrappers.certificate import Certificate
from ecumene.wrappers.guards import Guard, always, holds
from ecumene.wrappers.labelled import LabelledEnv, UnsafeFreeEnv
from ecumene.wrappers.labelled_vector import LabelledVectorEnv
from ecumene.wrappers.monitors import (
    Budget,
    CostBudget,
    EventualHarm,
    ReachAvoid,
    SafetyAutomaton,
    SharedBudgets,
    StepwiseProbability,
)
from ecumene.wrappers.shielded import ShieldedEnv
from ecumene.wrappers.shielded_vector import ShieldedVectorEnv

__all__ = [
    "Budget",
    "Certificate",
    "CostBudget",
    "EpisodeLog",
    "EventualHarm",
    "Guard",
    "LabelledEnv",
    "LabelledVectorEnv",
    "ReachAvoid",
    "SafetyAutomaton",
    "SharedBudgets",
    "ShieldEvent",
    "ShieldedEnv",
    "ShieldedVectorEnv",
    "StepwiseProbability",
    "UnsafeFreeEnv",
    "always",
    "holds",
]
