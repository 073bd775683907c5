"""An economy in plain Python, written as a user writes one, and helpers shared by these tests."""

from typing import Any

import numpy as np
import pytest

from ecumene import foundation
from ecumene.foundation.base.base_component import BaseComponent
from ecumene.foundation.base.base_env import BaseEnvironment


class Field(BaseEnvironment):
    """A bare field: agents start side by side in the top row, and coin is what rewards them."""

    name = "test-base/field"
    agent_subclasses = ["BasicMobileAgent", "BasicPlanner"]
    required_entities: Any = []

    def reset_starting_layout(self) -> None:
        self.world.maps.clear()

    def reset_agent_states(self) -> None:
        self.world.clear_agent_locs()
        for agent in self.all_agents:
            for part in (agent.inventory, agent.escrow, agent.endogenous):
                part.update(dict.fromkeys(part, 0))
        for i, agent in enumerate(self.world.agents):
            self.world.set_agent_loc(agent, 0, i)

    def scenario_step(self) -> None:
        pass

    def generate_observations(self) -> Any:
        return {
            agent.idx: {"coin": agent.inventory["Coin"] * self.inv_scale}
            for agent in self.all_agents
        }

    def compute_reward(self) -> Any:
        return {agent.idx: float(agent.inventory["Coin"]) for agent in self.all_agents}


class Mint(BaseComponent):
    """Agents earn and give coin; the planner pays bonuses and takes tolls.

    Earning draws from NumPy's generator: ``Earn`` pays its action plus a luck in [0, 1).
    """

    name = "TestMint"
    component_type = "Mint"
    required_entities: Any = ["Coin", "Labor"]
    agent_subclasses = ["BasicMobileAgent", "BasicPlanner"]

    def __init__(self, *args: Any, luck: float = 1.0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.luck = luck
        self.events: list[Any] = []
        self.board = np.zeros((2, 2))

    def get_n_actions(self, agent_cls_name: str) -> Any:
        if agent_cls_name == "BasicPlanner":
            return [("Bonus", 2), ("Toll", 4)]
        return [("Earn", 3), ("Give", 2)]

    def get_additional_state_fields(self, agent_cls_name: str) -> dict[str, Any]:
        return {"earned": 0.0, "diary": []} if agent_cls_name == "BasicMobileAgent" else {}

    def additional_reset_steps(self) -> None:
        self.events = []
        self.board[:] = 0

    def component_step(self) -> None:
        planner = self.world.planner
        bonus = planner.get_component_action(self.name, "Bonus") or 0
        toll = planner.get_component_action(self.name, "Toll") or 0
        step = []
        for agent in self.world.agents:
            earn = agent.get_component_action(self.name, "Earn")
            give = agent.get_component_action(self.name, "Give")
            if earn:
                amount = earn + self.luck * np.random.rand()
                agent.inventory["Coin"] += amount
                agent.endogenous["Labor"] += earn
                agent.state["earned"] += amount
                agent.state["diary"].append(self.world.timestep)
                step.append({"agent": agent.idx, "amount": amount})
            paid = min(give + toll, agent.inventory["Coin"])
            agent.inventory["Coin"] += bonus - paid
            planner.inventory["Coin"] += paid - bonus
        self.board[0, 0] += 1
        self.events.append(step)

    def generate_observations(self) -> Any:
        own = {
            str(agent.idx): {"earned": agent.state["earned"], "board": self.board}
            for agent in self.world.agents
        }
        seen = {f"p{agent.idx}": {"earned": agent.state["earned"]} for agent in self.world.agents}
        return {**own, **seen, "p": {"days": np.array([self.world.timestep, self.episode_length])}}

    def generate_masks(self, completions: int = 0) -> Any:
        masks = super().generate_masks(completions)
        for agent in self.world.agents:
            masks[agent.idx]["Give"] = np.arange(1, 3) <= agent.inventory["Coin"]
        return masks

    def get_metrics(self) -> dict[str, Any]:
        return {"earned": sum(agent.state["earned"] for agent in self.world.agents)}

    def get_dense_log(self) -> Any:
        return self.events


class Witness(BaseComponent):
    """Writes down what is done with it, in the list that it is given."""

    name = "TestWitness"
    required_entities: Any = []
    agent_subclasses = ["BasicMobileAgent"]

    def __init__(self, *args: Any, trace: list[Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.trace = trace

    def get_n_actions(self, agent_cls_name: str) -> Any:
        return None

    def get_additional_state_fields(self, agent_cls_name: str) -> dict[str, Any]:
        return {}

    def reset(self) -> None:
        self.trace.append(f"{self.name}.reset")
        super().reset()

    def component_step(self) -> None:
        self.trace.append(f"{self.name}.step")

    def generate_observations(self) -> Any:
        self.trace.append(f"{self.name}.observe")
        return {}

    def generate_masks(self, completions: int = 0) -> Any:
        self.trace.append(f"{self.name}.mask")
        return {}


class SecondWitness(Witness):
    name = "TestSecondWitness"


@pytest.fixture(autouse=True)
def _registries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test register what it likes: afterwards everything is as it was."""
    for registry in (
        foundation.scenarios,
        foundation.components,
        foundation.agents,
        foundation.resources,
        foundation.landmarks,
        foundation.endogenous,
    ):
        monkeypatch.setattr(registry, "_classes", dict(registry._classes))
    foundation.scenarios.add(Field)
    for component in (Mint, Witness, SecondWitness):
        foundation.components.add(component)


@pytest.fixture
def field() -> type[Field]:
    """The plain scenario, to be used as it is or as a base class."""
    return Field


@pytest.fixture
def mint() -> type[Mint]:
    """The plain component with sub-actions for agents and planner."""
    return Mint


@pytest.fixture
def make_field():
    """Return ``make(*components, cls=Field, **parameters)``: a plain economy of 3 agents."""

    def make(*components: Any, cls: Any = Field, **parameters: Any) -> Any:
        defaults = {"n_agents": 3, "world_size": [4, 5], "episode_length": 6}
        return cls(list(components), **{**defaults, **parameters})

    return make


COMPONENTS = (
    ("Build", {"skill_dist": "pareto", "payment_max_skill_multiplier": 3, "build_labor": 2.0}),
    ("Gather", {"skill_dist": "lognormal"}),
)
DENSE_FIELD = {
    "starting_wood_coverage": 0.2,
    "starting_stone_coverage": 0.2,
    "wood_regen_weight": 0.3,
    "stone_regen_weight": 0.3,
}


@pytest.fixture
def make_uniform():
    """Return ``make(**parameters)``: a small, rich field of the library, Build and Gather on it."""

    def make(**parameters: Any) -> Any:
        given: dict[str, Any] = {
            "components": list(COMPONENTS),
            "n_agents": 3,
            "world_size": [8, 9],
            "episode_length": 12,
            **DENSE_FIELD,
            **parameters,
        }
        return foundation.make_env_instance("uniform/simple_wood_and_stone", **given)

    return make


@pytest.fixture
def allowed():
    """Return ``allowed(obs, random)``: an allowed action for every agent, single-action mode.

    ``random`` is a generator of the test's own. The planner is left out.
    """

    def choose(obs: dict[str, Any], random: np.random.Generator) -> dict[str, Any]:
        return {
            idx: int(random.choice(np.flatnonzero(fields["action_mask"])))
            for idx, fields in obs.items()
            if idx != "p"
        }

    return choose


@pytest.fixture
def play(allowed):
    """Return ``play(env, seed, **reset_arguments)``: one whole episode; lists what came back."""

    def whole_episode(env: Any, seed: int, **reset_arguments: Any) -> list[Any]:
        random = np.random.default_rng(seed)
        returned: list[Any] = [env.reset(**reset_arguments)]
        for _ in range(env.episode_length):
            obs = returned[0] if len(returned) == 1 else returned[-1][0]
            returned.append(env.step(allowed(obs, random)))
        return returned

    return whole_episode
