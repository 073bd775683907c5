"""Objectives of agents and planners."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecumene.foundation.base.errors import ensure
from ecumene.foundation.rules import scoring


def isoelastic_coin_minus_labor(
    coin_endowment: ArrayLike,
    total_labor: ArrayLike,
    isoelastic_eta: float,
    labor_coefficient: float,
) -> Any:
    """Return the isoelastic utility of coin minus the cost of labor.

    Parameters
    ----------
    coin_endowment
        Coin, not negative; a number or an array.
    total_labor
        Labor so far, of the same shape.
    isoelastic_eta
        From 0 (linear) to 1 (logarithmic).
    labor_coefficient
        Cost of a unit of labor.
    """
    coin = np.asarray(coin_endowment, np.float64)
    ensure((coin >= 0).all(), f"coin is at least 0, not {coin.min(initial=0)}.")
    ensure(0 <= isoelastic_eta <= 1, f"isoelastic_eta is in 0..1, not {isoelastic_eta}.")
    utility = np.vectorize(scoring.isoelastic, otypes=[np.float64])(coin, float(isoelastic_eta))
    return (utility - np.asarray(total_labor) * labor_coefficient)[()]


def coin_minus_labor_cost(
    coin_endowment: ArrayLike,
    total_labor: ArrayLike,
    labor_exponent: float,
    labor_coefficient: float,
) -> Any:
    """Return coin minus ``total_labor ** labor_exponent * labor_coefficient``; exponent > 1."""
    coin = np.asarray(coin_endowment, np.float64)
    ensure((coin >= 0).all(), f"coin is at least 0, not {coin.min(initial=0)}.")
    ensure(labor_exponent > 1, f"labor_exponent is above 1, not {labor_exponent}.")
    return (coin - np.asarray(total_labor) ** labor_exponent * labor_coefficient)[()]


def coin_eq_times_productivity(coin_endowments: ArrayLike, equality_weight: float) -> float:
    """Return coin per agent times ``equality_weight * equality + 1 - equality_weight``."""
    ordered = np.sort(_endowments(coin_endowments))
    return float(scoring.equality_times_productivity(ordered, float(equality_weight)))


def inv_income_weighted_coin_endowments(coin_endowments: ArrayLike) -> float:
    """Return the mean coin with weights ``1 / max(1, coin)``."""
    coins = _endowments(coin_endowments)
    return float(scoring.inverse_income_weighted(coins, coins))


def inv_income_weighted_utility(coin_endowments: ArrayLike, utilities: ArrayLike) -> float:
    """Return the mean utility with weights ``1 / max(1, coin)``."""
    coins = _endowments(coin_endowments)
    return float(scoring.inverse_income_weighted(coins, _endowments(utilities)))


def _endowments(values: ArrayLike) -> NDArray[np.float64]:
    return np.ascontiguousarray(values, np.float64)
