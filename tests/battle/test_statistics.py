"""Random play agrees with what was recorded of it."""

import math

import numpy as np
import pytest
from battle.recordings import entries, settings

import ecumene

SEEDS = 40
RECORDED = 20


def label(entry):
    return "-".join([entry["env"], *map(str, entry["kwargs"].values())])


@pytest.mark.parametrize("entry", entries("random_stats"), ids=label)
def test_random_play(entry):
    """Means of many copies lie within four standard errors of those recorded."""
    copies = SEEDS if entry["env"] != "gather_v5" else 20
    simulation = ecumene.make_simulation(
        settings(entry["env"]).world_id, copies, **entry["kwargs"], observations="none"
    )
    simulation.reset(seed=0)
    generator = np.random.default_rng(0)
    rewards = {name: np.zeros(copies) for name in simulation.out}
    length = np.zeros(copies)
    alive = {}
    for step in range(1, entry["steps"] + 1):
        length += simulation.state.over == 0
        simulation.step(
            {
                group.name: generator.integers(0, group.action_space.n, (copies, len(group.agents)))
                for group in simulation.spec.groups
            }
        )
        for name, output in simulation.out.items():
            rewards[name] += output.reward.sum(axis=1)
        alive[step] = {name.removeprefix("living/"): v for name, v in simulation.metrics().items()}
    if not entry["env"].startswith("combined"):  # there it ended when one kind was gone
        assert_agree(length, entry["episode_length"])
    for name, recorded in entry["groups"].items():
        for step, expected in recorded["alive"].items():
            assert_agree(alive[int(step)][name], expected)
        if "team_reward_per_step" in recorded:
            assert_agree(rewards[name] / length, recorded["team_reward_per_step"])


def assert_agree(values, recorded):
    spread = values.std(ddof=1)
    # Of twenty episodes the spread is known badly: that of ours serves where it is wider.
    other = max(recorded["se"], spread / math.sqrt(RECORDED))
    gap = abs(values.mean() - recorded["mean"])
    assert gap <= 4 * math.hypot(spread / math.sqrt(len(values)), other) + 1e-3
