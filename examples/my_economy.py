"""An economy of one's own, in plain Python: an orchard, and a market for its apples.

Run it with ``python examples/my_economy.py``. It plays the same economy twice: alone, through the
interface that such scenarios are documented for, and as a batch of copies.
"""

import numpy as np

import ecumene
from ecumene import foundation
from ecumene.foundation.base.base_component import BaseComponent
from ecumene.foundation.base.base_env import BaseEnvironment
from ecumene.foundation.entities.resources import Resource


@foundation.resources.add
class Apple(Resource):
    """What grows here. Being collectible, it lies on the map, and `Gather` picks it up."""

    name = "Apple"
    color = np.array([0.8, 0.1, 0.1])
    collectible = True


@foundation.components.add
class SellApples(BaseComponent):
    """Lets agents sell apples at the price of the day, which falls with every sale."""

    name = "SellApples"
    required_entities = ["Apple", "Coin"]
    agent_subclasses = ["BasicMobileAgent"]

    def __init__(self, *args, highest_price=5, **kwargs):
        super().__init__(*args, **kwargs)
        self.highest_price = highest_price

    def get_n_actions(self, agent_cls_name):
        """One action for those that walk the map: sell an apple."""
        return 1 if agent_cls_name == "BasicMobileAgent" else None

    def get_additional_state_fields(self, agent_cls_name):
        """Fields of ``agent.state`` that begin anew with every episode."""
        return {"sold": 0} if agent_cls_name == "BasicMobileAgent" else {}

    def additional_reset_steps(self):
        """Draw the first price. Each copy of a batch has attributes of its own."""
        self.price = self.highest_price * np.random.rand()

    def component_step(self):
        """Serve all who want to sell, in a random order; then the price recovers."""
        for agent in self.world.get_random_order_agents():
            if agent.get_component_action(self.name) == 1 and agent.inventory["Apple"] >= 1:
                agent.inventory["Apple"] -= 1
                agent.inventory["Coin"] += self.price
                agent.state["sold"] += 1
                self.price *= 0.8
        self.price += 0.2 * (self.highest_price * np.random.rand() - self.price)

    def generate_observations(self):
        """Show everybody the price."""
        return {agent.idx: {"price": self.price} for agent in self.world.agents}

    def generate_masks(self, completions=0):
        """Only who has an apple can sell one."""
        return {a.idx: np.array([a.inventory["Apple"] >= 1]) for a in self.world.agents}

    def get_metrics(self):
        """Metrics are reported as ``SellApples/sold``."""
        return {"sold": sum(agent.state["sold"] for agent in self.world.agents)}


@foundation.scenarios.add
class Orchard(BaseEnvironment):
    """A field with trees, on which apples grow."""

    name = "example/orchard"
    agent_subclasses = ["BasicMobileAgent", "BasicPlanner"]
    required_entities = ["Apple"]

    def __init__(self, *args, trees=12, **kwargs):
        super().__init__(*args, **kwargs)
        self.trees = trees

    def reset_starting_layout(self):
        """Plant trees at random, each with an apple on it."""
        planted = np.zeros(self.world_size)
        planted.flat[np.random.choice(planted.size, self.trees, replace=False)] = 1
        self.world.maps.clear()
        self.world.maps.set("AppleSourceBlock", planted)
        self.world.maps.set("Apple", planted)

    def reset_agent_states(self):
        """Empty everybody's pockets, and put the agents on free tiles."""
        self.world.clear_agent_locs()
        for agent in self.world.agents:
            agent.state["inventory"].update(Apple=0, Coin=0)
            agent.state["endogenous"].update(Labor=0)
            while agent.loc == [-1, -1]:  # until a free tile is drawn
                self.world.set_agent_loc(agent, *(np.random.randint(n) for n in self.world_size))
        self.wealth = self._wealth()

    def scenario_step(self):
        """Let an apple ripen on one in twenty of the bare trees."""
        maps = self.world.maps
        ripe = maps.get("AppleSourceBlock") * (np.random.rand(*self.world_size) < 0.05)
        maps.set("Apple", np.maximum(maps.get("Apple"), ripe))

    def generate_observations(self):
        """Show everybody the whole map, and who is where on it."""
        seen = {"map": self.world.maps.state, "agents": self.world.loc_map}
        return {str(agent.idx): seen for agent in self.all_agents}

    def compute_reward(self):
        """Return what everybody earned in this step; the planner: all of that."""
        before, self.wealth = self.wealth, self._wealth()
        return {idx: now - before[idx] for idx, now in self.wealth.items()}

    def _wealth(self):
        own = {agent.idx: agent.total_endowment("Coin") for agent in self.world.agents}
        return {**own, "p": sum(own.values())}

    def scenario_metrics(self):
        """Report the coin that all earned together."""
        return {"coin": self._wealth()["p"]}


class OrchardSimulation(foundation.EconomySimulation):
    """Copies of the orchard, for `ecumene.make` and `ecumene.make_vec`."""

    scenario = "example/orchard"
    id = "example/orchard-v0"
    defaults = {
        "components": (("SellApples", {}), ("Gather", {})),
        "n_agents": 3,
        "world_size": (8, 8),
        "episode_length": 100,
    }


ecumene.register(OrchardSimulation.id, OrchardSimulation)


def alone(seed):
    """Play one episode in the documented interface, and return its metrics."""
    env = foundation.make_env_instance("example/orchard", **OrchardSimulation.defaults)
    env.seed(seed)
    draws = np.random.default_rng(seed)
    obs, done = env.reset(), {"__all__": False}
    while not done["__all__"]:
        allowed = {a.idx: np.flatnonzero(obs[str(a.idx)]["action_mask"]) for a in env.world.agents}
        obs, _, done, _ = env.step({idx: int(draws.choice(each)) for idx, each in allowed.items()})
    return env.previous_episode_metrics


def together(seed, copies=16):
    """Play an episode of many copies, and return the metrics of each."""
    vec = ecumene.make_vec(OrchardSimulation.id, copies, autoreset_mode="Disabled")
    vec.reset(seed=seed)
    draws = np.random.default_rng(seed)
    for _ in range(OrchardSimulation.defaults["episode_length"]):
        vec.step(vec.sample_actions(draws))
    return vec.metrics()


def main():
    """Print a small table."""
    print(f"{'orchards':>8}  {'apples sold':>11}  {'coin earned':>11}")
    for orchards, metrics in ((1, alone(seed=1)), (16, together(seed=1))):
        sold, coin = np.mean(metrics["SellApples/sold"]), np.mean(metrics["coin"])
        print(f"{orchards:>8}  {sold:>11.1f}  {coin:>11.1f}")


if __name__ == "__main__":
    main()
