"""Dense and replay logs of whole episodes, as JSON files, for worlds that keep them."""

import json
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import EcumeneError, InvalidParameter, Simulation
from ecumene.record.rollout import StepRecord


@runtime_checkable
class KeepsEpisodeLogs(Protocol):
    """A simulation that can log whole episodes of a copy."""

    def enable_episode_logs(self, copy: int = 0) -> None:
        """Log every episode of this copy that begins from now on."""

    def episode_logs(self, copy: int = 0) -> dict[str, Any]:
        """Return ``{"dense": ..., "replay": ...}`` of the copy's last ended episode.

        Both are made of what JSON knows.
        """
        ...


class EpisodeLogs:
    """Keeps the logs of the last ended episode of copy 0, to be written as JSON.

    Parameters
    ----------
    simulation
        A world that keeps such logs.
    files
        Kind (``"dense"``, ``"replay"``) -> file.

    Raises
    ------
    InvalidParameter
        If the world keeps no such logs.
    """

    def __init__(self, simulation: Simulation, files: dict[str, Path]) -> None:
        if not isinstance(simulation, KeepsEpisodeLogs):
            kinds = " and ".join(sorted(files))
            raise InvalidParameter(
                f"{simulation.spec.id} keeps no {kinds} log; a Parquet log works for every world."
            )
        self.files = files
        self.logs: dict[str, Any] | None = None
        simulation.enable_episode_logs(0)

    def step_made(self, simulation: Simulation, record: StepRecord) -> None:
        """Nothing to do: the world logs its steps itself."""

    def episodes_ended(self, simulation: Simulation, copies: NDArray[np.int64]) -> None:
        """Take the logs of copy 0 when its episode has ended."""
        if copies[0] == 0:
            assert isinstance(simulation, KeepsEpisodeLogs)
            self.logs = simulation.episode_logs(0)

    def write(self) -> list[Path]:
        """Write the files; returns those written (none if no episode has ended)."""
        if self.logs is None:
            return []
        for kind, path in self.files.items():
            try:
                path.write_text(json.dumps(self.logs[kind]), encoding="utf-8")
            except OSError as error:
                raise EcumeneError(f"cannot write {path}: {error}") from error
        return list(self.files.values())
