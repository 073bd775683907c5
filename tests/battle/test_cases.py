"""Faults that people met in worlds like these, and how these ones behave."""

import itertools

import numpy as np
import pytest
from battle.recordings import placed, placed_env, positions, stay
from battle.test_checklist import attack, duel, idle

import ecumene
from ecumene.api import parallel
from ecumene.battle import baselines, battle_v4, gather_v5, tiger_deer_v4
from ecumene.battle.simulation import BattleSimulation
from ecumene.engine import InvalidAction, InvalidParameter


def test_c34_who_dies_leaves_after_one_last_step():
    env, _ = duel(red=((5, 5), (2, 2)), blue=((6, 5), (9, 9)))
    env.simulation.state.hp[0, 2] = 1
    told = env.step({**idle(env), "red_0": attack(env, 1, 0)})
    assert all("blue_0" in each for each in told)
    assert (told[2]["blue_0"], told[3]["blue_0"]) == (True, False)
    assert env.agents == ["red_0", "red_1", "blue_1"]
    for _ in range(2):
        told = env.step(idle(env))
        assert all("blue_0" not in each for each in told)
    with pytest.raises(InvalidAction, match="blue_0 is no longer live"):
        env.step({**idle(env), "blue_0": 6})
    env.reset(seed=1)
    assert env.agents == env.possible_agents


def test_c37_the_state_after_a_team_is_gone():
    env, _ = duel(red=((5, 5),), blue=((6, 5), (9, 9)))
    env.simulation.state.hp[0, 0] = 1
    _, _, terminations, _, _ = env.step({**idle(env), "blue_0": attack(env, -1, 0)})
    assert all(terminations.values())
    for _ in range(2):
        whole = env.state()
        assert env.state_space.contains(whole)
        assert (whole[:, :, 1:3] == 0).all()
        assert whole[:, :, 3].sum() == 2
        env.step({})


def test_c37_the_state_without_food():
    start = {"omnivore": [(50, 50)], "food": [(51, 50)]}
    env = placed_env("gather_v5", start, parameters={"extra_features": True})
    env.simulation.state.hp[0, 0] = 1
    assert env.simulation.battle.names["food"] == 0
    bite = env.simulation.spec.groups[0].action_names.index("attack_1_0")
    _, rewards, terminations, _, _ = env.step({"omnivore_0": bite})
    assert terminations == {"omnivore_0": True}
    assert rewards["omnivore_0"] == pytest.approx(5 - 0.1 - 0.01)
    assert env.state_space.contains(env.state())
    assert env.state()[:, :, 1].sum() == 0


def killing(red, blue, actions):
    """Return the rewards of a step in which blue_0 has one hit point left."""
    env, _ = duel(red, blue, attack_penalty=-0.1)
    env.simulation.state.hp[0, len(red)] = 1
    choices = {name: attack(env, *aim) for name, aim in actions.items()}
    return env.step({**idle(env), **choices})[1]


def test_c39_a_kill_is_paid_once_to_whoever_kills():
    assert killing(((5, 5),), ((6, 5), (9, 9)), {"red_0": (1, 0)})["red_0"] == pytest.approx(4.895)
    two = killing(((5, 5), (7, 5)), ((6, 5), (9, 9)), {"red_0": (1, 0), "red_1": (-1, 0)})
    # The second blow falls on an empty cell.
    assert sorted([two["red_0"], two["red_1"]]) == pytest.approx([-0.105, 4.895])
    for aim in ((-1, 0), (0, 1)):  # nobody; a friend
        rewards = killing(((5, 5), (5, 6)), ((6, 5), (9, 9)), {"red_0": aim})
        assert rewards["red_0"] == pytest.approx(-0.105)
        assert rewards["blue_0"] == pytest.approx(-0.005)


def test_c40_a_death_in_the_last_step_is_a_death():
    env, _ = duel(red=((5, 5), (2, 2)), blue=((6, 5), (9, 9)), max_cycles=5)
    for _ in range(4):
        _, _, terminations, truncations, _ = env.step(idle(env))
        assert not any([*terminations.values(), *truncations.values()])
    env.simulation.state.hp[0, 2] = 1
    _, _, terminations, truncations, _ = env.step({**idle(env), "red_0": attack(env, 1, 0)})
    assert terminations == {"red_0": False, "red_1": False, "blue_0": True, "blue_1": False}
    assert truncations == {"red_0": True, "red_1": True, "blue_0": False, "blue_1": True}
    env, _ = duel(max_cycles=1)
    assert all(env.step(idle(env))[3].values())


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_c41_agents_that_follow_one_another(order):
    """Cells vacated earlier in the step are free: agents in front must have lower indices."""
    spots = [(3, 1), (3, 2), (3, 3)]
    simulation = placed(
        "battle_v4",
        {"red": [spots[i] for i in order], "blue": [(9, 9)]},
        parameters={"map_size": 12},
    )
    simulation.reset(seed=0)
    actions = stay(simulation)
    actions["red"][:] = simulation.spec.groups[0].action_names.index("move_0_1")
    simulation.step(actions)
    free, expected = {(3, 4)}, {}
    for agent, i in enumerate(order):
        x, y = spots[i]
        ahead = (x, y + 1)
        blocked = ahead not in free and ahead in spots
        expected[agent] = (x, y) if blocked else ahead
        if not blocked:
            free.add((x, y))
    found = positions(simulation, "red").tolist()
    assert found == [list(expected[agent]) for agent in range(3)]
    assert_map_is_true(simulation)


def test_c41_a_ring_does_not_turn():
    simulation = placed(
        "battle_v4",
        {"red": [(3, 3), (4, 3), (4, 4), (3, 4)], "blue": [(9, 9)]},
        parameters={"map_size": 12},
    )
    simulation.reset(seed=0)
    before = positions(simulation, "red").tolist()
    actions = stay(simulation)
    names = simulation.spec.groups[0].action_names
    moves = ("move_1_0", "move_0_1", "move_-1_0", "move_0_-1")
    actions["red"][0] = [names.index(move) for move in moves]
    simulation.step(actions)
    assert positions(simulation, "red").tolist() == before


def assert_map_is_true(simulation, copy=0):
    """Check that the map holds every living agent in the cells of its body, and nobody else."""
    expected = np.full(simulation.state.cell.shape[1:], -1)
    world, state = simulation.world, simulation.state
    for agent in np.flatnonzero(state.status[copy] == 1):
        kind = simulation.battle.groups[world.owner[agent]].type
        columns, rows = kind.width, kind.length
        if state.direction[copy, agent] in (0, 2):
            columns, rows = rows, columns
        x, y = state.x[copy, agent], state.y[copy, agent]
        assert (expected[y : y + rows, x : x + columns] == -1).all()
        expected[y : y + rows, x : x + columns] = agent
    found = state.cell[copy]
    assert np.array_equal(np.where(found >= 0, found, -1), expected)


def test_the_first_step_after_a_reset_gives_every_group_its_own_actions():
    env = battle_v4.parallel_env(map_size=12)
    env.reset(seed=0)
    up, down = (env.simulation.spec.groups[0].action_names.index(f"move_0_{y}") for y in (-1, 1))
    before = env.simulation.state.y[0].copy()
    env.step({name: up if name.startswith("red") else down for name in env.agents})
    moved = env.simulation.state.y[0] - before
    assert moved[:2].max() < 0 < moved[2:].min()


def test_starved_tigers_end_the_game_in_step_100():
    env = tiger_deer_v4.parallel_env(map_size=12)
    env.reset(seed=0)
    for step in range(1, 101):
        _, rewards, terminations, _, _ = env.step(idle(env))
        assert any(terminations.values()) == (step == 100)
    assert rewards["tiger_0"] == 0
    assert env.state_space.contains(env.state())


def test_densities_without_a_group_are_0():
    env = placed_env(
        "battle_v4",
        {"red": [(5, 5)], "blue": []},
        parameters={"map_size": 12, "minimap_mode": True},
    )
    seen = env.reset(seed=0)[0]["red_0"]
    assert np.isfinite(seen).all()
    assert np.argwhere(seen[:, :, 6]).tolist() == [[5, 5]]  # its own bin


def test_states_with_food_show_hit_points_where_they_belong():
    from ecumene.battle import AgentGroup, AgentType, Battle, Custom, Place

    battle = Battle(
        8, 9, (AgentGroup("a", AgentType(hp=4)),), (Place("a", Custom([(2, 3)])),), food_mode=True
    )
    simulation = BattleSimulation(battle=battle)
    simulation.reset(seed=0)
    assert simulation.global_state(0).shape == (8, 9, 4)
    assert simulation.global_state(0)[2, 3].tolist() == [0, 0, 1, 1]


def test_missing_and_wrong_actions_are_refused():
    env, _ = duel()
    before = env.state_hash()
    for actions, message in (
        ({"red_0": 6}, "no action for blue_0"),
        ({"red_0": 6, "blue_0": 21}, r"blue_0: action 21 is outside Discrete\(21\)"),
        ({"red_0": 6, "blue_0": -1}, "blue_0: action -1"),
        ({"red_0": 6.0, "blue_0": 6}, "red_0: an action is an integer"),
    ):
        with pytest.raises(InvalidAction, match=message):
            env.step(actions)
    assert env.state_hash() == before


def test_large_groups_are_refused_alike():
    env = battle_v4.parallel_env()
    env.reset(seed=0)
    fine = dict.fromkeys(env.agents, 6)
    for actions, message in (
        ({**fine, "blue_3": 21}, r"blue_3: action 21 is outside Discrete\(21\)"),
        ({**fine, "blue_3": None}, "blue_3: an action is an integer"),
        ({**fine, "green_0": 1}, "there is no agent 'green_0'"),
        ({name: 6 for name in env.agents if name != "red_7"}, "no action for red_7"),
    ):
        with pytest.raises(InvalidAction, match=message):
            env.step(actions)
    told = env.step({**fine, "red_0": np.int8(6), "blue_80": np.array(3)})
    assert [len(each) for each in told] == [162] * 5
    first, second = told[0]["red_0"], told[0]["red_1"]
    first[:] = 7
    assert second.max() <= 2
    assert env.simulation.out["red"].observation.max() <= 2


def test_large_groups_are_told_what_small_ones_are(monkeypatch, equal):
    """Read and told all at once or one by one, while agents die."""
    at_once = ecumene.make("battle/combined-arms-v0", labels=True)
    monkeypatch.setattr(parallel, "CROWD", 1_000)
    one_by_one = ecumene.make("battle/combined-arms-v0", labels=True)
    assert equal(sorted_infos(at_once.reset(seed=1)), sorted_infos(one_by_one.reset(seed=1)))
    deaths = 0
    while at_once.agents:
        chosen = baselines.rush(at_once.simulation)
        actions = {
            name: int(chosen[group.name][0, i])
            for group in at_once.simulation.spec.groups
            for i, name in enumerate(group.agents)
            if name in at_once.agents
        }
        told = at_once.step(actions)
        assert equal(sorted_infos(told), sorted_infos(one_by_one.step(actions)))
        assert at_once.agents == one_by_one.agents
        deaths += sum(told[2].values())
    assert deaths == len(at_once.possible_agents)


def sorted_infos(told):
    """Return what was told, the entries of every info in one order."""
    infos = {name: dict(sorted(info.items())) for name, info in told[-1].items()}
    return *told[:-1], infos


def test_walls_beyond_ten_thousand():
    world = ecumene.make_simulation("battle/tiger-deer-v0", map_size=600, observations="none")
    world.reset(seed=0)
    assert (world.global_state(0)[:, :, 0] == 1).sum() == int(0.04 * 600**2) + 4 * 599


def test_parameters_are_refused_by_name():
    with pytest.raises(InvalidParameter, match="map_size is an integer from 12 up, not 11"):
        battle_v4.parallel_env(map_size=11)
    with pytest.raises(InvalidParameter, match=r"no parameter `atack_penalty`. Did you mean"):
        battle_v4.parallel_env(atack_penalty=-1)
    with pytest.raises(InvalidParameter, match="no parameter `map_size`"):
        gather_v5.parallel_env(map_size=100)
    with pytest.raises(InvalidParameter, match="minimap_mode is True or False"):
        battle_v4.parallel_env(minimap_mode=1)
    with pytest.raises(InvalidParameter, match="rng is one of"):
        ecumene.make("battle/battle-v0", rng="mt")


def test_seeds_of_the_constructor_hold_for_the_first_reset():
    worlds = [tiger_deer_v4.parallel_env(map_size=20, seed=seed) for seed in (5, 5, None)]
    for env in worlds:
        env.reset()
    hashes = [env.state_hash() for env in worlds]
    assert hashes[0] == hashes[1] != hashes[2]
    worlds[0].reset()
    assert worlds[0].state_hash() != hashes[0]
    worlds[2].reset(seed=5)
    assert worlds[2].state_hash() == hashes[0]


def test_an_adopted_battle_is_seen_with_its_own_walls():
    source, target = (ecumene.make_simulation("battle/tiger-deer-v0", 2) for _ in range(2))
    source.reset(seed=5)
    target.reset(seed=50)
    target.adopt(source, np.array([1, 0]))
    target.observe(np.ones(2, np.bool_))
    for name, output in source.out.items():
        assert np.array_equal(target.out[name].observation, output.observation[::-1])
