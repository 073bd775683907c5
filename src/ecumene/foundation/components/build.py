"""Build: turn wood and stone into houses, and houses into coin."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.compile import helper, rule
from ecumene.engine.random import lognormal, pareto, permutation
from ecumene.foundation.base.base_agent import BaseAgent
from ecumene.foundation.base.base_component import BaseComponent, component_registry
from ecumene.foundation.base.observation import AGENTS
from ecumene.foundation.base.parameters import real, whole
from ecumene.foundation.base.stages import Call, run
from ecumene.foundation.components.skill import LOGNORMAL, PARETO, skill_distribution
from ecumene.foundation.rules.events import forget
from ecumene.foundation.rules.space import OFFSET, is_empty


class BuildArrays(NamedTuple):
    """What Build holds per copy.

    payment: float64[copy, agent]  # coin per house
    skill: float64[copy, agent]  # as drawn at the last reset, or as set since
    drawn: float64[copy, agent]  # as drawn at the last reset
    built: int64[copy, agent]  # houses since the last reset
    events: float64[copy, event, 4]  # builder, row, column, income of the last step's events
    event_count: int64[copy]
    """

    payment: NDArray[np.float64]
    skill: NDArray[np.float64]
    drawn: NDArray[np.float64]
    built: NDArray[np.int64]
    events: NDArray[np.float64]
    event_count: NDArray[np.int64]


@component_registry.add
class Build(BaseComponent):
    """Lets mobile agents build a house where they stand, for 1 Wood and 1 Stone.

    The tile must hold no resource and no landmark. The builder owns the house, gains
    ``build_payment`` coin and pays `build_labor`. In each step the agents act in a random order.

    Parameters
    ----------
    payment : int
        Coin for a house at the lowest skill, at least 0.
    payment_max_skill_multiplier : int
        Most that skill multiplies the payment by (M), at least 1.
    skill_dist : str
        Distribution of the skill s, drawn at each reset: ``"none"`` (the payment as it is),
        ``"pareto"`` (``pareto(4)``) or ``"lognormal"`` (``lognormal(-1, 0.5)``). The payment is
        then multiplied by ``min(M, (M - 1) * s + 1)``.
    build_labor : float
        Labor per house, at least 0.
    """

    name = "Build"
    required_entities = ["Wood", "Stone", "Coin", "House", "Labor"]
    agent_subclasses = ["BasicMobileAgent"]
    action_names = ("build",)

    def __init__(
        self,
        *base_component_args: Any,
        payment: int = 10,
        payment_max_skill_multiplier: int = 1,
        skill_dist: str = "none",
        build_labor: float = 10.0,
        **base_component_kwargs: Any,
    ) -> None:
        super().__init__(*base_component_args, **base_component_kwargs)
        self.payment = whole("payment", payment, 0)
        multiplier = whole("payment_max_skill_multiplier", payment_max_skill_multiplier, 1)
        self.payment_max_skill_multiplier = multiplier
        self.build_labor = real("build_labor", build_labor, 0)
        self.skill_dist, self._distribution = skill_distribution(skill_dist)
        self.resource_cost = {"Wood": 1, "Stone": 1}
        shape = (self.world.copies, self.n_agents)
        self.arrays = BuildArrays(
            np.full(shape, float(self.payment)),
            np.ones(shape),
            np.ones(shape),
            np.zeros(shape, np.int64),
            np.zeros((*shape, 4)),
            np.zeros(shape[0], np.int64),
        )
        self.state_columns = {
            "build_payment": self.arrays.payment,
            "build_skill": self.arrays.skill,
        }
        self._log: dict[int, list[NDArray[np.float64]]] = {}

    def get_n_actions(self, agent_cls_name: str) -> int | None:
        """One action for mobile agents: build."""
        return 1 if agent_cls_name == "BasicMobileAgent" else None

    def get_additional_state_fields(self, agent_cls_name: str) -> dict[str, Any]:
        """``build_payment`` and ``build_skill`` for mobile agents."""
        if agent_cls_name != "BasicMobileAgent":
            return {}
        return {"build_payment": float(self.payment), "build_skill": 1}

    def agent_can_build(self, agent: BaseAgent) -> bool:
        """Tell whether an agent has the resources and stands on an empty tile."""
        r, c = agent.loc
        has_all = all(agent.inventory[name] >= n for name, n in self.resource_cost.items())
        blocked = self.world.location_resources(r, c) or self.world.location_landmarks(r, c)
        return has_all and self.world.is_valid(r, c) and not blocked

    # Reset.

    def additional_reset_steps(self) -> None:
        """Draw the skills of the copy in view anew."""
        copy = self.world.focus.copy
        with self.world.gaussians():
            run(self.reset_rules(), copy, copy + 1)
        self.clear_log(copy)

    def reset_rules(self) -> list[Call]:
        """Draw the skills anew."""
        world = self.world
        world.touch_fields(self.get_additional_state_fields)
        parameters = (self._distribution, float(self.payment), self.payment_max_skill_multiplier)
        drawing = (parameters, world.streams, world.spare, world.chosen)
        return [(draw_skills, (*drawing, *self.arrays))]

    # Step.

    def component_step(self) -> None:
        """Build, in the copy in view."""
        run(self.step_rules(), self.world.focus.copy, self.world.focus.copy + 1)

    def step_rules(self) -> list[Call]:
        """Build."""
        world, maps = self.world, self.world.maps
        columns = (
            world.action_columns(self.name),
            world.felt("Labor"),
            world.entity("Wood"),
            world.entity("Stone"),
            world.entity("Coin"),
            maps.channel["House"],
            maps.private["House"],
        )
        arguments = (
            world.streams,
            world.chosen,
            world.order,
            maps.tile,
            maps.marks,
            maps.location,
            world.inventory,
            world.endogenous,
            world.action,
            *self.arrays,
            columns,
            self.build_labor,
        )
        return [(build, arguments)]

    # Observations.

    def generate_observations(self) -> dict[str, dict[str, Any]]:
        """Payment in units of the lowest one, and skill as drawn."""
        copy = self.world.focus.copy
        payment, drawn = self.arrays.payment[copy], self.arrays.drawn[copy]
        return {
            str(i): {
                "build_payment": float(payment[i] / self._payment_unit),
                "build_skill": float(drawn[i]),
            }
            for i, agent in enumerate(self.world.agents)
            if agent.has_component(self.name)
        }

    @property
    def _payment_unit(self) -> float:
        # With no payment at all there is nothing to measure payments in.
        return float(self.payment or 1)

    def generate_masks(self, completions: int = 0) -> dict[Any, NDArray[np.bool_]]:
        """1 for agents that can build."""
        return {
            i: np.array([self.agent_can_build(agent)])
            for i, agent in enumerate(self.world.agents)
            if agent.has_component(self.name)
        }

    def observe_rules(self) -> list[Call]:
        """Write payments, skills and masks."""
        world, maps, slots = self.world, self.world.maps, self.slots
        places = (
            slots.column(AGENTS, "build_payment"),
            slots.column(AGENTS, "build_skill"),
            slots.mask_column(AGENTS),
            world.entity("Wood"),
            world.entity("Stone"),
        )
        arguments = (
            world.chosen,
            maps.tile,
            maps.location,
            world.inventory,
            self.arrays.payment,
            self.arrays.drawn,
            slots.flat(AGENTS),
            slots.mask(AGENTS),
            places,
            self._payment_unit,
        )
        return [(observe, arguments)]

    # Metrics and log.

    def metrics_copies(self, copies: Sequence[int]) -> dict[str, Any]:
        """Houses built by each agent, and tiles with a house."""
        built = self.arrays.built[copies]
        houses = self.world.maps.tile[copies, self.world.maps.channel["House"]] > 0
        values = {f"{i}/n_builds": built[:, i] for i in range(self.n_agents)}
        return {**values, "total_builds": houses.sum(axis=(1, 2))}

    def get_metrics(self) -> dict[str, Any]:
        """Houses built by each agent, and tiles with a house."""
        columns = self.metrics_copies([self.world.focus.copy])
        return {name: values[0].item() for name, values in columns.items()}

    def clear_log(self, copy: int) -> None:
        """See `BaseComponent.clear_log`."""
        self._log[copy] = []

    def keep_log(self, copy: int) -> None:
        """See `BaseComponent.keep_log`."""
        count = self.arrays.event_count[copy]
        self._log.setdefault(copy, []).append(self.arrays.events[copy, :count].copy())

    def get_dense_log(self) -> list[list[dict[str, Any]]]:
        """Return one list of build events per step: ``builder, loc, income`` each."""
        return [
            [
                {"builder": int(i), "loc": np.array([r, c], np.int64), "income": float(income)}
                for i, r, c, income in step
            ]
            for step in self._log.get(self.world.focus.copy, [])
        ]


@rule
def draw_skills(
    parameters, streams, spare, chosen, payment, skill, drawn, built, events, event_count, lo, hi
):
    """Draw every agent's skill, in index order, and set its payment."""
    distribution, base, multiplier = parameters
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        forget(events, event_count, copy)
        for agent in range(skill.shape[1]):
            sampled = 1.0
            rate = 1.0
            if distribution == PARETO:
                sampled = pareto(streams[copy], 4.0)
                rate = min(float(multiplier), (multiplier - 1) * sampled + 1)
            elif distribution == LOGNORMAL:
                sampled = lognormal(streams[copy], spare[copy], -1.0, 0.5)
                rate = min(float(multiplier), (multiplier - 1) * sampled + 1)
            payment[copy, agent] = rate * base
            skill[copy, agent] = sampled
            drawn[copy, agent] = sampled
            built[copy, agent] = 0


@rule
def build(
    streams,
    chosen,
    order,
    tile,
    marks,
    location,
    inventory,
    endogenous,
    action,
    payment,
    skill,
    drawn,
    built,
    events,
    event_count,
    columns,
    labor_cost,
    lo,
    hi,
):
    """Let all agents build that choose to and can, in an order drawn anew for each copy."""
    acts, labor, wood, stone, coin, house, private = columns
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        forget(events, event_count, copy)
        permutation(streams[copy], order[copy])
        for agent in order[copy]:
            owned = inventory[copy, agent]
            if acts[agent] < 0 or action[copy, agent, acts[agent]] == 0:
                continue
            if not can_build(tile[copy], location[copy], owned, wood, stone, agent):
                continue
            r = location[copy, agent, 0]
            c = location[copy, agent, 1]
            owned[wood] -= 1
            owned[stone] -= 1
            owned[coin] += payment[copy, agent]
            endogenous[copy, agent, labor] += labor_cost
            tile[copy, house, r, c] = 1
            marks[copy, private, r, c] = agent + OFFSET
            built[copy, agent] += 1
            event = events[copy, event_count[copy]]
            event[0] = agent
            event[1] = r
            event[2] = c
            event[3] = payment[copy, agent]
            event_count[copy] += 1


@helper
def can_build(tile, location, owned, wood, stone, agent):
    """Tell whether an agent has a unit of both resources and stands on an empty tile."""
    if owned[wood] < 1 or owned[stone] < 1 or location[agent, 0] < 0:
        return False
    return is_empty(tile, location[agent, 0], location[agent, 1])


@rule
def observe(chosen, tile, location, inventory, payment, drawn, flat, mask, places, unit, lo, hi):
    """Write every agent's payment, skill and mask."""
    at_payment, at_skill, at_mask, wood, stone = places
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for agent in range(payment.shape[1]):
            flat[copy, agent, at_payment] = payment[copy, agent] / unit
            flat[copy, agent, at_skill] = drawn[copy, agent]
            owned = inventory[copy, agent]
            mask[copy, agent, at_mask] = can_build(
                tile[copy], location[copy], owned, wood, stone, agent
            )
