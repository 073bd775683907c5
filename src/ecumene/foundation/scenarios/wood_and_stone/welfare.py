"""Utilities, welfare and rewards: rules."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.compile import inlined, rule
from ecumene.foundation.rules.scoring import (
    COIN_EQ_TIMES_PRODUCTIVITY,
    INV_INCOME_WEIGHTED_COIN_ENDOWMENTS,
    INV_INCOME_WEIGHTED_UTILITY,
    gini,
    isoelastic,
    social_welfare,
    sort,
    total,
)

DECAY, AUTO = 0, 1
MEASURES = (
    "social/productivity",
    "social/equality",
    "social_welfare/coin_eq_times_productivity",
    "social_welfare/inv_income_weighted_coin_endow",
    "social_welfare/inv_income_weighted_utility",
)


class Stock(NamedTuple):
    """What utility and welfare are made of and kept in; see `EconomyState`, `ScenarioArrays`."""

    inventory: NDArray[np.float64]
    escrow: NDArray[np.float64]
    endogenous: NDArray[np.float64]
    completions: NDArray[np.int64]
    objective: NDArray[np.float64]
    previous: NDArray[np.float64]
    initial: NDArray[np.float64]
    warmup: NDArray[np.int64]
    # Scratch, [copy, agent].
    ordered: NDArray[np.float64]
    coins: NDArray[np.float64]
    columns: tuple[int, int]  # of coin in inventories, of labor among the endogenous
    labor_costs: tuple[float, float, int]  # of a unit; constant and method of phasing in
    objectives: tuple[float, int, float]  # eta; kind of welfare, weight of equality


@rule
def energy_weight(labor_costs, completed, warmup):
    """Return how much of the cost of labor is phased in."""
    _, constant, method = labor_costs
    if constant <= 0.0:
        return 1.0
    elapsed = float(warmup) if method == AUTO else float(completed)
    return 1.0 - math.exp(-elapsed / constant)


@rule
def evaluate(stock, copy, values):
    """Write every agent's utility and then the planner's welfare, for one copy."""
    labor = stock.columns[1]
    eta, kind, equality_weight = stock.objectives
    weight = energy_weight(stock.labor_costs, stock.completions[copy], stock.warmup[copy])
    cost = stock.labor_costs[0] * weight
    coins, ordered = stock.coins[copy], stock.ordered[copy]
    n = coins.shape[0]
    count_coins(stock, copy)
    for agent in range(n):
        values[agent] = isoelastic(coins[agent], eta) - stock.endogenous[copy, agent, labor] * cost
    values[n] = social_welfare(kind, coins, ordered, values[:n], equality_weight)


@inlined
def count_coins(stock, copy):
    """Write the coin of every agent, escrow included: as they come, and sorted."""
    coin = stock.columns[0]
    coins, ordered = stock.coins[copy], stock.ordered[copy]
    for agent in range(coins.shape[0]):
        coins[agent] = stock.inventory[copy, agent, coin] + stock.escrow[copy, agent, coin]
        ordered[agent] = coins[agent]
    sort(ordered)


@rule
def initialize(chosen, stock, lo, hi):
    """Take stock at the start of an episode."""
    for copy in range(lo, hi):
        if chosen[copy]:
            evaluate(stock, copy, stock.objective[copy])
            for agent in range(stock.objective.shape[1]):
                stock.previous[copy, agent] = stock.objective[copy, agent]
                stock.initial[copy, agent] = stock.objective[copy, agent]


@rule
def reward(chosen, stock, rewards, lo, hi):
    """Write what everybody gained since the last time."""
    n = stock.coins.shape[1]
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        objective, previous = stock.objective[copy], stock.previous[copy]
        for agent in range(n + 1):
            previous[agent] = objective[agent]
        evaluate(stock, copy, objective)
        gained = 0.0
        for agent in range(n + 1):
            rewards[copy, agent] = objective[agent] - previous[agent]
            if agent < n:
                gained += rewards[copy, agent]
        if gained / n > 0:
            stock.warmup[copy] += 1


@rule
def measure(copies, stock, table, costs):
    """Write the five `MEASURES` and the weighted cost of labor of the given copies."""
    for i in range(copies.shape[0]):
        copy = copies[i]
        count_coins(stock, copy)
        wealth, sorted_wealth = stock.coins[copy], stock.ordered[copy]
        utilities = stock.objective[copy, : wealth.shape[0]]
        table[i, 0] = total(sorted_wealth)
        table[i, 1] = 1 - gini(sorted_wealth)
        table[i, 2] = social_welfare(
            COIN_EQ_TIMES_PRODUCTIVITY, wealth, sorted_wealth, utilities, 1.0
        )
        table[i, 3] = social_welfare(
            INV_INCOME_WEIGHTED_COIN_ENDOWMENTS, wealth, sorted_wealth, utilities, 1.0
        )
        table[i, 4] = social_welfare(
            INV_INCOME_WEIGHTED_UTILITY, wealth, sorted_wealth, utilities, 1.0
        )
        weight = energy_weight(stock.labor_costs, stock.completions[copy], stock.warmup[copy])
        costs[i] = stock.labor_costs[0] * weight
