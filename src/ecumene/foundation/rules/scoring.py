"""How well a society and its agents do: rules over the wealth of one copy.

The formulas and their guards (1e-10, the switch at 30 agents) are those of the documented economy.
"""

import math

from ecumene.engine.compile import helper, rule

COIN_EQ_TIMES_PRODUCTIVITY = 0
INV_INCOME_WEIGHTED_COIN_ENDOWMENTS = 1
INV_INCOME_WEIGHTED_UTILITY = 2
FEW_AGENTS = 30


@helper
def sort(values):
    """Sort a short vector in place (insertion: it is nearly sorted from the step before)."""
    for i in range(1, values.shape[0]):
        value = values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value


@helper
def total(values):
    """Return the sum: the productivity, where the values are endowments."""
    result = 0.0
    for value in values:
        result += value
    return result


@rule
def gini(endowments):
    """Return the Gini index of sorted endowments, 0 = equal, 1 = one agent has all."""
    n = endowments.shape[0]
    if n < FEW_AGENTS:
        differences = 0.0
        for one in endowments:
            for other in endowments:
                differences += abs(one - other)
        return differences / (2 * n * total(endowments) + 1e-10) / ((n - 1) / n)
    scale = total(endowments) + 1e-10
    running = 0.0
    shares = 0.0
    for value in endowments:
        running += value
        shares += running / scale
    return 1 - (2 / (n + 1)) * shares


@rule
def consistent_gini(endowments):
    """Return the Gini index of sorted endowments by one formula for any number of agents."""
    n = endowments.shape[0]
    scale = total(endowments)
    if n < 2 or scale <= 0:
        return 0.0
    weighted = 0.0
    for i in range(n):
        weighted += (2 * i - n + 1) * endowments[i]
    return weighted / (scale * (n - 1))


@rule
def isoelastic(coin, eta):
    """Return the isoelastic utility of coin; for eta = 1 its logarithm, with coin at least 1."""
    if eta == 1.0:
        return math.log(max(1.0, coin))
    return (coin ** (1.0 - eta) - 1.0) / (1.0 - eta)


@rule
def equality_times_productivity(endowments, equality_weight):
    """Return productivity per agent times a mix of equality and 1; endowments are sorted."""
    equality = equality_weight * (1 - gini(endowments)) + (1 - equality_weight)
    return total(endowments) / endowments.shape[0] * equality


@rule
def inverse_income_weighted(incomes, values):
    """Return the mean of the values with weights ``1 / max(1, income)``."""
    weights = 0.0
    weighted = 0.0
    for i in range(incomes.shape[0]):
        weight = 1.0 / max(incomes[i], 1.0)
        weights += weight
        weighted += weight * values[i]
    return weighted / weights


@helper
def social_welfare(kind, coins, ordered_coins, utilities, equality_weight):
    """Return the planner's objective of a kind (see the constants above)."""
    if kind == COIN_EQ_TIMES_PRODUCTIVITY:
        return equality_times_productivity(ordered_coins, equality_weight)
    if kind == INV_INCOME_WEIGHTED_COIN_ENDOWMENTS:
        return inverse_income_weighted(coins, coins)
    return inverse_income_weighted(coins, utilities)
