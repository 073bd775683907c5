"""Every statement of the document that describes survival worlds."""

import numpy as np
import pytest
from survival.boards import EAST, NORTH, SOUTH, STAY, WEST, AgentGroup, Board, World, board
from survival.scenarios import Replay, load

import ecumene
from ecumene.api.policies import noop_actions, random_actions
from ecumene.survival import columns as c
from ecumene.survival import tiles

WORLDS = sorted(
    name for name in ecumene.registry if name.startswith("survival/") and "custom" not in name
)
BOSSES = {"survival/boss-fight-v0", "survival/raid-v0"}
WITH_KILL_REWARDS = {
    "survival/deathmatch-v0", "survival/team-deathmatch-v0", "survival/predator-prey-v0",
}  # fmt: skip
HIDING = {"survival/spying-v0", "survival/exploring-v0"}
SEEDS = range(3)


def golden(name):
    (scenario,) = [each for each in load("harvest_classic_derived", "metabolism") if
                   each["name"] == name]  # fmt: skip
    return scenario


def play_golden(name):
    """Yield (recorded entities, ours) for every step of a recorded scenario."""
    scenario = golden(name)
    replay = Replay(scenario)
    for step, state in zip(scenario["steps"], scenario["states"][1:], strict=True):
        replay.step(step["actions"], step["dice"])
        yield state["ents"], replay.entities()
        if replay.over:
            return


def assert_golden(name, *keys):
    compared = 0
    for recorded, ours in play_golden(name):
        for entity, values in recorded.items():
            for key in keys if values["alive"] else ("health",):
                assert ours[entity][key] == values[key], (name, entity, key)
                compared += 1
    assert compared


def wander(world, seed, steps=40, **parameters):
    """Yield the simulation of two copies after each of some random steps."""
    simulation = ecumene.make_simulation(world, 2, 1, **parameters)
    simulation.reset(seed=seed)
    generator = np.random.default_rng(seed)
    for _ in range(steps):
        masks = {name: out.action_mask for name, out in simulation.out.items()}
        simulation.step(random_actions(masks, simulation.spec.groups, generator))
        yield simulation


def agents_of(simulation):
    return simulation.state.body[:, : simulation.numbers.agents]


@pytest.mark.parametrize("layout", ["\n".join(["." * 8] * 8), "\n".join(["." * 10] * 3)])
def test_s_01_square_and_oblong_maps_work(layout):
    rows = layout.split("\n")
    it = board(layout, [0, 0])
    assert it.rows() == rows
    last = [len(rows) - 1, len(rows[0]) - 1]
    for _ in rows:
        it.step(SOUTH if it.place()[0] < last[0] else STAY)
    for _ in rows[0]:
        it.step(EAST if it.place()[1] < last[1] else STAY)
    assert it.place() == last


def test_s_02_every_cell_has_one_type():
    it = board(".Fb\nW#~", [0, 0])
    looks = it.simulation.cells()
    assert looks.tolist() == [
        [tiles.GRASS, tiles.FOREST, tiles.BUSH],
        [tiles.RIVER, tiles.STONE, tiles.LAVA],
    ]
    planes = it.out.observation["grid"][0, 0][..., :6]
    assert (planes.sum(axis=-1) == 1).all()


@pytest.mark.parametrize("world", WORLDS)
def test_s_03_each_agent_stands_on_exactly_one_cell(world):
    for seed in SEEDS:
        for simulation in wander(world, seed, 20):
            for copy in range(simulation.copies):
                places = simulation.places(copy)
                there = places[places[:, 0] > -9]
                assert len({tuple(place) for place in there.tolist()}) == len(there)
                assert (there >= 0).all()
                assert (there < [simulation.numbers.height, simulation.numbers.width]).all()


@pytest.mark.parametrize("world", WORLDS)
def test_s_04_characters_have_health_water_and_food(world):
    for simulation in wander(world, 0):
        body, n = agents_of(simulation), simulation.numbers
        health_max = simulation.tables.trait[: n.agents, c.HEALTH_MAX]
        assert ((body[:, :, c.HEALTH] >= 0) & (body[:, :, c.HEALTH] <= health_max)).all()
        for stock in (c.FOOD, c.WATER):
            assert ((body[:, :, stock] >= 0) & (body[:, :, stock] <= n.stock)).all()


@pytest.mark.parametrize("world", WORLDS)
def test_s_05_the_rules_hold_in_every_world(world):
    """Of an agent left alone on grass, on the first step: stocks fall, lava would kill."""
    parameters = {"metabolism": True} if world in BOSSES else {}
    simulation = ecumene.make_simulation(world, 1, 1, **parameters)
    simulation.reset(seed=3)
    before = agents_of(simulation).copy()
    simulation.step(noop_actions(simulation.spec.groups, 1))
    after = agents_of(simulation)
    gained = simulation.numbers.gain
    for stock, harvests in ((c.FOOD, c.FED), (c.WATER, c.DRUNK)):
        expected = np.minimum(
            before[:, :, stock] - 1 + gained * after[:, :, harvests], simulation.numbers.stock
        )
        quiet = after[:, :, c.DAMAGE] == 0  # a mob's hit takes stocks, too
        assert (after[:, :, stock] == expected)[quiet].all()
        assert quiet.any()
    assert simulation.numbers.horizon == simulation.spec.horizon
    lava = simulation.state.material[0].reshape(-1, simulation.numbers.stride)[0]
    assert (lava == tiles.LAVA).all()


def test_s_06_food_falls_by_one_each_turn():
    it = board(".", [0, 0])
    assert [it.step().stocks()[1] for _ in range(5)] == [31, 30, 29, 28, 27]
    for world in BOSSES:
        simulation = next(wander(world, 0))
        assert not simulation.numbers.stocks
        assert "food" not in simulation.self_features


def test_s_07_water_falls_by_one_each_turn():
    it = board(".", [0, 0])
    assert [it.step().stocks()[2] for _ in range(5)] == [31, 30, 29, 28, 27]


def test_s_08_an_empty_stock_costs_health_instead():
    it = board("W.", [0, 1]).put(c.FOOD, 1)
    assert [it.step().stocks()[:2] for _ in range(3)] == [(10, 0), (9, 0), (8, 0)]
    assert_golden("starve", "health", "food", "water")


def test_s_09_two_empty_stocks_cost_two_health():
    assert_golden("idle_starve_32", "health", "food", "water")
    it = board(".", [0, 0]).idle(36)
    assert it.out.alive[0, 0]
    assert it.step().out.terminated[0, 0]


@pytest.mark.parametrize("world", WORLDS)
def test_s_10_episodes_have_a_fixed_length(world):
    default = ecumene.make_simulation(world).spec.horizon
    lengths = {"survival/corridor-v0": 70, "survival/boss-fight-v0": 300, "survival/raid-v0": 500}
    assert default == lengths.get(world, 128)
    simulation = ecumene.make_simulation(world, horizon=6)
    simulation.reset(seed=1)
    for step in range(1, 7):
        simulation.step(noop_actions(simulation.spec.groups, 1))
        for out in simulation.out.values():
            assert out.truncated.any() == (step == 6)


def test_s_11_a_death_ends_the_agents_own_episode_alone():
    env = ecumene.survival.Gathering(layout="..;..", n_groups=2, horizon=5)
    env.reset(seed=0)
    at_north = [env.simulation.places()[i, 0] == 0 for i in range(2)].index(True)
    victim, other = (f"agent_{at_north}", f"agent_{1 - at_north}")
    _, rewards, terminations, truncations, _ = env.step({victim: NORTH, other: STAY})
    assert (terminations[victim], truncations[victim], rewards[victim]) == (True, False, -1.0)
    assert terminations[other] is False
    assert env.agents == [other]
    results = env.step({other: STAY})
    assert all(list(each) == [other] for each in results)


@pytest.mark.parametrize(("regeneration", "health"), [(True, [6, 7, 8]), (False, [5, 5, 5])])
def test_s_12_health_rises_while_both_stocks_are_above_half(regeneration, health):
    it = board(".", [0, 0], regeneration=regeneration).put(c.HEALTH, 5)
    assert [it.step().stocks()[0] for _ in range(3)] == health
    it.put(c.FOOD, 16)
    assert it.step().stocks()[0] == health[-1]


def test_s_13_agents_can_be_on_grass():
    it = board("..\n##", [0, 0])
    assert it.step(EAST).place() == [0, 1]
    for simulation in wander("survival/gathering-v0", 5, 1):
        here = simulation.state.material[0][agents_of(simulation)[0, :, c.CELL]]
        assert tiles.GRASS in here


def test_s_14_a_forest_feeds_who_stands_on_it():
    assert_golden("forest_stand", "food", "health", "pos")
    it = board("F.", [0, 0]).put(c.FOOD, 10)
    assert it.step().stocks()[1] == 10 - 1 + 8


def test_s_15_a_forest_beside_one_does_nothing():
    assert_golden("forest_adjacent_only", "food")
    it = board("F.F", [0, 1]).put(c.FOOD, 10)
    assert it.step().stocks()[1] == 9
    assert it.rows() == ["F.F"]


def test_s_16_a_harvest_needs_no_action_and_happens_a_turn_after_arrival():
    it = board(".F", [0, 0]).put(c.FOOD, 10)
    assert it.step(EAST).stocks()[1] == 9
    assert it.step().stocks()[1] == 16
    full = board("F", [0, 0]).step()
    assert full.stocks()[1] == 32
    assert full.rows() == ["b"]


def test_s_17_a_harvested_forest_becomes_a_bush():
    it = board("F", [0, 0])
    assert it.rows() == ["F"]
    assert it.step().rows() == ["b"]
    assert it.seen("bush")[7, 7] == 1
    assert it.seen("forest").sum() == 0


def test_s_18_agents_walk_over_bushes():
    it = board(".b.", [0, 0])
    assert [it.step(EAST).place() for _ in range(2)] == [[0, 1], [0, 2]]
    grown = board("F.", [0, 0]).step(EAST)
    assert grown.rows() == ["b."]
    assert grown.step(WEST).place() == [0, 0]


@pytest.mark.parametrize("cooldown", [0, 1, 8])
def test_s_19_a_bush_turns_into_forest_again(cooldown):
    it = board("F", [0, 0], cooldown=cooldown, horizon=60)
    looks = [it.step().rows()[0] for _ in range(3 * (cooldown + 1))]
    # Harvested in step 1, restored at the end of step 1 + cooldown, harvested in the next one.
    period = ["b"] * cooldown + ["F"]
    assert looks == period * 3
    assert it.get(c.FED) == 3


def test_s_20_nobody_gets_food_from_a_bush():
    assert_golden("two_agents_forest", "food", "pos")


def test_s_21_a_river_waters_the_four_neighbours():
    assert_golden("river_adjacent", "water")
    layout = "...\n.W.\n..."
    for start, gain in (
        ([0, 1], 8),
        ([1, 0], 8),
        ([1, 2], 8),
        ([2, 1], 8),
        ([0, 0], 0),
        ([2, 2], 0),
    ):
        it = board(layout, start).put(c.WATER, 10)
        assert it.step().stocks()[2] == 9 + gain, start


def test_s_22_a_river_does_not_run_dry():
    it = board("W.", [0, 1], horizon=300, gain=1).put(c.WATER, 5)
    assert {it.step().stocks()[2] for _ in range(30)} == {5}
    assert it.rows() == ["W."]
    assert it.get(c.DRUNK) == 30


def test_s_23_stocks_never_exceed_their_maximum():
    it = board("FW", [0, 0]).put(c.FOOD, 30).put(c.WATER, 31)
    assert it.step().stocks()[1:] == (32, 32)


def test_s_24_rock_holds_no_agent():
    it = board(".#", [0, 0])
    assert it.step(EAST).place() == [0, 0]
    for seed in range(20):
        simulation = next(wander("survival/gathering-v0", seed, 1))
        cells = agents_of(simulation)[:, :, c.CELL]
        for copy in range(2):
            assert (simulation.state.material[copy][cells[copy]] != tiles.STONE).all()


def test_s_25_lava_takes_all_health():
    assert_golden("lava", "health")
    it = board("~.", [0, 1]).step(WEST)
    assert it.stocks()[0] == 0
    assert it.get(c.CAUSE) == c.BURNT


def test_s_26_moves_go_to_the_four_neighbours():
    space = ecumene.make("survival/gathering-v0").action_space("agent_0")
    assert space.n == 5
    names = ecumene.make_simulation("survival/gathering-v0").spec.groups[0].action_names
    assert names == ("stay", "north", "south", "east", "west")
    steps = {STAY: [1, 1], NORTH: [0, 1], SOUTH: [2, 1], EAST: [1, 2], WEST: [1, 0]}
    for action, place in steps.items():
        assert board("...\n...\n...", [1, 1]).step(action).place() == place


@pytest.mark.parametrize("world", WORLDS)
def test_s_27_only_grass_forest_and_bush_hold_living_agents(world):
    for seed in SEEDS:
        for simulation in wander(world, seed):
            body = agents_of(simulation)
            for copy in range(2):
                alive = body[copy, :, c.PRESENT] == 1
                under = simulation.state.material[copy][body[copy, alive, c.CELL]]
                assert np.isin(under, (tiles.GRASS, tiles.FOREST, tiles.BUSH)).all()


def test_s_28_a_move_onto_lava_ends_the_agent():
    it = board("~.\n..", [0, 1], [1, 1]).step(WEST)
    assert it.stocks()[0] == 0
    assert it.out.terminated[0].tolist() == [True, False]
    assert it.rewards() == [-1.0, 0.0]
    assert not it.out.alive[0, 0]


def assert_bumps(cell):
    it = board(f"#{cell}#\n{cell}.{cell}\n#{cell}#", [1, 1])
    for action in (NORTH, SOUTH, EAST, WEST):
        assert it.step(action).place() == [1, 1]
    assert it.get(c.VAIN) == 4


def test_s_29_a_river_leaves_the_agent_in_place():
    assert_bumps("W")
    assert_golden("bump", "pos", "health", "water")


def test_s_30_rock_leaves_the_agent_in_place():
    assert_bumps("#")
    assert_golden("bump", "pos", "health")


@pytest.mark.parametrize("world", sorted(set(WORLDS) - HIDING))
@pytest.mark.parametrize("mode", ["classic", "balanced"])
def test_s_31_the_type_of_every_cell_within_the_radius_is_seen(world, mode):
    parameters = {} if world in BOSSES else {"resource_mode": mode}
    simulation = ecumene.make_simulation(world, **parameters)
    radius = simulation.numbers.radius
    names = simulation.channels.names
    told = [name for name in names if name in tiles.NAMES]
    channels = [names.index(name) for name in told]
    kinds = np.array([tiles.NAMES.index(name) for name in told])
    simulation.reset(seed=8)
    for _ in range(3):
        simulation.step(noop_actions(simulation.spec.groups, 1))
        whole = np.pad(simulation.cells(), radius, constant_values=tiles.LAVA)
        places = iter(simulation.places())
        for out in simulation.out.values():
            for grid, (row, column) in zip(out.observation["grid"][0], places, strict=False):
                window = whole[row : row + 2 * radius + 1, column : column + 2 * radius + 1]
                assert (grid[..., channels].sum(axis=-1) == 1).all()
                assert (kinds[grid[..., channels].argmax(axis=-1)] == window).all()


def test_s_32_an_agent_sees_its_own_health_water_and_food():
    it = board(".", [0, 0]).put(c.HEALTH, 5).put(c.FOOD, 9).put(c.WATER, 17).step()
    told = [it.mine(name) for name in ("health", "food", "water")]
    assert told == [np.float32(0.5), np.float32(8 / 32), np.float32(16 / 32)]


@pytest.mark.parametrize(("away", "seen"), [(7, True), (8, False)])
def test_s_33_every_agent_within_the_radius_is_seen(away, seen):
    it = board("\n".join(["." * 20] * 10), [0, 2], [away, 2], [1, 2 + away])
    others = it.others()
    assert len(others) == (2 if seen else 0)
    assert it.seen("other_team").sum() == len(others)
    if seen:
        assert [(each["rows_down"], each["columns_right"]) for each in others] == [
            (np.float32(1 / 7), 1.0), (1.0, 0.0),
        ]  # fmt: skip


def test_s_34_no_visible_agent_is_left_out():
    starts = [[row, column] for row in range(4) for column in range(4)][:13]
    it = board("\n".join(["." * 4] * 4), *starts)
    for i in range(13):
        it.put(c.FOOD, i + 1, i).put(c.WATER, 32 - i, i).put(c.HEALTH, 10 - i % 5, i)
    it.step()
    for agent in range(13):
        others = it.others(agent)
        assert len(others) == 12
        expected = sorted(
            (np.float32(i / 32), np.float32((31 - i) / 32)) for i in range(13) if i != agent
        )
        assert sorted((each["food"], each["water"]) for each in others) == expected
        assert all(each["health"] > 0 for each in others)
    assert (
        "food"
        not in Board(
            World(groups=[AgentGroup(size=2)], layout=[".."], hide_others=True)
        ).simulation.entity_features
    )


def test_s_35_nothing_beyond_the_radius_is_seen():
    line = "." * 30
    here = [0, 2]
    near = board(f"{line};{line}", here, [0, 20])
    far = board(f"{line};{line[:12]}FW#~{line[16:]}", here, [1, 25])
    for name, part in near.out.observation.items():
        assert (part[0, 0] == far.out.observation[name][0, 0]).all(), name


@pytest.mark.parametrize("world", sorted(set(WORLDS) - WITH_KILL_REWARDS))
def test_s_36_rewards_come_on_an_agents_last_step_alone(world):
    for seed in SEEDS:
        for simulation in wander(world, seed, 14, horizon=12):
            for out in simulation.out.values():
                last = out.terminated | out.truncated
                assert (out.reward[~last] == 0).all()


@pytest.mark.parametrize("world", sorted(set(WORLDS) - BOSSES))
def test_s_37_survivors_get_one_at_the_horizon(world):
    simulation = ecumene.make_simulation(world, horizon=4)
    simulation.reset(seed=0)
    for _ in range(4):
        simulation.step(noop_actions(simulation.spec.groups, 1))
    for out in simulation.out.values():
        assert out.truncated.all()
        assert not out.terminated.any()
        assert (out.reward == 1.0).all()


def test_s_38_the_dead_get_minus_one_once():
    starved = board(".", [0, 0], stock=1, regeneration=False).put(c.HEALTH, 2)
    burnt = board("~.", [0, 1])
    groups = [AgentGroup(start=[[0, i]], styles=["melee"]) for i in range(2)]
    killed = Board(World(groups=groups, layout=[".."])).put(c.HEALTH, 1)
    rewards = [[it.step(*each).rewards()[0] for _ in range(4)] for it, each in (
        (starved, [STAY]), (burnt, [WEST]), (killed, [[0, 0], [0, 1]]),
    )]  # fmt: skip
    assert rewards == [[0.0, -1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]]
    causes = [it.get(c.CAUSE) for it in (starved, burnt, killed)]
    assert causes == [c.STARVED, c.BURNT, c.KILLED]


def test_s_39_worlds_with_a_task_of_their_own_say_so():
    from ecumene.survival import recipes

    for recipe in (recipes.Deathmatch, recipes.TeamDeathmatch, recipes.PredatorPrey):
        assert "reward" in recipe.__doc__
        assert recipe().declare().bonuses
    for recipe in (recipes.BossFight, recipes.Raid):
        assert "win_reward" in recipes.BossFight.__doc__
        world = recipe().declare()
        assert (world.survive_reward, world.win_reward, world.death_reward) == (0.0, 1.0, -1.0)
    tasked = {recipes.Deathmatch, recipes.TeamDeathmatch, recipes.PredatorPrey, recipes.BossFight,
              recipes.Raid}  # fmt: skip
    for world in WORLDS:
        recipe = ecumene.registry[world].load().recipe
        if recipe not in tasked:
            declared = recipe().declare()
            assert not declared.bonuses
            assert declared.boss is None
            assert (declared.survive_reward, declared.death_reward) == (1.0, -1.0)
