"""Worlds drawn in a test: small maps on which nothing happens by itself."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ecumene import foundation

LAYOUT = "layout_from_file/simple_wood_and_stone"
GATHER = ("Gather", {})
BUILD = ("Build", {})
LEFT, RIGHT, UP, DOWN = 1, 2, 3, 4
STEPS = {LEFT: (0, -1), RIGHT: (0, 1), UP: (-1, 0), DOWN: (1, 0)}
OWNERS = "abcdefghij"


class StillLand(foundation.scenarios.get(LAYOUT)):
    """A drawn map on which resources neither grow nor rot, and which draws nothing in a step."""

    name = "test/still-land"

    def scenario_step(self) -> None:
        pass


def board(
    folder: Path,
    *rows: str,
    components: Sequence[Any] = (GATHER,),
    still: bool = True,
    **kwargs: Any,
) -> Any:
    """Return an environment, after its first reset, on a drawn map.

    ``.`` is an empty tile, ``W``, ``S`` and ``@`` are as in layout files, digits are mobile agents
    and ``a``, ``b``, ... the houses of agents 0, 1, ... Unless it is `still`, resources grow back.
    """
    layout = folder / "board.txt"
    layout.write_text("\n".join(_ground(row) for row in rows))
    people = sorted(mark for row in rows for mark in row if mark.isdecimal())
    kwargs.setdefault("n_agents", max(2, len(people)))
    scenario = StillLand if still else foundation.scenarios.get(LAYOUT)
    env = scenario(
        components=list(components),
        world_size=[len(rows), len(rows[0])],
        env_layout_file=layout,
        **kwargs,
    )
    env.reset()
    marks = {(r, c): mark for r, row in enumerate(rows) for c, mark in enumerate(row)}
    for (r, c), mark in marks.items():
        if mark in OWNERS:
            env.world.create_landmark("House", r, c, OWNERS.index(mark))
    if people:
        places = {int(mark): place for place, mark in marks.items() if mark.isdecimal()}
        stand(env, *(places[i] for i in range(len(places))))
    return env


def _ground(row: str) -> str:
    return "".join(mark if mark in "WS@" else " " for mark in row)


def stand(env: Any, *places: tuple[int, int]) -> None:
    """Put agents 0, 1, ... on free tiles, and nobody else on the map."""
    env.world.clear_agent_locs()
    for agent, place in zip(env.world.agents, places, strict=False):
        assert env.world.set_agent_loc(agent, *place) == place


def put(env: Any, place: tuple[int, int], **amounts: float) -> None:
    """Lay resources on a tile: ``Wood=1, Stone=2``."""
    for name, amount in amounts.items():
        env.world.maps.set_point(name, *place, amount)


def labor(env: Any, idx: int = 0) -> float:
    """Return an agent's labor so far."""
    return env.get_agent(idx).state["endogenous"]["Labor"]


def stream(seed: int) -> np.random.RandomState:
    """Return a generator of the test's own, in the state that `at` makes of the same seed."""
    return np.random.RandomState(seed)


def at(seed: int) -> tuple[Any, ...]:
    """Return a `seed_state` for `reset` and `step`."""
    return stream(seed).get_state()


def same_state(one: Any, other: Any) -> bool:
    """Tell whether two generator states, as `get_state` returns them, are the same."""
    return np.array_equal(one[1], other[1]) and (one[0], *one[2:]) == (other[0], *other[2:])
