"""The dense log of an episode as a JSON file, for worlds that keep one."""

import json
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import InvalidParameter, Simulation
from ecumene.record.rollout import StepRecord
from ecumene.record.writing import writing


@runtime_checkable
class KeepsDenseLog(Protocol):
    """A simulation that can log all that happens in a copy."""

    def enable_dense_log(self, copy: int = 0) -> None:
        """Log every episode of this copy that begins from now on."""

    def dense_log(self, copy: int = 0) -> dict[str, Any]:
        """Return the log of the copy's last ended episode, made of what JSON knows."""
        ...


class DenseLogFile:
    """Keeps the dense log of the last ended episode of copy 0, to be written as JSON.

    Parameters
    ----------
    path
        The file; an existing one is replaced by `write`.
    simulation
        The world that is going to be played.

    Raises
    ------
    InvalidParameter
        If the world keeps no such log.
    """

    def __init__(self, path: str | Path, simulation: Simulation) -> None:
        if not isinstance(simulation, KeepsDenseLog):
            raise InvalidParameter(
                f"{simulation.spec.id} keeps no dense log; Parquet logs and replays work for "
                "every world."
            )
        self.path = Path(path)
        self.log: dict[str, Any] | None = None
        simulation.enable_dense_log(0)

    def episodes_begun(self, simulation: Simulation, copies: NDArray[np.int64]) -> None:
        """Nothing to do: the world logs by itself."""

    def step_made(self, simulation: Simulation, record: StepRecord) -> None:
        """Nothing to do: the world logs by itself."""

    def episodes_ended(self, simulation: Simulation, copies: NDArray[np.int64]) -> None:
        """Take the log of copy 0 when its episode has ended."""
        if copies[0] == 0:
            assert isinstance(simulation, KeepsDenseLog)
            self.log = simulation.dense_log(0)

    def write(self) -> bool:
        """Write the file; returns whether there was an ended episode to write of."""
        if self.log is None:
            return False
        with writing(self.path):
            self.path.write_text(json.dumps(self.log), encoding="utf-8")
        return True
