"""Rewards and social metrics, against formulas written out in plain Python."""

import math

import numpy as np
import pytest

from ecumene.foundation.scenarios.utils import rewards, social_metrics

RNG = np.random.default_rng(5)
WEALTHS = [
    [0.0, 3.0],
    [5.0, 5.0, 5.0],
    [1.0, 2.0, 3.0, 10.0],
    [0.0, 0.0, 0.0, 7.5],
    RNG.integers(0, 50, 29).astype(float).tolist(),
]
CROWDS = [RNG.integers(0, 50, n).astype(float).tolist() for n in (30, 31, 100)]


def few_gini(wealth):
    n = len(wealth)
    differences = sum(abs(one - other) for one in wealth for other in wealth)
    return differences / (2 * n * sum(wealth) + 1e-10) / ((n - 1) / n)


def many_gini(wealth):
    n, total = len(wealth), sum(wealth) + 1e-10
    shares, running = 0.0, 0.0
    for each in sorted(wealth):
        running += each
        shares += running / total
    return 1 - 2 / (n + 1) * shares


@pytest.mark.parametrize("wealth", WEALTHS)
def test_gini_of_few(wealth):
    assert social_metrics.get_gini(wealth) == pytest.approx(few_gini(wealth), rel=1e-12)
    assert social_metrics.get_gini(np.array(wealth)[::-1]) == social_metrics.get_gini(wealth)


@pytest.mark.parametrize("wealth", CROWDS)
def test_gini_of_many(wealth):
    assert social_metrics.get_gini(wealth) == pytest.approx(many_gini(wealth), rel=1e-12)


@pytest.mark.parametrize("wealth", WEALTHS + CROWDS)
def test_equality_and_productivity(wealth):
    assert social_metrics.get_equality(wealth) == 1 - social_metrics.get_gini(wealth)
    assert social_metrics.get_productivity(wealth) == pytest.approx(sum(wealth))


def test_gini_jumps_at_30_agents():
    """As documented for these economies; `consistent_gini` is the index without the jump."""
    assert social_metrics.get_gini([0.0] * 29) == 0
    assert social_metrics.get_gini([0.0] * 30) == 1
    lone = [0.0] * 29 + [1.0]
    assert social_metrics.get_gini(lone[1:]) == pytest.approx(1)
    assert social_metrics.get_gini(lone) == pytest.approx(1 - 2 / 31)


@pytest.mark.parametrize("n", [2, 29, 30, 100])
def test_consistent_gini_at_its_ends(n):
    assert social_metrics.consistent_gini([0.0] * n) == 0
    assert social_metrics.consistent_gini([7.0] * n) == pytest.approx(0, abs=1e-12)
    assert social_metrics.consistent_gini([0.0] * (n - 1) + [5.0]) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("wealth", WEALTHS + CROWDS)
def test_consistent_gini_is_one_formula(wealth):
    n = len(wealth)
    differences = sum(abs(one - other) for one in wealth for other in wealth)
    expected = differences / (2 * n * sum(wealth)) / ((n - 1) / n)
    assert social_metrics.consistent_gini(wealth) == pytest.approx(expected, abs=1e-12)


def test_consistent_gini_does_not_jump():
    rest = RNG.uniform(1, 2, 60)
    values = [social_metrics.consistent_gini(rest[:n]) for n in range(20, 41)]
    assert max(np.abs(np.diff(values))) < 0.02


def test_consistent_gini_of_debts():
    for wealth in ([-1.0, 3.0], [5.0] * 40 + [-0.1]):
        with pytest.raises(ValueError, match="from 0 up, not -"):
            social_metrics.consistent_gini(wealth)


@pytest.mark.parametrize("eta", [0.0, 0.23, 0.5, 0.99])
@pytest.mark.parametrize("coin", [0.0, 0.4, 1.0, 37.0])
def test_isoelastic(eta, coin):
    expected = (coin ** (1 - eta) - 1) / (1 - eta) - 3 * 0.21
    value = rewards.isoelastic_coin_minus_labor(coin, 3, eta, 0.21)
    assert value == pytest.approx(expected, rel=1e-12)
    assert np.ndim(value) == 0


def test_isoelastic_with_eta_1():
    for coin in (0.0, 1.0, 37.0):
        value = rewards.isoelastic_coin_minus_labor(coin, 2, 1, 0.5)
        assert value == pytest.approx(math.log(max(1, coin)) - 1, rel=1e-12)


def test_isoelastic_of_arrays():
    coins, labor = np.array([1.0, 4.0]), np.array([0.0, 2.0])
    values = rewards.isoelastic_coin_minus_labor(
        coin_endowment=coins, total_labor=labor, isoelastic_eta=0.5, labor_coefficient=0.25
    )
    np.testing.assert_allclose(values, [0.0, 2.0 - 0.5])


def test_isoelastic_refusals():
    with pytest.raises(AssertionError, match="coin is at least 0, not -1"):
        rewards.isoelastic_coin_minus_labor(-1.0, 0, 0.5, 1)
    with pytest.raises(AssertionError, match="coin is at least 0"):
        rewards.isoelastic_coin_minus_labor(np.array([1.0, -1.0]), np.zeros(2), 0.5, 1)
    for eta in (-0.1, 1.1):
        with pytest.raises(AssertionError, match=r"isoelastic_eta is in 0\.\.1"):
            rewards.isoelastic_coin_minus_labor(1.0, 0, eta, 1)


def test_coin_minus_labor_cost():
    assert rewards.coin_minus_labor_cost(10.0, 3.0, 2.0, 0.5) == 10 - 9 * 0.5
    values = rewards.coin_minus_labor_cost(
        coin_endowment=np.array([1.0, 2.0]),
        total_labor=np.array([0.0, 2.0]),
        labor_exponent=3.0,
        labor_coefficient=1.0,
    )
    assert values.tolist() == [1, -6]
    with pytest.raises(AssertionError, match="labor_exponent is above 1, not 1"):
        rewards.coin_minus_labor_cost(1.0, 1.0, 1.0, 1.0)
    with pytest.raises(AssertionError, match="coin is at least 0"):
        rewards.coin_minus_labor_cost(-1.0, 1.0, 2.0, 1.0)


@pytest.mark.parametrize("wealth", WEALTHS)
@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_coin_eq_times_productivity(wealth, weight):
    equality = weight * (1 - few_gini(wealth)) + (1 - weight)
    expected = sum(wealth) / len(wealth) * equality
    value = rewards.coin_eq_times_productivity(coin_endowments=wealth, equality_weight=weight)
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("wealth", WEALTHS)
def test_inverse_income_weights(wealth):
    raw = [1 / max(each, 1) for each in wealth]
    weights = [each / sum(raw) for each in raw]
    coins = rewards.inv_income_weighted_coin_endowments(coin_endowments=wealth)
    assert coins == pytest.approx(sum(map(math.prod, zip(wealth, weights, strict=True))))
    utilities = np.linspace(-1, 2, len(wealth))
    value = rewards.inv_income_weighted_utility(coin_endowments=wealth, utilities=utilities)
    assert value == pytest.approx(sum(map(math.prod, zip(utilities, weights, strict=True))))
