"""Fixtures for all tests, and a small world that uses every part of the interface."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import HealthCheck, settings

import ecumene
from ecumene.engine import Group, Simulation, Spec, allocate_output, random

# A first call compiles, which no deadline forgives.
settings.register_profile(
    "ecumene", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("ecumene")

# Parameters that make episodes short, and others that move the settings off their defaults.
SHORT: dict[str, dict[str, Any]] = {
    "battle/adversarial-pursuit-v0": {"map_size": 10, "max_cycles": 7},
    "battle/battle-v0": {"map_size": 12, "max_cycles": 7},
    "battle/battlefield-v0": {"map_size": 46, "max_cycles": 7},
    "battle/combined-arms-v0": {"map_size": 16, "max_cycles": 7},
    # The map has 40,000 cells whatever the parameters.
    "battle/gather-v0": {"max_cycles": 7, "observations": "uint8"},
    "battle/tiger-deer-v0": {"map_size": 10, "max_cycles": 7},
    "gridworlds/gathering-v0": {"max_moves": 7},
    "gridworlds/ice-duel-v0": {"max_moves": 7},
    "gridworlds/markov-stag-hunt-v0": {"max_moves": 7},
    "gridworlds/pursuit-v0": {"max_moves": 7},
    "matrix/bertrand-v0": {"max_moves": 7},
    "matrix/chicken-v0": {"max_moves": 7},
    "matrix/congestion-v0": {"max_moves": 7},
    "matrix/dpgg-v0": {"max_moves": 7},
    "matrix/game-v0": {"max_moves": 7, "preset": "rock_paper_scissors"},
    "matrix/inspection-v0": {"max_moves": 7},
}
FOUNDATION_SHORT = {"episode_length": 7}
SURVIVAL_SHORT = {"horizon": 7}
# A world that has everything: two groups, NPCs, sharing, building, planting, messages, colours.
COMMON_LAND = {
    "groups": [
        {"name": "wolf", "size": 2, "styles": ["melee", "mage", "heal"], "harvests": [1]},
        {"name": "sheep", "size": 3, "health": 4, "sees": [2], "start": "anywhere"},
    ],
    "npcs": [{"name": "bear", "size": 2, "health": 3, "behaviour": "neutral", "spawners": 1}],
    "size": [9, 7],
    "rivers": 3,
    "forests": 4,
    "visibility": 2,
    "access": 2,
    "share": [1, "all"],
    "build": True,
    "plant": True,
    "messages": 2,
    "bonuses": [{"to": "team_0", "death_of": "enemies", "reward": 0.5}],
    "horizon": 7,
}
# Big bodies that turn, food, a maze, three teams, all kinds of events.
MELEE = {
    "width": 15,
    "height": 11,
    "types": {
        "cart": {
            "width": 2,
            "length": 3,
            "hp": 3,
            "view_range": {"circle": 3},
            "attack_range": {"circle": 2},
            "damage": 2,
            "food_supply": 2.5,
            "step_recover": -0.01,
        },
        "scout": {
            "hp": 2,
            "speed": 1.5,
            "view_range": {"sector": [3, 100]},
            "attack_range": {"sector": [2, 120]},
            "damage": 1,
            "eat_ability": 1,
            "kill_supply": 1,
            "kill_reward": 2,
            "dead_penalty": -1,
        },
    },
    "groups": [
        {"name": "cart", "type": "cart"},
        {"name": "left", "type": "scout", "team": "scouts"},
        {"name": "right", "type": "scout", "team": "scouts", "colour": [0, 90, 0]},
    ],
    "places": [
        {"what": "walls", "custom": [[7, 1], [7, 9]]},
        {"what": "left", "fill": {"position": [1, 1], "size": [1, 3]}},
        {"what": "right", "custom": [[13, 5, 0]]},
        {"what": "cart", "random": 2},
    ],
    "rewards": [
        {
            "event": {"and": [{"attack": ["left", "cart"]}, {"attack": ["right", "cart"]}]},
            "pays": {"left": 1, "right": 1, "cart": -1},
        },
        {"event": {"not": {"die": "left#0"}}, "pays": {"left#0": 0.125, "right*": 0.25}},
        {"event": {"in": ["cart", [0, 0], [9, 9]]}, "pays": {"cart": -0.5}},
    ],
    "turn_mode": True,
    "food_mode": True,
    "max_cycles": 7,
}
OFF_DEFAULT: dict[str, list[dict[str, Any]]] = {
    "battle/adversarial-pursuit-v0": [
        {"map_size": 14, "max_cycles": 9, "tag_penalty": 0.5, "minimap_mode": True},
        {"map_size": 12, "max_cycles": 5, "observations": "uint8"},
    ],
    "battle/battle-v0": [
        {
            "map_size": 14,
            "max_cycles": 9,
            "step_reward": -3.0,
            "dead_penalty": 2,
            "attack_penalty": -0.7,
            "attack_opponent_reward": -1.0,
            "minimap_mode": True,
            "extra_features": True,
        },
        {
            "map_size": 16,
            "max_cycles": 5,
            "minimap_mode": True,
            "extra_features": True,
            "observations": "uint8",
            "rng": "minstd",
        },
    ],
    "battle/combined-arms-v0": [{"map_size": 17, "max_cycles": 9, "extra_features": True}],
    "battle/custom-v0": [
        {**MELEE, "minimap_mode": True, "extra_features": True, "embedding_size": 3},
        {
            **MELEE,
            "places": [{"what": "walls", "maze": 2}, {"what": "left", "random": 3}],
            "turn_mode": False,
            "unsafe": "hit",
        },
    ],
    "battle/gather-v0": [{"max_cycles": 5, "extra_features": True}],
    "battle/tiger-deer-v0": [
        {"map_size": 11, "max_cycles": 9, "tiger_step_recover": -4.0, "extra_features": True},
        {"map_size": 12, "max_cycles": 9, "deer_attacked": 0.5, "minimap_mode": True},
    ],
    "gridworlds/gathering-v0": [
        {
            "grid_size": (3, 4),
            "num_agents": 4,
            "apple_sites": [(0, 0), (1, 2)],
            "freeze_time": 2,
            "max_moves": 6,
        },
        {"flatten_observations": False, "hits_to_freeze": 1, "max_moves": 5},
    ],
    "gridworlds/ice-duel-v0": [
        {"grid_size": (3, 4), "holes": [(0, 1)], "start_positions": "random", "max_moves": 9},
        {"flatten_observations": False, "push": False, "slip_prob": 1.0, "max_moves": 5},
    ],
    "gridworlds/markov-stag-hunt-v0": [
        {"grid_size": (2, 3), "num_agents": 3, "on_maul": "remove", "max_moves": 9},
        {"flatten_observations": False, "on_maul": "continue", "num_stags": 3, "max_moves": 5},
    ],
    "gridworlds/pursuit-v0": [
        {"num_agents": 3, "terminate_on_collision": True, "layout": "..G/.#.", "max_moves": 9},
        {"flatten_observations": False, "goal_reward": [-1, 1], "max_moves": 5},
    ],
    "survival/arena-v0": [{"horizon": 9, "flat_actions": True, "n_groups": 3, "radius": 3}],
    "survival/boss-fight-v0": [{"horizon": 9, "metabolism": True, "tanks": 1}],
    "survival/corridor-v0": [{"horizon": 9, "start": "ends", "resource_mode": "balanced"}],
    "survival/custom-v0": [
        {**COMMON_LAND, "flat_actions": True, "resource_mode": "balanced", "order": "rotate"},
        {"groups": [{"size": 2}], "layout": "..F.;~W.#", "horizon": 9, "hide_others": True},
    ],
    "survival/gathering-v0": [
        {"horizon": 9, "n_groups": 1, "size": [4, 9], "max_visible": 1, "stock": 3, "gain": 0},
    ],
    "survival/siege-v0": [{"horizon": 9, "mobs": 9, "spawners": 2, "npc_infighting": True}],
    "matrix/chicken-v0": [
        {"T": 5.5, "R": 0.5, "S": -3.0, "P": -10.0, "max_moves": 5},
        {"flatten_observations": False, "max_moves": 6},
    ],
    "matrix/congestion-v0": [
        {"num_agents": 3, "jam_threshold": 2, "flatten_observations": False, "max_moves": 5},
    ],
    "matrix/dpgg-v0": [
        {"pot_cap": 20.0, "pot_step": 2.5, "initial_pot": 7.0, "decay": 0.2, "max_moves": 5},
    ],
    "matrix/game-v0": [
        {
            "payoffs": [[[1, 2, 3], [4, 5, 6]], [[0, -1, 2], [3, 1, 0]]],
            "action_names": [["up", "down"], ["left", "middle", "right"]],
            "max_moves": 5,
        },
        {"payoffs": np.arange(24).reshape(3, 2, 2, 2).tolist(), "max_moves": 4},
    ],
}


def short_parameters(world_id: str) -> dict[str, Any]:
    """Return parameters with which episodes of a world last some seven steps."""
    if world_id.startswith("foundation/"):
        return FOUNDATION_SHORT
    if world_id == "battle/custom-v0":
        return MELEE
    if world_id == "survival/custom-v0":
        return COMMON_LAND
    if world_id.startswith("survival/"):
        return SURVIVAL_SHORT
    return SHORT[world_id]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    worlds = sorted(ecumene.registry)
    if "world_id" in metafunc.fixturenames:
        metafunc.parametrize("world_id", worlds)
    if "world_variant" in metafunc.fixturenames:
        variants = [
            (world, parameters)
            for world in worlds
            for parameters in [short_parameters(world), *OFF_DEFAULT.get(world, [])]
        ]
        names = [f"{world}-{i}" for i, (world, _) in enumerate(variants)]
        metafunc.parametrize("world_variant", variants, ids=names)


@pytest.fixture
def short():
    """Return ``short(world_id)``: parameters that make episodes short."""
    return short_parameters


@pytest.fixture
def make_short():
    """Return ``make(world_id) -> ParallelEnv`` with short episodes."""
    return lambda world_id: ecumene.make(world_id, **short_parameters(world_id))


@pytest.fixture
def make_vec_short():
    """Return ``make_vec(world_id, num_envs, ...)`` with short episodes."""

    def make(world_id: str, num_envs: int, **options: Any) -> Any:
        return ecumene.make_vec(world_id, num_envs, **short_parameters(world_id), **options)

    return make


@pytest.fixture
def sample():
    """Return a function that draws an allowed action for every live agent of a `ParallelEnv`."""

    def draw(env: Any, infos: dict[str, Any]) -> dict[str, Any]:
        return {
            name: env.action_space(name).sample(infos[name]["action_mask"]) for name in env.agents
        }

    return draw


@pytest.fixture
def equal():
    """Return a comparison of nested dicts, tuples and arrays, bit for bit, dtypes included."""
    return same


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and list(one) == list(other)
            and all(same(one[name], other[name]) for name in one)
        )
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray | np.generic):
        return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    return type(one) is type(other) and one == other


class ToyState(NamedTuple):
    clock: Any  # [copy]
    draw: Any  # [copy]
    limit: Any  # [copy]
    stream: Any


class Toy(Simulation):
    """Two reds (Discrete) and a blue (MultiDiscrete, Dict observation), in plain Python.

    A red that takes action 2 dies. Action 1 is forbidden to reds at odd times. `limits` is the
    length of the episodes, one for all copies or one for each; a death exactly then counts as a
    death. Observations show the clock and the draw of the step.
    """

    RED = Group(
        "red",
        ("red_0", "red_1"),
        spaces.Box(-1, np.inf, (2,), np.float32),
        spaces.Discrete(3),
        ("wait", "work", "die"),
    )
    BLUE = Group(
        "blue",
        ("blue_0",),
        spaces.Dict(
            {
                "clock": spaces.Box(0, 1000, (1,), np.int64),
                "inner": spaces.Dict({"draw": spaces.Box(0, 1, (), np.float64)}),
            }
        ),
        spaces.MultiDiscrete([2, 3]),
    )

    def __init__(self, copies: int = 1, num_threads: int | None = None, *, limits: Any = 5):
        super().__init__(copies, num_threads)
        self.spec = Spec("toy/toy-v0", int(np.max(limits)), (self.RED, self.BLUE))
        self.state = ToyState(
            np.zeros(copies, np.int64),
            np.zeros(copies),
            np.broadcast_to(np.asarray(limits, np.int64), copies).copy(),
            random.philox_streams(copies),
        )
        self.out = {
            "red": allocate_output(self.RED, copies, reward_dtype=np.float32),
            "blue": allocate_output(self.BLUE, copies),
        }

    def _copies(self, lo: int, hi: int) -> list[int]:
        return [copy for copy in range(lo, hi) if self.chosen[copy]]

    def begin_copies(self, lo: int, hi: int) -> None:
        for copy in self._copies(lo, hi):
            self.state.clock[copy] = 0
            self.state.draw[copy] = random.uniform(self.state.stream[copy])
            for out in self.out.values():
                out.reward[copy] = 0
                out.terminated[copy] = out.truncated[copy] = False
                out.alive[copy] = True

    def step_copies(self, lo: int, hi: int) -> None:
        red = self.out["red"]
        for copy in self._copies(lo, hi):
            self.state.clock[copy] += 1
            self.state.draw[copy] = random.uniform(self.state.stream[copy])
            over = self.state.clock[copy] >= self.state.limit[copy]
            for name, out in self.out.items():
                was_live = out.alive[copy].copy()
                out.reward[copy] = np.where(was_live, self.actions[name][copy].T.sum(), 0)
                out.terminated[copy] = False
                out.truncated[copy] = was_live & over
                out.alive[copy] = was_live & ~over
                if out is red:
                    died = was_live & (self.actions[name][copy] == 2)
                    out.terminated[copy] = died
                    out.truncated[copy] &= ~died
                    out.alive[copy] &= ~died

    def observe_copies(self, lo: int, hi: int) -> None:
        red, blue = self.out["red"], self.out["blue"]
        for copy in self._copies(lo, hi):
            clock, draw = self.state.clock[copy], self.state.draw[copy]
            red.observation[copy] = (clock, draw)
            blue.observation["clock"][copy] = clock
            blue.observation["inner"]["draw"][copy] = draw
            for out, first in ((red, [0]), (blue, [0, 2])):
                out.action_mask[copy] = out.alive[copy][:, None]
                out.action_mask[copy][:, first] = 1
            red.action_mask[copy, :, 1] &= clock % 2 == 0

    def info_arrays(self) -> dict[str, dict[str, Any]]:
        return {"red": {"clock": np.stack([self.state.clock] * 2, axis=1)}}

    def metrics(self, copies: Any = None) -> dict[str, Any]:
        chosen = slice(None) if copies is None else list(copies)
        return {"clock": self.state.clock[chosen].astype(float)}


@pytest.fixture
def toy() -> type[Toy]:
    return Toy
