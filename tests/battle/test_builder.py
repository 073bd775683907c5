"""Battles of one's own: what can be built, and what is refused."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from battle.recordings import positions, stay
from conftest import MELEE

import ecumene
from ecumene.battle import (
    AgentGroup,
    AgentType,
    At,
    Attack,
    Battle,
    BattleSimulation,
    Circle,
    Custom,
    Die,
    Fill,
    InALine,
    Kill,
    Maze,
    Place,
    Random,
    Reward,
    Sector,
    all_of,
    any_of,
    member,
)
from ecumene.engine import InvalidParameter

ROOT = Path(__file__).resolve().parent.parent.parent
SOLDIER = AgentType(hp=2, attack_range=Circle(1), damage=1)


def field(*places, groups=("red", "blue"), rewards=(), size=9, **options):
    """Return a simulation of a small battle, reset."""
    battle = Battle(
        size,
        size,
        tuple(AgentGroup(name, SOLDIER) for name in groups),
        tuple(places),
        rewards,
        **options,
    )
    simulation = BattleSimulation(battle=battle)
    simulation.reset(seed=0)
    return simulation


def test_fill_goes_column_by_column_and_skips_what_is_taken():
    simulation = field(
        Place("walls", Custom([(2, 3)])),
        Place("red", Fill((2, 2), (2, 3))),
        Place("blue", Fill((6, 6), (3, 3))),
    )
    assert positions(simulation, "red").tolist() == [[2, 2], [2, 4], [3, 2], [3, 3], [3, 4]]
    # Beyond the border nobody stands.
    assert positions(simulation, "blue").tolist() == [[6, 6], [6, 7], [7, 6], [7, 7]]


def test_fill_with_big_bodies_takes_strides():
    kind = AgentType(width=2, length=3)
    battle = Battle(20, 20, (AgentGroup("cart", kind),), (Place("cart", Fill((1, 1), (4, 6))),))
    simulation = BattleSimulation(battle=battle)
    simulation.reset(seed=0)
    assert positions(simulation, "cart").tolist() == [[1, 1], [1, 4], [3, 1], [3, 4]]


def test_random_places_are_free_and_fill_the_map_if_need_be():
    simulation = field(Place("red", Random(40)), Place("blue", Random(9)))
    for seed in range(20):
        simulation.reset(seed=seed)
        spots = np.concatenate([positions(simulation, name) for name in ("red", "blue")])
        assert len({tuple(spot) for spot in spots.tolist()}) == 49
    with pytest.raises(InvalidParameter, match=r"50 random agents \(50 cells\) .* 49 cells"):
        field(Place("red", Random(41)), Place("blue", Random(9)))


def test_a_crowded_map_of_big_bodies_is_refused_at_the_reset():
    kind = AgentType(width=3, length=3)
    battle = Battle(9, 9, (AgentGroup("cart", kind),), (Place("cart", Random(5)),))
    with pytest.raises(InvalidParameter, match="no room for another agent of 'cart'"):
        BattleSimulation(battle=battle).reset(seed=0)


@pytest.mark.parametrize("corridor", [1, 2, 3])
def test_a_maze_can_be_walked_through_and_differs_by_seed(corridor):
    size = 6 * (corridor + 1) + 1
    simulation = field(
        Place("walls", Maze(corridor)), Place("red", Random(1)), Place("blue", Random(1)), size=size
    )
    seen = set()
    for seed in range(5):
        simulation.reset(seed=seed)
        walls = simulation.state.cell[0] == -2
        seen.add(walls.tobytes())
        assert walls[corridor + 1 :: corridor + 1, corridor + 1 :: corridor + 1].all()
        free = {tuple(cell) for cell in np.argwhere(~walls).tolist()}
        assert reached(next(iter(free)), free) == free
    assert len(seen) == 5


def reached(start, free):
    """Return all cells to which a way leads."""
    found, border = {start}, [start]
    while border:
        row, column = border.pop()
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            cell = row + down, column + right
            if cell in free and cell not in found:
                found.add(cell)
                border.append(cell)
    return found


def test_agents_that_find_their_spot_taken_are_left_out_of_that_episode():
    simulation = field(
        Place("walls", Random(20)), Place("blue", Random(1)), Place("red", Fill((1, 1), (7, 7)))
    )
    assert len(simulation.spec.groups[0].agents) == 49
    assert simulation.out["red"].alive.sum() == 28
    env = ecumene.battle.BattleEnv(simulation)
    env.reset(seed=3)
    assert len(env.agents) == 29
    env.step(dict.fromkeys(env.agents, 2))
    assert len(env.agents) == 29


def test_rewards_of_events():
    red, blue = any_of("red"), any_of("blue")
    simulation = field(
        Place("red", Custom([(3, 3), (3, 5)])),
        Place("blue", Custom([(4, 3), (4, 5)])),
        rewards=(
            Reward(Attack(red, blue), {red: 1, blue: -1}),
            Reward(Attack(red, member("blue", 1)), {red: 8}),
            Reward(Kill(member("red", 0), blue), {all_of("red"): 16}),
            Reward(Die(blue), {blue: -32}),
            Reward(InALine(all_of("red")), {all_of("blue"): 64}),
            Reward(At(red, 3, 4), {red: 128}),
            Reward(Attack(red, blue) & Attack(any_of("red", "other"), blue), {blue: 256}),
        ),
    )
    names = simulation.spec.groups[0].action_names
    hit, down = names.index("attack_1_0"), names.index("move_0_1")

    def step(*actions):
        simulation.step({**stay(simulation), "red": np.array([actions])})
        return [simulation.out[name].reward[0].tolist() for name in ("red", "blue")]

    assert step(hit, hit) == [[1, 9], [-1, -1]]
    assert step(down, 2) == [[128, 0], [64, 64]]  # side by side now
    assert step(2, names.index("attack_1_0")) == [[128, 9], [64, 63]]
    simulation.reset(seed=0)
    simulation.state.hp[0, 2] = 0.5
    assert step(hit, 2) == [[16, 16], [-32, 0]]


def test_the_same_symbol_is_the_same_agent_and_labels_tell_agents_apart():
    one, other, prey = any_of("red", "one"), any_of("red", "other"), any_of("blue")
    together = Attack(one, prey) & Attack(other, prey)
    simulation = field(
        Place("red", Custom([(3, 4), (5, 4), (4, 3)])),
        Place("blue", Custom([(4, 4)])),
        rewards=(Reward(together, {one: 1, other: 10}),),
    )
    simulation.state.hp[0, 3] = 2
    simulation.world.power[:, 1] = 0.25  # damage
    names = simulation.spec.groups[0].action_names
    hits = [names.index(name) for name in ("attack_1_0", "attack_-1_0", "attack_0_1")]
    for count, expected in ((1, 0), (2, 11), (3, 22)):
        simulation.step({"red": np.array([hits[:count] + [2] * (3 - count)]), "blue": [[2]]})
        paid = simulation.out["red"].reward[0].tolist()
        assert paid == [expected] * count + [0] * (3 - count)


def test_a_terminal_event_ends_the_episode():
    simulation = field(
        Place("red", Custom([(3, 3)])),
        Place("blue", Custom([(6, 6)])),
        rewards=(Reward(At(any_of("red"), 3, 4), {}, terminal=True),),
    )
    simulation.step(stay(simulation))
    assert simulation.out["red"].alive.all()
    down = simulation.spec.groups[0].action_names.index("move_0_1")
    simulation.step({**stay(simulation), "red": np.array([[down]])})
    assert simulation.out["blue"].terminated.all()
    assert not simulation.out["blue"].truncated.any()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AgentType(width=0), r"AgentType.width is an integer in 1..32, not 0"),
        (lambda: AgentType(hp=0), "AgentType.hp is above 0"),
        (lambda: AgentType(damage=-1), "AgentType.damage is a finite number from 0 up"),
        (lambda: AgentType(view_range=3), "view_range is a Circle or Sector"),
        (lambda: Circle(-1), "Circle.radius is"),
        (lambda: Sector(3, 180), "Sector.angle is between 0 and 180"),
        (lambda: Custom([(1, 2), (1, 2, 3)]), "Custom.spots are pairs"),
        (lambda: Custom([(1, 2, 4)]), "a direction is 0 east"),
        (lambda: Fill((0, 0), (0, 1)), "Fill.size is"),
        (lambda: Place("red", Maze()), "Maze is for 'walls'"),
        (lambda: field(Place("gren", Random(1)), groups=("green",)), "Did you mean `green`"),
        (lambda: field(Place("red", Custom([(9, 1)]))), r"red at \(9, 1\) would stand outside"),
        (lambda: field(groups=("red", "red")), "of different names"),
        (lambda: field(Place("red", Random(1)), size=2), "width is an integer in 3..32767"),
        (
            lambda: Reward(Die(any_of("red")), {any_of("blue"): 1}),
            "names .*blue.* which is not in the event",
        ),
        (
            lambda: field(rewards=(Reward(Die(any_of("gree")), {}),), groups=("green",)),
            "a reward names the group 'gree'. Did you mean `green`",
        ),
        (
            lambda: field(rewards=(Reward(Die(member("red", 0)), {}),)),
            "a reward names agent 0 of 'red', which has 0",
        ),
        (
            lambda: field(rewards=(Reward(InALine(any_of("red")), {}),)),
            "InALine is an event of all_of",
        ),
        (
            lambda: field(rewards=(Reward(Attack(any_of("red"), all_of("blue")), {}),)),
            "cannot be the object",
        ),
        (lambda: field(unsafe="dangerous"), "Battle.unsafe is one of"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(InvalidParameter, match=message):
        make()


def custom(**changes):
    return ecumene.make("battle/custom-v0", **{**MELEE, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"types": {"cart": {"height": 3}}}, "type 'cart' has no key 'height'"),
        ({"groups": [{"name": "a", "type": "cat"}]}, "Did you mean `cart`"),
        ({"groups": [{"type": "cart"}]}, "a group needs `name`"),
        ({"places": [{"what": "cart"}]}, "the place of 'cart' has one of the keys"),
        ({"places": [{"what": "cart", "random": 1, "maze": 1}]}, "has one of the keys"),
        ({"rewards": [{"event": {"atack": ["a", "b"]}, "pays": {}}]}, "Did you mean `attack`"),
        ({"rewards": [{"event": {"die": 3}, "pays": {}}]}, 'an agent is "group"'),
        ({"rewards": [{"event": {"at": ["cart", 1]}, "pays": {}}]}, "at is a list of 3"),
        ({"types": {"cart": {"view_range": {"ring": 3}}}}, "has no key 'ring'"),
    ],
)
def test_what_is_refused_of_plain_descriptions(changes, message):
    with pytest.raises(InvalidParameter, match=message):
        custom(**changes)


def test_plain_descriptions_build_the_same_battle():
    env = custom()
    battle = env.simulation.battle
    assert battle.groups[0].type.view_range == Circle(3)
    assert battle.groups[1].type.attack_range == Sector(2, 120)
    assert [group.team for group in battle.groups] == [None, "scouts", "scouts"]
    left, right, cart = any_of("left"), any_of("right"), any_of("cart")
    assert battle.rewards[0] == Reward(
        Attack(left, cart) & Attack(right, cart), {left: 1, right: 1, cart: -1}
    )
    assert battle.rewards[1].pays == {member("left", 0): 0.125, all_of("right"): 0.25}


def test_the_example_runs_and_is_short():
    path = ROOT / "examples" / "my_battle.py"
    assert len(path.read_text().splitlines()) <= 40
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "step" in done.stdout
