"""A small world in plain Python whose every outcome is known beforehand."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from ecumene.api import registration
from ecumene.engine import Group, InvalidParameter, Simulation, Spec, allocate_output, random


class _State(NamedTuple):
    clock: Any
    limit: Any
    stream: Any


class Countdown(Simulation):
    """Copy k ends after ``first + k`` steps; walkers earn their action, the judge half of its sum.

    Walker 0 dies in the second step of each episode. Walkers may not choose action 2. With `drift`,
    the judge earns a random amount more.
    """

    id = "toy/countdown-v0"

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        walkers: int = 2,
        first: int = 3,
        drift: float = 0.0,
    ) -> None:
        super().__init__(copies, num_threads)
        if first < 1:
            raise InvalidParameter(f"first is from 1 up, not {first}.")
        box = spaces.Box(0, 100, (2,), np.float32)
        names = tuple(f"walker_{i}" for i in range(walkers))
        groups = (
            Group("walkers", names, box, spaces.Discrete(3), ("stay", "one", "two")),
            Group("judge", ("judge",), box, spaces.MultiDiscrete([2, 4])),
        )
        parameters = {"walkers": walkers, "first": first, "drift": drift}
        self.spec = Spec(self.id, first + copies, groups, parameters)
        self.state = _State(
            np.zeros(copies, np.int64),
            np.arange(first, first + copies),
            random.philox_streams(copies),
        )
        self.out = {group.name: allocate_output(group, copies) for group in groups}
        self.resets = 0
        self.drift = drift

    def begin_copies(self, lo: int, hi: int) -> None:
        for copy in np.flatnonzero(self.chosen[lo:hi]) + lo:
            self.resets += 1
            self.state.clock[copy] = 0
            for out in self.out.values():
                out.reward[copy] = 0
                out.terminated[copy] = out.truncated[copy] = False
                out.alive[copy] = True

    def step_copies(self, lo: int, hi: int) -> None:
        walkers, judge = self.out["walkers"], self.out["judge"]
        for copy in np.flatnonzero(self.chosen[lo:hi]) + lo:
            self.state.clock[copy] += 1
            clock = self.state.clock[copy]
            walkers.reward[copy] = self.actions["walkers"][copy] * walkers.alive[copy]
            judge.reward[copy] = self.actions["judge"][copy].sum(axis=1) / 2
            judge.reward[copy] += self.drift * random.uniform(self.state.stream[copy])
            walkers.terminated[copy] = False
            if clock == 2:
                walkers.terminated[copy, 0] = walkers.alive[copy, 0]
                walkers.alive[copy, 0] = False
            if clock == self.state.limit[copy]:
                walkers.truncated[copy] = walkers.alive[copy]
                judge.truncated[copy] = True
                walkers.alive[copy] = judge.alive[copy] = False

    def observe_copies(self, lo: int, hi: int) -> None:
        for copy in np.flatnonzero(self.chosen[lo:hi]) + lo:
            for out in self.out.values():
                out.observation[copy] = self.state.clock[copy]
            self.out["walkers"].action_mask[copy] = [1, 1, 0]

    def metrics(self, copies: Any = None) -> dict[str, Any]:
        chosen = list(range(self.copies) if copies is None else copies)
        clock = self.state.clock[chosen].astype(float)
        return {"clock/0/end": clock, "clock/1/end": -clock, "never": np.full(len(chosen), np.nan)}


class LoggedCountdown(Countdown):
    """The same, keeping dense logs."""

    id = "toy/logged-v0"

    def enable_dense_log(self, copy: int = 0) -> None:
        self.logged = copy

    def dense_log(self, copy: int = 0) -> dict[str, Any]:
        return {"length": int(self.state.clock[copy]), "copy": copy}


@contextmanager
def registered() -> Iterator[None]:
    """Have the toy worlds among the registered ones, and none that is registered meanwhile."""
    before = dict(registration._registry)
    for world in (Countdown, LoggedCountdown):
        registration.register(world.id, world)
    try:
        yield
    finally:
        registration._registry.clear()
        registration._registry.update(before)


def fixed_policy(simulation: Simulation) -> Any:
    """Walkers choose 1, the judge [1, 3]."""
    copies = simulation.copies
    walkers = len(simulation.spec.groups[0].agents)
    actions = {
        "walkers": np.ones((copies, walkers), np.int64),
        "judge": np.broadcast_to(np.array([1, 3]), (copies, 1, 2)),
    }
    return lambda observations, masks: actions
