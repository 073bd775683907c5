"""Play a recorded replay again and see that every state is the recorded one."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ecumene._version import __version__
from ecumene.api.registration import make_simulation
from ecumene.engine import (
    EcumeneError,
    EnvironmentNotFound,
    InvalidAction,
    InvalidParameter,
    Simulation,
    Snapshot,
    SnapshotMismatch,
)
from ecumene.record.encoding import NotDecodable, decode
from ecumene.record.replay_recorder import FORMAT, VERSION, Returns
from ecumene.record.rollout import finished


class DamagedReplay(EcumeneError, ValueError):
    """A file is no replay, or not a whole one; the message begins with file and line."""


class ReplayMismatch(EcumeneError):
    """A replay did not go as it was recorded.

    Attributes
    ----------
    episode : int
        The episode.
    step : int or None
        The first step after which something differs; None: the beginning of the episode.
    """

    def __init__(self, message: str, episode: int, step: int | None) -> None:
        super().__init__(message)
        self.episode = episode
        self.step = step


@dataclass(frozen=True)
class ReplayedEpisode:
    """One episode of a replay that agreed with the record.

    returns: agent -> sum of rewards.
    complete: whether it was played to its end; the record of an interrupted run is not.
    """

    number: int
    steps: int
    returns: dict[str, float]
    complete: bool


@dataclass(frozen=True)
class ReplayReport:
    """What a replay that agreed with the record was of."""

    path: Path
    world: str
    parameters: dict[str, Any]
    ecumene: str  # version that recorded it
    episodes: list[ReplayedEpisode] = field(default_factory=list)

    @property
    def steps(self) -> int:
        """Number of steps, each of which led to the recorded state."""
        return sum(episode.steps for episode in self.episodes)


def replay(path: str | Path) -> ReplayReport:
    """Play what a `ReplayRecorder` wrote, in a world made of the recorded id and parameters.

    Every episode starts from its recorded snapshot. After each step, the state's digest must be
    the recorded one, and at the end of an episode the returns and whether it is over.

    A replay that another version of Ecumene recorded is tried all the same.

    Raises
    ------
    ReplayMismatch
        Naming the episode and the first step that differs.
    DamagedReplay
        If the file cannot be read, is no replay, is damaged, or has a format of another version.
    EnvironmentNotFound, InvalidParameter
        If the world is not registered here, or does not take the recorded parameters.
    """
    lines = _Lines(Path(path))
    header = lines.next()
    report = _read_header(lines, header)
    simulation = _make(lines, report)
    if header.get("agents") != _agents(simulation):
        raise lines.damaged("the agents are not those of the world and parameters here.")
    player = _Player(simulation, lines, report)
    for line in lines:
        player.take(line)
    player.finish()
    simulation.close()
    return report


class _Lines:
    """The objects of a file, one per line, and where the reader is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0
        self._objects = self._read()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self._objects

    def next(self) -> dict[str, Any]:
        """Return the next object."""
        line = next(self._objects, None)
        if line is None:
            raise DamagedReplay(f"{self.path}: the file is empty.")
        return line

    def _read(self) -> Iterator[dict[str, Any]]:
        try:
            with self.path.open(encoding="utf-8") as file:
                for text in file:
                    self.number += 1
                    yield self._parse(text)
        except UnicodeDecodeError as error:
            raise DamagedReplay(f"{self.path}: the file is not UTF-8 text.") from error
        except OSError as error:
            raise DamagedReplay(f"{self.path}: {error.strerror}.") from error

    def _parse(self, text: str) -> dict[str, Any]:
        try:
            line = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            cut = "" if text.endswith("\n") else " and the file ends in the middle of it"
            raise self.damaged(f"the line is not JSON{cut}.") from error
        if not isinstance(line, dict):
            raise self.damaged("the line is no JSON object.")
        return line

    def damaged(self, why: str) -> DamagedReplay:
        """Return the error that names file and line."""
        return DamagedReplay(f"{self.path}:{self.number}: {why}")

    def value(self, line: dict[str, Any], key: str, kind: type) -> Any:
        """Return an entry of a line that must be there and of a kind."""
        if key not in line:
            raise self.damaged(f"`{key}` is missing.")
        # A bool is an int to Python, but not to a reader.
        if not isinstance(line[key], kind) or (kind is int and isinstance(line[key], bool)):
            raise self.damaged(f"`{key}` is no {_KINDS[kind]}: {line[key]!r:.60}.")
        return line[key]

    def decoded(self, value: Any) -> Any:
        """Return a value that was encoded."""
        try:
            return decode(value)
        except (NotDecodable, RecursionError) as error:
            raise self.damaged(str(error)) from error


_KINDS = {dict: "object", str: "text", int: "integer", bool: "true or false"}


def _read_header(lines: _Lines, header: dict[str, Any]) -> ReplayReport:
    if header.get("format") != FORMAT:
        raise lines.damaged("this is no replay; `ecumene run --replay FILE` writes one.")
    version = lines.value(header, "version", int)
    if version != VERSION:
        raise lines.damaged(
            f"the replay has format version {version}, recorded by ecumene "
            f"{header.get('ecumene')}; ecumene {__version__} reads version {VERSION}."
        )
    return ReplayReport(
        lines.path,
        lines.value(header, "world", str),
        lines.decoded(lines.value(header, "parameters", dict)),
        lines.value(header, "ecumene", str),
    )


def _make(lines: _Lines, report: ReplayReport) -> Simulation:
    try:
        return make_simulation(report.world, num_threads=1, **report.parameters)
    except EnvironmentNotFound as error:
        raise EnvironmentNotFound(
            f"{lines.path} was recorded in a world that is not registered here: {error}"
        ) from error
    except (EcumeneError, TypeError) as error:
        raise InvalidParameter(
            f"{lines.path}: `{report.world}` does not take the recorded parameters: {error}"
        ) from error


def _agents(simulation: Simulation) -> dict[str, list[str]]:
    return {group.name: list(group.agents) for group in simulation.spec.groups}


class _Player:
    """Plays line after line."""

    def __init__(self, simulation: Simulation, lines: _Lines, report: ReplayReport) -> None:
        self._simulation = simulation
        self._lines = lines
        self._report = report
        self._episode: int | None = None  # the running one
        self._steps = 0
        self._returns = Returns(simulation)

    def take(self, line: dict[str, Any]) -> None:
        """Do what a line says."""
        for key, act in (("episode", self._begin), ("step", self._step), ("end", self._end)):
            if key in line:
                act(line, self._lines.value(line, key, int))
                return
        raise self._lines.damaged("the line is neither `episode` nor `step` nor `end`.")

    def finish(self) -> None:
        """Count an episode whose end was never written: the recorder was killed."""
        if self._episode is not None:
            self._keep(complete=False)

    def _begin(self, line: dict[str, Any], number: int) -> None:
        if self._episode is not None or number != len(self._report.episodes):
            raise self._lines.damaged(f"episode {number} is not the next one.")
        self._episode, self._steps, self._returns = number, 0, Returns(self._simulation)
        snapshot = self._lines.value(line, "snapshot", dict)
        arrays = self._lines.decoded(self._lines.value(snapshot, "arrays", dict))
        if not all(isinstance(array, np.ndarray) for array in arrays.values()):
            raise self._lines.damaged("`arrays` holds something else.")
        extra = self._lines.decoded(snapshot.get("extra"))
        try:
            self._simulation.restore(0, Snapshot(self._report.world, arrays, extra))
        except SnapshotMismatch as error:
            raise self._mismatch(None, str(error)) from error
        self._compare(line, None)

    def _step(self, line: dict[str, Any], number: int) -> None:
        if self._episode is None or number != self._steps:
            raise self._lines.damaged(f"step {number} is not the next one.")
        given = self._lines.value(line, "actions", dict)
        try:
            actions = {name: np.array([each]) for name, each in given.items()}
        except ValueError as error:
            raise self._lines.damaged("`actions` are no integers.") from error
        try:
            self._simulation.step(actions)
        except InvalidAction as error:
            raise self._mismatch(number, str(error)) from error
        self._compare(line, number)
        self._returns.add(self._simulation)
        self._steps += 1

    def _end(self, line: dict[str, Any], number: int) -> None:
        if number != self._episode or self._lines.value(line, "steps", int) != self._steps:
            raise self._lines.damaged("this is not the end of the episode before it.")
        complete = self._lines.value(line, "complete", bool)
        last = self._steps - 1 if self._steps else None
        if complete != bool(finished(self._simulation)[0]):
            over, not_so = ("recorded", "present") if complete else ("present", "recorded")
            raise self._mismatch(last, f"the {over} episode is over, the {not_so} one is not.")
        if self._lines.value(line, "returns", dict) != self._returns.listed():
            raise self._mismatch(last, "the returns up to here differ from the recorded ones.")
        self._keep(complete)

    def _keep(self, complete: bool) -> None:
        assert self._episode is not None
        returns = self._returns.by_agent(self._simulation)
        episode = ReplayedEpisode(self._episode, self._steps, returns, complete)
        self._report.episodes.append(episode)
        self._episode = None

    def _compare(self, line: dict[str, Any], step: int | None) -> None:
        recorded = self._lines.value(line, "hash", str)
        if self._simulation.state_hash(0) != recorded:
            raise self._mismatch(step, "the state differs from the recorded one.")

    def _mismatch(self, step: int | None, what: str) -> ReplayMismatch:
        assert self._episode is not None
        where = "its beginning" if step is None else f"step {step}"
        text = f"{self._lines.path}: episode {self._episode}, {where}: {what}"
        if self._report.ecumene != __version__:
            text += f" It was recorded by ecumene {self._report.ecumene}; this is {__version__}."
        return ReplayMismatch(text, self._episode, step)
