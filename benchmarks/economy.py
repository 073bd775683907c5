"""How fast the economy is: one environment, batches, resets, start-up, and beside a peer.

    python benchmarks/economy.py [--runs 5] [--seconds 1] [--peer-python PYTHON]

Everything is measured with observations and masks, on the 25x25 quadrant layout with Gather and
Build and 4 agents, under random allowed actions whose choosing is not counted. With
`--peer-python`, an interpreter that can import `ai_economist` (the earlier system of which the
economy is a re-implementation) plays the same episodes in turns with ours.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import common
import numpy as np
from common import Player
from rich.console import Console
from single_economy import COMPONENTS, EPISODE_LENGTH, LAYOUT, N_AGENTS

from ecumene.api.policies import random_actions
from ecumene.api.registration import make_simulation
from ecumene.cli.bench import Speed, measure, speed_table

HERE = Path(__file__).resolve().parent
WORLD = "foundation/layout-v0"
WARM_UP = 20  # steps
PARAMETERS = {
    "components": COMPONENTS,
    "n_agents": N_AGENTS,
    "episode_length": EPISODE_LENGTH,
    "env_layout_file": LAYOUT,
}

IMPORT = """
import time
import numpy, numba, gymnasium
start = time.perf_counter()
import ecumene
print(time.perf_counter() - start)
"""

FIRST_STEP = """
import time
from single_economy import Single
start = time.perf_counter()
Single("ecumene").step()
print(time.perf_counter() - start)
"""


def single(python: str, package: str) -> Player:
    """Return what plays one environment; its results are seconds per step and per reset."""
    return Player(package, python, str(HERE / "single_economy.py"), package)


def seconds_per_step(player: Player) -> float:
    return median(step for step, _ in player.results)


def print_single(players: list[Player]) -> None:
    print("\nOne environment        env-steps/s   us/step   us/reset")
    for player in players:
        step, reset = map(median, zip(*player.results, strict=True))
        print(f"{player.name:20} {1 / step:13,.0f} {1e6 * step:9.1f} {1e6 * reset:10.1f}")


def print_batches(speeds: list[Speed], length: int) -> None:
    print(f"\nBatches, episodes of {length:,} steps (resets included)")
    Console(width=100).print(speed_table(speeds))


def rule_shares(copies: int, seconds: float) -> dict[str, float]:
    """Return rule -> microseconds per copy and step, on one thread."""
    simulation: Any = make_simulation(WORLD, copies, num_threads=1, **PARAMETERS)
    simulation.reset(seed=0)
    generator = np.random.default_rng(0)
    stages = simulation.environment._runtime.stages
    calls = [call for name in ("advance", "observe", "reward") for call in stages.calls(name)]
    spent = dict.fromkeys((f"{rule.__module__}.{rule.__name__}" for rule, _ in calls), 0.0)
    steps = -WARM_UP
    end = time.perf_counter() + seconds
    while steps < 1 or time.perf_counter() < end:
        masks = {name: out.action_mask for name, out in simulation.out.items()}
        # A whole step first, so that the rules timed after it meet a world that goes on.
        simulation.step(random_actions(masks, simulation.spec.groups, generator))
        for rule, arguments in calls:
            start = time.perf_counter()
            rule(*arguments, 0, copies)
            if steps >= 0:
                spent[f"{rule.__module__}.{rule.__name__}"] += time.perf_counter() - start
        steps += 1
    return {name: 1e6 * each / steps / copies for name, each in spent.items()}


def print_rules(copies: int, seconds: float) -> None:
    print(f"\nWhere a step of {copies} copies goes (us per env-step, one thread)")
    for name, microseconds in sorted(rule_shares(copies, seconds).items(), key=lambda x: -x[1]):
        print(f"{name.removeprefix('ecumene.foundation.'):58} {microseconds:6.3f}")


def fresh_process(code: str, cache: str | None = None) -> float:
    """Return what a program prints, a number of seconds, when run in a new process."""
    environment = os.environ | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=HERE,
        env=environment,
    )
    return float(done.stdout.split()[-1])


def print_start_up(runs: int) -> None:
    imports = median(fresh_process(IMPORT) for _ in range(runs))
    with tempfile.TemporaryDirectory() as cache:
        cold = fresh_process(FIRST_STEP, cache)
        warm = median(fresh_process(FIRST_STEP, cache) for _ in range(runs))
    print("\nStart-up (seconds)")
    print(f"import, beyond NumPy, Numba and Gymnasium  {imports:8.3f}")
    print(f"make, reset and first step, nothing cached {cold:8.3f}")
    print(f"the same, rules cached                     {warm:8.3f}")


def print_ratios(players: list[Player], speeds: list[Speed]) -> None:
    ours, peer = players[0], players[-1]
    print(f"\nAgainst {peer.name}, same machine, same run")
    print(f"one environment            {seconds_per_step(peer) / seconds_per_step(ours):8.1f}x")
    for speed in speeds:
        ratio = seconds_per_step(peer) * speed.env_steps
        print(f"{speed.copies:5,} copies, {speed.threads} threads    {ratio:8.1f}x")


def main() -> None:
    arguments = common.parser(__doc__, seconds=1.0)
    arguments.add_argument("--peer-python", help="an interpreter that can import ai_economist")
    options = arguments.parse_args()
    print(common.heading(options))

    players = [single(sys.executable, "ecumene"), single(sys.executable, "ecumene.make")]
    if options.peer_python:
        players.append(single(options.peer_python, "ai_economist"))
    common.take_turns(players, options.runs, options.seconds)
    print_single(players)
    for player in players:
        player.close()

    def batches(copies: list[int], threads: list[int], length: int) -> list[Speed]:
        parameters = PARAMETERS | {"episode_length": length}
        return measure(WORLD, parameters, copies, threads, options.seconds, options.runs)

    speeds = batches([256, 1024], [1, 2], EPISODE_LENGTH)
    print_batches(speeds, EPISODE_LENGTH)
    print_batches(batches([1024], [1, 2], 100), 100)
    print_rules(256, options.seconds)
    print_start_up(options.runs)
    if options.peer_python:
        print_ratios(players, speeds)


if __name__ == "__main__":
    main()
