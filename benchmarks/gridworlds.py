"""How fast the gridworlds are: one environment with dicts, and batches on one thread.

    python benchmarks/gridworlds.py [--runs 5] [--seconds 0.5] [--copies 64,256,1024]

Everything is measured with observations, masks and resets, with default parameters, under random
actions whose choosing is not counted.
"""

import argparse
import os
import platform
import time
from statistics import median

import numpy as np
from rich.console import Console

from ecumene.cli.bench import measure, parse_counts, speed_table
from ecumene.gridworlds import Gathering, IceDuel, MarkovStagHunt, Pursuit

WORLDS = (MarkovStagHunt, IceDuel, Pursuit, Gathering)


def single_steps(cls: type, seconds: float) -> float:
    """Return steps per second of one environment, resets included."""
    env = cls()
    env.reset(seed=0)
    generator = np.random.default_rng(0)
    most = env.action_space("player_0").n
    joints = generator.integers(0, most, (512, env.n_agents)).tolist()
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--copies", default="64,256,1024")
    options = parser.parse_args()
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors, Python "
        f"{platform.python_version()}; medians of {options.runs} runs of {options.seconds} s"
    )
    print("\nOne environment, dicts in and out (steps/s)")
    for cls in WORLDS:
        single_steps(cls, 0.1)  # compiles
        speed = median(single_steps(cls, options.seconds) for _ in range(options.runs))
        print(f"{cls.__name__:15} {speed:10,.0f}")
    console = Console(width=120)
    for cls in WORLDS:
        copies = parse_counts("--copies", options.copies)
        world = cls.simulation_class.id
        print(f"\n{world}")
        console.print(speed_table(measure(world, {}, copies, [1], options.seconds, options.runs)))


if __name__ == "__main__":
    main()
