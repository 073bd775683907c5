"""How fast the survival worlds are, on one thread and more.

    python benchmarks/survival.py [--runs 5] [--seconds 0.5]

Everything is measured with observations, masks and resets; choosing the actions is not counted.
The first two tables are of agents that walk at random but stay alive: moves onto lava are left
out, and stocks last for the episode. The second one is of maps of different sizes whose edges,
where agents start, are equally crowded: how many others an agent sees is what counts. The last
one is of random allowed actions in all worlds with their default parameters, where most agents soon
die; only the living count.
"""

import time
from statistics import median
from typing import Any

import common
import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import ecumene
from ecumene.cli.bench import measure, parse_counts, speed_table
from ecumene.survival import SurvivalSimulation
from ecumene.survival.rules.ground import LAVA

EIGHT = {"n_groups": 8, "stock": 1000}
CROWDS = ((125, 32), (250, 64), (500, 128), (1000, 256))  # agents, side of the map
AHEAD = ((-1, 0), (1, 0), (0, 1), (0, -1))  # rows and columns of north, south, east, west


def careful_moves(simulation: Any, generator: np.random.Generator) -> NDArray[np.int64]:
    """Return random moves, staying where the draw leads into lava."""
    grid = simulation.out["agent"].observation["grid"]
    middle = grid.shape[2] // 2
    moves = generator.integers(0, 5, grid.shape[:2])
    for move, (down, right) in enumerate(AHEAD, start=1):
        burns = grid[:, :, middle + down, middle + right, LAVA] > 0
        moves[(moves == move) & burns] = 0
    return moves


def gathering(copies: int, threads: int, **parameters: Any) -> SurvivalSimulation:
    simulation = ecumene.make_simulation("survival/gathering-v0", copies, threads, **parameters)
    assert isinstance(simulation, SurvivalSimulation)
    return simulation


def agent_steps(simulation: SurvivalSimulation, seconds: float, runs: int) -> float:
    """Return agent-steps per second with everybody alive, resets included."""
    copies = simulation.copies
    generator = np.random.default_rng(0)
    simulation.reset(seed=0)
    rates = []
    for run in range(runs + 1):
        spent, steps, end = 0.0, 0, time.perf_counter() + seconds
        while time.perf_counter() < end:
            actions = {"agent": careful_moves(simulation, generator)}
            start = time.perf_counter()
            simulation.step(actions)
            if not simulation.out["agent"].alive.any():
                simulation.reset()
            spent += time.perf_counter() - start
            steps += 1
        if run:  # the first one compiles
            rates.append(steps * copies * simulation.numbers.agents / spent)
    simulation.close()
    return median(rates)


def main() -> None:
    arguments = common.parser(__doc__, seconds=0.5)
    arguments.add_argument("--copies", default="64,256,1024")
    arguments.add_argument("--threads", default="1,2")
    options = arguments.parse_args()
    print(common.heading(options))
    copies = parse_counts("--copies", options.copies)
    threads = parse_counts("--threads", options.threads)
    print("\nGathering, 8 agents alive on 16 x 16 (agent-steps/s)")
    for count in copies:
        for number in threads:
            rate = agent_steps(gathering(count, number, **EIGHT), options.seconds, options.runs)
            print(f"{count:6,} copies, {number} threads {rate:14,.0f}")
    print("\nGathering, 1,000 agents alive, one thread (agent-steps/s): all start along the edge,")
    print("everybody in view or at most 8 shown; they start anywhere, everybody in view")
    for agents, side in CROWDS:
        crowd = {"n_groups": agents, "size": [side, side], "stock": 1000}
        subjects = (
            gathering(1000 // agents, 1, **crowd),
            gathering(1000 // agents, 1, **crowd, max_visible=8),
            gathering(1000 // agents, 1, **crowd, start="anywhere"),
        )
        rates = [agent_steps(each, options.seconds, options.runs) for each in subjects]
        listed = " ".join(f"{rate:14,.0f}" for rate in rates)
        print(f"{1000 // agents} x {agents:5,} on {side:3} x {side:3} {listed}")
    console = Console(width=120)
    for world in sorted(ecumene.registry):
        if world.startswith("survival/") and world != "survival/custom-v0":
            print(f"\n{world}, random actions")
            console.print(
                speed_table(measure(world, {}, [256], [1], options.seconds, options.runs))
            )


if __name__ == "__main__":
    main()
