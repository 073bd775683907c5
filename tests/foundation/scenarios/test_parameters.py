"""Every parameter of the five scenarios, of wrong types and out of range."""

import math

import numpy as np
import pytest
from foundation.scenarios.twins import PARETO_BUILD, SCENARIOS, economy

from ecumene import foundation
from ecumene.engine import InvalidParameter

NO_NUMBER = ("x", None, [1], True, math.nan, 1j)
NO_INTEGER = ("x", None, 1.5, True)
NO_FLAG = ("yes", None, 2, [])

SHARED = {
    "planner_gets_spatial_info": NO_FLAG,
    "full_observability": NO_FLAG,
    "mobile_agent_observation_range": (*NO_INTEGER, -1),
    "starting_agent_coin": (*NO_NUMBER, -0.1, math.inf),
    "isoelastic_eta": (*NO_NUMBER, -0.01, 1.01),
    "energy_cost": (*NO_NUMBER, -1, math.inf),
    "energy_warmup_constant": (*NO_NUMBER, -1),
    "energy_warmup_method": ("slow", None, 3),
    "planner_reward_type": ("coin", None, "inv_income_weighted_coin_endowment", "COIN_EQ"),
    "mixing_weight_gini_vs_coin": (*NO_NUMBER, -0.1, 1.1),
}
SOWN = {
    **{f"{crop}_regen_halfwidth": (*NO_INTEGER, -1, 4) for crop in ("wood", "stone")},
    **{f"{crop}_regen_weight": (*NO_NUMBER, -0.1, 1.1) for crop in ("wood", "stone")},
    **{f"{crop}_max_health": (*NO_NUMBER, 0, -1) for crop in ("wood", "stone")},
    **{f"{crop}_clumpiness": (*NO_NUMBER, -0.1, 1.1) for crop in ("wood", "stone")},
    **{f"starting_{crop}_coverage": (*NO_NUMBER, -0.1, 0, 0.5) for crop in ("wood", "stone")},
    "gradient_steepness": (*NO_NUMBER, 0.9, -2),
    "checker_source_blocks": NO_FLAG,
}
ZONES = {
    "num_partitions_row": (*NO_INTEGER, 0),
    "num_partitions_col": (*NO_INTEGER, 0),
    "num_wood_zones": (*NO_INTEGER, -1, 65),
    "num_stone_zones": (*NO_INTEGER, -1, 65),
    "num_wood_and_stone_zones": (*NO_INTEGER, -1, 65),
}
DRAWN = {
    "resource_regen_prob": (*NO_NUMBER, -0.1, 1.1),
    "env_layout_file": (None, 3, "", "no such file", ["x"]),
    "world_size": ([14, 15], [15, 14], [30, 30], [15], "15x15", 15),
}
OWN = {
    "uniform": SOWN,
    "quadrant": SOWN,
    "multi_zone": {**SOWN, **ZONES},
    "layout_from_file": {**DRAWN, "fixed_four_skill_and_loc": NO_FLAG},
    "split_layout": {
        **DRAWN,
        "water_row": ("x", 1.5, True, 0, 14, -1, 99),
        "skill_rank_of_top_agents": ("x", [], [0, 1, 2], 3, [-1], 1.5, [0, 3], [None]),
    },
}
REFUSALS = [
    pytest.param(scenario, name, value, id=f"{scenario}-{name}-{value!r}")
    for scenario in SCENARIOS
    for name, values in {**SHARED, **OWN[scenario]}.items()
    for value in values
]


@pytest.mark.parametrize(("scenario", "name", "value"), REFUSALS)
def test_a_bad_value_is_refused_by_name(scenario, name, value):
    with pytest.raises(AssertionError) as caught:
        economy(scenario, **{name: value})
    assert isinstance(caught.value, InvalidParameter)
    message = str(caught.value)
    shown = "zones" if name.startswith("num_") else "layout" if name in DRAWN else name
    assert name in message or shown in message
    assert len(message) < 1000


GOOD = {
    "full_observability": (True, np.True_, 0),
    "mobile_agent_observation_range": (0, np.int32(2)),
    "starting_agent_coin": (0, 3, 2.5, np.float32(1)),
    "isoelastic_eta": (0, 1, 0.5),
    "energy_cost": (0, 10),
    "energy_warmup_constant": (0, 0.5),
    "energy_warmup_method": ("AUTO", "Decay"),
    "planner_reward_type": ("inv_income_weighted_coin_endowments", "inv_income_weighted_utility"),
    "mixing_weight_gini_vs_coin": (0, 1),
}


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in GOOD.items() for value in values]
)
def test_values_at_the_edge_of_a_range_are_taken(scenario, name, value):
    economy(scenario, seed=1, **{name: value}).step({})


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_unknown_parameters_are_refused(scenario):
    with pytest.raises(TypeError, match="planner_gets_spatial_obs"):
        economy(scenario, planner_gets_spatial_obs=True)


@pytest.mark.parametrize("scenario", ["uniform", "quadrant", "multi_zone"])
def test_wood_and_stone_cover_less_than_half_of_the_map(scenario):
    with pytest.raises(AssertionError, match="less than half of the map"):
        economy(scenario, starting_wood_coverage=0.3, starting_stone_coverage=0.2)
    with pytest.raises(AssertionError, match="less than half of the map"):
        economy(scenario, starting_wood_coverage=60, starting_stone_coverage=0.01)
    economy(scenario, starting_wood_coverage=0.24, starting_stone_coverage=0.25)


def test_a_coverage_from_one_up_is_a_number_of_tiles():
    by_tiles, by_share = (
        economy("uniform", 3, starting_wood_coverage=wood, starting_stone_coverage=stone)
        for wood, stone in ((9, 18), (9 / 99, 18 / 99))
    )
    assert np.array_equal(by_tiles.world.maps.state, by_share.world.maps.state)


@pytest.mark.parametrize(
    ("scenario", "agents", "size"),
    [("uniform", 7, [2, 3]), ("quadrant", 2, [2, 2]), ("multi_zone", 5, [2, 2])],
)
def test_more_agents_than_tiles_are_refused(scenario, agents, size):
    with pytest.raises(ValueError, match=r"agents do not fit on \d+ free tiles"):
        economy(scenario, n_agents=max(agents, size[0] * size[1] + 1), world_size=size)


def test_split_layout_checks_both_sides_of_the_river(tmp_path):
    path = tmp_path / "narrow.txt"
    build = {"components": [PARETO_BUILD], "env_layout_file": path}
    for rows, side in (("@@@ ;    ;    ;", "above"), ("    ;    ;@@@ ;", "below")):
        path.write_text(rows)
        top = [0, 1] if side == "above" else [0]
        message = f"2 agents do not fit on the 1 free tiles {side} the river"
        with pytest.raises(ValueError, match=message):
            economy("split_layout", skill_rank_of_top_agents=top, **build)


@pytest.mark.parametrize("components", [[("Gather", {})], [("Build", {}), ("Gather", {})]])
@pytest.mark.parametrize(
    ("scenario", "parameters"),
    [("split_layout", {}), ("layout_from_file", {"fixed_four_skill_and_loc": True})],
)
def test_ranks_need_a_build_component_with_pareto_skills(scenario, parameters, components):
    with pytest.raises(AssertionError, match='Build with skill_dist "pareto"'):
        economy(scenario, components=components, **parameters)


def test_split_layout_refuses_fixed_corners():
    with pytest.raises(ValueError, match="leave fixed_four_skill_and_loc"):
        economy("split_layout", fixed_four_skill_and_loc=True)


@pytest.mark.parametrize(
    "rows",
    [
        ["@    "] + ["     "] * 3,  # water in a corner
        ["   ", "   ", "   "],  # corners meet
    ],
)
def test_fixed_corners_need_free_corners(tmp_path, rows):
    path = tmp_path / "corners.txt"
    path.write_text(";".join(rows))
    with pytest.raises(ValueError, match="of rank . is off the map, under water or already"):
        economy(
            "layout_from_file",
            n_agents=8,
            components=[PARETO_BUILD],
            env_layout_file=path,
            fixed_four_skill_and_loc=True,
        )


def test_scenarios_are_registered_under_their_names():
    for scenario in SCENARIOS:
        cls = foundation.scenarios.get(f"{scenario}/simple_wood_and_stone")
        assert isinstance(economy(scenario), cls)
        assert cls.agent_subclasses == ["BasicMobileAgent", "BasicPlanner"]
        water = [] if scenario in ("uniform", "multi_zone") else ["Water"]
        assert list(cls.required_entities) == ["Wood", "Stone", *water]
