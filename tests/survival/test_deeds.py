"""Deeds by way of actions: heads, masks, what comes of them."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from survival.boards import (
    EAST,
    NORTH,
    SOUTH,
    STAY,
    WEST,
    AgentGroup,
    Board,
    NpcGroup,
    World,
    board,
)  # fmt: skip
from survival.scenarios import GOLDEN, stream_of

import ecumene
from ecumene.survival import columns as c
from ecumene.survival.columns import STYLE_NAMES
from ecumene.survival.rules.fight import hit_threshold
from ecumene.survival.tables import power

MELEE, RANGE, MAGE, HEAL = range(4)


def attack(style, slot, slots=8):
    return 1 + style * slots + slot


def fighters(*starts, layout=("." * 9,) * 9, roll=20, teams=None, **declaration):
    groups = [
        AgentGroup(start=[start], styles=STYLE_NAMES, team=teams and teams[i])
        for i, start in enumerate(starts)
    ]
    it = Board(World(groups=groups, layout=list(layout), **declaration))
    return loaded(it, *[roll] * 8)


def loaded(it, *dice):
    """Let the next dice fall as given."""
    it.simulation.state = it.simulation.state._replace(stream=stream_of(list(dice)))
    return it


def test_combat_tables():
    tables = json.loads((GOLDEN / "combat_tables.json").read_text())
    assert len(tables["damage"]) == 40
    for row in tables["damage"]:
        style = STYLE_NAMES.index(row["style"])
        sign = -1 if row["style"] == "heal" else 1
        assert sign * power(style, row["level"]) == row["damage"]
    assert len(tables["threshold"]) > 30
    for row in tables["threshold"]:
        ours = hit_threshold(
            row["defense_weight"], row["target_defense"], row["target_style_level"],
            row["attacker_level"],
        )  # fmt: skip
        assert ours == pytest.approx(row["threshold"])


@pytest.mark.parametrize(
    ("style", "reach", "damage"), [(MELEE, 1, 7), (RANGE, 3, 3), (MAGE, 4, 1), (HEAL, 2, -3)]
)
def test_styles_reach_so_far_and_the_mask_says_so(style, reach, damage):
    for away in range(1, 7):
        it = fighters([4, 1], [4, 1 + away], regeneration=False).put(c.HEALTH, 5, 1)
        mask = it.out.action_mask[0, 0, 5:]
        assert mask[attack(style, 0)] == (away <= reach)
        it.step([STAY, attack(style, 0)])
        hit = away <= reach
        assert it.get(c.HEALTH, 1) == (max(0, 5 - damage) if hit else 5)
        assert it.get(c.VAIN) == (not hit)


def test_an_empty_slot_is_struck_in_vain():
    it = fighters([0, 0], [0, 1])
    assert it.out.action_mask[0, 0, 5:][attack(MELEE, 5)] == 0
    it.step([STAY, attack(MELEE, 5)])
    assert it.get(c.VAIN) == 1
    assert it.stocks(1)[0] == 10


def test_slots_are_the_nearest_first_then_row_by_row():
    it = fighters([4, 4], [2, 4], [4, 6], [5, 4], [4, 3], [3, 5])
    assert [(each["rows_down"] * 7, each["columns_right"] * 7) for each in it.others()] == [
        (pytest.approx(row), pytest.approx(column))
        for row, column in ((-1, 1), (0, -1), (1, 0), (-2, 0), (0, 2))
    ]
    it.step([STAY, attack(MELEE, 2)])
    assert [it.get(c.DAMAGE, i) for i in range(6)] == [0, 0, 0, 7, 0, 0]


def test_stealing_and_its_switch():
    for stealing, gains in ((True, 7), (False, 0)):
        it = fighters([0, 0], [0, 1], stealing=stealing)
        it.put(c.FOOD, 10).put(c.FOOD, 20, 1).step([STAY, attack(MELEE, 0)])
        assert it.get(c.FOOD) == 9 + gains
        assert it.get(c.FOOD, 1) == 19 - gains


def test_a_team_is_safe_from_itself_and_heals_itself_alone():
    it = fighters([0, 0], [0, 1], [1, 0], teams=["a", "a", "b"], friendly_fire=False)
    mask = it.out.action_mask[0, 0, 5:]
    allowed = [
        (style, slot) for style in range(4) for slot in range(2) if mask[attack(style, slot)]
    ]
    assert allowed == [(MELEE, 1), (RANGE, 1), (MAGE, 1), (HEAL, 0)]
    it.step([STAY, attack(MELEE, 0)], STAY, STAY)
    assert it.stocks(1)[0] == 10
    assert it.get(c.VAIN) == 1
    it.step([STAY, attack(MELEE, 1)])
    assert it.stocks(2)[0] == 3


def test_freezing_holds_for_three_steps_and_shows():
    it = fighters([0, 0], [0, 3], [8, 8]).step([STAY, attack(MAGE, 0)], [SOUTH, 0])
    assert it.place(1) == [0, 3]
    assert it.mine("freeze", 1) == 1.0
    assert it.others()[0]["freeze"] == 1.0
    assert it.others(1)[0]["hit_me_last"] == 1.0
    moved = []
    for _ in range(3):
        told = it.out.action_mask[0, 1, SOUTH]
        before = it.place(1)
        it.step([STAY, 0], [SOUTH, 0])
        moved.append(it.place(1) != before)
        assert moved[-1] == bool(told)
    assert moved == [False, False, True]


def test_the_killer_is_told_and_takes_the_armour():
    it = fighters([0, 0], [0, 1]).put(c.HEALTH, 3, 1).put(c.CHEST, 5, 1)
    it.step([STAY, attack(MELEE, 0)])
    assert it.out.terminated[0].tolist() == [False, True]
    infos = it.simulation.infos(0)
    assert infos["agent_0"]["kills"] == 1
    assert infos["agent_1"]["cause"] == c.KILLED
    assert it.get(c.CHEST) == 5


def test_a_healed_victim_was_not_killed():
    it = fighters([0, 0], [0, 1], [0, 2]).put(c.HEALTH, 3, 1)
    it.step([STAY, attack(MELEE, 0)], STAY, [STAY, attack(HEAL, 0)])
    assert it.out.alive[0].tolist() == [True] * 3
    assert it.get(c.KILLS) == 0
    assert it.get(c.CAUSE, 1) == c.NOTHING


def sharers(*starts, **declaration):
    groups = [AgentGroup(start=[start]) for start in starts]
    declaration = {"share": [2, 7, "all"], "max_visible": 1, "stock": 16, **declaration}
    return Board(World(groups=groups, layout=["." * 8], **declaration))


@pytest.mark.parametrize(("amount", "moved"), [(0, 2), (1, 7), (2, 9)])
def test_sharing_gives_the_chosen_amount(amount, moved):
    it = sharers([0, 0], [0, 3]).put(c.FOOD, 10).put(c.FOOD, 4, 1)
    it.step([STAY, 1 + amount])
    assert (it.get(c.FOOD), it.get(c.FOOD, 1)) == (9 - moved, 3 + moved)
    assert it.get(c.GIVEN) == moved
    it.put(c.WATER, 3, 1).step([STAY, 1 + 3 + amount])
    assert it.get(c.WATER, 1) == min(2 + [2, 7, 14][amount], 16)


def test_what_cannot_be_shared_is_masked():
    it = sharers([0, 0], [0, 4]).put(c.FOOD, 4, 1).step()
    assert it.out.action_mask[0, 0, 6:].sum() == 0
    near = sharers([0, 0], [0, 3]).put(c.FOOD, 1).put(c.FOOD, 5, 1).step()
    # Own food is 0, water can be given; the receiver has used a unit of it before.
    assert near.out.action_mask[0, 0, 6:].tolist() == [0, 0, 0, 1, 1, 1]
    near.step([STAY, 1])
    assert near.get(c.VAIN) == 1


def builder(layout=("....", "...."), **declaration):
    groups = [AgentGroup(start=[[0, 1]])]
    return Board(World(groups=groups, layout=list(layout), build=True, plant=True, **declaration))


def test_building_walls_off_the_cell_left():
    it = builder()
    assert it.mine("last_cell_free") == 0
    it.step([EAST, 1, 0])
    assert it.rows() == [".#..", "...."]
    it.step([STAY, 1, 0])
    assert it.get(c.VAIN) == 1
    assert it.out.action_mask[0, 0].tolist()[5:7] == [1, 1]  # with a move it would


def test_building_over_a_forest_loses_it():
    it = builder(("F.F.",), cooldown=2).step([WEST, 0, 0])
    it.step([STAY, 0, 0]).step([EAST, 1, 0])
    assert it.rows() == ["#.F."]
    assert it.idle(9).rows() == ["#.F."]


def test_planting_costs_food_and_grows_a_forest():
    it = builder(cooldown=2, planting_cost=5).put(c.FOOD, 20).step([EAST, 0, 1])
    assert (it.rows(), it.get(c.FOOD)) == ([".b..", "...."], 14)
    assert it.step().rows()[0] == ".b.."
    assert it.step().rows()[0] == ".F.."
    poor = builder().put(c.FOOD, 8).step([EAST, 0, 1])
    assert poor.rows()[0] == "...."
    assert poor.get(c.VAIN) == 1


def test_planted_balanced_forest_blocks_the_way():
    it = builder(resource_mode="balanced", cooldown=1).step([EAST, 0, 1])
    assert it.rows()[0] == ".s.."
    it.step([WEST, 0, 0])
    assert it.place() == [0, 2]
    assert it.rows()[0] == ".f.."


def test_c41_followers_and_rings_obey_the_order_of_indices():
    """An agent moves into a cell only if who stood there has gone before it."""
    cells = [[3, 1], [3, 2], [3, 3]]
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        starts = [None] * 3
        for place, agent in enumerate(order):
            starts[agent] = cells[place]
        it = board("\n".join(["." * 7] * 7), *starts).step(EAST, EAST, EAST)
        free = True
        for agent in reversed(order):  # the front one first
            ahead = order[order.index(agent) + 1] if agent != order[-1] else None
            free = ahead is None or (free and ahead < agent)
            expected = [3, starts[agent][1] + free]
            assert it.place(agent) == expected, order
        for agent in range(3):
            assert len(it.others(agent)) == 2
    ring = board("..\n..", [0, 0], [0, 1], [1, 1], [1, 0]).step(EAST, SOUTH, WEST, NORTH)
    assert [ring.place(i) for i in range(4)] == [[0, 0], [0, 1], [1, 1], [1, 0]]


def test_the_order_may_rotate():
    for order, winners in (("index", [0, 0, 0]), ("rotate", [1, 0, 1])):
        found = []
        for step in range(3):
            it = board("...", [0, 0], [0, 2], order=order).idle(step).step(EAST, WEST)
            found.append([it.place(i) for i in range(2)].index([0, 1]))
        assert found == winners


def test_one_discrete_head_does_the_same():
    parts = ecumene.make_simulation("survival/arena-v0", n_groups=2, size=[4, 4])
    flat = ecumene.make_simulation("survival/arena-v0", n_groups=2, size=[4, 4], flat_actions=True)
    assert flat.spec.groups[0].action_space.n == 5 + 4 * 8
    for style in range(4):
        for slot in range(2):
            for simulation in (parts, flat):
                simulation.reset(seed=style)
            mask = flat.out["agent"].action_mask[0]
            assert (mask[:, 5:] == parts.out["agent"].action_mask[0, :, 6:]).all()
            choice = attack(style, slot)
            parts.step({"agent": np.array([[[0, choice], [1, 0]]])})
            flat.step({"agent": np.array([[4 + choice, 1]])})
            assert parts.state_hash() == flat.state_hash()


def test_messages_reach_those_who_see_the_sender():
    it = Board(World(groups=[AgentGroup(size=2)], layout=["...."] * 2, messages=3))
    assert it.simulation.spec.groups[0].action_space.nvec.tolist() == [5, 4]
    it.step([STAY, 2], [STAY, 0])
    names = ("said_1", "said_2", "said_3")
    assert [it.others(1)[0][name] for name in names] == [0, 1, 0]
    assert [it.others(0)[0][name] for name in names] == [0, 0, 0]
    assert it.step().others(1)[0]["said_2"] == 0


def hunted(layout, agent, mob, **traits):
    mobs = NpcGroup(start=[mob], health=2, melee=2, **traits)
    groups = [AgentGroup(start=[agent], styles=["melee"])]
    return Board(World(groups=groups, npcs=[mobs], layout=layout))


def test_a_hostile_npc_walks_around_rocks():
    it = hunted([".....", ".###.", "..#.."], [2, 0], [2, 3])
    trail = []
    for _ in range(12):
        trail.append(it.place(1))
        it.step()
    assert trail[:9] == [[2, 3], [2, 4], [1, 4], [0, 4], [0, 3], [0, 2], [0, 1], [0, 0], [1, 0]]
    assert it.get(c.HEALTH) < 10


def test_an_npc_sees_as_far_as_its_vision():
    assert hunted(["........"], [0, 0], [0, 5]).step().place(1) == [0, 4]
    assert hunted(["........"], [0, 0], [0, 7]).step().get(c.TARGET, 1) == 0


def test_a_neutral_npc_strikes_back_and_a_passive_one_does_not():
    for behaviour, strikes in (("neutral", True), ("passive", False)):
        it = hunted([".."], [0, 0], [0, 1], behaviour=behaviour).put(c.HEALTH, 2, 1)
        it.simulation.tables.trait[1, c.HEALTH_MAX] = 30
        it.put(c.HEALTH, 30, 1)
        assert it.idle(5).get(c.HEALTH) == 10
        loaded(it, *[20] * 4).step([STAY, 1])
        assert it.get(c.HEALTH, 1) == 23
        loaded(it, *[20] * 4).step()
        assert (it.get(c.HEALTH) < 10) == strikes


def test_npcs_fight_each_other_only_if_told_to():
    for infighting in (False, True):
        mobs = NpcGroup(size=2, start=[[0, 0], [0, 1]], health=9)
        groups = [AgentGroup(start=[[0, 20]])]
        world = World(
            groups=groups, npcs=[mobs], layout=["." * 21], npc_infighting=infighting, horizon=20
        )
        it = Board(world).idle(3)
        assert any(it.get(c.ATTACKER, npc) for npc in (1, 2)) == infighting


def test_dead_npcs_come_back_after_their_delay_at_their_spawner():
    for delay in (1, 4):
        mobs = NpcGroup(size=1, health=2, spawners=1, respawn_delay=delay, behaviour="passive")
        groups = [AgentGroup(start=[[0, 0]], styles=["melee"])]
        it = Board(World(groups=groups, npcs=[mobs], layout=["....."] * 5))
        home = it.place(1)
        it.put(c.HEALTH, 0, 1)
        it.simulation.state.body[0, 1, c.HEALTH] = -5  # not to be saved by its regeneration
        gone = 0
        while it.step().place(1)[0] < 0:
            gone += 1
        assert gone == delay
        assert it.place(1) == home


def test_the_boss_does_not_come_back_and_its_death_wins():
    env = ecumene.survival.BossFight()
    env.reset(seed=1)
    boss = env.simulation.numbers.boss_lo
    env.simulation.state.body[0, boss, c.HEALTH] = -5
    _, rewards, terminations, truncations, _ = env.step({name: [0, 0] for name in env.agents})
    assert rewards == {"tank_0": 1.0, "tank_1": 1.0}
    assert all(terminations.values())
    assert not any(truncations.values())
    assert env.agents == []
    assert env.metrics()["won"] == 1.0


def test_a_boss_alive_at_the_horizon_pays_nothing():
    env = ecumene.survival.BossFight(horizon=2)
    env.reset(seed=0)
    for _ in range(2):
        _, rewards, _, truncations, _ = env.step({name: [0, 0] for name in env.agents})
    assert set(rewards.values()) == {0.0}
    assert all(truncations.values())


def test_metabolism_gives_the_boss_worlds_the_drain():
    env = ecumene.survival.BossFight(metabolism=True)
    env.reset(seed=0)
    env.step({name: [0, 0] for name in env.agents})
    assert env.simulation.state.body[0, :2, c.FOOD].tolist() == [31, 31]
    assert "food" in env.self_features


def test_each_death_pays_those_who_are_to_be_paid():
    kinds = (("deathmatch", 3, 1, [1.0, 1.0]), ("team-deathmatch", 2, 2, None))
    for name, teams, size, paid in kinds:
        env = ecumene.make(f"survival/{name}-v0", n_groups=teams, agents_per_group=size)
        env.reset(seed=0)
        env.simulation.state.body[0, -1, c.HEALTH] = -5
        _, rewards, _, _, _ = env.step({agent: [0, 0] for agent in env.agents})
        values = list(rewards.values())
        assert values[-1] == -1.0
        assert values[:-1] == (paid or [1.0, 1.0, 0.0])
    env = ecumene.survival.PredatorPrey(prey=2, predators=1, kill_reward=0.5)
    env.reset(seed=0)
    env.simulation.state.body[0, 1, c.HEALTH] = -5
    rewards = env.step({agent: [0, 0] for agent in env.agents})[1]
    assert rewards == {"predator_0": 0.5, "prey_0": -1.0, "prey_1": 0.0}


def test_colours_decide_who_harvests_but_not_who_walks():
    groups = [
        AgentGroup(start=[[0, 0]], harvests=[1]), AgentGroup(start=[[1, 0]], harvests=[2]),
    ]  # fmt: skip
    world = World(groups=groups, layout=[".F", ".F"], access=["02", "02"])
    it = Board(world).put(c.FOOD, 9).put(c.FOOD, 9, 1)
    assert it.seen("harvestable").sum() == 0
    assert it.seen("harvestable", 1).sum() == 2
    it.step(EAST, EAST).step()
    assert [it.get(c.FOOD, i) for i in range(2)] == [7, 15]
    assert it.place() == [0, 1]


def test_c18_kinds_of_agents_with_and_without_a_deed_all_move():
    """Agents that cannot attack stand between those who can; nobody is passed over."""
    for kinds in ("ababab", "bababa", "aaabbb", "bbbaaa", "abbaab"):
        groups = [
            AgentGroup(name=kind, start=[[i, 0]], styles=["melee"] if kind == "a" else [])
            for i, kind in enumerate(kinds)
        ]
        it = Board(World(groups=groups, layout=["." * 40] * 6, horizon=30, stock=100))
        spaces = {group.name: group.action_space for group in it.simulation.spec.groups}
        assert spaces["a"].shape == (2,)
        assert spaces["b"].n == 5
        for _ in range(20):
            it.simulation.step(
                {
                    "a": np.array([[[EAST, 0]] * 3]),
                    "b": np.full((1, 3), EAST),
                }
            )
        assert (it.simulation.places()[:, 1] == 20).all()


def test_c40_a_death_on_the_last_step_is_a_death():
    it = board("~.\n..", [0, 1], [1, 1], horizon=2).step().step(WEST)
    assert it.out.terminated[0].tolist() == [True, False]
    assert it.out.truncated[0].tolist() == [False, True]
    assert it.rewards() == [-1.0, 1.0]
    short = board("..", [0, 0], horizon=1).step()
    assert short.out.truncated[0].tolist() == [True]


@given(
    food=st.lists(st.integers(0, 16), min_size=3, max_size=3),
    choices=st.lists(st.integers(0, 6), min_size=3, max_size=3),
)
@settings(max_examples=60)
def test_c59_sharing_makes_and_loses_nothing(food, choices):
    it = sharers([0, 0], [0, 1], [0, 2])
    for i, amount in enumerate(food):
        it.put(c.FOOD, amount, i).put(c.WATER, 16 - amount, i)
    it.step(*([STAY, choice] for choice in choices))
    for stock in (c.FOOD, c.WATER):
        had = [amount if stock == c.FOOD else 16 - amount for amount in food]
        assert sum(it.get(stock, i) for i in range(3)) == sum(max(0, h - 1) for h in had)
        assert all(0 <= it.get(stock, i) <= 16 for i in range(3))


def test_c59_the_last_unit_a_full_receiver_and_a_dying_giver():
    last = sharers([0, 0], [0, 1]).put(c.FOOD, 2).put(c.FOOD, 3, 1).step([STAY, 1])
    assert (last.get(c.FOOD), last.get(c.FOOD, 1)) == (0, 3)
    full = sharers([0, 0], [0, 1]).step([STAY, 3])
    assert (full.get(c.FOOD), full.get(c.FOOD, 1)) == (14, 16)  # both used a unit first
    dying = sharers([0, 0], [0, 1]).put(c.HEALTH, 1).put(c.WATER, 0).put(c.FOOD, 9)
    dying.put(c.FOOD, 3, 1).step([STAY, 2])
    assert not dying.out.alive[0, 0]
    assert dying.get(c.FOOD, 1) == 2 + 7
