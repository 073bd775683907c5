"""Utilities, welfare, rewards and metrics against plain twins."""

import numpy as np
import pytest
from foundation.scenarios.twins import economy, gini, inverse_weighted, utility, welfare
from hypothesis import given, settings
from hypothesis import strategies as st

from ecumene.foundation.scenarios.utils import rewards, social_metrics

PLANNERS = (
    "coin_eq_times_productivity",
    "inv_income_weighted_coin_endowments",
    "inv_income_weighted_utility",
)
MEASURES = [
    "social/productivity",
    "social/equality",
    "social_welfare/coin_eq_times_productivity",
    "social_welfare/inv_income_weighted_coin_endow",
    "social_welfare/inv_income_weighted_utility",
]


def make_rich(env, generator):
    """Give everybody other amounts, some of it set aside, and let labor grow."""
    for agent in env.world.agents:
        agent.state["inventory"]["Coin"] = float(generator.choice([0, 0.5, *range(20)]))
        agent.state["escrow"]["Coin"] = float(generator.choice([0, 3]))
        agent.state["endogenous"]["Labor"] += float(generator.uniform(0, 3))


class Twin:
    """The objectives of an environment, from its agents' coin and labor."""

    def __init__(self, env, eta, cost, constant, method, kind, mixing):
        self.env, self.eta, self.cost = env, eta, cost
        self.constant, self.method = constant, method
        self.kind, self.mixing = kind, mixing
        self.episodes = self.good_steps = 0

    @property
    def coins(self):
        return [agent.total_endowment("Coin") for agent in self.env.world.agents]

    def energy_weight(self):
        if self.constant <= 0:
            return 1
        elapsed = self.good_steps if self.method == "auto" else self.episodes
        return 1 - np.exp(-elapsed / self.constant)

    def objectives(self):
        cost = self.cost * self.energy_weight()
        labors = [agent.state["endogenous"]["Labor"] for agent in self.env.world.agents]
        coins = self.coins
        utilities = [utility(*each, self.eta, cost) for each in zip(coins, labors, strict=True)]
        return np.array([*utilities, welfare(self.kind, coins, utilities, self.mixing)])

    def metrics(self, objectives):
        coins, utilities = self.coins, objectives[:-1]
        values = [sum(coins), 1 - gini(coins)]
        values += [welfare(kind, coins, utilities, 0) for kind in PLANNERS]
        named = dict(zip(MEASURES, values, strict=True))
        for agent, own in zip(self.env.all_agents, objectives, strict=True):
            for name in ("Coin", "Stone", "Wood"):
                named[f"endow/{agent.idx}/{name}"] = agent.total_endowment(name)
            if agent.idx != "p":
                named[f"endogenous/{agent.idx}/Labor"] = agent.state["endogenous"]["Labor"]
            named[f"util/{agent.idx}"] = own
        named["labor/weighted_cost"] = self.cost * self.energy_weight()
        named["labor/warmup_integrator"] = self.good_steps
        return named


@given(
    n=st.sampled_from([2, 5, 29, 30, 34]),
    eta=st.sampled_from([0, 0.23, 0.7, 1]),
    cost=st.sampled_from([0, 0.21, 2]),
    constant=st.sampled_from([0, 2, 10.5]),
    method=st.sampled_from(["decay", "auto"]),
    kind=st.sampled_from(PLANNERS),
    mixing=st.sampled_from([0, 0.4, 1]),
    seed=st.integers(1, 10**6),
)
@settings(max_examples=40)
def test_rewards_and_metrics(n, eta, cost, constant, method, kind, mixing, seed):
    env = economy(
        "uniform",
        n_agents=n,
        episode_length=3,
        starting_agent_coin=4,
        isoelastic_eta=eta,
        energy_cost=cost,
        energy_warmup_constant=constant,
        energy_warmup_method=method,
        planner_reward_type=kind,
        mixing_weight_gini_vs_coin=mixing,
    )
    twin = Twin(env, eta, cost, constant, method, kind, mixing)
    generator = np.random.default_rng(seed)
    env.seed(seed)
    for _ in range(3):
        env.reset()
        before = twin.objectives()
        assert_close(env.init_optimization_metric, before)
        for _ in range(3):
            make_rich(env, generator)
            assert_close(env.get_current_optimization_metrics(), twin.objectives())
            _, told, _, _ = env.step({})
            now = twin.objectives()
            assert list(told) == [str(agent.idx) for agent in env.all_agents]
            np.testing.assert_allclose(list(told.values()), now - before, rtol=1e-9, atol=1e-9)
            assert_close(env.prev_optimization_metric, before)
            assert_close(env.curr_optimization_metric, now)
            twin.good_steps += np.mean(list(told.values())[:-1]) > 0
            before = now
        expected = twin.metrics(now)
        found = env.previous_episode_metrics
        of_scenario = [name for name in found if not name.startswith("Build/")]
        assert of_scenario == list(expected)
        for name, value in expected.items():
            assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name
        twin.episodes += 1


def assert_close(by_agent, expected):
    np.testing.assert_allclose(list(by_agent.values()), expected, rtol=1e-9, atol=1e-9)


ENDOWMENTS = st.lists(st.floats(0, 1e4), min_size=2, max_size=40)


@given(ENDOWMENTS)
def test_social_metrics(values):
    assert social_metrics.get_gini(values) == pytest.approx(gini(values), abs=1e-9)
    assert social_metrics.get_equality(values) == pytest.approx(1 - gini(values), abs=1e-9)
    assert social_metrics.get_productivity(values) == pytest.approx(sum(values))


@given(ENDOWMENTS)
def test_the_consistent_index_is_the_pairwise_one(values):
    n, total = len(values), sum(values)
    pairs = sum(abs(a - b) for a in values for b in values)
    expected = pairs / (2 * (n - 1) * total) if total > 0 else 0
    assert social_metrics.consistent_gini(values) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("n", [2, 29, 30, 100])
def test_extremes_of_inequality(n):
    one_has_all = [0] * (n - 1) + [10]
    assert social_metrics.consistent_gini([5] * n) == pytest.approx(0, abs=1e-9)
    assert social_metrics.consistent_gini([0] * n) == 0
    assert social_metrics.consistent_gini(one_has_all) == pytest.approx(1)
    assert social_metrics.get_gini([5] * n) == pytest.approx(0, abs=1e-9)
    # The documented index of 30 agents and more never reaches 1.
    assert social_metrics.get_gini(one_has_all) == pytest.approx(1 if n < 30 else (n - 1) / (n + 1))
    with pytest.raises(ValueError, match="from 0 up, not -1"):
        social_metrics.consistent_gini([-1, 2])


@given(ENDOWMENTS, st.floats(0, 1), st.sampled_from([0, 0.23, 0.99, 1]))
def test_objectives(coins, weight, eta):
    labors = np.arange(len(coins), dtype=float)
    expected = [utility(c, lab, eta, 0.5) for c, lab in zip(coins, labors, strict=True)]
    found = rewards.isoelastic_coin_minus_labor(coins, labors, eta, 0.5)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert rewards.coin_eq_times_productivity(coins, weight) == pytest.approx(
        welfare(PLANNERS[0], coins, expected, 1 - weight), abs=1e-9
    )
    assert rewards.inv_income_weighted_coin_endowments(coins) == pytest.approx(
        inverse_weighted(np.array(coins), np.array(coins))
    )
    assert rewards.inv_income_weighted_utility(coins, expected) == pytest.approx(
        inverse_weighted(np.array(coins), np.array(expected)), abs=1e-9
    )


def test_objectives_of_one_agent_are_numbers():
    assert rewards.isoelastic_coin_minus_labor(10.0, 2.0, 0, 0.5) == pytest.approx(8)
    assert rewards.isoelastic_coin_minus_labor(np.e, 0, 1, 0) == pytest.approx(1)
    assert rewards.coin_minus_labor_cost(10, 3, 2, 0.5) == 5.5
    assert isinstance(rewards.coin_minus_labor_cost(10, 3, 2, 0.5), float)


def test_objectives_refuse_what_they_are_not_defined_for():
    with pytest.raises(AssertionError, match="coin is at least 0, not -1"):
        rewards.isoelastic_coin_minus_labor(-1, 0, 0.2, 1)
    with pytest.raises(AssertionError, match="isoelastic_eta is in 0..1, not 2"):
        rewards.isoelastic_coin_minus_labor(1, 0, 2, 1)
    with pytest.raises(AssertionError, match="labor_exponent is above 1, not 1"):
        rewards.coin_minus_labor_cost(1, 1, 1, 1)
