"""How fast the gridworlds are: one environment with dicts, and batches on one thread.

    python benchmarks/gridworlds.py [--runs 5] [--seconds 0.5] [--copies 64,256,1024]

Everything is measured with observations, masks and resets, with default parameters, under random
actions whose choosing is not counted.
"""

from statistics import median

import common
from rich.console import Console

from ecumene.cli.bench import measure, parse_counts, speed_table
from ecumene.gridworlds import Gathering, IceDuel, MarkovStagHunt, Pursuit

WORLDS = (MarkovStagHunt, IceDuel, Pursuit, Gathering)


def main() -> None:
    arguments = common.parser(__doc__, seconds=0.5)
    arguments.add_argument("--copies", default="64,256,1024")
    options = arguments.parse_args()
    print(common.heading(options))
    print("\nOne environment, dicts in and out (steps/s)")
    for cls in WORLDS:
        env = cls()
        common.single_steps(env, 0.1)  # compiles
        speed = median(common.single_steps(env, options.seconds) for _ in range(options.runs))
        print(f"{cls.__name__:15} {speed:10,.0f}")
    console = Console(width=120)
    for cls in WORLDS:
        copies = parse_counts("--copies", options.copies)
        world = cls.simulation_class.id
        print(f"\n{world}")
        console.print(speed_table(measure(world, {}, copies, [1], options.seconds, options.runs)))


if __name__ == "__main__":
    main()
