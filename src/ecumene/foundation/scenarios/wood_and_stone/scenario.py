"""What all wood-and-stone scenarios have in common."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.foundation.base.base_env import BaseEnvironment
from ecumene.foundation.base.observation import AGENTS, PLANNER, SEEN
from ecumene.foundation.base.parameters import choice, flag, real, whole
from ecumene.foundation.base.stages import Call, run
from ecumene.foundation.rules import scoring
from ecumene.foundation.scenarios.wood_and_stone import growth, people, view, welfare

PLANNER_REWARDS = {
    "coin_eq_times_productivity": scoring.COIN_EQ_TIMES_PRODUCTIVITY,
    "inv_income_weighted_coin_endowments": scoring.INV_INCOME_WEIGHTED_COIN_ENDOWMENTS,
    "inv_income_weighted_utility": scoring.INV_INCOME_WEIGHTED_UTILITY,
}
WARMUP_METHODS = {"decay": welfare.DECAY, "auto": welfare.AUTO}


class Source(NamedTuple):
    """How one resource grows back on its source tiles.

    resource: name
    halfwidth: of the square of tiles that help one another to grow; 0 = each tile by itself
    weight: chance per step and unit of health, averaged over the square
    max_health: most that a tile holds
    """

    resource: str
    halfwidth: int
    weight: float
    max_health: float


class ScenarioArrays(NamedTuple):
    """What a wood-and-stone scenario holds per copy.

    objective: float64[copy, agent + planner]  # utility or welfare now
    previous: float64[copy, agent + planner]  # and a step ago
    initial: float64[copy, agent + planner]  # and after the reset
    warmup: int64[copy]  # steps so far with a positive mean reward
    """

    objective: NDArray[np.float64]
    previous: NDArray[np.float64]
    initial: NDArray[np.float64]
    warmup: NDArray[np.int64]


class Scratch(NamedTuple):
    """Room for the rules to work in.

    ordered: float64[copy, agent]  # sorted coin
    coins: float64[copy, agent]
    """

    ordered: NDArray[np.float64]
    coins: NDArray[np.float64]


class WoodAndStone(BaseEnvironment):
    """Base of the scenarios in which wood and stone grow on a map.

    Agents see a window of the map around them, or all of it. An agent's reward is the change of its
    isoelastic utility of coin minus the cost of its labor; the planner's is the change of social
    welfare.

    Parameters
    ----------
    planner_gets_spatial_info : bool
        Show the planner the map and where agents are.
    full_observability : bool
        Show agents the whole map rather than a window.
    mobile_agent_observation_range : int
        Tiles that an agent sees in each direction (w): windows are ``2 w + 1`` square.
    starting_agent_coin : float
        Coin at the start of an episode, at least 0.
    isoelastic_eta : float
        Curvature of the utility of coin, from 0 (linear) to 1 (logarithmic).
    energy_cost : float
        Cost of a unit of labor, at least 0.
    energy_warmup_constant : float
        Episodes (or steps, see next) over which the cost of labor is phased in; 0: at once.
    energy_warmup_method : str
        ``"decay"``: by completed episodes; ``"auto"``: by steps with a positive mean reward.
    planner_reward_type : str
        ``"coin_eq_times_productivity"``, ``"inv_income_weighted_coin_endowments"`` or
        ``"inv_income_weighted_utility"``.
    mixing_weight_gini_vs_coin : float
        From 0 (equality counts in full in the first of these) to 1 (not at all).
    """

    agent_subclasses = ["BasicMobileAgent", "BasicPlanner"]
    required_entities = ["Wood", "Stone"]
    held_in_common = ("_scratch", "_field")
    _placed_in_random_order = True

    def __init__(
        self,
        *base_env_args: Any,
        planner_gets_spatial_info: bool = True,
        full_observability: bool = False,
        mobile_agent_observation_range: int = 5,
        starting_agent_coin: float = 0,
        isoelastic_eta: float = 0.23,
        energy_cost: float = 0.21,
        energy_warmup_constant: float = 0,
        energy_warmup_method: str = "decay",
        planner_reward_type: str = "coin_eq_times_productivity",
        mixing_weight_gini_vs_coin: float = 0.0,
        **base_env_kwargs: Any,
    ) -> None:
        super().__init__(*base_env_args, **base_env_kwargs)
        spatial = flag("planner_gets_spatial_info", planner_gets_spatial_info)
        self._planner_gets_spatial_info = spatial
        self._full_observability = flag("full_observability", full_observability)
        window = whole("mobile_agent_observation_range", mobile_agent_observation_range, 0)
        self._mobile_agent_observation_range = window
        self.starting_agent_coin = real("starting_agent_coin", starting_agent_coin, 0)
        self.isoelastic_eta = real("isoelastic_eta", isoelastic_eta, 0, 1)
        self.energy_cost = real("energy_cost", energy_cost, 0)
        self.energy_warmup_constant = real("energy_warmup_constant", energy_warmup_constant, 0)
        method = str(energy_warmup_method).lower()
        self.energy_warmup_method = choice("energy_warmup_method", method, WARMUP_METHODS)
        choice("planner_reward_type", planner_reward_type, PLANNER_REWARDS)
        self.planner_reward_type = planner_reward_type
        mixing = real("mixing_weight_gini_vs_coin", mixing_weight_gini_vs_coin, 0, 1)
        self.mixing_weight_gini_vs_coin = mixing
        copies, agents = self._copies, self.n_agents
        shape = (copies, agents + 1)
        self.arrays = ScenarioArrays(
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(copies, np.int64),
        )
        self._scratch = Scratch(np.zeros((copies, agents)), np.zeros((copies, agents)))
        # Only NumPy's global generator has its draws for the whole map made in advance.
        self._field = np.zeros(self.world_size[0] * self.world_size[1])

    # Objectives.

    @property
    def energy_weight(self) -> float:
        """How much of the cost of labor is phased in, 0 to 1."""
        return float(
            welfare.energy_weight(
                self._labor_costs(), self._world.completed, self.arrays.warmup[self._copy]
            )
        )

    @property
    def curr_optimization_metric(self) -> dict[Any, float]:
        """Agent index -> utility (planner: welfare) now."""
        return self._by_agent(self.arrays.objective)

    @property
    def prev_optimization_metric(self) -> dict[Any, float]:
        """Agent index -> utility (planner: welfare) a step ago."""
        return self._by_agent(self.arrays.previous)

    @property
    def init_optimization_metric(self) -> dict[Any, float]:
        """Agent index -> utility (planner: welfare) after the reset."""
        return self._by_agent(self.arrays.initial)

    def get_current_optimization_metrics(self) -> dict[Any, float]:
        """Return agent index -> utility (planner: welfare), computed from the present state."""
        copy = self._copy
        values = np.zeros(self.n_agents + 1)
        self._evaluate_into(values, copy)
        return dict(zip(self._indices, values.tolist(), strict=True))

    def _evaluate_into(self, values: NDArray[np.float64], copy: int) -> None:
        welfare.evaluate(self._stock(), copy, values)

    def _by_agent(self, values: NDArray[np.float64]) -> dict[Any, float]:
        return dict(zip(self._indices, values[self._copy].tolist(), strict=True))

    @property
    def _indices(self) -> list[Any]:
        return [agent.idx for agent in self.all_agents]

    @property
    def _copy(self) -> int:
        return self._world.focus.copy

    def _columns(self) -> tuple[int, int]:
        return self._world.entity("Coin"), self._world.felt("Labor")

    def _labor_costs(self) -> tuple[float, float, int]:
        method = WARMUP_METHODS[self.energy_warmup_method]
        return self.energy_cost, self.energy_warmup_constant, method

    def _objectives(self) -> tuple[float, int, float]:
        kind = PLANNER_REWARDS[self.planner_reward_type]
        return self.isoelastic_eta, kind, 1 - self.mixing_weight_gini_vs_coin

    def carried_over(self) -> dict[str, NDArray[Any]]:
        """See `BaseEnvironment.carried_over`."""
        return {**super().carried_over(), "warmup": self.arrays.warmup}

    def _run(self, calls: Sequence[Call]) -> None:
        run(calls, self._copy, self._copy + 1)

    # Reset.

    @abstractmethod
    def layout_rules(self) -> list[Call]:
        """Lay the map out anew."""

    def reset_starting_layout(self) -> None:
        """Lay the map out anew, in the copy in view."""
        with self._world.gaussians():
            self._run(self.layout_rules())

    def agents_rules(self) -> list[Call]:
        """Empty all inventories and put the agents on free tiles."""
        world, maps = self._world, self._world.maps
        coin = (world.entity("Coin"), self.starting_agent_coin)
        owned = (world.inventory, world.escrow, world.endogenous)
        ground = (maps.tile, maps.marks, maps.blocking, maps.location)
        return [
            (people.start, (world.chosen, *owned, maps.marks, maps.location, coin)),
            (
                people.place,
                (world.streams, world.chosen, world.order, *ground, self._placed_in_random_order),
            ),
        ]

    def reset_agent_states(self) -> None:
        """Empty inventories and place agents, in the copy in view."""
        self._run(self.agents_rules())

    def finish_rules(self) -> list[Call]:
        """Take stock: rewards are changes from here."""
        return [(welfare.initialize, (self._world.chosen, self._stock()))]

    def additional_reset_steps(self) -> None:
        """Take stock, in the copy in view."""
        self._run(self.finish_rules())

    def _stock(self) -> welfare.Stock:
        world = self._world
        return welfare.Stock(
            world.inventory,
            world.escrow,
            world.endogenous,
            world.completions,
            *self.arrays,
            ordered=self._scratch.ordered,
            coins=self._scratch.coins,
            columns=self._columns(),
            labor_costs=self._labor_costs(),
            objectives=self._objectives(),
        )

    # Step.

    @abstractmethod
    def sources(self) -> Sequence[Source]:
        """Return how each resource grows back, in the order of the draws."""

    def step_rules(self) -> list[Call]:
        """Let resources grow back."""
        world, maps = self._world, self._world.maps
        return [
            (
                growth.regenerate,
                (
                    world.streams,
                    world.chosen,
                    maps.tile,
                    (maps.channel[source.resource], maps.channel[f"{source.resource}SourceBlock"]),
                    (source.halfwidth, source.weight, source.max_health),
                    self._field,
                ),
            )
            for source in self.sources()
        ]

    def scenario_step(self) -> None:
        """Let resources grow back, in the copy in view."""
        self._run(self.step_rules())

    # Reward.

    def reward_rules(self) -> list[Call]:
        """Write each agent's gain of utility, and the planner's of welfare."""
        stock, rewards = self._stock(), self._runtime.rewards
        return [(welfare.reward, (self._world.chosen, stock, rewards))]

    def compute_reward(self) -> dict[Any, float]:
        """Return agent index -> gain since the last call."""
        self._run(self.reward_rules())
        return self._by_agent(self._runtime.rewards)

    # Observation.

    def shared_observations(self) -> dict[tuple[str, str], NDArray[Any]]:
        """The map is the planner's view of it, and everybody's under full observability."""
        maps, agents = self._world.maps, self.n_agents
        shared = {}
        if self._planner_gets_spatial_info:
            shared[PLANNER, "map"] = maps.tile[:, None]
            shared[PLANNER, "idx_map"] = maps.marks[:, None]
        if self._full_observability:
            copies, *size = maps.tile.shape
            shared[AGENTS, "map"] = np.broadcast_to(maps.tile[:, None], (copies, agents, *size))
        return shared

    def generate_observations(self) -> dict[str, dict[str, Any]]:
        """Maps, locations and inventories, of the copy in view."""
        windows, idx_windows = self._windows()
        obs: dict[str, dict[str, Any]] = {}
        for i, agent in enumerate(self._world.agents):
            place = {} if self._full_observability else self._place_of(agent)
            goods = self._inventory_of(agent)
            obs[str(i)] = {"map": windows[i], "idx_map": idx_windows[i], **place, **goods}
            if not self._full_observability:
                obs[f"p{i}"] = {**goods, **(place if self._planner_gets_spatial_info else {})}
        obs["p"] = self._inventory_of(self._world.planner)
        if self._planner_gets_spatial_info:
            obs["p"]["map"] = self._world.maps.tile[self._copy].copy()
            obs["p"]["idx_map"] = self._world.maps.marks[self._copy].copy()
        return obs

    def _place_of(self, agent: Any) -> dict[str, float]:
        (r, c), (height, width) = agent.loc, self.world_size
        return {"loc-row": r / height, "loc-col": c / width}

    def _inventory_of(self, agent: Any) -> dict[str, float]:
        return {f"inventory-{name}": n * self.inv_scale for name, n in agent.inventory.items()}

    def _windows(self) -> tuple[NDArray[np.float32], NDArray[np.int16]]:
        maps, copy = self._world.maps, self._copy
        tile, marks = maps.tile[copy], maps.marks[copy]
        n = self.n_agents
        if self._full_observability:
            idx_maps = np.zeros((n, *marks.shape), np.int16)
            view.write_whole_marks(marks, idx_maps)
            return np.broadcast_to(tile, (n, *tile.shape)).copy(), idx_maps
        side = 2 * self._mobile_agent_observation_range + 1
        windows = np.zeros((n, tile.shape[0] + 1, side, side), np.float32)
        idx_windows = np.zeros((n, marks.shape[0], side, side), np.int16)
        view.write_windows(tile, marks, maps.location[copy], windows, idx_windows)
        return windows, idx_windows

    def observe_rules(self) -> list[Call]:
        """Write windows, locations and inventories."""
        world, maps, slots = self._world, self._world.maps, self.slots
        idx_maps = slots.kept(AGENTS, "idx_map")
        if self._full_observability:
            looking = (view.observe_whole_marks, (world.chosen, maps.marks, idx_maps))
        else:
            around = (maps.tile, maps.marks, maps.location, slots.kept(AGENTS, "map"), idx_maps)
            looking = (view.observe_windows, (world.chosen, *around))
        fields = [f"inventory-{name}" for name in self._world.resources] + ["loc-row", "loc-col"]
        kinds = (AGENTS, PLANNER, SEEN)
        places = [np.array([slots.column(kind, field) for field in fields]) for kind in kinds]
        scale = (self.world_size[0], self.world_size[1], float(self.inv_scale))
        flats = [slots.flat(kind) for kind in kinds]
        numbers = (world.chosen, world.inventory, maps.location, *flats, *places, scale)
        return [looking, (view.observe_numbers, numbers)]

    # Metrics.

    def scenario_metrics(self) -> dict[str, Any]:
        """Productivity, equality, welfare, endowments, utilities and the cost of labor."""
        columns = self.metrics_copies([self._copy])
        return {name: values[0].item() for name, values in columns.items()}

    def metrics_copies(self, copies: Sequence[int]) -> dict[str, NDArray[Any]]:
        """Return metric -> one value per copy; see `scenario_metrics`."""
        world = self._world
        chosen = np.asarray(copies, np.int64)
        table = np.zeros((len(chosen), 5))
        costs = np.zeros(len(chosen))
        welfare.measure(chosen, self._stock(), table, costs)
        columns = {name: table[:, i] for i, name in enumerate(welfare.MEASURES)}
        everyone = self._indices
        totals = world.inventory[chosen] + world.escrow[chosen]
        objective = self.arrays.objective[chosen]
        for row, idx in enumerate(everyone):
            for i, name in enumerate(world.resources):
                columns[f"endow/{idx}/{name}"] = totals[:, row, i]
            if idx != world.planner.idx:
                for i, name in enumerate(self.endogenous):
                    columns[f"endogenous/{idx}/{name}"] = world.endogenous[chosen, row, i]
            columns[f"util/{idx}"] = objective[:, row]
        columns["labor/weighted_cost"] = costs
        columns["labor/warmup_integrator"] = self.arrays.warmup[chosen]
        return columns
