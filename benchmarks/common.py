"""What the benchmarks share: options, the line about the machine, players, one environment."""

import argparse
import os
import platform
import subprocess
import time
from typing import Any

import numpy as np


def parser(doc: str | None, seconds: float) -> argparse.ArgumentParser:
    """Return a parser of `--runs` and `--seconds`, with a script's first line as its help."""
    options = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--seconds", type=float, default=seconds)
    return options


def heading(options: argparse.Namespace) -> str:
    """Return what is to stand above all figures: the machine, and how it was measured."""
    return (
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors, Python "
        f"{platform.python_version()}; medians of {options.runs} runs of {options.seconds} s"
    )


def single_steps(env: Any, seconds: float) -> float:
    """Return steps per second of one environment with dicts, resets included."""
    env.reset(seed=0)
    generator = np.random.default_rng(0)
    most = env.action_space("player_0").n
    joints = generator.integers(0, most, (512, len(env.possible_agents))).tolist()
    actions = [dict(zip(env.possible_agents, joint, strict=True)) for joint in joints]
    steps = 0
    start = time.perf_counter()
    while time.perf_counter() < start + seconds:
        for joint in actions:
            env.step(joint)
            if not env.agents:
                env.reset()
        steps += len(actions)
    return steps / (time.perf_counter() - start)


class Player:
    """A process that plays for about as many seconds as it is told, and answers with figures.

    It reads lines with a number of seconds, and prints a line that begins with ``RESULT`` for each.
    """

    def __init__(self, name: str, *command: str) -> None:
        self.name = name
        self.results: list[list[float]] = []
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(self, seconds: float) -> None:
        """Play for about so long; may be called again."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        for line in self._process.stdout:  # a peer prints lines of its own too
            if line.startswith("RESULT "):
                self.results.append([float(figure) for figure in line.split()[1:]])
                return
        raise SystemExit(f"{self.name} stopped; does {self._process.args} work?")

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def take_turns(players: list[Player], runs: int, seconds: float) -> None:
    """Let all play once to compile and fill caches, and then in turns."""
    for player in players:
        player.run(0.1)
        player.results.clear()
    for _ in range(runs):
        for player in players:
            player.run(seconds)
