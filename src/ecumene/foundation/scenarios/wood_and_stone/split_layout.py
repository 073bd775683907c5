"""Worlds drawn in a text file, with a river between the skilled and the others."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ecumene.engine.compile import rule
from ecumene.engine.random import permutation
from ecumene.foundation.base.base_env import scenario_registry
from ecumene.foundation.base.errors import ensure
from ecumene.foundation.base.parameters import whole
from ecumene.foundation.base.stages import Call
from ecumene.foundation.rules.space import clear_people
from ecumene.foundation.scenarios.wood_and_stone.layout_from_file import LayoutFromFile
from ecumene.foundation.scenarios.wood_and_stone.layout_text import Layout
from ecumene.foundation.scenarios.wood_and_stone.people import settle
from ecumene.foundation.scenarios.wood_and_stone.ranked_skill import (
    build_component,
    ranked_payments,
)


@scenario_registry.add
class SplitLayout(LayoutFromFile):
    """A layout cut in two by a row of water; ranks of skill decide who starts above it.

    Needs Build with ``skill_dist="pareto"``. Agents are paid the average payment of their rank;
    which agent has which rank is drawn at each reset.

    Parameters
    ----------
    water_row : int or None
        Row of the river, not the first nor the last; None: the middle.
    skill_rank_of_top_agents : int, list of int or None
        Ranks that start above the river, 0 = most skilled; None: ``[0]``.
    **kwargs
        See `LayoutFromFile`, `WoodAndStone` and `BaseEnvironment`.
    """

    name = "split_layout/simple_wood_and_stone"

    def __init__(
        self,
        *base_env_args: Any,
        water_row: int | None = None,
        skill_rank_of_top_agents: int | Sequence[int] | None = None,
        **kwargs: Any,
    ) -> None:
        if kwargs.get("fixed_four_skill_and_loc"):
            raise ValueError("split_layout places agents itself: leave fixed_four_skill_and_loc.")
        self._given_water_row = water_row
        super().__init__(*base_env_args, **kwargs)
        self._top = self._top_ranks(skill_rank_of_top_agents)
        self._check_halves()
        self._build = build_component(self, "split_layout")
        draws = np.random.RandomState(1) if self._batched else np.random
        payments = ranked_payments(self._build, self.n_agents, draws)
        self._ranked_payments = payments[::-1].copy()

    def _draw(self, layout: Layout) -> None:
        last = self.world_size[0] - 1
        row = self.world_size[0] // 2 if self._given_water_row is None else self._given_water_row
        self.water_row = whole("water_row", row, 1, last - 1)
        super()._draw(layout)
        self._drawing[:, self.water_row] = 0
        self._drawing[self._world.maps.channel["Water"], self.water_row] = 1

    def _top_ranks(self, given: Any) -> np.ndarray:
        if given is None:
            given = [0]
        ranks = list(given) if isinstance(given, Iterable) else [given]
        for rank in ranks:
            whole("skill_rank_of_top_agents", rank, 0, self.n_agents - 1)
        top = np.zeros(self.n_agents, np.bool_)
        top[ranks] = True
        ensure(
            0 < top.sum() < self.n_agents,
            f"skill_rank_of_top_agents names some but not all of the {self.n_agents} ranks, "
            f"not {given!r}.",
        )
        return top

    def _check_halves(self) -> None:
        open_tiles = self._open_tiles()
        halves = (
            ("above", open_tiles[: self.water_row].sum(), self._top.sum()),
            ("below", open_tiles[self.water_row + 1 :].sum(), (~self._top).sum()),
        )
        for side, free, agents in halves:
            ensure(
                agents <= free,
                f"{agents} agents do not fit on the {free} free tiles {side} the river.",
            )

    def finish_rules(self) -> list[Call]:
        """Hand out ranks and sides of the river, then take stock."""
        world, maps = self._world, self._world.maps
        ground = (maps.tile, maps.marks, maps.blocking, maps.location)
        ranks = (self._build.arrays.payment, self._ranked_payments, self._top, self.water_row)
        arguments = (world.streams, world.chosen, world.order, *ground, *ranks)
        return [(hand_out_sides, arguments), *super().finish_rules()]


@rule
def hand_out_sides(
    streams,
    chosen,
    order,
    tile,
    marks,
    blocking,
    location,
    payment,
    payments,
    top,
    water_row,
    lo,
    hi,
):
    """Give the agents, in a random order, the ranks from the highest down, and free tiles."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        clear_people(marks[copy], location[copy])
        permutation(streams[copy], order[copy])
        for rank in range(order.shape[1]):
            agent = order[copy, rank]
            payment[copy, agent] = payments[rank]
            first = 0 if top[rank] else water_row + 1
            end = water_row if top[rank] else tile.shape[2]
            settle(
                streams[copy], tile[copy], marks[copy], blocking, location[copy], agent, first, end
            )
