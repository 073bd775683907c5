"""How fast battles are: one environment, batches, a million agents, and beside a peer.

    python benchmarks/battle.py [--runs 5] [--seconds 1] [--million] [--peer-python PYTHON]

Everything is measured on one thread, with float32 observations unless another form is named, under
uniformly random actions whose choosing is not counted, in agent-steps per second of processor
time. With `--peer-python`, an interpreter that can import `magent2` (the earlier system of which
the six worlds are a re-implementation) plays the same battles in turns with ours. `--million` adds
one world of 1,000,000 agents on 4,000 x 4,000 cells, observed in chunks; on all processors it is
timed by the clock.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import common
import numpy as np
from common import Player

MAP = 4_000
MANY = 500_000  # on either side

Play = Callable[[float], float]


def play(step: Callable[[int], int], seconds: float, clock: Callable[[], float]) -> float:
    """Return agent-steps per second of stepping for about so long."""
    agents = number = 0
    start = clock()
    while clock() < start + seconds:
        agents += step(number)
        number += 1
    return agents / (clock() - start)


def joint_actions(agents: list[str]) -> list[dict[str, int]]:
    generator = np.random.default_rng(0)
    drawn = generator.integers(0, 21, (64, len(agents))).tolist()
    return [dict(zip(agents, joint, strict=True)) for joint in drawn]


def dicts(module: Any) -> Play:
    """Return what plays one environment with dicts; ours and the peer's have the same names."""
    env = module.parallel_env()
    env.reset(seed=0)
    joints = joint_actions(list(env.agents))

    def step(number: int) -> int:
        if number % 100 == 0:
            env.reset(seed=number)
        live = env.agents
        joint = joints[number % 64]
        env.step(joint if len(live) == len(joint) else {name: joint[name] for name in live})
        return len(live)

    return lambda seconds: play(step, seconds, time.process_time)


def batch(copies: int, **parameters: Any) -> Play:
    """Return what plays a batch of our battles."""
    import ecumene

    world = ecumene.make_simulation("battle/battle-v0", copies, 1, **parameters)
    world.reset(seed=0)
    generator = np.random.default_rng(0)
    joints = [
        {
            group.name: generator.integers(0, 21, (copies, len(group.agents)))
            for group in world.spec.groups
        }
        for _ in range(16)
    ]

    def step(number: int) -> int:
        if number % 100 == 0:
            world.reset(seed=number)
        world.advance(joints[number % 16])
        return sum(int(out.alive.sum()) for out in world.out.values())

    return lambda seconds: play(step, seconds, time.process_time)


def million(threads: int | None, clock: Callable[[], float]) -> Play:
    """Return what plays our world of a million agents, every one of them observed in chunks."""
    from ecumene.battle import BattleSimulation, Place, Random
    from ecumene.battle.battle_v4 import BattleSettings, duel

    places = tuple(Place(name, Random(MANY)) for name in ("red", "blue"))
    battle = duel(BattleSettings(map_size=MAP), places)
    world = BattleSimulation(1, threads, battle=battle, observations="none")
    world.reset(seed=0)
    generator = np.random.default_rng(0)
    joints = [{name: generator.integers(0, 21, (1, MANY)) for name in world.out} for _ in range(2)]
    size = 256 if threads == 1 else 8_192

    def step(number: int) -> int:
        world.advance(joints[number % 2])
        chunks = (world.observation_chunks(name, size) for name in world.out)
        return sum(len(some) for each in chunks for some, _ in each)

    return lambda seconds: play(step, seconds, clock)


def peer_engine(size: int, count: int | None) -> Play:
    """Return what plays the peer's engine; `count` agents on either side are placed at random."""
    from magent2 import gridworld
    from magent2.environments import battle_v4

    config = gridworld.Config()
    config.set({"map_width": size, "map_height": size, "embedding_size": 10})
    soldier = config.register_agent_type(
        "soldier",
        {
            "width": 1, "length": 1, "hp": 10, "speed": 2, "damage": 2, "kill_reward": 5,
            "view_range": gridworld.CircleRange(6), "attack_range": gridworld.CircleRange(1.5),
            "step_recover": 0.1, "step_reward": -0.005, "attack_penalty": -0.1,
            "dead_penalty": -0.1,
        },
    )  # fmt: skip
    red, blue = config.add_group(soldier), config.add_group(soldier)
    one, other = (gridworld.AgentSymbol(group, index="any") for group in (red, blue))
    for attacker, victim in ((one, other), (other, one)):
        event = gridworld.Event(attacker, "attack", victim)
        config.add_reward_rule(event, receiver=attacker, value=0.2)
    engine = gridworld.GridWorld(config)
    handles = engine.get_handles()
    generator = np.random.default_rng(0)
    spots = battle_v4.parallel_env().unwrapped if count is None else None

    def reset() -> None:
        engine.reset()
        if count is None:
            spots.reset(seed=0)
            for handle in handles:
                places = [(*map(int, place), 0) for place in spots.env.get_pos(handle)]
                engine.add_agents(handle, method="custom", pos=places)
        else:
            for handle in handles:
                engine.add_agents(handle, method="random", n=count)

    reset()
    most = max(engine.get_num(handle) for handle in handles)
    drawn = [
        generator.integers(0, 21, most).astype(np.int32) for _ in range(16 if most < 999 else 2)
    ]

    def step(number: int) -> int:
        if count is None and number % 100 == 0:
            reset()
        for k, handle in enumerate(handles):
            acts = drawn[(number + k) % len(drawn)]
            engine.set_action(handle, acts[: engine.get_num(handle)])
        engine.step()
        seen = 0
        for handle in handles:
            engine.get_reward(handle)
            engine.get_alive(handle)
            seen += len(engine.get_observation(handle)[0])
        engine.clear_dead()
        return seen

    return lambda seconds: play(step, seconds, time.process_time)


def make(name: str) -> Play:
    """Return what plays a subject of this benchmark."""
    if name == "peer dicts":
        from magent2.environments import battle_v4 as module

        return dicts(module)
    if name == "dicts":
        from ecumene.battle import battle_v4

        return dicts(battle_v4)
    makers: dict[str, Callable[[], Play]] = {
        "single": lambda: batch(1),
        "batch 64": lambda: batch(64),
        "batch 1000": lambda: batch(1_000),
        "batch 64, uint8": lambda: batch(64, observations="uint8"),
        "batch 64, no observations": lambda: batch(64, observations="none"),
        "million": lambda: million(1, time.process_time),
        "million, all processors": lambda: million(None, time.perf_counter),
        "peer engine": lambda: peer_engine(45, None),
        "peer million": lambda: peer_engine(MAP, MANY),
    }
    return makers[name]()


def serve(name: str) -> None:
    """Play a subject as often as standard input asks for."""
    subject = make(name)
    for line in sys.stdin:
        print("RESULT", subject(float(line)), flush=True)


def floor(seconds: float) -> float:
    """Return agents per second whose 13x13x5 float32 views can be copied, 64 battles at a time."""
    source = np.ones((64 * 162, 13, 13, 5), np.float32)
    target = np.zeros_like(source)

    def step(_: int) -> int:
        np.copyto(target, source)
        return len(source)

    return play(step, seconds, time.process_time)


def main() -> None:
    arguments = common.parser(__doc__, seconds=1.0)
    arguments.add_argument("--million", action="store_true")
    arguments.add_argument("--peer-python")
    arguments.add_argument("--subject", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.subject:
        serve(options.subject)
        return
    names = ["dicts", "single", "batch 64", "batch 1000"]
    names += ["batch 64, uint8", "batch 64, no observations"]
    peers = ["peer dicts", "peer engine"] if options.peer_python else []
    if options.million:
        names += ["million", "million, all processors"]
        peers += ["peer million"] if options.peer_python else []
    script = str(Path(__file__).resolve())
    players = [Player(name, sys.executable, script, "--subject", name) for name in names]
    players += [Player(name, options.peer_python, script, "--subject", name) for name in peers]
    common.take_turns(players, options.runs, options.seconds)
    speeds = {player.name: median(speed for (speed,) in player.results) for player in players}
    for player in players:
        player.close()
    print(f"{common.heading(options)}; million agent-steps/s")
    for name, speed in speeds.items():
        print(f"{name:28} {speed / 1e6:8.2f}")
    print(f"{'copying the views of 64':28} {floor(options.seconds) / 1e6:8.2f}")
    pairs = ("dicts", "peer dicts"), ("batch 64", "peer engine"), ("million", "peer million")
    for ours, theirs in pairs:
        if ours in speeds and theirs in speeds:
            print(f"{ours} : {theirs} = {speeds[ours] / speeds[theirs]:.1f}")


if __name__ == "__main__":
    main()
