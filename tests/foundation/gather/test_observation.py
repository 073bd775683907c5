"""What agents see of Gather: their skill, and where they can go."""

from itertools import product

import numpy as np
import pytest
from foundation.boards import BUILD, GATHER, LEFT, STEPS, put, stand

ROWS = ["0.W", "@1.", "..."]


def test_g_38_each_mobile_agent_observes_its_own_skill(draw):
    env = draw(*ROWS, flatten_observations=False)
    for i in range(2):
        env.get_agent(i).state["bonus_gather_prob"] = (i + 1) / 4
    obs, _, _, _ = env.step()
    component = env.get_component("Gather")
    assert [obs[str(i)]["Gather-bonus_gather_prob"] for i in range(2)] == [0.25, 0.5]
    assert component.obs() == {"0": {"bonus_gather_prob": 0.25}, "1": {"bonus_gather_prob": 0.5}}
    assert type(component.obs()["0"]["bonus_gather_prob"]) is float


def test_g_38_also_right_after_a_reset(draw):
    env = draw(*ROWS, components=[("Gather", {"skill_dist": "pareto"})], flatten_observations=False)
    for _ in range(5):
        obs = env.reset()
        assert [obs[str(i)]["Gather-bonus_gather_prob"] for i in range(2)] == [
            env.get_agent(i).state["bonus_gather_prob"] for i in range(2)
        ]


@pytest.mark.parametrize("components", [[GATHER], [BUILD, GATHER]])
def test_g_38_in_flat_observations_in_its_sorted_place(draw, components):
    env = draw(*ROWS, components=components)
    env.get_agent(0).state["bonus_gather_prob"] = 0.123
    obs, _, _, _ = env.step()
    place = 2 * (BUILD in components)  # after Build's two fields, before all others
    assert obs["0"]["flat"][place] == np.float32(0.123)
    assert obs["1"]["flat"][place] == 0


def test_g_39_component_s_observations_are_keyed_by_index_as_a_string(draw):
    env = draw(*ROWS)
    assert list(env.get_component("Gather").obs()) == ["0", "1"]


def test_g_40_planner_observes_nothing_of_it(draw):
    env = draw(*ROWS, flatten_observations=False)
    obs, _, _, _ = env.step()
    seen_by_planner = {**obs["p"], **obs["p"]["p0"], **obs["p"]["p1"]}
    assert not [name for name in seen_by_planner if "ather" in name]
    assert {"p0", "p1", "inventory-Coin"} <= {name.removeprefix("world-") for name in obs["p"]}


def test_g_40_nor_in_flat_observations(draw):
    env = draw(*ROWS)
    for i in range(2):
        env.get_agent(i).state["bonus_gather_prob"] = 0.875
    obs, _, _, _ = env.step()
    assert 0.875 in obs["0"]["flat"]
    assert obs["p"]["flat"].shape == (4,)  # time and three inventories
    assert obs["p"]["p0"].shape == (5,)  # three inventories, row and column
    for seen in (obs["p"]["flat"], obs["p"]["p0"], obs["p"]["p1"]):
        assert 0.875 not in seen


# Masks.


def test_g_41_mask_is_there_at_reset_and_at_every_step(draw):
    env = draw(*ROWS, flatten_masks=False)
    frames = [env.reset()] + [env.step()[0] for _ in range(4)]
    for obs in frames:
        for i in range(2):
            assert list(obs[str(i)]["action_mask"]) == ["Gather"]
            assert len(obs[str(i)]["action_mask"]["Gather"]) == 4


def test_g_41_mask_of_the_component_has_one_entry_per_direction(draw):
    masks = draw(*ROWS).get_component("Gather").generate_masks(completions=3)
    assert {str(idx) for idx in masks} == {"0", "1"}
    assert all(mask.shape == (4,) for mask in masks.values())


MASKS_DRAWN = [
    # Board, and where agent 0 can go: left, right, up, down.
    (["...", ".0.", "1.."], [1, 1, 1, 1]),
    ([".@.", "@0@", "1@."], [0, 0, 0, 0]),
    (["0..", "...", "1.."], [0, 1, 0, 1]),
    (["..1", "...", "..0"], [1, 0, 1, 0]),
    ([".1.", ".0.", "..."], [1, 1, 0, 1]),
    ([".a.", "b0a", "1b."], [0, 1, 1, 0]),
    ([".W.", "S0W", "1S."], [1, 1, 1, 1]),
    (["1@.", "b0.", "..."], [0, 1, 0, 1]),
]


@pytest.mark.parametrize(("rows", "expected"), MASKS_DRAWN)
def test_g_42_mask_tells_where_the_agent_can_go(draw, rows, expected):
    env = draw(*rows)
    obs, _, _, _ = env.step()
    assert obs["0"]["action_mask"].tolist() == [1, *expected]
    assert obs["0"]["action_mask"].dtype == np.float32
    assert env.get_component("Gather").generate_masks()[0].tolist() == expected


KINDS = ["empty", "wood", "spent", "water", "own", "foreign", "agent"]


def furnish(env, place, kind):
    """Make a tile one of the `KINDS`, whatever it was; the agent is number 1."""
    maps = env.world.maps
    for name in ("Wood", "WoodSourceBlock", "Water"):
        maps.set_point(name, *place, 0)
    maps.set_point("House", *place, 0, owner=max(0, int(maps.get("House", owner=True)[place])))
    if kind in ("wood", "spent"):
        put(env, place, WoodSourceBlock=1, Wood=float(kind == "wood"))
    elif kind == "water":
        put(env, place, Water=1)
    elif kind in ("own", "foreign"):
        env.world.create_landmark("House", *place, 0 if kind == "own" else 1)
    elif kind == "agent":
        env.world.set_agent_loc(env.get_agent(1), *place)


@pytest.mark.parametrize("left", KINDS)
def test_g_42_in_every_neighbourhood_by_unoccupied_and_accessible(draw, left):
    env = draw("....", "....", "...@")
    maps, component = env.world.maps, env.get_component("Gather")
    places = [(1 + dr, 1 + dc) for dr, dc in STEPS.values()]
    for others in product(KINDS, repeat=3):
        stand(env, (1, 1))
        kinds = (left, *others)
        for place, kind in zip(places, kinds, strict=True):
            furnish(env, place, kind)
        if kinds.count("agent") > 1:
            continue  # there is only one other
        by_maps = [int(maps.unoccupied[p] and maps.accessibility[0][p]) for p in places]
        by_kind = [int(kind not in ("water", "foreign", "agent")) for kind in kinds]
        assert component.generate_masks()[0].tolist() == by_maps == by_kind


def test_g_42_is_each_agent_s_own(draw):
    env = draw("0a1", "...")
    masks = env.get_component("Gather").generate_masks()
    assert masks[0].tolist() == [0, 1, 0, 1]
    assert masks[1].tolist() == [0, 0, 0, 1]


def test_g_42_mask_follows_the_other_agents(draw):
    env = draw("0..1")
    rights = []
    for _ in range(3):
        obs, _, _, _ = env.step({"1": LEFT})
        rights.append(obs["0"]["action_mask"][2])
    assert rights == [1, 0, 0]


def test_g_43_noop_is_always_allowed(draw):
    env = draw("0@", "@1")
    for _ in range(3):
        obs, _, _, _ = env.step()
        assert obs["0"]["action_mask"].tolist() == [1, 0, 0, 0, 0]
        assert obs["1"]["action_mask"].tolist() == [1, 0, 0, 0, 0]


def test_g_43_once_per_subspace_in_multi_action_mode(draw):
    env = draw("0@", "@1", components=[BUILD, GATHER], multi_action_mode_agents=True)
    obs, _, _, _ = env.step()
    assert obs["0"]["action_mask"].tolist() == [1, 0, 1, 0, 0, 0, 0]


def test_an_agent_off_the_map_can_go_nowhere(draw):
    env = draw("....", "....")
    env.world.clear_agent_locs()
    obs, _, _, _ = env.step({"0": LEFT})
    assert obs["0"]["action_mask"].tolist() == [1, 0, 0, 0, 0]
    assert env.get_agent(0).loc == [-1, -1]
