"""How fast matrix games and shields are: one environment with dicts, batches, vetted steps.

    python benchmarks/matrix.py [--runs 5] [--seconds 0.5] [--copies 64,256,1024]

Everything is measured on one thread, with observations, masks and resets, with default parameters,
under random actions whose choosing is not counted. A vetted step is one step of one copy behind a
shield, corrections included.
"""

import time
from statistics import median

import common
import numpy as np
from rich.console import Console

import ecumene
from ecumene import matrix
from ecumene.cli.bench import measure, parse_counts, speed_table
from ecumene.wrappers import LabelledEnv, LabelledVectorEnv, ShieldedVectorEnv

GAMES = {
    "matrix/bertrand-v0": matrix.BertrandMatrix,
    "matrix/chicken-v0": matrix.ChickenMatrix,
    "matrix/congestion-v0": matrix.CongestionMatrix,
    "matrix/dpgg-v0": matrix.DPGGMatrix,
    "matrix/game-v0": matrix.MatrixGame,
    "matrix/inspection-v0": matrix.InspectionMatrix,
}
SHIELDED = (
    ("gridworlds/pursuit-v0", 1, 0.0),
    ("gridworlds/pursuit-v0", 2, 0.0),
    ("gridworlds/gathering-v0", 1, 0.0),
    ("gridworlds/ice-duel-v0", 1, 0.1),
    ("gridworlds/markov-stag-hunt-v0", 1, 0.0),
    ("matrix/congestion-v0", 1, 0.0),
)
SHIELDED_COPIES = 256


def batch_steps(world: str, copies: int, seconds: float, labels: bool) -> float:
    """Return agent-steps per second of a `VectorEnv`, infos included."""
    env = ecumene.make_vec(world, copies, num_threads=1, copy=False, labels=labels)
    return _drive(env, seconds) * len(env.groups[0].agents)


def vetted_steps(world: str, level: int, delta: float, seconds: float) -> float:
    """Return vetted steps per second of a batch behind shields."""
    batch = ecumene.make_vec(world, SHIELDED_COPIES, num_threads=1, copy=False, labels=True)
    options = {"floor": level, "max_level": level, "delta": delta}
    return _drive(ShieldedVectorEnv(LabelledVectorEnv(batch), **options), seconds)


def _drive(env: object, seconds: float) -> float:
    """Return steps of single copies per second."""
    env.reset(seed=0)
    generator = np.random.default_rng(0)
    (group,) = env.groups
    shape = (env.num_envs, len(group.agents))
    most = env.single_action_space[group.name].n
    actions = [{group.name: generator.integers(0, most, shape)} for _ in range(16)]
    for each in actions:
        env.step(each)  # compiles, and comes off the first state
    steps = 0
    start = time.perf_counter()
    while time.perf_counter() < start + seconds:
        for each in actions:
            env.step(each)
        steps += len(actions) * env.num_envs
    return steps / (time.perf_counter() - start)


def main() -> None:
    arguments = common.parser(__doc__, seconds=0.5)
    arguments.add_argument("--copies", default="64,256,1024")
    options = arguments.parse_args()

    def middle(function, *arguments):
        return median(function(*arguments) for _ in range(options.runs))

    print(common.heading(options))
    print("\nOne environment, dicts in and out (steps/s): bare, labelled with totals")
    for cls in GAMES.values():
        bare, labelled = cls(), LabelledEnv.for_world(cls(), log="totals")
        common.single_steps(labelled, 0.1)  # compiles
        speeds = [middle(common.single_steps, env, options.seconds) for env in (bare, labelled)]
        print(f"{cls.__name__:18} {speeds[0]:10,.0f} {speeds[1]:10,.0f}")
    print("\nVectorEnv of 1,024 copies, copy=False (agent-steps/s): bare, with labels")
    for world in GAMES:
        speeds = [
            middle(batch_steps, world, 1024, options.seconds, labels) for labels in (False, True)
        ]
        print(f"{world:22} {speeds[0]:12,.0f} {speeds[1]:12,.0f}")
    print(f"\nShieldedVectorEnv of {SHIELDED_COPIES} copies (vetted steps/s)")
    for world, level, delta in SHIELDED:
        speed = middle(vetted_steps, world, level, delta, options.seconds)
        print(f"{world:32} level {level} {speed:10,.0f}")
    console = Console(width=120)
    copies = parse_counts("--copies", options.copies)
    for world in GAMES:
        print(f"\n{world}")
        console.print(speed_table(measure(world, {}, copies, [1], options.seconds, options.runs)))


if __name__ == "__main__":
    main()
