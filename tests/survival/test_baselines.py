"""Scripted agents: they live longer than chance, and walk the recorded corridor."""

import json
from itertools import pairwise

import numpy as np
import pytest
from survival.scenarios import GOLDEN

import ecumene
from ecumene.api.policies import random_actions
from ecumene.survival import baselines
from ecumene.survival import columns as c

WORLDS = sorted(
    name for name in ecumene.registry if name.startswith("survival/") and "custom" not in name
)


def outcome(world, policy, copies=12, seed=1):
    simulation = ecumene.make_simulation(world, copies, 1)
    simulation.reset(seed=seed)
    generator = np.random.default_rng(seed)
    for _ in range(simulation.spec.horizon):
        outs = simulation.out
        observations = {name: out.observation for name, out in outs.items()}
        masks = {name: out.action_mask for name, out in outs.items()}
        if policy is None:
            actions = random_actions(masks, simulation.spec.groups, generator)
        else:
            actions = policy(observations, masks, generator)
        simulation.step(actions)
    return {name: each.mean() for name, each in simulation.metrics().items()}


@pytest.mark.parametrize("world", WORLDS)
def test_scripted_agents_survive_more_often_than_random_ones(world):
    name = world.removeprefix("survival/").removesuffix("-v0").replace("-", "_")
    scripted, random = outcome(world, getattr(baselines, name)), outcome(world, None)
    assert scripted["survivors"] > random["survivors"]
    if "won" in scripted:
        assert scripted["won"] > random["won"]
    else:
        assert scripted["lifetime"] > 3 * random["lifetime"]


def test_foragers_of_gathering_nearly_all_survive():
    assert outcome("survival/gathering-v0", baselines.gathering)["survivors"] > 3.5


def test_the_recorded_corridor_is_walked_step_by_step():
    """Both agents walk between their ends and share seven units where they meet."""
    trace = json.loads((GOLDEN / "corridor_scripted.json").read_text())["trace"]
    env = ecumene.survival.Corridor.reference(horizon=100)
    env.reset(seed=0)
    share_seven = {"agent_0": 1 + 3 + 1, "agent_1": 1 + 1}  # water; food
    body = env.simulation.state.body[0]
    for before, after in pairwise(trace):
        actions = {}
        for i, agent in enumerate(env.agents):
            step = after[str(i + 1)]["col"] - before[str(i + 1)]["col"]
            meeting = (before["1"]["col"], before["2"]["col"]) == (4, 5)
            actions[agent] = [{0: 0, 1: 3, -1: 4}[step], share_seven[agent] if meeting else 0]
        env.step(actions)
        for i in range(2):
            expected = after[str(i + 1)]
            stocks = body[i, [c.HEALTH, c.FOOD, c.WATER]].tolist()
            assert stocks == [expected[name] for name in ("health", "food", "water")]
            assert env.simulation.places()[i].tolist() == [1, expected["col"]]
    assert len(trace) == 71


@pytest.mark.parametrize(
    ("world", "recorded"),
    [("boss-fight", "BossFight tanks=2 scripted"), ("raid", "Raid 2/2/2 scripted")],
)
def test_bosses_are_about_as_strong_as_recorded(world, recorded):
    """Tanks that strike all the time, with the others behind them, win as often as they did."""
    results = json.loads((GOLDEN / "baseline_outcomes.json").read_text())["results"]
    (expected,) = [each["win_rate"] for each in results if each["env"] == recorded]
    policy = getattr(baselines, world.replace("-", "_"))
    assert abs(outcome(f"survival/{world}-v0", policy, 100)["won"] - expected) < 0.2
