"""`ecumene run`: play episodes, show how far, log what was asked for, then tell what happened."""

import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from ecumene.api.registration import make_simulation
from ecumene.cli.interruption import Interruption
from ecumene.cli.options import RunFile, RunOptions
from ecumene.cli.outputs import check_writable
from ecumene.cli.policies import make_policy
from ecumene.cli.tables import results_table
from ecumene.engine import EcumeneError, Simulation
from ecumene.engine.random import entropy_seed
from ecumene.record import DenseLogFile, Listener, ParquetLog, ReplayRecorder, Rollout
from ecumene.record.rollout import Policy
from ecumene.wrappers.watch import SafetyWatch

SECONDS_BETWEEN_UPDATES = 0.1


class _Times(NamedTuple):
    """Seconds that a run took, and those after its first step, which may have compiled rules."""

    whole: float
    rest: float


@dataclass
class _Logs:
    listeners: list[Listener]
    steps: ParquetLog | None = None
    dense: DenseLogFile | None = None
    replay: ReplayRecorder | None = None


def run(options: RunOptions, folder: Path, console: Console, file: RunFile | None = None) -> int:
    """Play what the options say; returns the exit code.

    Parameters
    ----------
    options
        The run.
    folder
        Where the module of a user's policy is looked for.
    console
        Where the tables go; the progress bar goes to standard error.
    file
        Where the options come from: a world's refusal names the place in it.
    """
    check_writable(options.outputs())
    simulation = _make(options, file)
    # Short enough to be typed again.
    seed = entropy_seed() >> 31 if options.seed is None else options.seed
    policy = make_policy(options.policy, simulation.spec, options.copies, seed, folder)
    watch = _watch(options, simulation, policy, seed)
    with ExitStack() as stack:
        stack.callback(simulation.close)
        logs = _open_logs(options, simulation, seed)
        for log in (logs.steps, logs.replay):
            if log is not None:
                stack.callback(log.close)
        interruption = stack.enter_context(Interruption())
        start = time.perf_counter()
        if watch is None:
            rollout = Rollout(simulation, policy, options.episodes, seed, logs.listeners)
        else:
            listeners = [*logs.listeners, watch]
            rollout = Rollout(simulation, watch, options.episodes, seed, listeners, watch.columns)
        rollout.advance()
        begun = time.perf_counter()
        _play(rollout, interruption)
        end = time.perf_counter()
    _report(rollout, options, seed, _Times(end - start, end - begun), console)
    _report_files(logs, console)
    return interruption.exit_code


def _make(options: RunOptions, file: RunFile | None) -> Simulation:
    try:
        return make_simulation(
            options.world, options.copies, num_threads=options.threads, **options.parameters
        )
    except EcumeneError as error:
        if file is None:
            raise
        raise file.locate(error) from error


def _watch(
    options: RunOptions, simulation: Simulation, policy: Policy, seed: int
) -> SafetyWatch | None:
    if not options.labels and options.shield is None:
        return None
    return SafetyWatch(simulation, policy, options.shield or 0, options.delta, seed)


def _open_logs(options: RunOptions, simulation: Simulation, seed: int) -> _Logs:
    logs = _Logs([])
    outputs = options.outputs()
    if "dense_log" in outputs:
        logs.dense = DenseLogFile(outputs["dense_log"], simulation)
        logs.listeners.append(logs.dense)
    if "replay" in outputs:
        logs.replay = ReplayRecorder(outputs["replay"], simulation)
        logs.listeners.append(logs.replay)
    if "log" in outputs:
        facts = {"world": simulation.spec.id, "seed": seed, "parameters": options.parameters}
        logs.steps = ParquetLog(outputs["log"], simulation, facts)
        logs.listeners.append(logs.steps)
    return logs


def _play(rollout: Rollout, interruption: Interruption) -> None:
    with ExitStack() as stack:
        console = Console(stderr=True)
        bar = stack.enter_context(_Bar(rollout, console)) if console.is_terminal else None
        while not (rollout.over or interruption.asked):
            rollout.advance()
            if bar is not None:
                bar.update()


class _Bar:
    """A progress bar that costs next to nothing between its updates."""

    def __init__(self, rollout: Rollout, console: Console) -> None:
        self._rollout = rollout
        self._episodes = rollout.episodes * rollout.simulation.copies
        self._horizon = rollout.simulation.spec.horizon
        self._progress = Progress(
            TextColumn("{task.fields[episodes]}"),
            BarColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        total = self._episodes * self._horizon
        self._task = self._progress.add_task("", total=total, episodes="", speed="")
        self._start = self._shown = time.perf_counter()

    def __enter__(self) -> "_Bar":
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def update(self) -> None:
        """Show how far the rollout has come, if that was not done a moment ago."""
        now = time.perf_counter()
        if now - self._shown < SECONDS_BETWEEN_UPDATES:
            return
        self._shown = now
        rollout = self._rollout
        self._progress.update(
            self._task,
            completed=rollout.episodes_ended * self._horizon + int(np.sum(rollout.step)),
            episodes=f"{rollout.episodes_ended:,}/{self._episodes:,} episodes",
            speed=f"{rollout.copy_steps / (now - self._start):,.0f} env-steps/s",
        )


def _report(
    rollout: Rollout, options: RunOptions, seed: int, times: _Times, console: Console
) -> None:
    spec = rollout.simulation.spec
    total = options.episodes * options.copies
    agents = ", ".join(f"{len(group.agents)} {group.name}" for group in spec.groups)
    console.print(
        f"[bold]{spec.id}[/]  {agents}; copies: {options.copies:,}; "
        f"episodes of each: {options.episodes:,}; policy: {options.policy}; seed: {seed}"
        + (f"; shield: {options.shield}" if options.shield else ""),
        soft_wrap=True,
    )
    more = rollout.copy_steps - options.copies
    speed = f" ({more / times.rest:,.0f} env-steps/s after the first, policy and logs included)"
    console.print(
        f"{rollout.copy_steps:,} env-steps, {rollout.agent_steps:,} agent-steps in "
        f"{times.whole:.2f} s{speed if more else ''}",
        soft_wrap=True,
    )
    if not rollout.over:
        console.print(
            f"[bold]Interrupted[/]: {rollout.episodes_ended:,} of {total:,} episodes had ended, "
            "and only those are counted below.",
            soft_wrap=True,
        )
    if rollout.episodes_ended:
        for part in results_table(rollout, console.width, options.all_metrics):
            console.print(part)


def _report_files(logs: _Logs, console: Console) -> None:
    if logs.steps is not None:
        console.print(f"{logs.steps.path}: {logs.steps.rows:,} rows", soft_wrap=True)
    if logs.replay is not None:
        console.print(
            f"{logs.replay.path}: {logs.replay.steps:,} steps of copy 0; "
            "`ecumene replay FILE` plays them again",
            soft_wrap=True,
        )
    if logs.dense is not None and logs.dense.write():
        console.print(f"{logs.dense.path}: the last episode of copy 0", soft_wrap=True)
    elif logs.dense is not None:
        console.print("No episode of copy 0 ended: its dense log was not written.")
