"""What is said of the battles, statement by statement."""

import inspect

import numpy as np
import pytest
from battle.recordings import WORLDS, arrays, module, placed, placed_env, settings, stay

import ecumene
from ecumene.battle import battle_v4, combined_arms_v6, gather_v5
from ecumene.battle.ranges import move_cells

SHAPES = {
    ("battle_v4", "red"): (13, 13, 5),
    ("battlefield_v5", "blue"): (13, 13, 5),
    ("combined_arms_v6", "redmelee"): (13, 13, 9),
    ("combined_arms_v6", "blueranged"): (13, 13, 9),
    ("gather_v5", "omnivore"): (15, 15, 5),
    ("adversarial_pursuit_v4", "predator"): (10, 10, 5),
    ("adversarial_pursuit_v4", "prey"): (9, 9, 5),
    ("tiger_deer_v4", "deer"): (3, 3, 5),
    ("tiger_deer_v4", "tiger"): (9, 9, 5),
}
ACTIONS = {
    "battle_v4": {"red": (13, 8), "blue": (13, 8)},
    "battlefield_v5": {"red": (13, 8), "blue": (13, 8)},
    "combined_arms_v6": {
        "redmelee": (5, 4), "redranged": (13, 12), "bluemelee": (5, 4), "blueranged": (13, 12)
    },
    "gather_v5": {"omnivore": (29, 4)},
    "adversarial_pursuit_v4": {"predator": (5, 8), "prey": (9, 0)},
    "tiger_deer_v4": {"deer": (5, 0), "tiger": (5, 4)},
}  # fmt: skip


def idle(env):
    """Return an action that does nothing for every live agent."""
    group_of = {name: group for group in env.simulation.spec.groups for name in group.agents}
    return {name: group_of[name].action_names.index("stay") for name in env.agents}


def duel(red=((5, 5),), blue=((6, 5),), walls=(), **parameters):
    """Return a battle of few soldiers on a map of 12 x 12 cells, and its first observations."""
    parameters = {"map_size": 12, **parameters}
    env = placed_env("battle_v4", {"red": red, "blue": blue}, walls, parameters)
    return env, env.reset(seed=0)[0]


def attack(env, dx, dy):
    (group,) = [each for each in env.simulation.spec.groups if each.name == "red"]
    return group.action_names.index(f"attack_{dx}_{dy}")


@pytest.mark.parametrize(("world", "group"), SHAPES)
def test_m_01_agents_see_a_box_around_themselves(world, group):
    env = module(world).parallel_env()
    name = f"{group}_0"
    observations, _ = env.reset(seed=1)
    assert env.observation_space(name).shape == SHAPES[world, group] == observations[name].shape


def test_m_01_the_box_is_centred_and_cells_beyond_the_disc_are_0():
    _, seen = duel(red=((5, 5),), blue=((5, 1), (9, 1), (1, 9)))
    presence = seen["red_0"][:, :, 1] + seen["red_0"][:, :, 3]
    # Blue 4 cells above is in the disc of radius 6, those 5.7 away at the corners too.
    assert sorted(map(tuple, np.argwhere(presence).tolist())) == [(2, 6), (2, 10), (6, 6), (10, 2)]
    _, seen = duel(red=((1, 1),), blue=((6, 6),))
    assert seen["red_0"][:, :, 3].sum() == 0  # 7.07 away, though within the box


def test_m_02_empty_cells_are_all_0():
    _, seen = duel()
    view = seen["red_0"]
    assert (view[6, 6] != 0).any()
    assert (view[7, 7] == 0).all()


def test_m_03_obstacles_are_visible():
    _, seen = duel(walls=((7, 7),))
    view = seen["red_0"]
    assert view[8, 8, 0] == 1  # two to the right, two down
    assert (view[8, 8, 1:] == 0).all()
    assert view[6, 1, 0] == 1  # the border, five to the left
    assert view[6, 0].sum() == 0  # what lies beyond it


def test_m_04_friends_and_foes_have_channels_of_their_own():
    _, seen = duel(red=((5, 5), (5, 4)), blue=((6, 5),))
    assert seen["red_0"][5, 6].tolist() == [0, 1, 1, 0, 0]
    assert seen["red_0"][6, 7].tolist() == [0, 0, 0, 1, 1]
    assert seen["blue_0"][6, 6].tolist() == [0, 1, 1, 0, 0]
    assert seen["blue_0"][6, 5].tolist() == [0, 0, 0, 1, 1]


def test_m_05_an_entry_holds_the_share_of_hit_points():
    env, _ = duel()
    seen = env.step({**idle(env), "red_0": attack(env, 1, 0)})[0]
    left = np.float32(np.float32(8) + np.float32(0.1)) / np.float32(10)
    assert seen["red_0"][6, 7].tolist() == [0, 0, 0, 1, left]
    assert seen["blue_0"][6, 6].tolist() == [0, 1, left, 0, 0]


def test_m_06_m_07_features_are_number_last_action_last_reward():
    env, seen = duel(red=((5, 5), (2, 2)), blue=((6, 5),), extra_features=True)
    features = {name: view[0, 0, 5:] for name, view in seen.items()}
    assert all(len(each) == 10 + 21 + 1 for each in features.values())
    numbers = {name: each[:10] @ 2.0 ** np.arange(10) for name, each in features.items()}
    assert numbers == {"red_0": 0, "red_1": 1, "blue_0": 2}
    assert all(each[10:].sum() == 0 for each in features.values())
    action = attack(env, 1, 0)
    env.step({**idle(env), "red_0": action})
    seen = env.step(idle(env))[0]
    assert seen["red_0"][0, 0, 15:36].tolist() == np.eye(21)[6].tolist()  # it stayed
    assert seen["red_0"][0, 0, 36] == np.float32(0.2 - 0.1 - 0.005)  # what it got before
    assert seen["red_1"][0, 0, 36] == np.float32(-0.005)
    env, _ = duel(extra_features=True)
    seen = env.step({**idle(env), "red_0": action})[0]
    assert seen["red_0"][0, 0, 15:36].tolist() == np.eye(21)[action].tolist()


def test_m_07_omnivores_have_no_number():
    env = gather_v5.parallel_env(extra_features=True)
    assert env.observation_space("omnivore_0").shape[2] - 5 == 33 + 1


def test_m_08_m_15_the_position_follows():
    _, seen = duel(red=((3, 9),), extra_features=True, minimap_mode=True)
    assert seen["red_0"][4, 4, -2:].tolist() == [np.float32(3 / 12), np.float32(9 / 12)]
    _, seen = duel(red=((3, 9),), minimap_mode=True)
    assert seen["red_0"].shape == (13, 13, 9)
    assert seen["red_0"][4, 4, -2:].tolist() == [np.float32(3 / 12), np.float32(9 / 12)]


def test_m_09_m_10_features_fill_channels_after_the_view():
    for minimap, extra, channels in ((0, 0, 5), (1, 0, 9), (0, 1, 37), (1, 1, 41)):
        _, seen = duel(minimap_mode=bool(minimap), extra_features=bool(extra))
        view = seen["red_0"]
        assert view.shape == (13, 13, channels)
        constant = view[:, :, 5 + 2 * minimap :]
        assert (constant == constant[0, 0]).all()
    plain = duel()[1]["red_0"]
    assert np.array_equal(plain, duel(extra_features=True)[1]["red_0"][:, :, :5])


@pytest.mark.parametrize("world", WORLDS)
def test_m_11_m_12_every_world_has_a_minimap_mode_that_is_off(world):
    envs = [module(world).parallel_env(**each) for each in ({}, {"minimap_mode": True})]
    for name in envs[0].possible_agents:
        plain, mapped = (env.observation_space(name).shape for env in envs)
        groups = len(settings(world).battle().groups)
        assert mapped == (*plain[:2], plain[2] + groups + 2)


def test_m_13_m_14_density_maps():
    red, blue = ((2, 2), (3, 3), (9, 9)), ((8, 2),)
    env, seen = duel(red, blue, minimap_mode=True)
    view = seen["red_0"]
    # 12 cells in 13 bins: a cell each. Channels: obstacle, and three for each group.
    density = view[:, :, [3, 6]].copy()
    assert density[2, 2].tolist() == [np.float32(1 / 3) + 1, 1]  # one more in its own bin
    density[2, 2] -= 1
    assert density.sum(axis=(0, 1)).tolist() == pytest.approx([1, 1])
    assert density[3, 3, 0] == density[9, 9, 0] == np.float32(1 / 3)
    assert density[2, 8, 1] == 1
    # The dead of the step still count, afterwards they do not.
    env, _ = duel(red=((5, 5), (9, 9)), blue=((6, 5), (2, 9)), minimap_mode=True)
    env.simulation.state.hp[0, 2] = 1
    seen = env.step({**idle(env), "red_0": attack(env, 1, 0)})[0]
    assert seen["red_0"][5, 6, 6] == np.float32(1 / 2)
    seen = env.step(idle(env))[0]
    assert (seen["red_0"][5, 6, 6], seen["red_0"][9, 2, 6]) == (0, 1)


def test_m_16_one_step_is_a_move_or_an_attack():
    env, _ = duel()
    state = env.simulation.state
    before = state.x[0].tolist(), state.y[0].tolist()
    env.step({**idle(env), "red_0": attack(env, 1, 0)})
    assert (state.x[0].tolist(), state.y[0].tolist()) == before
    assert state.hp[0, 1] < 10
    env, _ = duel()
    env.step({**idle(env), "red_0": 0})
    assert env.simulation.state.y[0, 0] == 3
    assert env.simulation.state.hp[0, 1] == 10


@pytest.mark.parametrize("world", WORLDS)
def test_m_17_all_moves_then_all_attacks(world):
    simulation = placed(world, {group: [] for group in ACTIONS[world]})
    for group in simulation.spec.groups:
        moves, attacks = ACTIONS[world][group.name]
        kinds = [name.partition("_")[0] for name in group.action_names]
        assert group.action_space.n == moves + attacks
        assert [each if each != "stay" else "move" for each in kinds] == (
            ["move"] * moves + ["attack"] * attacks
        )
        speed = {each.name: each.type.speed for each in simulation.battle.groups}[group.name]
        assert group.action_names.index("stay") == move_cells(speed).tolist().index([0, 0])


@pytest.mark.parametrize("world", WORLDS)
def test_m_18_m_19_m_21_the_state_covers_the_map(world):
    parameters = {} if world == "gather_v5" else {"map_size": 46}
    size = parameters.get("map_size", 200)
    battle = settings(world, **parameters).battle()
    env = module(world).parallel_env(**parameters)
    env.reset(seed=0)
    for _ in range(2):
        whole = env.state()
        assert whole.shape == (size, size, 1 + 2 * len(battle.groups)) == env.state_space.shape
        assert whole.dtype == np.float32
        assert env.state_space.contains(whole)
        env.step(idle(env))


def test_m_18_the_state_is_there_when_agents_act_in_turn():
    env = battle_v4.env(map_size=12)
    env.reset(seed=0)
    for _ in range(5):
        env.step(6)
    assert env.state().shape == (12, 12, 5)


def test_m_20_walls_are_those_of_this_episode():
    env = ecumene.battle.tiger_deer_v4.parallel_env(map_size=20)
    walls = []
    for seed in range(3):
        env.reset(seed=seed)
        cell = env.simulation.state.cell[0]
        assert np.array_equal(env.state()[:, :, 0], (cell == -2).T)
        walls.append(env.state()[:, :, 0])
    assert not np.array_equal(walls[0], walls[1])


def test_m_22_m_23_presence_and_hit_points():
    env, _ = duel(red=((3, 7),), blue=((4, 7),))
    env.step({**idle(env), "red_0": attack(env, 1, 0)})
    whole = env.state()
    assert np.argwhere(whole[:, :, 1]).tolist() == [[3, 7]]
    assert np.argwhere(whole[:, :, 3]).tolist() == [[4, 7]]
    assert whole[3, 7].tolist() == [0, 1, 1, 0, 0]
    assert whole[4, 7].tolist() == pytest.approx([0, 0, 0, 1, 0.81])


def test_m_21_every_cell_of_a_big_body_is_marked():
    start = {"predator": [(4, 5)], "prey": [(8, 8)]}
    env = placed_env("adversarial_pursuit_v4", start, parameters={"map_size": 12})
    whole = env.state()
    body = [[4, 5], [4, 6], [5, 5], [5, 6]]
    assert np.argwhere(whole[:, :, 1]).tolist() == np.argwhere(whole[:, :, 2]).tolist() == body


def test_m_24_features_stand_at_their_agents():
    env, _ = duel(red=((3, 7),), blue=((4, 7),), extra_features=True, minimap_mode=True)
    action = attack(env, 1, 0)
    _, rewards, *_ = env.step({**idle(env), "red_0": action})
    whole = env.state()
    assert whole.shape == (12, 12, 5 + 10 + 21 + 1)
    features = whole[3, 7, 5:]
    assert features[:10].tolist() == [0] * 10
    assert features[10:31].tolist() == np.eye(21)[action].tolist()
    assert features[31] == np.float32(rewards["red_0"])
    assert whole[4, 7, 5:15].tolist() == [1] + [0] * 9
    assert (whole[5, 5] == 0).all()


def soldiers(alive):
    """Return a combined-arms battle of one soldier in each group, those left out nearly dead."""
    start = {
        "redmelee": [(3, 3)], "redranged": [(3, 8)], "bluemelee": [(4, 3)], "blueranged": [(4, 8)]
    }  # fmt: skip
    env = placed_env("combined_arms_v6", start, parameters={"map_size": 16})
    for i, name in enumerate(start):
        if name not in alive:
            env.simulation.state.hp[0, i] = 0.5
    return env


def test_m_25_it_ends_when_a_team_is_gone_not_a_kind():
    env = soldiers({"redmelee", "redranged"})
    hit = env.simulation.spec.groups[0].action_names.index("attack_1_0")
    _, _, terminations, _, _ = env.step({**idle(env), "redmelee_0": hit})
    assert terminations == {
        "redmelee_0": False, "redranged_0": False, "bluemelee_0": True, "blueranged_0": False
    }  # fmt: skip
    hit = env.simulation.spec.groups[1].action_names.index("attack_1_0")
    _, _, terminations, truncations, _ = env.step({**idle(env), "redranged_0": hit})
    assert all(terminations.values())
    assert not any(truncations.values())
    assert env.agents == []


def test_m_26_it_does_not_end_before():
    env, _ = duel(red=((2, 2),), blue=((9, 9),), max_cycles=60)
    for step in range(1, 61):
        _, _, terminations, truncations, _ = env.step(idle(env))
        assert not any(terminations.values())
        assert all(truncations.values()) == (step == 60)


@pytest.mark.parametrize("world", ["battle_v4", "battlefield_v5"])
def test_m_27_hit_points_recover(world):
    parameters = {} if world == "battlefield_v5" else {"map_size": 12}
    start = {"red": [(5, 5)], "blue": [(9, 9)]}
    simulation = placed(world, start, parameters=parameters)
    simulation.reset(seed=0)
    simulation.state.hp[0, 0] = 9.75
    found = []
    for _ in range(4):
        simulation.step(stay(simulation))
        found.append(float(simulation.state.hp[0, 0]))
    assert found == pytest.approx([9.85, 9.95, 10, 10], abs=1e-5)


def test_m_27_hit_points_recover_in_combined_arms():
    env = soldiers({"bluemelee", "blueranged"})
    env.step(idle(env))
    assert env.simulation.state.hp[0].tolist() == pytest.approx([0.6, 0.6, 10, 3])


@pytest.mark.parametrize("world", ["battle_v4", "combined_arms_v6"])
def test_m_28_random_play_goes_on_for_long(world):
    simulation = ecumene.make_simulation(settings(world).world_id, 4)
    simulation.reset(seed=0)
    generator = np.random.default_rng(0)
    for _ in range(100):
        simulation.step(
            {
                group.name: generator.integers(0, group.action_space.n, (4, len(group.agents)))
                for group in simulation.spec.groups
            }
        )
    assert (simulation.state.over == 0).all()


def test_m_29_the_worlds_exist_under_their_names():
    for name in WORLDS:
        world = getattr(ecumene.battle, name)
        env = world.parallel_env()
        assert env.metadata["name"] == name
        assert {"human", "rgb_array"} <= set(env.metadata["render_modes"])
        for maker in (world.parallel_env, world.raw_env, world.env):
            parameters = inspect.signature(maker).parameters.values()
            told = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
            first = [] if name == "gather_v5" else ["map_size"]
            further = ["max_cycles", "minimap_mode", "extra_features", "render_mode", "seed"]
            assert told == first + further
            assert maker.__module__ == world.__name__
    given = inspect.signature(combined_arms_v6.env).bind_partial(20, dead_penalty=-1.0)
    given.apply_defaults()
    assert (given.arguments["max_cycles"], given.arguments["attack_penalty"]) == (1000, -0.1)
    with pytest.raises(TypeError, match="map_size"):
        combined_arms_v6.raw_env(20, map_size=20)
    assert combined_arms_v6.parallel_env().possible_agents[:2] == ["redmelee_0", "redmelee_1"]
    assert len(arrays("placements.npz")["battle_v4_45_g0"]) == 81
