"""An economy's picture: what grows where, whose houses stand, who is where."""

import re

import numpy as np
import pytest

import ecumene
from ecumene.drawing import palette


@pytest.fixture
def env():
    env = ecumene.make("foundation/layout-v0", render_mode="rgb_array")
    env.reset(seed=0)
    return env


def tile(env, cell):
    side = env.render().shape[1] // 25
    row, column = cell
    return env.render()[row * side : (row + 1) * side, column * side : (column + 1) * side]


def shows(pixels, colour):
    return (pixels == colour).all(axis=2).any()


def test_water_and_resources_are_where_the_map_has_them(env):
    maps = env.simulation.world.maps
    for name, colour in (
        ("Water", palette.WATER),
        ("Wood", palette.TREE),
        ("Stone", palette.STONE),
    ):
        cells = np.argwhere(maps.tile[0, maps.channel[name]] > 0)
        assert len(cells)
        for cell in cells:
            assert shows(tile(env, cell), colour), name


def test_agents_are_where_they_stand(env):
    for i, cell in enumerate(env.simulation.world.maps.location[0]):
        assert shows(tile(env, cell), palette.player(i))


def test_houses_have_the_colour_of_their_owner(env):
    world = env.simulation.world
    taken = {tuple(cell) for cell in world.maps.location[0].tolist()}
    free = [(r, c) for r, c in ((20, 20), (20, 21), (20, 22)) if (r, c) not in taken]
    for owner, cell in zip((2, 0), free, strict=False):
        world.maps.marks[0, world.maps.private["House"]][cell] = owner + 2
        house = palette.mix(palette.player(owner), palette.INK, 0.1)
        assert shows(tile(env, cell), house)
        assert "^" in env.simulation.text(0)


def test_text_has_the_map_time_and_coin(env):
    lines = re.sub(r"\x1b\[[0-9;]*m", "", env.simulation.text(0)).splitlines()
    assert [len(line) for line in lines[:25]] == [50] * 25
    assert lines[25:] == ["step 0", "coin  0: 0  1: 0  2: 0  3: 0"]
    assert {"w ", "s ", "~~", "0 ", "3 "} <= {
        line[at : at + 2] for line in lines[:25] for at in range(0, 50, 2)
    }
