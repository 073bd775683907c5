"""Gather and Build once more, in plain Python and as their documentation counts the steps.

The library's own are compiled. These here are slow and obvious; from one seed both must make the
very same episode.
"""

from typing import Any

import numpy as np

from ecumene import foundation

BaseComponent = foundation.base.base_component.BaseComponent
Gather = foundation.components.get("Gather")
Build = foundation.components.get("Build")

# What is between library and twin names sorts in the same place, and so observations compare.
GATHER_TWIN, BUILD_TWIN = "GatherTwin", "BuildTwin"


def sample(skill_dist: str, shape: float, mean: float, sigma: float) -> float | None:
    """Draw a skill, by NumPy; None where there is none to draw."""
    if skill_dist == "pareto":
        return np.random.pareto(shape)
    if skill_dist == "lognormal":
        return np.random.lognormal(mean, sigma)
    return None


class GatherTwin(BaseComponent):
    name = GATHER_TWIN
    component_type = "Gather"
    required_entities = ["Coin", "House", "Labor"]
    agent_subclasses = ["BasicMobileAgent"]
    moves = {0: (0, 0), 1: (0, -1), 2: (0, 1), 3: (-1, 0), 4: (1, 0)}

    def __init__(self, *args, move_labor=1.0, collect_labor=1.0, skill_dist="none", **kwargs):
        super().__init__(*args, **kwargs)
        self.move_labor = move_labor
        self.collect_labor = collect_labor
        self.skill_dist = skill_dist
        self.steps: list[list[dict[str, Any]]] = []

    def get_n_actions(self, agent_cls_name):
        return 4 if agent_cls_name == "BasicMobileAgent" else None

    def get_additional_state_fields(self, agent_cls_name):
        return {"bonus_gather_prob": 0.0} if agent_cls_name == "BasicMobileAgent" else {}

    def additional_reset_steps(self):
        self.steps = []
        for agent in self.world.agents:
            drawn = sample(self.skill_dist, 3, -2.022, 0.938)
            if drawn is not None:
                agent.state["bonus_gather_prob"] = float(np.minimum(2, drawn) / 2)

    def component_step(self):
        events = []
        for agent in self.world.get_random_order_agents():
            r, c = agent.loc
            dr, dc = self.moves[agent.get_component_action(self.name)]
            new_r, new_c = self.world.set_agent_loc(agent, r + dr, c + dc)
            if (new_r, new_c) != (r, c):
                agent.state["endogenous"]["Labor"] += self.move_labor
            for resource, health in self.world.location_resources(new_r, new_c).items():
                if health >= 1:
                    n = 2 if np.random.rand() < agent.state["bonus_gather_prob"] else 1
                    agent.state["inventory"][resource] += n
                    self.world.consume_resource(resource, new_r, new_c)
                    agent.state["endogenous"]["Labor"] += self.collect_labor
                    place = [new_r, new_c]
                    events.append({"agent": agent.idx, "resource": resource, "n": n, "loc": place})
        self.steps.append(events)

    def generate_observations(self):
        return {
            agent.idx: {"bonus_gather_prob": agent.state["bonus_gather_prob"]}
            for agent in self.world.agents
        }

    def generate_masks(self, completions=0):
        maps = self.world.maps
        masks = {}
        for agent in self.world.agents:
            r, c = agent.loc
            targets = [(r, c - 1), (r, c + 1), (r - 1, c), (r + 1, c)]
            masks[agent.idx] = [
                self.world.is_valid(*tile)
                and maps.unoccupied[tile]
                and maps.accessibility[agent.idx][tile]
                for tile in targets
            ]
        return masks

    def get_dense_log(self):
        return self.steps


class SteppingGather(Gather):
    """The library's Gather with only the step of the twin."""

    name = GATHER_TWIN
    component_type = "Gather"
    moves = GatherTwin.moves
    component_step = GatherTwin.component_step
    get_dense_log = GatherTwin.get_dense_log

    def additional_reset_steps(self):
        super().additional_reset_steps()
        self.steps = []


class BuildTwin(BaseComponent):
    name = BUILD_TWIN
    component_type = "Build"
    required_entities = ["Wood", "Stone", "Coin", "House", "Labor"]
    agent_subclasses = ["BasicMobileAgent"]

    def __init__(
        self,
        *args,
        payment=10,
        payment_max_skill_multiplier=1,
        skill_dist="none",
        build_labor=10.0,
        **kwargs,
    ):
        super().__init__(*args, **kwargs)
        self.payment = payment
        self.most = payment_max_skill_multiplier
        self.skill_dist = skill_dist
        self.build_labor = build_labor
        self.skills: dict[Any, float] = {}
        self.steps: list[list[dict[str, Any]]] = []

    def get_n_actions(self, agent_cls_name):
        return 1 if agent_cls_name == "BasicMobileAgent" else None

    def get_additional_state_fields(self, agent_cls_name):
        if agent_cls_name != "BasicMobileAgent":
            return {}
        return {"build_payment": float(self.payment), "build_skill": 1.0}

    def additional_reset_steps(self):
        self.steps = []
        for agent in self.world.agents:
            skill, rate = 1.0, 1.0
            drawn = sample(self.skill_dist, 4, -1, 0.5)
            if drawn is not None:
                skill = float(drawn)
                rate = float(np.minimum(self.most, (self.most - 1) * skill + 1))
            agent.state["build_payment"] = rate * self.payment
            agent.state["build_skill"] = self.skills[agent.idx] = skill

    def agent_can_build(self, agent):
        r, c = agent.loc
        free = not self.world.location_resources(r, c) and not self.world.location_landmarks(r, c)
        return free and agent.inventory["Wood"] >= 1 and agent.inventory["Stone"] >= 1

    def component_step(self):
        events = []
        for agent in self.world.get_random_order_agents():
            if agent.get_component_action(self.name) == 1 and self.agent_can_build(agent):
                r, c = agent.loc
                agent.state["inventory"]["Wood"] -= 1
                agent.state["inventory"]["Stone"] -= 1
                self.world.create_landmark("House", r, c, agent.idx)
                agent.state["inventory"]["Coin"] += agent.state["build_payment"]
                agent.state["endogenous"]["Labor"] += self.build_labor
                income = float(agent.state["build_payment"])
                events.append({"builder": agent.idx, "loc": np.array([r, c]), "income": income})
        self.steps.append(events)

    def generate_observations(self):
        return {
            agent.idx: {
                "build_payment": agent.state["build_payment"] / self.payment,
                "build_skill": self.skills[agent.idx],
            }
            for agent in self.world.agents
        }

    def generate_masks(self, completions=0):
        return {agent.idx: [self.agent_can_build(agent)] for agent in self.world.agents}

    def get_metrics(self):
        builders = [event["builder"] for events in self.steps for event in events]
        counts = {f"{a.idx}/n_builds": builders.count(a.idx) for a in self.world.agents}
        return {**counts, "total_builds": int((self.world.maps.get("House") > 0).sum())}

    def get_dense_log(self):
        return self.steps


class SteppingBuild(Build):
    """The library's Build with only the step, and so the log and metrics, of the twin."""

    name = BUILD_TWIN
    component_type = "Build"
    component_step = BuildTwin.component_step
    get_dense_log = BuildTwin.get_dense_log
    get_metrics = BuildTwin.get_metrics

    def additional_reset_steps(self):
        super().additional_reset_steps()
        self.steps = []


def register(monkeypatch: Any, *classes: type) -> None:
    """Put components into the registry for the length of a test."""
    registry = foundation.components
    monkeypatch.setattr(registry, "_classes", dict(registry._classes))
    for cls in classes:
        registry.add(cls)
