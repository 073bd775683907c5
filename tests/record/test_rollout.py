"""Episodes are played by every copy, each at its own pace."""

import numpy as np
import pytest
from toy import Countdown, fixed_policy

from ecumene.record import Rollout, Statistics, finished


class Diary:
    """Keeps what a listener is told."""

    def __init__(self):
        self.steps = []
        self.ends = []
        self.begins = []

    def episodes_begun(self, simulation, copies):
        self.begins.append((copies.tolist(), simulation.state.clock[copies].tolist()))

    def step_made(self, simulation, record):
        acted = {name: each.tolist() for name, each in record.acted.items()}
        self.steps.append((record.episode.tolist(), record.step.tolist(), acted))

    def episodes_ended(self, simulation, copies):
        self.ends.append((copies.tolist(), simulation.state.clock[copies].tolist()))


def played(copies=2, episodes=2, **parameters):
    simulation = Countdown(copies, **parameters)
    diary = Diary()
    rollout = Rollout(simulation, fixed_policy(simulation), episodes, 0, [diary])
    while not rollout.over:
        rollout.advance()
    return simulation, rollout, diary


def test_copies_of_different_lengths_play_the_same_number_of_episodes():
    simulation, rollout, diary = played()
    assert rollout.episodes_ended == 4
    assert rollout.copy_steps == 2 * 3 + 2 * 4
    assert simulation.resets == 4
    assert diary.ends == [([0], [3]), ([1], [4]), ([0], [3]), ([1], [4])]
    assert diary.begins == [([0, 1], [0, 0]), ([0], [0]), ([1], [0])]
    assert finished(simulation).all()


def test_listeners_are_told_episode_step_and_who_acted():
    _, _, diary = played(episodes=1)
    assert [(episode, step) for episode, step, _ in diary.steps] == [
        ([0, 0], [0, 0]),
        ([0, 0], [1, 1]),
        ([0, 0], [2, 2]),
        ([1, 0], [0, 3]),
    ]
    acted = [who for _, _, who in diary.steps]
    assert acted[1] == {"walkers": [[True, True]] * 2, "judge": [[True]] * 2}
    assert acted[2] == {"walkers": [[False, True]] * 2, "judge": [[True]] * 2}
    assert acted[3] == {"walkers": [[False, False], [False, True]], "judge": [[False], [True]]}


def test_returns_lengths_and_metrics():
    _, rollout, _ = played()
    expected = {
        "length": Statistics(4, 3.5, 0.5, 3, 4),
        "return walker_0": Statistics(4, 2.0, 0.0, 2, 2),
        "return walker_1": Statistics(4, 3.5, 0.5, 3, 4),
        "return judge": Statistics(4, 7.0, 1.0, 6, 8),
        "clock/0/end": Statistics(4, 3.5, 0.5, 3, 4),
    }
    for name, statistics in expected.items():
        assert rollout.overall[name] == pytest.approx(statistics)
    assert rollout.overall["never"].n == 0
    for tally in rollout.by_episode:
        assert tally["length"] == pytest.approx(Statistics(2, 3.5, 0.5, 3, 4))


def test_only_the_first_episodes_are_kept_apart():
    _, rollout, _ = played(copies=1, episodes=25)
    assert len(rollout.by_episode) == 10
    assert rollout.overall["length"].n == 25


@pytest.mark.parametrize("seed", [0, 5])
def test_copy_k_has_seed_plus_k(seed):
    first, second = Countdown(1), Countdown(2)
    Rollout(second, fixed_policy(second), 1, seed)
    Rollout(first, fixed_policy(first), 1, seed + 1)
    assert np.array_equal(second.state.stream[1], first.state.stream[0])
