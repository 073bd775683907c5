"""What every world stands on; knows no world."""

from ecumene.engine.compile import helper, inlined, rule
from ecumene.engine.errors import (
    AlreadyRegistered,
    EcumeneError,
    EnvironmentNotFound,
    InvalidAction,
    InvalidParameter,
    InvalidSeed,
    MissingExtra,
    ResetNeeded,
    SnapshotMismatch,
    UnknownAgent,
)
from ecumene.engine.runner import Runner
from ecumene.engine.simulation import Simulation, Snapshot
from ecumene.engine.spec import Group, Output, Spec, allocate_output

__all__ = [
    "AlreadyRegistered",
    "EcumeneError",
    "EnvironmentNotFound",
    "Group",
    "InvalidAction",
    "InvalidParameter",
    "InvalidSeed",
    "MissingExtra",
    "Output",
    "ResetNeeded",
    "Runner",
    "Simulation",
    "Snapshot",
    "SnapshotMismatch",
    "Spec",
    "UnknownAgent",
    "allocate_output",
    "helper",
    "inlined",
    "rule",
]
