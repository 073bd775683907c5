"""An economy written by a user in plain Python, with every kind of part; and users' components."""

import random

import numpy as np

from ecumene import foundation
from ecumene.foundation.base.base_component import BaseComponent
from ecumene.foundation.base.base_env import BaseEnvironment
from ecumene.foundation.components import Gather
from ecumene.foundation.entities.endogenous import Endogenous
from ecumene.foundation.entities.landmarks import Landmark
from ecumene.foundation.entities.resources import Resource


class Berry(Resource):
    name = "Berry"
    color = np.array([0.6, 0.0, 0.4])
    collectible = True


class Well(Landmark):
    name = "Well"
    color = np.array([0.2, 0.2, 1.0])
    ownable = False
    solid = True


class Joy(Endogenous):
    name = "Joy"


class Dance(BaseComponent):
    """Two dances, of which one needs energy; draws from both global generators."""

    name = "Dance"
    required_entities = ["Berry", "Joy"]
    agent_subclasses = ["BasicMobileAgent"]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.danced = []
        self.favourite = self.world.agents[0]  # a part of the world, not of this component
        self.made_with = np.random.rand()

    def get_n_actions(self, agent_cls_name):
        return 2 if agent_cls_name == "BasicMobileAgent" else None

    def get_additional_state_fields(self, agent_cls_name):
        return {"energy": 1.0} if agent_cls_name == "BasicMobileAgent" else {}

    def additional_reset_steps(self):
        self.danced = []
        self.mood = {"today": float(np.random.rand())}

    def component_step(self):
        partners = 0
        for agent in self.world.get_random_order_agents():
            action = agent.get_component_action("Dance")
            if action == 2 and agent.state["energy"] < 0.5:
                continue
            if action:
                partners += 1
                agent.state["energy"] -= random.random() / 4
                agent.endogenous["Joy"] += self.mood["today"]
        self.favourite.endogenous["Joy"] += 0.125
        self.mood["today"] = 0.5 * self.mood["today"] + 0.5 * float(np.random.rand())
        self.danced.append(partners)

    def generate_observations(self):
        seen = {
            a.idx: {"energy": a.state["energy"], "mood": self.mood["today"]}
            for a in self.world.agents
        }
        favours = {f"p{a.idx}": {"favourite": a is self.favourite} for a in self.world.agents}
        return {**seen, "p": {"danced": sum(self.danced)}, **favours}

    def generate_masks(self, completions=0):
        return {a.idx: np.array([1, a.state["energy"] >= 0.5]) for a in self.world.agents}

    def get_metrics(self):
        return {"danced": sum(self.danced), "noise": np.random.rand()}

    def get_dense_log(self):
        return list(self.danced)


class Grove(BaseEnvironment):
    """Berries and wells at random places; the weather changes."""

    name = "test/grove"
    agent_subclasses = ["BasicMobileAgent", "BasicPlanner"]
    required_entities = ["Berry", "Well", "Wood", "Stone"]

    def __init__(self, *args, wells=3, **kwargs):
        super().__init__(*args, **kwargs)
        self.wells = wells
        self.episodes = 0

    def reset_starting_layout(self):
        maps = self.world.maps
        maps.clear()
        for name in ("Berry", "Wood", "Stone"):
            growing = (np.random.rand(*self.world_size) < 0.3) & maps.empty
            maps.set(f"{name}SourceBlock", growing)
            maps.set(name, growing)
        for _ in range(self.wells):
            r, c = (random.randrange(side) for side in self.world_size)
            for name in maps.channel:
                if name not in maps.private:
                    maps.set_point(name, r, c, name == "Well")

    def reset_agent_states(self):
        self.episodes += 1
        self.weather = [int(np.random.choice(3))]
        self.world.clear_agent_locs()
        for agent in self.world.agents:
            for name in self.resources:
                agent.state["inventory"][name] = 0
                agent.state["escrow"][name] = 0
            agent.state["endogenous"].update(Labor=0, Joy=0)
            while agent.loc == [-1, -1]:
                self.world.set_agent_loc(agent, *(np.random.randint(n) for n in self.world_size))
        self.before = self.joys()

    def joys(self):
        own = {agent.idx: agent.endogenous["Joy"] for agent in self.world.agents}
        return {**own, "p": sum(own.values())}

    def scenario_step(self):
        self.weather.append(int(np.random.choice(3)))
        maps = self.world.maps
        ripe = maps.get("BerrySourceBlock") * (np.random.rand(*self.world_size) < 0.1)
        maps.set("Berry", np.maximum(maps.get("Berry"), ripe))

    def generate_observations(self):
        seen = {"map": self.world.maps.state, "weather": self.weather[-1] / 2}
        return {str(agent.idx): dict(seen) for agent in self.all_agents}

    def compute_reward(self):
        now, before = self.joys(), self.before
        self.before = now
        return {idx: now[idx] - before[idx] for idx in now}

    def scenario_metrics(self):
        return {"weather": sum(self.weather), "episodes": self.episodes}


class MoodyGather(Gather):
    """Gather by agents of which, every other step or so, nobody feels like it."""

    name = "MoodyGather"

    def component_step(self):
        self.idle = getattr(self, "idle", 0)
        if np.random.rand() < 0.5:
            super().component_step()
        else:
            self.idle += 1


class DutifulGather(Gather):
    """Gather, called through a method of a user's own."""

    name = "DutifulGather"

    def component_step(self):
        super().component_step()


class PlainGather(BaseComponent):
    """Gather once more, from its description alone."""

    name = "PlainGather"
    required_entities = ["Coin", "House", "Labor"]
    agent_subclasses = ["BasicMobileAgent"]

    def get_n_actions(self, agent_cls_name):
        return 4 if agent_cls_name == "BasicMobileAgent" else None

    def get_additional_state_fields(self, agent_cls_name):
        return {"bonus_gather_prob": 0.0} if agent_cls_name == "BasicMobileAgent" else {}

    def additional_reset_steps(self):
        for agent in self.world.agents:
            agent.state["bonus_gather_prob"] = float(min(2, np.random.pareto(3)) / 2)

    def component_step(self):
        world = self.world
        for agent in world.get_random_order_agents():
            action = agent.get_component_action(self.name)
            r, c = agent.loc
            down, right = [(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0)][action]
            if action and list(world.set_agent_loc(agent, r + down, c + right)) != [r, c]:
                agent.endogenous["Labor"] += 1
            for name, amount in world.location_resources(*agent.loc).items():
                if amount >= 1:
                    agent.inventory[name] += 1 + (
                        np.random.rand() < agent.state["bonus_gather_prob"]
                    )
                    world.consume_resource(name, *agent.loc)
                    agent.endogenous["Labor"] += 1

    def generate_observations(self):
        return {
            a.idx: {"bonus_gather_prob": a.state["bonus_gather_prob"]} for a in self.world.agents
        }

    def generate_masks(self, completions=0):
        masks = {}
        for agent in self.world.agents:
            r, c = agent.loc
            around = [(r, c - 1), (r, c + 1), (r - 1, c), (r + 1, c)]
            masks[agent.idx] = np.array([self.world.can_agent_occupy(*p, agent) for p in around])
        return masks


class Watcher(BaseComponent):
    """Notes where agent 0 is when its turn comes."""

    name = "Watcher"
    required_entities = []
    agent_subclasses = ["BasicMobileAgent"]

    def get_n_actions(self, agent_cls_name):
        return None

    def get_additional_state_fields(self, agent_cls_name):
        return {}

    def additional_reset_steps(self):
        self.place = -1

    def component_step(self):
        r, c = self.world.agents[0].loc
        self.place = r * 100 + c

    def generate_observations(self):
        return {}

    def get_metrics(self):
        return {"place": self.place}


PARTS = {
    foundation.resources: (Berry,),
    foundation.landmarks: (Well,),
    foundation.endogenous: (Joy,),
    foundation.components: (Dance, MoodyGather, DutifulGather, PlainGather, Watcher),
    foundation.scenarios: (Grove,),
}


def register():
    """Register all of these; return the registries' former content, for `unregister`."""
    before = [(registry, dict(registry._classes)) for registry in PARTS]
    for registry, classes in PARTS.items():
        for cls in classes:
            registry.add(cls)
    return before


def unregister(before):
    for registry, classes in before:
        registry._classes.clear()
        registry._classes.update(classes)


_before = register()


class GroveSimulation(foundation.EconomySimulation):
    scenario = "test/grove"
    defaults = {
        "components": (("Dance", {}), ("Gather", {}), ("Build", {"skill_dist": "pareto"})),
        "n_agents": 3,
        "world_size": (6, 7),
        "episode_length": 8,
    }


unregister(_before)
