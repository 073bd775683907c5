"""`ecumene bench`: how fast a world steps here, and how far that is from copying memory."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from ecumene.api.policies import random_actions
from ecumene.api.registration import make_simulation
from ecumene.engine import InvalidParameter, Simulation
from ecumene.record import finished


@dataclass
class Speed:
    """What was measured of one number of copies on one number of threads; medians over runs."""

    copies: int
    threads: int
    bytes_per_step: float
    step_seconds: list[float] = field(default_factory=list)  # per env-step, resets included
    reset_share: list[float] = field(default_factory=list)
    floor_seconds: list[float] = field(default_factory=list)  # per env-step
    agents: list[float] = field(default_factory=list)  # living agents per env-step

    @property
    def env_steps(self) -> float:
        """Env-steps per second."""
        return 1 / median(self.step_seconds)

    @property
    def agent_steps(self) -> float:
        """Agent-steps per second; only living agents count."""
        return self.env_steps * median(self.agents)

    @property
    def gap(self) -> float:
        """How many times longer a step takes than copying its observations."""
        return median(self.step_seconds) / median(self.floor_seconds)


class Subject:
    """One simulation under measurement; `run` may be called several times."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._generator = np.random.default_rng(0)
        self._source = [np.ones_like(array) for array in written_arrays(simulation)]
        self._target = [array.copy() for array in self._source]
        self.speed = Speed(
            simulation.copies,
            simulation.runner.num_threads,
            sum(array.nbytes for array in self._source) / simulation.copies,
        )
        simulation.reset(seed=0)
        simulation.step(self._actions())  # compiles

    def run(self, seconds: float) -> None:
        """Step with random allowed actions for about so long, and measure the floor too."""
        simulation = self.simulation
        stepping = resetting = 0.0
        steps = living = 0
        end = time.perf_counter() + seconds
        while steps == 0 or time.perf_counter() < end:
            living += sum(np.count_nonzero(out.alive) for out in simulation.out.values())
            stepping += _seconds(simulation.step, self._actions())
            steps += 1
            over = finished(simulation)
            if over.any():
                resetting += _seconds(simulation.reset, None, over)
        env_steps = steps * simulation.copies
        self.speed.step_seconds.append((stepping + resetting) / env_steps)
        self.speed.reset_share.append(resetting / (stepping + resetting))
        self.speed.agents.append(living / env_steps)
        self.speed.floor_seconds.append(self._floor(seconds / 10) / simulation.copies)

    def _actions(self) -> Mapping[str, NDArray[np.int64]]:
        masks = {name: out.action_mask for name, out in self.simulation.out.items()}
        return random_actions(masks, self.simulation.spec.groups, self._generator)

    def _floor(self, seconds: float) -> float:
        """Return the seconds it takes to write the observations and masks of one step."""
        ways: list[Callable[[], None]] = [self._copy]
        if self.speed.threads > 1:
            ways.append(self._copy_in_threads)
        return min(_median_seconds(way, seconds / len(ways)) for way in ways)

    def _copy(self, lo: int = 0, hi: int | None = None) -> None:
        for target, source in zip(self._target, self._source, strict=True):
            np.copyto(target[lo:hi], source[lo:hi])

    def _copy_in_threads(self) -> None:
        self.simulation.runner.run("copy", self._copy, self.simulation.copies)


def written_arrays(simulation: Simulation) -> list[NDArray[Any]]:
    """Return the observation and mask arrays that every step writes."""
    arrays: list[NDArray[Any]] = []
    for out in simulation.out.values():
        arrays += _arrays(out.observation)
        arrays.append(out.action_mask)
    return arrays


def _arrays(observation: Any) -> list[NDArray[Any]]:
    if isinstance(observation, Mapping):
        return [array for part in observation.values() for array in _arrays(part)]
    return [observation]


def _median_seconds(function: Callable[[], Any], budget: float) -> float:
    times = []
    end = time.perf_counter() + budget
    while not times or time.perf_counter() < end:
        times.append(_seconds(function))
    return median(times)


def _seconds(function: Callable[..., Any], *arguments: Any) -> float:
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def measure(
    world: str,
    parameters: Mapping[str, Any],
    copies: Sequence[int],
    threads: Sequence[int],
    seconds: float,
    runs: int,
) -> list[Speed]:
    """Measure every number of copies on every number of threads, the runs taking turns."""
    subjects = [
        Subject(make_simulation(world, count, num_threads=number, **parameters))
        for count in copies
        for number in threads
    ]
    for _ in range(runs):
        for subject in subjects:
            subject.run(seconds)
    for subject in subjects:
        subject.simulation.close()
    return [subject.speed for subject in subjects]


def speed_table(speeds: Sequence[Speed]) -> Table:
    """Return the table of what was measured; times and bytes are per env-step."""
    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="bold")
    headings = (
        "copies", "threads", "env-steps/s", "agent-steps/s", "us/step", "resets", "bytes",
        "floor us", "gap",
    )  # fmt: skip
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for speed in speeds:
        table.add_row(
            f"{speed.copies:,}",
            str(speed.threads),
            f"{speed.env_steps:,.0f}",
            f"{speed.agent_steps:,.0f}",
            f"{1e6 / speed.env_steps:.3g}",
            f"{median(speed.reset_share):.1%}",
            f"{speed.bytes_per_step:,.0f}",
            f"{1e6 * median(speed.floor_seconds):.3g}",
            f"{speed.gap:.1f}x",
        )
    return table


def parse_counts(option: str, text: str) -> list[int]:
    """Read ``1,64,1024``.

    Raises
    ------
    InvalidParameter
        If that is no list of integers from 1 up.
    """
    parts = text.split(",")
    if not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
        raise InvalidParameter(f"{option} is a list such as 1,64,1024, not `{text}`.")
    return [int(part) for part in parts]
