"""What labels say of the agents of an economy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import check, rule
from ecumene.foundation.base.observation import AGENTS, PLANNER
from ecumene.foundation.components.build import BuildArrays
from ecumene.foundation.components.gather import GatherArrays

#: Defaults of the parameters: coin below which an agent is broke, labor above which overworked.
BROKE_BELOW = 1.0
OVERWORKED_ABOVE = 500.0


class Labelling:
    """Writes the labels of an economy.

    Of mobile agents: `collected_wood` and so on for every resource that can be collected, and
    `built_house`, in the step in which it happened, where the economy has these components;
    `broke` while the agent has less coin than a threshold, escrow included; `overworked` and
    `unsafe` once its labor in the episode is above another. Being broke is how everybody starts,
    so by itself it is not unsafe. Nothing is said of the planner.

    Parameters
    ----------
    environment
        The economy.
    broke_below
        Coin.
    overworked_above
        Labor since the reset.
    """

    def __init__(self, environment: Any, broke_below: float, overworked_above: float) -> None:
        thresholds = (
            check.number("broke_below", broke_below),
            check.number("overworked_above", overworked_above),
        )
        world = environment.world
        collected = tuple(f"collected_{name.lower()}" for name in world.goods_names)
        gathering = _arrays_of(environment, GatherArrays)
        building = _arrays_of(environment, BuildArrays)
        self.propositions = (
            *(collected if gathering else ()),
            *(("built_house",) if building else ()),
            "broke",
            "overworked",
            "unsafe",
        )
        places = tuple(self.propositions.index(name) for name in ("broke", "overworked", "unsafe"))
        columns = (world.entity("Coin"), world.felt("Labor"))
        amounts = (world.inventory, world.escrow, world.endogenous)
        self._standing = (*amounts, columns, thresholds, places)
        self._events: list[tuple[Any, tuple[Any, ...]]] = []
        if gathering:
            self._events.append((mark_collected, (gathering.events, gathering.event_count)))
        if building:
            at = self.propositions.index("built_house")
            self._events.append((mark_built, (building.events, building.event_count, at)))

    def write(
        self, chosen: NDArray[np.bool_], out: Any, label: dict[str, Any], lo: int, hi: int
    ) -> None:
        """Write the labels of the chosen copies of a range."""
        told = (chosen, out[AGENTS].alive, out[AGENTS].truncated)
        mine = label[AGENTS]
        label[PLANNER][lo:hi] = False
        write_standing(*told, *self._standing, mine, lo, hi)
        for mark, arguments in self._events:
            mark(*told, *arguments, mine, lo, hi)


def _arrays_of(environment: Any, kind: type) -> Any:
    """Return the arrays of the first component that holds arrays of a kind, or None."""
    arrays = (component.arrays for component in environment.components)
    return next((each for each in arrays if isinstance(each, kind)), None)


@rule
def write_standing(
    chosen,
    alive,
    truncated,
    inventory,
    escrow,
    endogenous,
    columns,
    thresholds,
    places,
    label,
    lo,
    hi,
):
    """Write who is broke and who overworked, and clear all else."""
    coin, labor = columns
    broke, overworked, unsafe = places
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for agent in range(label.shape[1]):
            held = label[copy, agent]
            held[:] = False
            if not (alive[copy, agent] or truncated[copy, agent]):
                continue
            owned = inventory[copy, agent, coin] + escrow[copy, agent, coin]
            worked = endogenous[copy, agent, labor]
            held[broke] = owned < thresholds[0]
            held[overworked] = worked > thresholds[1]
            held[unsafe] = worked > thresholds[1]


@rule
def mark_collected(chosen, alive, truncated, events, event_count, label, lo, hi):
    """Mark who collected what in the last step."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for i in range(event_count[copy]):
            agent = events[copy, i, 0]
            if alive[copy, agent] or truncated[copy, agent]:
                label[copy, agent, events[copy, i, 1]] = True


@rule
def mark_built(chosen, alive, truncated, events, event_count, at, label, lo, hi):
    """Mark who built a house in the last step."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for i in range(event_count[copy]):
            agent = np.int64(events[copy, i, 0])
            if alive[copy, agent] or truncated[copy, agent]:
                label[copy, agent, at] = True
