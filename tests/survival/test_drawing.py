"""Pictures of survival worlds."""

import re

import numpy as np
import pytest
from survival.boards import AgentGroup, Board, World

import ecumene
from ecumene.drawing import palette
from ecumene.engine import UnknownAgent
from ecumene.survival import columns as c

WORLDS = sorted(
    name for name in ecumene.registry if name.startswith("survival/") and "custom" not in name
)


@pytest.mark.parametrize("world", WORLDS)
def test_c56_pictures_keep_their_size_and_draw_no_random_numbers(world):
    simulation = ecumene.make_simulation(world, horizon=3)
    simulation.reset(seed=0)
    before = simulation.state_hash()
    first = simulation.frame(0)
    assert first.dtype == np.uint8
    assert first.ndim == 3
    for _ in range(3):
        groups = simulation.spec.groups
        simulation.step({g.name: np.ones((1, len(g.agents), *g.action_shape), int) for g in groups})
        assert simulation.frame(0).shape == first.shape
        assert simulation.text(0)
    simulation.reset(seed=0)
    assert simulation.state_hash() == before
    assert (simulation.frame(0) == first).all()


@pytest.mark.parametrize("teams", [1, 2, 3, 4])
def test_c56_teams_are_told_apart(teams):
    groups = [AgentGroup(start=[[0, 2 * i]]) for i in range(teams)]
    it = Board(World(groups=groups, layout=["." * 9] * 5))
    picture = it.simulation.frame(0).reshape(-1, 3)
    for team in range(teams):
        assert (picture == palette.player(team)).all(axis=1).any()


def test_bars_show_how_one_is():
    def pixels(health):
        it = Board(World(groups=[AgentGroup(start=[[1, 1]])], layout=["..."] * 3))
        it.put(c.HEALTH, health)
        return int((it.simulation.frame(0).reshape(-1, 3) == (200, 30, 45)).all(axis=1).sum())

    assert pixels(10) > pixels(5) > pixels(1) >= 0


def test_a_viewer_sees_hidden_sources_as_stone():
    groups = [AgentGroup(start=[[0, 0]], sees=[1]), AgentGroup(start=[[0, 1]], sees=[2])]
    it = Board(World(groups=groups, layout=["..F", "..."], visibility=["002", "000"]))
    whole = it.simulation.frame(0)
    it.simulation.view_as("agent_1")
    assert (it.simulation.frame(0) == whole).all()
    it.simulation.view_as("agent_0")
    hidden = it.simulation.frame(0)
    assert (hidden != whole).any()
    stony = Board(World(groups=groups, layout=["..#", "..."], visibility=["000", "000"]))
    assert (stony.simulation.frame(0) == hidden).all()
    with pytest.raises(UnknownAgent, match="agent_1"):
        it.simulation.view_as("agnt_1")


def test_a_viewer_does_not_see_beyond_its_window():
    groups = [AgentGroup(start=[[0, 0]]), AgentGroup(start=[[0, 20]])]
    env = ecumene.survival.parallel_env(World(groups=groups, layout=["." * 21]), "rgb_array")
    env.reset(seed=0)
    other = np.array(palette.player(1))
    assert (env.render().reshape(-1, 3) == other).all(axis=1).any()
    env.view_as("agent_0")
    assert not (env.render().reshape(-1, 3) == other).all(axis=1).any()


def test_text_shows_the_map_and_everybodys_state():
    it = Board(World(groups=[AgentGroup(start=[[0, 0]])], layout=[".F#", "W~."]))
    plain = re.sub(r"\x1b\[[0-9;]*m", "", it.simulation.text(0)).split("\n")
    assert plain[1].startswith("~ 0 ♣ ▲")
    assert plain[4] == "step 0 of 128   alive 1 of 1"
    assert plain[5].split() == ["agent_0", "health", "10", "food", "32", "water", "32"]
    it.step(1)
    assert "lava" in it.simulation.text(0)
