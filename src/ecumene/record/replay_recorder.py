"""Write a replay: all that is needed to play a copy's episodes again, and to see that they agree.

A replay is a text file with a JSON object per line:

- first ``{"format", "version", "ecumene", "world", "parameters", "agents"}``, where `version` is
  that of the format, `ecumene` the library's, and `agents` maps each group to its agents;
- for each episode ``{"episode", "hash", "snapshot": {"arrays", "extra"}}``: its number, and the
  state in which it begins;
- for each of its steps ``{"step", "actions", "hash"}``: its number, the actions of each group, and
  the digest of the state after it;
- ``{"end", "steps", "complete", "returns"}``: the episode's number, how many steps it had, whether
  it was over, and each group's returns.

Parameters and snapshots are written as `ecumene.record.encoding` says.
"""

import json
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ecumene._version import __version__
from ecumene.api.registration import registry
from ecumene.engine import InvalidParameter, Simulation, Snapshot
from ecumene.record.encoding import NotEncodable, encode
from ecumene.record.rollout import StepRecord
from ecumene.record.writing import writing

FORMAT = "ecumene replay"
VERSION = 1


class ReplayRecorder:
    """Writes the replay of all episodes of copy 0 while they are played.

    Each line is written when it is known, so memory does not grow with the run and what was played
    before an interruption is kept. Recording draws no random numbers and changes nothing.

    Parameters
    ----------
    path
        The file; an existing one is replaced when the first episode begins.
    simulation
        The world that is going to be played.

    Raises
    ------
    InvalidParameter
        If the world is not registered, or if its parameters, or what its plain Python parts keep
        in attributes, cannot be written to a file exactly.
    EcumeneError
        When the file cannot be written.
    """

    def __init__(self, path: str | Path, simulation: Simulation) -> None:
        spec = simulation.spec
        if spec.id not in registry:
            raise InvalidParameter(
                f"`{spec.id}` is not registered, so that no replay could make it again: "
                "see ecumene.register."
            )
        self.path = Path(path)
        self.episodes = 0
        self.steps = 0
        self._header = {
            "format": FORMAT,
            "version": VERSION,
            "ecumene": __version__,
            "world": spec.id,
            "parameters": _encoded(dict(spec.parameters), f"the parameters of {spec.id}"),
            "agents": {group.name: list(group.agents) for group in spec.groups},
        }
        self._file: IO[str] | None = None
        self._steps = 0  # of the running episode
        self._returns: Returns | None = None

    def episodes_begun(self, simulation: Simulation, copies: NDArray[np.int64]) -> None:
        """Write the state in which an episode of copy 0 begins."""
        if copies[0] != 0:
            return
        line = {
            "episode": self.episodes,
            "hash": simulation.state_hash(0),
            "snapshot": encode_snapshot(simulation.snapshot(0)),
        }
        if self._file is None:
            with writing(self.path):
                self._file = self.path.open("w", encoding="utf-8")
            self._write(self._header)
        self._write(line)
        self._steps = 0
        self._returns = Returns(simulation)

    def step_made(self, simulation: Simulation, record: StepRecord) -> None:
        """Write a step of copy 0."""
        if self._returns is None or not any(acted[0].any() for acted in record.acted.values()):
            return
        actions = {
            group.name: np.asarray(record.actions[group.name])[0].tolist()
            for group in simulation.spec.groups
        }
        self._write({"step": self._steps, "actions": actions, "hash": simulation.state_hash(0)})
        self._returns.add(simulation)
        self._steps += 1
        self.steps += 1

    def episodes_ended(self, simulation: Simulation, copies: NDArray[np.int64]) -> None:
        """Write the end of an episode of copy 0."""
        if copies[0] == 0:
            self._end(complete=True)

    def close(self) -> None:
        """Mark an episode that is still running as incomplete, and complete the file."""
        if self._file is None:
            return
        if self._returns is not None:
            self._end(complete=False)
        file, self._file = self._file, None
        with writing(self.path):
            file.close()

    def _end(self, complete: bool) -> None:
        assert self._returns is not None
        end = {"end": self.episodes, "steps": self._steps, "complete": complete}
        self._write({**end, "returns": self._returns.listed()})
        self._returns = None
        self.episodes += 1

    def _write(self, line: dict[str, Any]) -> None:
        assert self._file is not None
        with writing(self.path):
            self._file.write(json.dumps(line, allow_nan=False, separators=(",", ":")) + "\n")


class Returns:
    """Sums of the rewards of copy 0, each group's agents in order."""

    def __init__(self, simulation: Simulation) -> None:
        self._sums = {group.name: np.zeros(len(group.agents)) for group in simulation.spec.groups}

    def add(self, simulation: Simulation) -> None:
        """Add the rewards of the step just made."""
        for name, sums in self._sums.items():
            sums += simulation.out[name].reward[0]

    def listed(self) -> dict[str, Any]:
        """Return group -> list, encoded."""
        return {name: encode(sums.tolist(), name) for name, sums in self._sums.items()}

    def by_agent(self, simulation: Simulation) -> dict[str, float]:
        """Return agent -> sum."""
        return {
            agent: float(total)
            for group in simulation.spec.groups
            for agent, total in zip(group.agents, self._sums[group.name], strict=True)
        }


def encode_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot as JSON can take it."""
    what = f"what parts of {snapshot.id} in plain Python keep"
    arrays = {name: np.asarray(each) for name, each in snapshot.arrays.items()}
    return {
        "arrays": encode(arrays, "the state"),
        "extra": _encoded(snapshot.extra, what),
    }


def _encoded(value: Any, place: str) -> Any:
    try:
        return encode(value, place)
    except NotEncodable as error:
        raise InvalidParameter(
            f"this world cannot be recorded for replay: {error} A Parquet log can be kept of every "
            "world."
        ) from error
