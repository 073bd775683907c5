"""Step one economy: `python single_economy.py PACKAGE`, then a line of seconds per run.

PACKAGE is ``ecumene`` (the object interface `ecumene.foundation`), ``ecumene.make`` (the
PettingZoo interface) or ``ai_economist``. For each number of seconds on standard input, a line
``RESULT seconds-per-step seconds-per-reset`` is printed. This file imports nothing but NumPy by
itself, so that it runs in the peer's environment too.
"""

import importlib
import sys
import time
from typing import Any

import numpy as np

LAYOUT = "quadrant_25x25_20each_30clump.txt"
COMPONENTS = [("Build", {"skill_dist": "pareto"}), ("Gather", {"skill_dist": "pareto"})]
N_AGENTS = 4
EPISODE_LENGTH = 1000
SCENARIO = "layout_from_file/simple_wood_and_stone"


class Single:
    """The economy through the object interface of a package."""

    def __init__(self, package: str) -> None:
        if package == "ai_economist":
            _bring_back_old_numpy_names()
        foundation = importlib.import_module(f"{package}.foundation")
        self.environment: Any = foundation.make_env_instance(
            SCENARIO,
            components=COMPONENTS,
            n_agents=N_AGENTS,
            world_size=[25, 25],
            episode_length=EPISODE_LENGTH,
            env_layout_file=LAYOUT,
        )
        self.generator = np.random.default_rng(0)
        self.reset()

    def reset(self) -> None:
        self.observations = self.environment.reset()

    def actions(self) -> dict[str, Any]:
        """Draw allowed actions; the planner has none to choose from."""
        chosen: dict[str, Any] = {"p": [0]}
        for i in range(N_AGENTS):
            allowed = np.flatnonzero(self.observations[str(i)]["action_mask"])
            chosen[str(i)] = int(self.generator.choice(allowed))
        return chosen

    def step(self, actions: Any = None) -> bool:
        """Make one step; returns whether the episode is over."""
        actions = self.actions() if actions is None else actions
        self.observations, _, done, _ = self.environment.step(actions)
        return done["__all__"]


class Parallel:
    """The economy through `ecumene.make`."""

    def __init__(self) -> None:
        import ecumene

        self.environment = ecumene.make(
            "foundation/layout-v0",
            components=COMPONENTS,
            n_agents=N_AGENTS,
            episode_length=EPISODE_LENGTH,
            env_layout_file=LAYOUT,
        )
        self.generator = np.random.default_rng(0)
        self.reset()

    def reset(self) -> None:
        _, self.infos = self.environment.reset()

    def actions(self) -> dict[str, Any]:
        """Draw allowed actions."""
        return {agent: self._draw(agent) for agent in self.environment.agents}

    def _draw(self, agent: str) -> Any:
        mask = self.infos[agent]["action_mask"]
        if isinstance(mask, tuple):  # one for each part of the action
            return np.array([self.generator.choice(np.flatnonzero(part)) for part in mask])
        return int(self.generator.choice(np.flatnonzero(mask)))

    def step(self, actions: Any) -> bool:
        """Make one step; returns whether the episode is over."""
        *_, self.infos = self.environment.step(actions)
        return not self.environment.agents


def _bring_back_old_numpy_names() -> None:
    # The earlier system was written for a NumPy that had these.
    for name, kind in (("int", int), ("float", float), ("bool", bool), ("object", object)):
        if name not in np.__dict__:
            setattr(np, name, kind)


def play(player: Any, seconds: float) -> tuple[float, float]:
    """Return seconds per step and per reset, from playing for about so long."""
    stepping = resetting = 0.0
    steps = resets = 0
    end = time.perf_counter() + seconds
    while steps == 0 or resets == 0 or time.perf_counter() < end:
        actions = player.actions()
        start = time.perf_counter()
        over = player.step(actions)
        stepping += time.perf_counter() - start
        steps += 1
        if over or steps == 1:
            start = time.perf_counter()
            player.reset()
            resetting += time.perf_counter() - start
            resets += 1
    return stepping / steps, resetting / resets


def main() -> None:
    package = sys.argv[1]
    player = Parallel() if package == "ecumene.make" else Single(package)
    for line in sys.stdin:
        step, reset = play(player, float(line))
        print("RESULT", step, reset, flush=True)


if __name__ == "__main__":
    main()
