"""Gather: move around the world and collect resources."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.compile import rule
from ecumene.engine.random import lognormal, pareto, permutation, uniform
from ecumene.foundation.base.base_component import BaseComponent, component_registry
from ecumene.foundation.base.observation import AGENTS
from ecumene.foundation.base.parameters import real
from ecumene.foundation.base.stages import Call, run
from ecumene.foundation.components.skill import LOGNORMAL, PARETO, skill_distribution
from ecumene.foundation.rules.events import forget
from ecumene.foundation.rules.space import can_occupy, move


class GatherArrays(NamedTuple):
    """What Gather holds per copy.

    bonus: float64[copy, agent]  # chance that a gather event yields a second unit
    events: int64[copy, event, 5]  # agent, resource, units, row, column of the last step's events
    event_count: int64[copy]
    """

    bonus: NDArray[np.float64]
    events: NDArray[np.int64]
    event_count: NDArray[np.int64]


@component_registry.add
class Gather(BaseComponent):
    """Lets mobile agents walk in four directions and collect what lies where they stand.

    Actions: 1 left (column - 1), 2 right, 3 up (row - 1), 4 down. In each step the agents act in a
    random order. One that moves pays `move_labor`. Then it collects a unit of every resource of
    which its tile holds at least 1, whether or not it moved, and pays `collect_labor` for each;
    with probability ``bonus_gather_prob`` it gains a second unit, for which it pays nothing and
    which the tile does not lose. A move into an occupied or inaccessible tile or off the map is
    ignored.

    Parameters
    ----------
    move_labor : float
        Labor per move, at least 0.
    collect_labor : float
        Labor per collected resource, at least 0.
    skill_dist : str
        Distribution of ``bonus_gather_prob``, drawn at each reset: ``"none"`` (0), ``"pareto"``
        (``min(2, pareto(3)) / 2``) or ``"lognormal"`` (``min(2, lognormal(-2.022, 0.938)) / 2``).
    """

    name = "Gather"
    required_entities = ["Coin", "House", "Labor"]
    agent_subclasses = ["BasicMobileAgent"]
    action_names = ("left", "right", "up", "down")

    def __init__(
        self,
        *base_component_args: Any,
        move_labor: float = 1.0,
        collect_labor: float = 1.0,
        skill_dist: str = "none",
        **base_component_kwargs: Any,
    ) -> None:
        super().__init__(*base_component_args, **base_component_kwargs)
        self.move_labor = real("move_labor", move_labor, 0)
        self.collect_labor = real("collect_labor", collect_labor, 0)
        self.skill_dist, self._distribution = skill_distribution(skill_dist)
        copies, agents = self.world.copies, self.n_agents
        goods = self.world.goods
        self.arrays = GatherArrays(
            np.zeros((copies, agents)),
            np.zeros((copies, agents * len(goods), 5), np.int64),
            np.zeros(copies, np.int64),
        )
        self.state_columns = {"bonus_gather_prob": self.arrays.bonus}
        self._log: dict[int, list[NDArray[np.int64]]] = {}

    def get_n_actions(self, agent_cls_name: str) -> int | None:
        """Four moves for mobile agents."""
        return 4 if agent_cls_name == "BasicMobileAgent" else None

    def get_additional_state_fields(self, agent_cls_name: str) -> dict[str, Any]:
        """``bonus_gather_prob`` for mobile agents."""
        return {"bonus_gather_prob": 0.0} if agent_cls_name == "BasicMobileAgent" else {}

    # Reset.

    def additional_reset_steps(self) -> None:
        """Draw the skills of the copy in view anew."""
        copy = self.world.focus.copy
        with self.world.gaussians():
            run(self.reset_rules(), copy, copy + 1)
        self.clear_log(copy)

    def reset_rules(self) -> list[Call]:
        """Draw the skills anew."""
        world, arrays = self.world, self.arrays
        world.touch_fields(self.get_additional_state_fields)
        drawing = (self._distribution, world.streams, world.spare, world.chosen)
        return [(draw_skills, (*drawing, *arrays))]

    # Step.

    def component_step(self) -> None:
        """Move and collect, in the copy in view."""
        run(self.step_rules(), self.world.focus.copy, self.world.focus.copy + 1)

    def step_rules(self) -> list[Call]:
        """Move and collect."""
        world, maps = self.world, self.world.maps
        arguments = (
            world.streams,
            world.chosen,
            world.order,
            maps.tile,
            maps.marks,
            maps.blocking,
            maps.location,
            world.goods,
            world.inventory,
            world.endogenous,
            world.action,
            *self.arrays,
            (world.action_columns(self.name), world.felt("Labor")),
            (self.move_labor, self.collect_labor),
        )
        return [(gather, arguments)]

    # Observations.

    def generate_observations(self) -> dict[str, dict[str, Any]]:
        """Each mobile agent's own skill."""
        bonus = self.arrays.bonus[self.world.focus.copy]
        return {
            str(agent.idx): {"bonus_gather_prob": float(bonus[agent.idx])}
            for agent in self.world.agents
            if agent.has_component(self.name)
        }

    def generate_masks(self, completions: int = 0) -> dict[Any, NDArray[np.float32]]:
        """1 for each direction in which the agent could move."""
        maps, copy = self.world.maps, self.world.focus.copy
        mask = np.zeros((self.n_agents, 4), np.int8)
        write_mask(maps.tile[copy], maps.marks[copy], maps.blocking, maps.location[copy], mask, 0)
        return {
            i: mask[i].astype(np.float32)
            for i, agent in enumerate(self.world.agents)
            if agent.has_component(self.name)
        }

    def observe_rules(self) -> list[Call]:
        """Write skills and masks."""
        world, maps, slots = self.world, self.world.maps, self.slots
        places = (slots.column(AGENTS, "bonus_gather_prob"), slots.mask_column(AGENTS))
        arguments = (
            world.chosen,
            maps.tile,
            maps.marks,
            maps.blocking,
            maps.location,
            self.arrays.bonus,
            slots.flat(AGENTS),
            slots.mask(AGENTS),
            places,
        )
        return [(observe, arguments)]

    def metrics_copies(self, copies: Sequence[int]) -> dict[str, Any]:
        """No metrics."""
        return {}

    # Log.

    def clear_log(self, copy: int) -> None:
        """See `BaseComponent.clear_log`."""
        self._log[copy] = []

    def keep_log(self, copy: int) -> None:
        """See `BaseComponent.keep_log`."""
        count = self.arrays.event_count[copy]
        self._log.setdefault(copy, []).append(self.arrays.events[copy, :count].copy())

    def get_dense_log(self) -> list[list[dict[str, Any]]]:
        """Return one list of gather events per step: ``agent, resource, n, loc`` each."""
        names = self.world.goods_names
        return [
            [
                {"agent": agent, "resource": names[good], "n": n, "loc": [r, c]}
                for agent, good, n, r, c in step.tolist()
            ]
            for step in self._log.get(self.world.focus.copy, [])
        ]


@rule
def draw_skills(distribution, streams, spare, chosen, bonus, events, event_count, lo, hi):
    """Draw every agent's chance of a bonus unit, in index order."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        forget(events, event_count, copy)
        for agent in range(bonus.shape[1]):
            if distribution == PARETO:
                bonus[copy, agent] = min(2.0, pareto(streams[copy], 3.0)) / 2
            elif distribution == LOGNORMAL:
                drawn = lognormal(streams[copy], spare[copy], -2.022, 0.938)
                bonus[copy, agent] = min(2.0, drawn) / 2
            else:
                bonus[copy, agent] = 0.0


@rule
def gather(
    streams,
    chosen,
    order,
    tile,
    marks,
    blocking,
    location,
    goods,
    inventory,
    endogenous,
    action,
    bonus,
    events,
    event_count,
    columns,
    costs,
    lo,
    hi,
):
    """Let all agents move and collect, in an order drawn anew for each copy."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        forget(events, event_count, copy)
        permutation(streams[copy], order[copy])
        for agent in order[copy]:
            if columns[0][agent] < 0:
                continue  # an agent of a class that cannot gather
            chosen_action = action[copy, agent, columns[0][agent]]
            if chosen_action > 0:
                r = location[copy, agent, 0]
                c = location[copy, agent, 1]
                if chosen_action <= 2:
                    c += 2 * chosen_action - 3
                else:
                    r += 2 * chosen_action - 7
                if move(tile[copy], marks[copy], blocking, location[copy], r, c, agent):
                    endogenous[copy, agent, columns[1]] += costs[0]
            r = location[copy, agent, 0]
            c = location[copy, agent, 1]
            if r < 0:
                continue
            for good in range(goods.shape[0]):
                if tile[copy, goods[good, 0], r, c] < 1:
                    continue
                units = 1
                if uniform(streams[copy]) < bonus[copy, agent]:
                    units = 2
                tile[copy, goods[good, 0], r, c] -= np.float32(1)
                inventory[copy, agent, goods[good, 1]] += units
                endogenous[copy, agent, columns[1]] += costs[1]
                event = events[copy, event_count[copy]]
                event[0] = agent
                event[1] = good
                event[2] = units
                event[3] = r
                event[4] = c
                event_count[copy] += 1


@rule
def write_mask(tile, marks, blocking, location, mask, first):
    """Write the mask of the four moves of every agent of one copy."""
    for agent in range(location.shape[0]):
        r = location[agent, 0]
        c = location[agent, 1]
        mask[agent, first] = can_occupy(tile, marks, blocking, r, c - 1, agent)
        mask[agent, first + 1] = can_occupy(tile, marks, blocking, r, c + 1, agent)
        mask[agent, first + 2] = can_occupy(tile, marks, blocking, r - 1, c, agent)
        mask[agent, first + 3] = can_occupy(tile, marks, blocking, r + 1, c, agent)


@rule
def observe(chosen, tile, marks, blocking, location, bonus, flat, mask, places, lo, hi):
    """Write every agent's skill and mask."""
    for copy in range(lo, hi):
        if chosen[copy]:
            for agent in range(bonus.shape[1]):
                flat[copy, agent, places[0]] = bonus[copy, agent]
            write_mask(tile[copy], marks[copy], blocking, location[copy], mask[copy], places[1])
