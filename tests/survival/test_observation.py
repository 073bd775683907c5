"""What agents are told, beside recorded observations and from step to step."""

import json

import numpy as np
import pytest
from survival.boards import EAST, AgentGroup, Board, World, board
from survival.scenarios import GOLDEN

import ecumene
from ecumene.survival import columns as c


def test_recorded_windows_show_the_same():
    """The earlier system's arrays: per entity a row, per tile its look, row by row."""
    recorded = json.loads((GOLDEN / "observation.json").read_text())
    arrays = np.load(GOLDEN / "observation.npz")
    column = {name: k for k, name in enumerate(recorded["entity_columns"])}
    index = recorded["tile_columns"].index("Index")
    absolute = arrays["1_Tile_Continuous"][:, 2:4].astype(int)
    size = 12
    # The map is put together from all five windows.
    looks = {}
    for agent in recorded["positions"]:
        tiles = arrays[f"{agent}_Tile_Continuous"].astype(int)
        looks.update({tuple(row[2:4].tolist()): int(row[index]) for row in tiles})
    assert len(absolute) == 225
    entity = {agent: arrays[f"{agent}_Entity_Continuous"] for agent in recorded["positions"]}
    # Absolute coordinates count the border in.
    own = {a: entity[a][0, [column["R"], column["C"]]].astype(int) for a in entity}
    border = own["1"] - recorded["positions"]["1"]
    symbols = "~w.sf#bWF"
    rows = [
        "".join(symbols[looks.get((r + border[0], k + border[1]), 2)] for k in range(size))
        for r in range(size)
    ]
    inside = [[r, k] for r in range(size) for k in range(size)]
    groups = [AgentGroup(start=[list(place)]) for place in recorded["positions"].values()]
    it = Board(World(groups=groups, layout=rows, resource_mode="balanced"))
    assert inside
    for i, agent in enumerate(recorded["positions"]):
        seen = arrays[f"{agent}_Tile_Continuous"][:, index].astype(int).reshape(15, 15)
        for kind, name in ((2, "grass"), (5, "stone"), (4, "balanced_forest")):
            row, column_ = recorded["positions"][agent]
            for r in range(15):
                for k in range(15):
                    if 0 <= row + r - 7 < size and 0 <= column_ + k - 7 < size:
                        assert it.seen(name, i)[r, k] == (seen[r, k] == kind)
        count = int(arrays[f"{agent}_Entity_N"][0])
        others = entity[agent][1:count]
        offsets = others[:, [column["R"], column["C"]]] - own[agent]
        expected = sorted(tuple(np.float32(o / 7) for o in offset) for offset in offsets)
        told = sorted((np.float32(e["rows_down"]), np.float32(e["columns_right"]))
                      for e in it.others(i))  # fmt: skip
        assert told == expected


def test_every_channel_and_feature_has_a_name():
    for world in ecumene.registry:
        if not world.startswith("survival/") or "custom" in world:
            continue
        simulation = ecumene.make_simulation(world)
        for group in simulation.spec.groups:
            space = group.observation_space
            assert len(group.channel_names) == space["grid"].shape[-1]
            assert len(simulation.entity_features) == space["entities"].shape[-1]
            assert len(simulation.self_features) == space["self"].shape[-1]
            assert len(group.action_names) == group.action_sizes.sum()


def test_worlds_with_the_same_systems_have_the_same_spaces():
    def spaces_of(name):
        (group,) = ecumene.make_simulation(f"survival/{name}-v0", n_groups=4).spec.groups
        return group.observation_space, group.action_space

    assert spaces_of("gathering") == spaces_of("spying")
    assert spaces_of("colors") == spaces_of("exploring")
    assert spaces_of("arena") == spaces_of("deathmatch")


def test_the_dying_see_their_last_moment_and_the_dead_see_nothing():
    it = board("~.\n..", [0, 1], [1, 1]).step(4)
    assert it.seen("lava")[7, 7] == 1
    assert it.mine("health") == 0
    assert it.out.action_mask[0, 0].tolist() == [1, 0, 0, 0, 0]
    assert len(it.others(1)) == 0
    it.step()
    assert all((part[0, 0] == 0).all() for part in it.out.observation.values())
    assert it.out.action_mask[0, 0].tolist() == [1, 0, 0, 0, 0]


def test_place_and_time_are_told():
    it = board("....\n....", [0, 1], horizon=10).step(EAST)
    told = [it.mine(name) for name in ("row", "column", "steps_left")]
    assert told == [np.float32(x) for x in (0, 0.5, 0.9)]


def test_fewer_slots_on_request_show_the_nearest():
    it = board("." * 6, [0, 0], [0, 5], [0, 2], max_visible=1)
    assert [each["columns_right"] for each in it.others()] == [np.float32(2 / 7)]
    assert it.seen("other_team").sum() == 2


def test_roles_are_told_where_there_are_several():
    simulation = ecumene.make_simulation("survival/raid-v0")
    simulation.reset(seed=0)
    names = ("tank", "fighter", "healer")
    assert simulation.self_features[-3:] == names
    for k, name in enumerate(names):
        own = simulation.out[name].observation["self"][0, :, -3:]
        assert (own == np.eye(3, dtype=np.float32)[k]).all()
    rows = simulation.out["tank"].observation["entities"][0, 0]
    first = simulation.entity_features.index("tank")
    roles = rows[rows[:, 0] == 1][:, first : first + 3].sum(axis=0)
    assert roles.tolist() == [1, 2, 2]  # of the boss, none


def test_the_global_state_shows_everything():
    env = ecumene.survival.Pve()
    env.reset(seed=0)
    state = env.state()
    assert env.state_space.contains(state)
    n = env.simulation.numbers
    names = [name for name in env.simulation.channels.names if name in (
        "grass", "bush", "forest", "river", "stone", "lava",
    )]  # fmt: skip
    assert (state[..., : len(names)].sum(axis=-1) == 1).all()
    assert state[..., len(names)].sum() == n.agents
    assert state[..., len(names) + 1].sum() == n.entities - n.agents


def test_infos_count_what_was_done():
    it = board("FW", [0, 0]).idle(3)
    infos = it.simulation.infos(0)["agent_0"]
    assert (infos["fed"], infos["drunk"], infos["vain"], infos["team"]) == (1, 3, 0, 0)
    metrics = {name: float(each[0]) for name, each in it.simulation.metrics().items()}
    assert metrics == {
        "survivors": 1, "lifetime": 3, "starved": 0, "lava": 0, "killed": 0, "fed": 1, "drunk": 3,
    }  # fmt: skip


def labels(it):
    held = it.simulation.labels()["agent"][0]
    names = it.simulation.spec.propositions
    return [{name for name, each in zip(names, row, strict=True) if each} for row in held]


def test_labels_say_what_holds():
    calm = board("\n".join(["." * 5] * 5), [2, 2])
    assert labels(calm) == [set()]
    assert labels(calm.put(c.FOOD, 16)) == [{"hungry"}]
    assert labels(calm.put(c.WATER, 0)) == [{"hungry", "thirsty", "starving", "unsafe"}]
    assert "hurt" in labels(calm.put(c.HEALTH, 5))[0]
    assert "frozen" in labels(calm.put(c.FREEZE, 2))[0]


def test_labels_of_the_endangered_and_the_dead():
    it = board("..\n..", [0, 0])
    assert labels(it) == [{"in_danger", "unsafe"}]
    it.step(4)
    assert {"dead", "unsafe"} <= labels(it)[0]
    assert "attacked" not in labels(it)[0]
    it.step()
    assert labels(it) == [set()]
    assert (it.simulation.costs()["agent"] == 0).all()


def test_what_is_unsafe_can_be_chosen():
    it = board("..\n..", [0, 0], unsafe=["hungry"])
    assert labels(it) == [{"in_danger"}]
    assert labels(it.put(c.FOOD, 3)) == [{"in_danger", "hungry", "unsafe"}]


@pytest.mark.parametrize("name", ["boss-fight", "raid"])
def test_the_boss_worlds_hold_only_the_hurt_unsafe(name):
    world = ecumene.make_simulation(f"survival/{name}-v0").world
    assert set(world.unsafe) == {"hurt", "dead"}
