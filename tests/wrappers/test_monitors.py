"""Monitors of constraints, in single and batch form."""

import math

import numpy as np
import pytest

import ecumene
from ecumene.wrappers import (
    Budget,
    CostBudget,
    EventualHarm,
    ReachAvoid,
    SafetyAutomaton,
    SharedBudgets,
    StepwiseProbability,
    always,
    holds,
)

NONE = frozenset()
UNSAFE = frozenset({"unsafe"})
PAIR = ("a0", "a1")


def test_c57_overlapping_budgets():
    monitor = SharedBudgets(PAIR, [Budget(2, ["a0", "a1"], "X"), Budget(1, ["a1", "a1"], "Y")])
    monitor.reset({"a0": NONE, "a1": NONE})
    monitor.update({"a0": UNSAFE, "a1": NONE})
    assert totals(monitor) == {"X": 1, "Y": 0}
    monitor.update({"a0": NONE, "a1": UNSAFE})
    assert totals(monitor) == {"X": 2, "Y": 1}
    assert monitor.satisfied.tolist() == [True]  # equality is within the budget
    metrics = monitor.update({"a1": UNSAFE})  # a0 has left: it adds nothing
    assert totals(monitor) == {"X": 3, "Y": 2}
    assert monitor.satisfied.tolist() == [False]
    assert metrics["cost"].tolist() == [[0, 1]]
    assert metrics["left/X"].tolist() == [-1]
    monitor.reset({"a0": NONE, "a1": UNSAFE})
    assert totals(monitor) == {"X": 1, "Y": 1}  # the first state's cost counts
    assert monitor.satisfied.tolist() == [True]


def totals(monitor):
    return {name: total[0] for name, total in monitor.totals.items()}


@pytest.mark.parametrize(
    ("budgets", "named"),
    [
        ([Budget(1, ["a9"], "Z")], "'Z' names the unknown agent 'a9'"),
        ([Budget(1, [], "Z")], "'Z' lists its agents"),
        ([Budget(1, "a0", "Z")], "'Z' lists its agents"),
        ([Budget(-1, ["a0"], "Z")], "amount of budget 'Z'"),
        ([Budget(1, ["a0"], "Z"), Budget(2, ["a1"], "Z")], "'Z' is named twice"),
        ([], "empty"),
    ],
)
def test_c57_bad_budgets_are_refused_by_name(budgets, named):
    with pytest.raises(ValueError, match=named):
        SharedBudgets(PAIR, budgets)


def test_cost_budgets_of_every_agent():
    monitor = CostBudget(PAIR, budget=1)
    monitor.reset({"a0": NONE, "a1": UNSAFE})
    assert monitor.satisfied.tolist() == [True]
    metrics = monitor.update({"a0": UNSAFE, "a1": UNSAFE})
    assert metrics["cum_cost"].tolist() == [[1, 2]]
    assert metrics["violation"].tolist() == [[True, True]]
    assert monitor.satisfied.tolist() == [False]
    own = CostBudget(PAIR, budget=1, cost=lambda held: 0.25 * len(held))
    own.reset({"a0": {"x", "y"}, "a1": NONE})
    assert own.metrics()["cum_cost"].tolist() == [[0.5, 0]]
    assert own.metrics()["violation"].tolist() == [[True, False]]


# Never twice "ring" without "answer" between.
STATES = ("quiet", "rung", "missed")
EDGES = [
    ("quiet", holds("ring") & ~holds("answer"), "rung"),
    ("rung", "answer", "quiet"),
    ("rung", holds("ring"), "missed"),
    ("missed", always, "missed"),
]


def test_a_safety_automaton():
    monitor = SafetyAutomaton(PAIR, STATES, "quiet", ["missed"], EDGES)
    monitor.reset({"a0": {"ring"}, "a1": {"ring", "answer"}})
    assert monitor.metrics()["state"].tolist() == [[1, 0]]
    monitor.update({"a0": {"ring", "answer"}, "a1": {"ring"}})  # the first edge that fits
    assert monitor.metrics()["state"].tolist() == [[0, 1]]
    metrics = monitor.update({"a0": NONE, "a1": {"ring"}})
    assert metrics["state"].tolist() == [[0, 2]]
    assert metrics["cost"].tolist() == [[0, 1]]
    assert monitor.satisfied.tolist() == [False]
    assert monitor.one_hot().tolist() == [[[1, 0, 0], [0, 0, 1]]]
    monitor.update({"a0": {"ring"}})  # a1 has left: its automaton reads nothing
    assert monitor.metrics()["state"].tolist() == [[1, 2]]
    monitor.reset({"a0": NONE, "a1": NONE})
    assert monitor.satisfied.tolist() == [True]


@pytest.mark.parametrize(
    ("states", "initial", "bad", "edges", "named"),
    [
        ((), "a", [], [], "states"),
        (("a", "a"), "a", [], [], "states"),
        (("a",), "b", [], [], "initial"),
        (("a",), "a", ["c"], [], "bad"),
        (("a",), "a", [], [("a", always, "d")], "edges"),
    ],
)
def test_bad_automata_are_refused(states, initial, bad, edges, named):
    with pytest.raises(ValueError, match=named):
        SafetyAutomaton(PAIR, states, initial, bad, edges)


def test_guards():
    truths = {"p": np.array([True, True, False]), "q": np.array([True, False, False])}
    guard = (holds("p") & ~holds("q")) | ~holds("p")
    assert guard.names == {"p", "q"}
    assert guard.evaluate(truths.get).tolist() == [False, True, True]


def test_reach_and_avoid():
    monitor = ReachAvoid(("a", "b", "c"), reach="goal")
    monitor.reset(dict.fromkeys("abc", NONE))
    monitor.update({"a": {"goal"}, "b": UNSAFE, "c": {"goal", "unsafe"}})
    assert monitor.succeeded.tolist() == [[True, False, False]]
    metrics = monitor.update({"a": UNSAFE, "b": {"goal"}, "c": NONE})
    # Reached before violating: a later violation does not undo it.
    assert metrics["satisfied"].tolist() == [[True, False, False]]
    assert metrics["reached"].tolist() == [[True, True, True]]
    assert metrics["violated"].tolist() == [[True, True, True]]
    assert monitor.satisfied.tolist() == [False]
    alone = ReachAvoid(("a",), reach="goal")
    alone.reset({"a": {"goal"}})
    assert alone.satisfied.tolist() == [True]


def test_stepwise_probability():
    monitor = StepwiseProbability(("a", "b"), alpha=0.5)
    assert monitor.satisfied.tolist() == [True]  # nothing was observed
    monitor.reset({"a": UNSAFE, "b": NONE})
    assert monitor.satisfied.tolist() == [False]
    monitor.update({"a": NONE, "b": NONE})
    assert monitor.satisfied.tolist() == [True]
    monitor.update({"b": UNSAFE})
    assert monitor.share.tolist() == [[1 / 2, 1 / 3]]
    assert monitor.metrics()["observations"].tolist() == [[2, 3]]


def test_the_probability_of_ever_doing_harm():
    monitor = EventualHarm(("a", "b"))
    assert math.isnan(monitor.estimate)
    assert monitor.bounds() == (0.0, 1.0)
    for harm in (False, True, False, False):
        monitor.reset({"a": NONE, "b": NONE})
        for _ in range(2):
            monitor.update({"a": NONE, "b": UNSAFE if harm else NONE})
        assert monitor.satisfied.tolist() == [not harm]
    assert monitor.estimate == 0.25
    low, high = monitor.bounds()
    # Wilson's interval of 1 in 4, worked out by hand.
    assert (round(low, 4), round(high, 4)) == (0.0456, 0.6994)


MAKERS = {
    "CostBudget": lambda *a, **k: CostBudget(*a, budget=2, **k),
    "SharedBudgets": lambda agents, **k: SharedBudgets(
        agents, [Budget(3, agents, "all"), Budget(1, agents[:1], "first")], **k
    ),
    "SafetyAutomaton": lambda agents, **k: SafetyAutomaton(
        agents, ("s", "t", "u"), "s", ["u"],
        [("s", "player_0_straight", "t"), ("t", holds("crash") & ~holds("nobody says so"), "u")],
        **k,
    ),
    "ReachAvoid": lambda *a, **k: ReachAvoid(*a, reach="swerve_swerve", **k),
    "StepwiseProbability": lambda *a, **k: StepwiseProbability(*a, alpha=0.3, **k),
    "EventualHarm": EventualHarm,
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_a_batch_is_watched_as_single_worlds_are(name):
    copies, agents = 4, ("player_0", "player_1")
    vec = ecumene.make_vec("matrix/chicken-v0", copies, num_threads=1, labels=True, max_moves=6)
    batch = MAKERS[name](agents, propositions=vec.propositions, copies=copies)
    singles = [MAKERS[name](agents) for _ in range(copies)]
    worlds = [ecumene.make("matrix/chicken-v0", labels=True, max_moves=6) for _ in range(copies)]
    generator = np.random.default_rng(5)
    for _ in range(2):
        batch.reset(vec.reset(seed=0)[1]["players"]["labels"])
        for single, world in zip(singles, worlds, strict=True):
            single.reset({n: info["labels"] for n, info in world.reset(seed=0)[1].items()})
        for _ in range(6):
            actions = generator.integers(0, 2, (copies, 2))
            infos = vec.step({"players": actions})[-1]
            metrics = batch.update(infos["players"]["labels"])
            for k, (single, world) in enumerate(zip(singles, worlds, strict=True)):
                infos = world.step(dict(zip(agents, actions[k].tolist(), strict=True)))[-1]
                expected = single.update({n: info["labels"] for n, info in infos.items()})
                assert batch.satisfied[k] == single.satisfied[0]
                assert {n: v[k].tolist() for n, v in metrics.items()} == {
                    n: v[0].tolist() for n, v in expected.items()
                }


def test_single_copies_of_a_batch_can_begin_anew():
    monitor = CostBudget(PAIR, propositions=("unsafe", "x"), copies=2)
    labels = np.zeros((2, 2, 2), bool)
    labels[:, :, 0] = True
    monitor.reset(labels)
    present = np.array([[True, False], [True, True]])
    monitor.update(labels, present)
    monitor.update(labels, copies=np.array([False, True]))
    assert monitor.total.tolist() == [[2, 1], [3, 3]]
    monitor.reset(labels, copies=np.array([True, False]))
    assert monitor.total.tolist() == [[1, 1], [3, 3]]
    priced = CostBudget(PAIR, propositions=("unsafe", "x"), copies=2, cost=lambda held: len(held))
    labels[1, 1, 1] = True
    priced.reset(labels, present)
    assert priced.total.tolist() == [[1, 0], [1, 2]]


@pytest.mark.parametrize(
    ("tell", "named"),
    [
        (lambda m: m.reset({"a0": NONE}), "2 copies"),
        (lambda m: m.reset(np.zeros((2, 2, 3), bool)), "of shape"),
        (lambda m: m.reset(np.zeros((2, 2, 1), bool), np.ones((2, 3), bool)), "present"),
        (lambda m: m.reset(np.zeros((2, 2, 1), bool), copies=np.ones(3, bool)), "copies"),
        (lambda m: CostBudget(PAIR).reset({"b": NONE}), "unknown agent 'b'"),
        (lambda m: CostBudget(PAIR).reset(np.zeros((1, 2, 1), bool)), "propositions"),
        (lambda m: CostBudget(()), "agents"),
        (lambda m: CostBudget(("a", "a")), "agents"),
        (lambda m: CostBudget(PAIR, budget=-1), "budget"),
        (lambda m: StepwiseProbability(PAIR, alpha=2), "alpha"),
    ],
)
def test_what_does_not_fit_is_refused(tell, named):
    monitor = CostBudget(PAIR, propositions=("unsafe",), copies=2)
    with pytest.raises(ValueError, match=named):
        tell(monitor)
