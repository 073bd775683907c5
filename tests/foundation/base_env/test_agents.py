"""Agents: state, inventories, action spaces; by hand and as part of an environment."""

import random

import numpy as np
import pytest

from ecumene import foundation
from ecumene.foundation.base.base_agent import BaseAgent, agent_registry


class Part:
    """What an agent asks of a component."""

    def __init__(self, name, wanted):
        self.name = name
        self.wanted = wanted

    def get_n_actions(self, agent_cls_name):
        assert agent_cls_name == "BasicMobileAgent"
        return self.wanted


MARKET = Part("Market", [("Buy", 3), ("Nothing", 0), ("Sell", 2)])
WALK = Part("Walk", 4)


def mobile(*parts, multi=False, idx=0):
    agent = foundation.agents.get("BasicMobileAgent")(idx, multi)
    agent.register_inventory(["Coin", "Stone", "Wood"])
    agent.register_endogenous(["Labor"])
    agent.register_components(parts)
    return agent


@pytest.fixture(params=["by hand", "of an environment"])
def agent(request, make_uniform):
    """An agent that has three resources."""
    if request.param == "by hand":
        return mobile(WALK)
    env = make_uniform()
    env.reset()
    return env.get_agent(0)


def test_base_agent_is_where_it_is_documented():
    assert foundation.base.base_agent.BaseAgent is BaseAgent
    assert foundation.agents is agent_registry
    assert {"BasicMobileAgent", "BasicPlanner"} <= set(foundation.agents.entries)
    with pytest.raises(AssertionError, match="name"):
        BaseAgent()


def test_index():
    cls = foundation.agents.get("BasicMobileAgent")
    assert cls().idx == 0
    assert cls(3).idx == 3
    assert cls("x").idx == "x"
    assert type(cls(np.int64(2)).idx) is int
    assert cls().multi_action_mode is False
    assert cls(1, True).multi_action_mode is True


def test_planner():
    cls = foundation.agents.get("BasicPlanner")
    planner = cls(4)
    assert planner.idx == "p"
    assert list(planner.state) == ["inventory", "escrow", "endogenous"]
    with pytest.raises(AttributeError, match="location"):
        _ = planner.loc


def test_state_layout(make_uniform):
    env = make_uniform()
    agent, planner = env.get_agent(0), env.world.planner
    assert list(agent.state) == ["loc", "inventory", "escrow", "endogenous"]
    env.reset()
    assert list(agent.state) == [
        "loc",
        "inventory",
        "escrow",
        "endogenous",
        "build_payment",
        "build_skill",
        "bonus_gather_prob",
    ]
    assert list(agent.state["inventory"].items()) == [("Coin", 0), ("Stone", 0), ("Wood", 0)]
    assert dict(agent.state["escrow"]) == {"Coin": 0, "Stone": 0, "Wood": 0}
    assert agent.state["endogenous"] == {"Labor": 0}
    assert list(planner.state) == ["inventory", "escrow", "endogenous"]
    assert dict(planner.state["inventory"]) == {"Coin": 0, "Stone": 0, "Wood": 0}
    assert planner.state["endogenous"] == {}
    with pytest.raises(AttributeError):
        _ = planner.loc


def test_new_agent_has_the_documented_state():
    agent = foundation.agents.get("BasicMobileAgent")()
    assert agent.state == {"loc": [0, 0], "inventory": {}, "escrow": {}, "endogenous": {}}


def test_properties_are_the_state(agent):
    assert agent.loc == agent.state["loc"]
    agent.inventory["Coin"] = 7
    assert agent.state["inventory"]["Coin"] == 7
    agent.state["escrow"]["Wood"] = 2
    assert agent.escrow["Wood"] == 2
    agent.endogenous["Labor"] += 1.5
    assert agent.state["endogenous"] == {"Labor": 1.5}


def test_state_behaves_like_a_dict(agent):
    assert "loc" in agent.state
    assert "nothing" not in agent.state
    with pytest.raises(KeyError):
        agent.state["nothing"]
    assert agent.state.get("nothing", 4) == 4
    agent.state["mood"] = ["glad"]
    agent.state["mood"].append("calm")
    assert agent.state["mood"] == ["glad", "calm"]
    assert list(agent.state)[-1] == "mood"
    with pytest.raises(KeyError):
        agent.inventory["Gold"]
    assert dict(agent.inventory) == agent.inventory
    assert "Coin" in repr(agent.state)


def test_escrow(agent):
    agent.inventory["Coin"] = 10
    assert agent.inventory_to_escrow("Coin", 4) == 4.0
    assert type(agent.inventory_to_escrow("Coin", 2)) is float
    assert (agent.inventory["Coin"], agent.escrow["Coin"]) == (4, 6)
    assert agent.total_endowment("Coin") == 10
    assert agent.inventory_to_escrow("Coin", 99) == 4  # no more than there is
    assert (agent.inventory["Coin"], agent.escrow["Coin"]) == (0, 10)
    assert agent.escrow_to_inventory("Coin", 3) == 3
    assert agent.escrow_to_inventory("Coin", 0) == 0
    assert (agent.inventory["Coin"], agent.escrow["Coin"]) == (3, 7)
    assert agent.escrow_to_inventory("Coin", 99) == 7
    assert agent.total_endowment("Coin") == 10
    for move in (agent.inventory_to_escrow, agent.escrow_to_inventory):
        with pytest.raises(AssertionError, match=r"`Coin` is at least 0, not -1"):
            move("Coin", -1)
    assert (agent.inventory["Coin"], agent.escrow["Coin"]) == (10, 0)


def test_registration_happens_once():
    agent = mobile(WALK)
    for register in (
        lambda: agent.register_inventory(["Coin"]),
        lambda: agent.register_endogenous(["Labor"]),
        lambda: agent.register_components([]),
    ):
        with pytest.raises(AssertionError, match="twice"):
            register()


def test_subspaces_single_action_mode():
    agent = mobile(MARKET, WALK, Part("Idle", None), Part("Void", 0))
    assert agent.action_dim == {"Market.Buy": 3, "Market.Sell": 2, "Walk": 4}
    assert agent.action == {"Market.Buy": 0, "Market.Sell": 0, "Walk": 0}
    assert agent.action_spaces == 10
    assert type(agent.action_spaces) is int
    assert agent.single_action_map[1] == ["Market.Buy", 1]
    assert agent.single_action_map[5] == ["Market.Sell", 2]
    assert agent.single_action_map[9] == ["Walk", 4]
    assert set(agent.single_action_map) - {0} == set(range(1, 10))


def test_subspaces_multi_action_mode():
    agent = mobile(MARKET, WALK, Part("Idle", None), multi=True)
    assert agent.action_dim == {"Market.Buy": 4, "Market.Sell": 3, "Walk": 5}
    assert agent.action_spaces.dtype == np.int32
    assert agent.action_spaces.tolist() == [4, 3, 5]


def test_no_subspaces():
    assert mobile().action_spaces == 1
    passive = mobile(multi=True)
    assert passive.action_spaces.tolist() == [1]
    assert list(passive.action_dim) == ["PassiveAgentPlaceholder"]
    assert passive.flatten_masks({}).tolist() == [1.0]
    assert mobile().flatten_masks({}).tolist() == [1.0]


def test_bad_subspaces():
    with pytest.raises(NameError, match="dot"):
        mobile(Part("Market", [("Buy.Wood", 2)]))
    for wanted in ("4", {"Buy": 3}, 4.0):
        with pytest.raises(TypeError, match="`Market`.get_n_actions"):
            mobile(Part("Market", wanted))
    with pytest.raises(AssertionError, match=r"two action subspaces are named `Walk`"):
        mobile(WALK, WALK)
    with pytest.raises(AssertionError, match=r"`Market.Buy`"):
        mobile(Part("Market", [("Buy", 2), ("Buy", 3)]))


def test_parse_actions_single():
    agent = mobile(MARKET, WALK)
    agent.parse_actions(4)
    assert agent.action == {"Market.Buy": 0, "Market.Sell": 1, "Walk": 0}
    agent.parse_actions(0)  # leaves the buffer as it is
    assert agent.action["Market.Sell"] == 1
    agent.parse_actions({"Walk": 3})
    assert agent.action == {"Market.Buy": 0, "Market.Sell": 1, "Walk": 3}
    agent.parse_actions({})
    assert agent.action["Walk"] == 3
    for wrong in (10, -1, 2.0, "4", None, [4], False):
        with pytest.raises(TypeError, match=r"agent 0: .*0\.\.9"):
            agent.parse_actions(wrong)
    with pytest.raises(AssertionError, match="one subspace"):
        agent.parse_actions({"Walk": 3, "Market.Buy": 1})
    with pytest.raises(KeyError, match="Did you mean `Walk`"):
        agent.parse_actions({"Wlk": 3})
    with pytest.raises(TypeError, match=r"Walk: action 5 is outside 0\.\.4"):
        agent.parse_actions({"Walk": 5})


def test_parse_actions_multi():
    agent = mobile(MARKET, WALK, multi=True)
    agent.parse_actions([3, 0, 4])
    assert agent.action == {"Market.Buy": 3, "Market.Sell": 0, "Walk": 4}
    for wrong in ([1, 2], [1, 2, 3, 0], 3, "123", None):
        with pytest.raises(AssertionError, match=r"agent 0"):
            agent.parse_actions(wrong)
    for wrong in ([4, 0, 0], [0, 3, 0], [0, 0, -1], [0, 1.0, 0], [0, "1", 0]):
        with pytest.raises(TypeError, match=r"agent 0, (Market|Walk)"):
            agent.parse_actions(wrong)
    assert agent.action == {"Market.Buy": 3, "Market.Sell": 0, "Walk": 4}


def test_component_actions():
    agent = mobile(MARKET, WALK)
    agent.set_component_action("Walk", 2)
    agent.set_component_action("Market.Buy", 3)
    assert agent.get_component_action("Walk") == 2
    assert agent.get_component_action("Market", "Buy") == 3
    assert agent.get_component_action("Market", "Sell") == 0
    assert agent.get_component_action("Market", "Lend") is None
    assert agent.get_component_action("Market") == [3, 0]
    assert agent.get_component_action("Build") is None
    with pytest.raises(KeyError, match=r"subspace of agent 0 `Market`"):
        agent.set_component_action("Market", 1)


def test_a_component_with_one_subspace():
    agent = mobile(Part("Market", [("Buy", 3)]))
    agent.set_component_action("Market.Buy", 2)
    assert agent.get_component_action("Market") == 2


def test_has_component():
    agent = mobile(MARKET, WALK)
    assert agent.has_component("Walk") is True
    assert agent.has_component("Market.Buy") is True
    assert agent.has_component("Market") is False
    assert agent.has_component("walk") is False


def test_reset_actions():
    agent = mobile(MARKET, WALK)

    def fill():
        for name in agent.action:
            agent.action[name] = 1

    fill()
    agent.reset_actions()
    assert agent.action == {"Market.Buy": 0, "Market.Sell": 0, "Walk": 0}
    fill()
    agent.reset_actions("market")
    assert agent.action == {"Market.Buy": 0, "Market.Sell": 0, "Walk": 1}
    fill()
    agent.reset_actions("Market.Sell")
    assert agent.action == {"Market.Buy": 1, "Market.Sell": 0, "Walk": 1}
    agent.reset_actions("Mark")
    assert agent.action == {"Market.Buy": 1, "Market.Sell": 0, "Walk": 1}


@pytest.mark.parametrize("multi", [False, True])
def test_random_actions(multi):
    agent = mobile(MARKET, WALK, Part("One", 1), multi=multi)
    random.seed(3)
    before = np.random.get_state()[1].tobytes()
    drawn = [agent.get_random_action() for _ in range(400)]
    assert np.random.get_state()[1].tobytes() == before  # it draws from Python's generator
    assert all(len(each) == 1 for each in drawn)
    assert {next(iter(each.items())) for each in drawn} == {
        *(("Market.Buy", a) for a in (1, 2, 3)),
        *(("Market.Sell", a) for a in (1, 2)),
        *(("Walk", a) for a in (1, 2, 3, 4)),
        ("One", 1),
    }
    assert not any(agent.action.values())
    assert mobile(multi=multi).get_random_action() == {}


@pytest.mark.parametrize("multi", [False, True])
def test_populate_random_actions(multi):
    agent = mobile(MARKET, WALK, multi=multi)
    np.random.seed(3)
    before = random.getstate()
    seen = set()
    for _ in range(200):
        agent.populate_random_actions()
        seen |= set(agent.action.items())
    assert random.getstate() == before
    sizes = {"Market.Buy": 3, "Market.Sell": 2, "Walk": 4}
    assert seen == {(name, a) for name, most in sizes.items() for a in range(most + 1)}


def test_flatten_masks():
    masks = {"Walk": [1, 0, 1, 0], "Market.Sell": np.array([False, True]), "Market.Buy": [0, 0, 1]}
    single = mobile(MARKET, WALK).flatten_masks(masks)
    assert single.dtype == np.float32
    assert single.tolist() == [1, 0, 0, 1, 0, 1, 1, 0, 1, 0]
    multi = mobile(MARKET, WALK, multi=True).flatten_masks(masks)
    assert multi.dtype == np.float32
    assert multi.tolist() == [1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0]
    del masks["Market.Sell"]
    with pytest.raises(KeyError, match=r"`Market.Sell`"):
        mobile(MARKET, WALK).flatten_masks(masks)


def test_a_class_of_a_user(make_field, field, mint):
    """A user's agent class in the list of a scenario, and components that know it."""

    @foundation.agents.add
    class Trader(BaseAgent):
        name = "TestTrader"

        @property
        def wealth(self):
            return self.total_endowment("Coin")

    trader = Trader(7)
    trader.register_inventory(["Coin"])
    trader.inventory["Coin"] = 3
    assert trader.wealth == 3
    mixed = type("Mixed", (field,), {"agent_subclasses": ["BasicMobileAgent", "TestTrader"]})
    assert make_field(("TestMint", {}), cls=mixed).reset()["0"]
