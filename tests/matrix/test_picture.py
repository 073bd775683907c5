"""Matrix games are drawn as tables in which the last moves are marked."""

import re

import numpy as np
import pytest

import ecumene
from ecumene.drawing import palette


def started(world, **parameters):
    env = ecumene.make(world, render_mode="rgb_array", **parameters)
    env.reset(seed=0)
    return env


def play(env, *actions):
    env.step(dict(zip(env.agents, actions, strict=True)))


def text(env):
    return re.sub(r"\x1b\[[0-9;]*m", "", env.simulation.text(0))


def share_of(env, colour):
    return (env.render() == colour).all(axis=2).mean()


def test_payoffs_are_shown_row_player_first():
    shown = text(started("matrix/inspection-v0"))
    rows = [re.split(r"\s*\|\s*", line.strip()) for line in shown.splitlines()[:3]]
    assert rows == [
        ["0 / 1", "Comply", "Violate"],
        ["NotInspect", "0, 0", "-4, 5"],
        ["Inspect", "-2, 0", "1, -10"],
    ]


def test_the_last_outcome_is_marked_and_an_unsafe_one_in_another_colour():
    env = started("matrix/chicken-v0")
    assert share_of(env, palette.GOAL) == 0
    before = env.render()
    play(env, 1, 0)
    assert share_of(env, palette.GOAL) > 0.03
    rows, columns = np.nonzero((env.render() == palette.GOAL).all(axis=2))
    height, width, _ = before.shape
    assert rows.min() > height / 3  # second row of the table, first column
    assert columns.max() < 2 * width / 3
    play(env, 1, 1)
    assert share_of(env, palette.GOAL) == 0
    assert "total  0: 3  1: 1" in text(env)


def test_games_of_many_players_have_a_row_each():
    env = started("matrix/congestion-v0")
    play(env, 0, 0, 0, 0, 0, 2)
    shown = text(env)
    assert "users  A: 5  B: 0  JAM" in shown
    assert "cost  A: 6  B: 1  detour: 6" in shown
    assert len([line for line in shown.splitlines() if "player" in line]) == 6


@pytest.mark.parametrize("steps", [0, 60])
def test_the_pot_is_shown_with_what_it_pays_next(steps):
    env = started("matrix/dpgg-v0", initial_pot=100.0)
    for _ in range(steps):
        play(env, 0, 0)
    pot = env.simulation.infos(0)["player_0"]["pot"]
    shown = text(env)
    assert f"pot {pot:g} of 500" in shown
    assert f"{0.15 * pot - 10:g}, {0.15 * pot:g}" in shown
    assert env.render().shape == started("matrix/dpgg-v0").render().shape
