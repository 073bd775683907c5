"""Maps: drawn as text, damaged, and made at random."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from survival.boards import AgentGroup, NpcGroup, World, board
from survival.scenarios import GOLDEN

import ecumene
from ecumene.engine import InvalidParameter
from ecumene.engine.layout import LayoutWarning
from ecumene.survival import LEGEND, SurvivalSimulation, tiles

ALONE = [AgentGroup(start="anywhere")]


def simulation_of(**declaration):
    return SurvivalSimulation(World(**{"groups": ALONE, **declaration}))


def test_the_legend_names_every_character():
    assert LEGEND == {
        "~": "lava", "w": "balanced_water", ".": "grass", "s": "depleted",
        "f": "balanced_forest", "#": "stone", "b": "bush", "W": "river", "F": "forest",
    }  # fmt: skip


@given(
    st.integers(1, 6).flatmap(
        lambda width: st.lists(
            st.text(".#~bWF", min_size=width, max_size=width), min_size=1, max_size=6
        )
    )
)
@settings(max_examples=40)
def test_export_and_import_are_each_others_inverse(rows):
    rows[0] = "." + rows[0][1:]
    text = "\n".join(rows)
    first = simulation_of(layout=rows)
    first.reset(seed=0)
    assert first.map_text() == text
    if len(rows) > 1:
        again = simulation_of(layout=first.map_text())
        again.reset(seed=1)
        assert (again.cells(layer="material") == first.cells(layer="material")).all()


def test_a_random_map_can_be_drawn_on_and_given_back(tmp_path):
    made = ecumene.survival.Gathering(n_groups=8)
    made.reset(seed=2)
    path = tmp_path / "valley.txt"
    path.write_text(made.map_text() + "\n")
    again = ecumene.survival.Gathering(n_groups=8, layout=str(path))
    again.reset(seed=3)
    assert again.map_text() == made.map_text()


def test_c02_short_rows_are_filled_up_with_one_warning():
    rows = ["." * 100] * 49 + ["." * 51 + "F"]
    with pytest.warns(LayoutWarning, match="row 49 has 52") as told:
        simulation = simulation_of(layout=rows, size=[50, 100])
    assert len(told) == 1
    assert "100 cells" in str(told[0].message)
    assert told[0].filename == __file__
    simulation.reset(seed=0)
    assert simulation.cells()[49, 51] == tiles.FOREST
    assert (simulation.cells()[49, 52:] == tiles.GRASS).all()


def test_c04_unknown_symbols_are_listed_with_count_and_place():
    with pytest.warns(LayoutWarning, match="'G' .2 times, first at row 1, column 0.") as told:
        simulation = simulation_of(layout="..'.\nGG..")
    assert '"\'" (1 times, first at row 0, column 2)' in str(told[0].message)
    simulation.reset(seed=0)
    assert (simulation.cells() == tiles.GRASS).all()


def test_c06_size_is_height_and_width_and_must_fit():
    nine = "\n".join(["." * 9] * 9)
    with pytest.raises(InvalidParameter, match=r"9 rows of 9 cells, but size .* is \[8, 8\]"):
        simulation_of(layout=nine, size=[8, 8])
    for size in ([9, 9], None):
        assert simulation_of(layout=nine, size=size).numbers.height == 9
    wide = "\n".join(["." * 12] * 5)
    assert simulation_of(layout=wide, size=[5, 12]).numbers.width == 12
    with pytest.raises(InvalidParameter, match="5 rows of 12"):
        simulation_of(layout=wide, size=[12, 5])


def test_c07_a_crowded_map_always_has_room_for_as_many_as_fit():
    rows = ["WWWWWW"] * 5 + ["W....."]
    groups = [AgentGroup(size=5)]
    simulation = SurvivalSimulation(World(groups=groups, layout=rows), 50)
    for seed in range(0, 1000, 50):
        simulation.reset(seed=seed)
        for copy in range(50):
            places = simulation.places(copy)
            assert sorted(map(tuple, places.tolist())) == [(5, column) for column in range(1, 6)]
    with pytest.raises(ValueError, match="6 agents and 0 NPCs do not fit on the 5 cells"):
        SurvivalSimulation(World(groups=[AgentGroup(size=6)], layout=rows))


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ({"layout": "\n\n"}, "empty"),
        ({"layout": "nowhere.txt"}, "nowhere.txt"),
        ({"layout": 5}, "layout is"),
        ({"layout": ["..", 5]}, "list of rows"),
        ({"layout": "..\ns."}, 'row 1, column 0.*resource_mode="balanced"'),
        ({"size": [3]}, "height, width"),
        ({"size": [0, 4]}, "size"),
        ({"size": [2, 2]}, "2 x 2 is too small: 1 agents, 0 NPCs, 1 rivers and 2 forests"),
        ({"size": [9000, 9000]}, "at most"),
        ({"layout": "..\n..", "access": 2}, "colour of every cell"),
        ({"access": ["0"]}, "need a layout"),
        ({"layout": "..\n..", "visibility": ["01"]}, r"\[1, 2\].*\[2, 2\]"),
        ({"layout": "..\n..", "visibility": ["0x", "00"]}, "rows of integers"),
        ({"layout": "..\n..", "visibility": [[0, 99], [0, 0]]}, "0..62"),
        ({"layout": ".#\n..", "groups": [AgentGroup(start=[[0, 1]])]}, r"\[0, 1\] is stone"),
        ({"layout": "..\n..", "groups": [AgentGroup(start=[[2, 1]])]}, "0..1, not 2"),
        ({"layout": "..\n..", "groups": [AgentGroup(start=[[0, 0], [0, 1]])]}, "one cell for each"),
        ({"layout": "..\n..", "groups": [AgentGroup(start={"rows": [0, 1]})]}, "box"),
        ({"layout": "..\n..", "groups": [AgentGroup(start={"rows": [1, 0], "columns": [0, 1]})]},
         "last of rows"),
        ({"layout": "..\n..", "groups": [AgentGroup(start=[[0, 0]]), AgentGroup(start=[[0, 0]])]},
         r"two .* at \[0, 0\]"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(declaration, message):
    with pytest.raises(InvalidParameter, match=message):
        simulation_of(**declaration)


def test_balanced_letters_turn_classic_in_a_classic_world():
    classic = board("wf.", [0, 2])
    assert classic.rows() == ["WF."]
    assert board("wfs.", [0, 3], resource_mode="balanced").rows() == ["wfs."]


def maps(seeds, **parameters):
    simulation = ecumene.make_simulation("survival/gathering-v0", len(seeds), 1, **parameters)
    simulation.reset(seed=list(seeds))
    return [simulation.cells(copy) for copy in range(len(seeds))]


@pytest.mark.parametrize(("n", "side"), [(2, 8), (8, 16), (32, 32), (64, 48)])
def test_random_maps_have_the_declared_size_and_sources(n, side):
    for cells in maps(range(10), n_groups=n):
        assert cells.shape == (side, side)
        assert (cells == tiles.RIVER).sum() == n
        assert (cells == tiles.FOREST).sum() == 2 * n


@pytest.mark.parametrize("mode", ["classic", "balanced"])
def test_random_maps_hang_together(mode):
    """Every walkable cell reaches every other one; every source can be harvested."""
    for cells in maps(range(60), n_groups=8, resource_mode=mode):
        walkable = np.isin(cells, (tiles.GRASS, tiles.FOREST))
        reached = np.zeros_like(walkable)
        reached[tuple(np.argwhere(walkable)[0])] = True
        while True:
            grown = reached.copy()
            grown[1:] |= reached[:-1]
            grown[:-1] |= reached[1:]
            grown[:, 1:] |= reached[:, :-1]
            grown[:, :-1] |= reached[:, 1:]
            beside = grown
            grown = grown & walkable
            if (grown == reached).all():
                break
            reached = grown
        assert (reached == walkable).all()
        sources = np.isin(cells, (tiles.RIVER, tiles.POND, tiles.GROVE))
        assert (beside | ~sources).all()


def test_rock_is_about_as_frequent_as_recorded():
    stats = json.loads((GOLDEN / "mapgen.json").read_text())["stats"]
    for recorded in stats[:4]:
        n = recorded["n_groups"] * recorded["agents_per_group"]
        shares = [
            (cells == tiles.STONE).mean()
            for cells in maps(range(300), n_groups=n, resource_mode="balanced")
        ]
        # Ours do not wrap around: rock at the edge parts fewer maps, but shuts in more corners.
        assert abs(np.mean(shares) - recorded["rock_fraction_mean"]) < 0.03, recorded


def test_seeds_make_maps_and_maps_differ():
    first, again = maps([5, 6]), maps([5, 6])
    assert (np.array(first) == np.array(again)).all()
    assert (first[0] != first[1]).any()


def test_agents_start_on_all_four_sides():
    simulation = ecumene.make_simulation("survival/gathering-v0", 200, 1, n_groups=2)
    simulation.reset(seed=0)
    places = np.concatenate([simulation.places(copy) for copy in range(200)])
    sides = [(places[:, 0] == 0), (places[:, 0] == 7), (places[:, 1] == 0), (places[:, 1] == 7)]
    assert np.any(sides, axis=0).all()
    assert all(60 < side.sum() < 160 for side in sides)


@pytest.mark.parametrize(("world", "visible", "open_"), [
    ("colors", 0, 4), ("spying", 4, 0), ("exploring", 4, 4),
])  # fmt: skip
def test_colours_are_shared_out_evenly(world, visible, open_):
    recorded = {
        each["env"].lower(): each["counts"]
        for each in json.loads((GOLDEN / "mapgen.json").read_text())["colour_counts"]
    }[world]
    simulation = ecumene.make_simulation(f"survival/{world}-v0", agents_per_group=2)
    assert (simulation.numbers.visibility_colours, simulation.numbers.access_colours) == (
        visible, open_,
    )  # fmt: skip
    simulation.reset(seed=0)
    for layer, name in (("visibility", "visibility"), ("access", "accessibility")):
        for kind, material in (("water", tiles.RIVER), ("forest", tiles.FOREST)):
            cells = simulation.cells(0, layer)[simulation.cells() == material]
            values, counts = np.unique(cells, return_counts=True)
            told = {str(v): int(k) for v, k in zip(values, counts, strict=True)}
            assert told == recorded[f"{kind}_{name}"]


def test_npcs_start_where_they_are_declared():
    wolves = NpcGroup(name="wolf", size=3, start={"rows": [2, 3], "columns": [0, 4]})
    simulation = simulation_of(layout="\n".join(["....."] * 4), npcs=[wolves])
    for seed in range(10):
        simulation.reset(seed=seed)
        assert (simulation.places()[1:, 0] >= 2).all()


def test_nothing_is_warned_of_a_sound_map():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation_of(layout=".F;W#;")
