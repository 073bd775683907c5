"""Pictures of battles."""

import numpy as np
import pytest
from battle.recordings import stay
from battle.test_checklist import attack, duel, idle

import ecumene
from ecumene.battle import AgentGroup, AgentType, Battle, BattleSimulation, Custom, Place, battle_v4
from ecumene.engine import UnknownAgent

RED, BLUE = (204, 64, 56), (56, 84, 204)


def pixel(picture, x, y):
    """Return the colour of a pixel inside a cell, left of its middle."""
    return tuple(picture[15 + 8 * y + 1, 8 * x + 1].tolist())


def test_cells_bodies_and_walls():
    env, _ = duel(red=((5, 5),), blue=((6, 5),), walls=((3, 3),))
    env = battle_v4.parallel_env(map_size=45, render_mode="rgb_array")
    env.reset(seed=0)
    picture = env.render()
    assert picture.shape == (8 * 45 + 16, 8 * 45, 3)
    assert picture.dtype == np.uint8
    x, y = env.simulation.state.x[0, 0], env.simulation.state.y[0, 0]
    assert pixel(picture, x, y) == RED
    assert picture[15 + 8 * y, 8 * x].tolist() == [255, 255, 255]  # a gap around bodies
    assert pixel(picture, 0, 0) == (127, 127, 127)
    assert pixel(picture, 22, 2) == (255, 255, 255)


def test_wounds_pale_and_attacks_are_drawn():
    env, _ = duel(red=((5, 5),), blue=((8, 5),))
    whole = env.simulation.frame(0)
    assert (pixel(whole, 5, 5), pixel(whole, 8, 5)) == (RED, BLUE)
    env.simulation.state.hp[0, 1] = 1
    assert sum(pixel(env.simulation.frame(0), 8, 5)) > sum(BLUE) + 200
    env.step({**idle(env), "red_0": attack(env, 1, 0)})
    hit = env.simulation.frame(0)
    assert (hit[15 + 8 * 5 + 3, 8 * 6 + 3] == 0).all()  # the dot in the cell aimed at
    env.step(idle(env))
    assert (env.simulation.frame(0)[15 + 8 * 5 + 3, 8 * 6 + 3] == 255).all()


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_c56_any_number_of_groups_on_a_small_map_without_a_display(monkeypatch, count):
    monkeypatch.delenv("DISPLAY", raising=False)
    groups = tuple(AgentGroup(name, AgentType()) for name in "abcd"[:count])
    spots = [(1, 1), (2, 2), (3, 3), (1, 4)][:count]
    places = tuple(
        Place(group.name, Custom([spot])) for group, spot in zip(groups, spots, strict=True)
    )
    simulation = BattleSimulation(battle=Battle(5, 9, groups, places))
    simulation.reset(seed=0)
    stream = simulation.state.stream.copy()
    first = simulation.frame(0)
    assert first.shape == (8 * 9 + 16, 8 * 5, 3)
    assert len({pixel(first, *spot) for spot in spots}) == count
    simulation.step(stay(simulation))
    simulation.state.body[:, :, 3] = 0
    simulation.state.cell[simulation.state.cell >= 0] = -1
    assert simulation.frame(0).shape == first.shape
    assert np.array_equal(simulation.state.stream, stream)
    assert len(simulation.text(0).splitlines()) == 9 + 1


def test_large_maps_are_drawn_small():
    world = ecumene.make_simulation("battle/battle-v0", map_size=1000, observations="none")
    world.reset(seed=0)
    picture = world.frame(0)
    assert picture.shape == (1016, 1000, 3)
    x, y = world.state.x[0, 0], world.state.y[0, 0]
    assert tuple(picture[15 + y, x].tolist()) == RED


def test_the_view_of_one_agent():
    env, _ = duel(red=((5, 5),), blue=((10, 10),))
    env.simulation.watch("red_0")
    picture = env.simulation.frame(0)
    assert pixel(picture, 5, 5) == RED
    assert sum(pixel(picture, 10, 10)) < sum(BLUE)  # 7.07 cells away: dimmed
    env.simulation.watch(None)
    assert pixel(env.simulation.frame(0), 10, 10) == BLUE
    with pytest.raises(UnknownAgent, match="no agent 'red_7'. Did you mean `red_0`"):
        env.simulation.watch("red_7")


def test_big_bodies_that_turn_are_drawn_whole():
    kind = AgentType(width=2, length=3)
    battle = Battle(
        9, 9, (AgentGroup("cart", kind, colour=(9, 99, 9)),), (Place("cart", Custom([(2, 2, 0)])),),
        turn_mode=True,
    )  # fmt: skip
    simulation = BattleSimulation(battle=battle)
    simulation.reset(seed=0)
    picture = simulation.frame(0)
    body = picture[15 + 16 + 1 : 15 + 32 - 1, 16 + 1 : 40 - 1]  # three columns, two rows
    assert ((body == (9, 99, 9)).all(axis=2) | (body == 255).all(axis=2)).all()
    assert (body == 255).all(axis=2).sum() == 4  # the dot on its head
    assert simulation.text(0).count("C9") == 6
