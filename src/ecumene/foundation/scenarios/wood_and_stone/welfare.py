"""Utilities, welfare and rewards: rules."""

import math

from ecumene.engine.compile import rule
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


@rule
def energy_weight(labor_costs, completed, warmup):
    """Return how much of the cost of labor is phased in."""
    _, constant, method = labor_costs
    if constant <= 0.0:
        return 1.0
    elapsed = float(warmup) if method == AUTO else float(completed)
    return 1.0 - math.exp(-elapsed / constant)


@rule
def evaluate(
    inventory,
    escrow,
    endogenous,
    coins,
    ordered,
    values,
    completed,
    warmup,
    columns,
    labor_costs,
    objectives,
):
    """Write every agent's utility and then the planner's welfare, for one copy."""
    coin, labor = columns
    eta, kind, equality_weight = objectives
    cost = labor_costs[0] * energy_weight(labor_costs, completed, warmup)
    n = coins.shape[0]
    for agent in range(n):
        coins[agent] = inventory[agent, coin] + escrow[agent, coin]
        ordered[agent] = coins[agent]
        values[agent] = isoelastic(coins[agent], eta) - endogenous[agent, labor] * cost
    sort(ordered)
    values[n] = social_welfare(kind, coins, ordered, values[:n], equality_weight)


@rule
def initialize(
    chosen,
    inventory,
    escrow,
    endogenous,
    completions,
    objective,
    previous,
    initial,
    warmup,
    ordered,
    coins,
    columns,
    labor_costs,
    objectives,
    lo,
    hi,
):
    """Take stock at the start of an episode."""
    for copy in range(lo, hi):
        if chosen[copy]:
            evaluate(
                inventory[copy],
                escrow[copy],
                endogenous[copy],
                coins[copy],
                ordered[copy],
                objective[copy],
                completions[copy],
                warmup[copy],
                columns,
                labor_costs,
                objectives,
            )
            for agent in range(objective.shape[1]):
                previous[copy, agent] = objective[copy, agent]
                initial[copy, agent] = objective[copy, agent]


@rule
def reward(
    chosen,
    inventory,
    escrow,
    endogenous,
    completions,
    objective,
    previous,
    initial,
    warmup,
    ordered,
    coins,
    columns,
    labor_costs,
    objectives,
    rewards,
    lo,
    hi,
):
    """Write what everybody gained since the last time."""
    n = coins.shape[1]
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for agent in range(n + 1):
            previous[copy, agent] = objective[copy, agent]
        evaluate(
            inventory[copy],
            escrow[copy],
            endogenous[copy],
            coins[copy],
            ordered[copy],
            objective[copy],
            completions[copy],
            warmup[copy],
            columns,
            labor_costs,
            objectives,
        )
        gained = 0.0
        for agent in range(n + 1):
            rewards[copy, agent] = objective[copy, agent] - previous[copy, agent]
            if agent < n:
                gained += rewards[copy, agent]
        if gained / n > 0:
            warmup[copy] += 1


@rule
def measure(
    copies,
    inventory,
    escrow,
    endogenous,
    completions,
    objective,
    previous,
    initial,
    warmup,
    ordered,
    coins,
    columns,
    labor_costs,
    objectives,
    table,
    costs,
):
    """Write the five `MEASURES` and the weighted cost of labor of the given copies."""
    n = coins.shape[1]
    for i in range(copies.shape[0]):
        copy = copies[i]
        for agent in range(n):
            coins[copy, agent] = (
                inventory[copy, agent, columns[0]] + escrow[copy, agent, columns[0]]
            )
            ordered[copy, agent] = coins[copy, agent]
        sort(ordered[copy])
        wealth, sorted_wealth = coins[copy], ordered[copy]
        utilities = objective[copy, :n]
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
        costs[i] = labor_costs[0] * energy_weight(labor_costs, completions[copy], warmup[copy])
