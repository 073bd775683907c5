"""Layouts as people have them: ragged, with strange symbols, of another size, crowded, damaged."""

import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from foundation.scenarios.twins import BUILD_AND_GATHER, PARETO_BUILD, economy

import ecumene
from ecumene import foundation
from ecumene.foundation.scenarios.wood_and_stone.layout_text import (
    MAP_FOLDER,
    LayoutWarning,
    parse_layout,
)

SHIPPED = sorted(path.name for path in MAP_FOLDER.glob("*.txt"))
CHANNELS = {"W": "WoodSourceBlock", "S": "StoneSourceBlock", "@": "Water"}


@pytest.fixture
def draw(tmp_path):
    """Return a function that writes text to a file and returns its path."""

    def write(text, name="layout.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def resource(monkeypatch):
    """Register the resource Gem for one test."""
    registries = (foundation.resources, foundation.landmarks)
    for registry in registries:
        monkeypatch.setattr(registry, "_classes", dict(registry._classes))

    @foundation.resources.add
    class Gem(foundation.resources.get("Wood").__base__):
        name = "Gem"
        color = np.array([0.2, 0.9, 0.9])
        collectible = True

    return Gem


def scatter(generator, height, width, counts):
    """Return rows of characters: so many of each symbol, at random places."""
    cells = np.full(height * width, " ")
    places = generator.permutation(cells.size)
    for symbol, count in counts.items():
        cells[places[:count]] = symbol
        places = places[count:]
    return ["".join(row) for row in cells.reshape(height, width)]


def load(path, **parameters):
    env = economy("layout_from_file", env_layout_file=path, **parameters)
    env.seed(1)
    env.reset()
    return env


def assert_drawn(env, rows):
    for symbol, name in CHANNELS.items():
        expected = np.array([[cell == symbol for cell in row] for row in rows])
        assert np.array_equal(env.world.maps.get(name), expected), name


def rows_of(text):
    return text.rstrip("\n").removesuffix(";").split(";")


@pytest.mark.parametrize("seed", range(3))
def test_c02_a_last_row_cut_short(draw, seed):
    rows = scatter(np.random.default_rng(seed), 50, 100, {"W": 300, "S": 300, "@": 200})
    rows[-1] = rows[-1][:51] + "W"
    path = draw(";".join(rows))
    with pytest.warns(
        LayoutWarning, match=r"rows are 100 cells long, but row 49 has 52;"
    ) as caught:
        env = load(path, world_size=[50, 100])
    assert len(caught) == 1
    assert_drawn(env, [*rows[:-1], rows[-1].ljust(100)])


def test_c02_rows_cut_short_here_and_there(draw):
    path = draw("W   S\n@@\n\n  S  \n")
    message = (
        "rows are 5 cells long, but row 1 has 2, row 2 has 0; the missing cells count as empty"
    )
    with pytest.warns(LayoutWarning, match=message):
        env = load(path, n_agents=2)
    assert_drawn(env, ["W   S", "@@   ", "     ", "  S  "])


def strange():
    rows = scatter(np.random.default_rng(4), 12, 12, {"W": 8, "S": 8})
    rows[5] = rows[5][:4] + "GGG" + rows[5][7:]
    rows[6] = rows[6][:4] + "GGG" + rows[6][7:]
    rows[9] = rows[9][:2] + "'" + rows[9][3:]
    return rows


def test_c04_a_unknown_symbols_are_reported(draw):
    rows = strange()
    message = (
        r"\"'\" \(1 times, first at row 9, column 2\), 'G' \(6 times, first at row 5, column 4\)"
    )
    with pytest.warns(LayoutWarning, match=message) as caught:
        env = load(draw(";".join(rows)))
    assert len(caught) == 1
    assert_drawn(env, rows)


def test_c04_b_symbols_of_ones_own(draw, resource):
    rows = strange()
    with pytest.warns(LayoutWarning, match=r"\"'\" \(1 times") as caught:
        env = load(draw(";".join(rows)), env_layout_symbols={"G": "Gem"}, resource_regen_prob=1)
    assert "'G'" not in str(caught[0].message)
    gems = np.array([[cell == "G" for cell in row] for row in rows])
    maps = env.world.maps
    for name in ("Gem", "GemSourceBlock"):
        assert np.array_equal(maps.get(name), gems)
    assert "Gem" in env.resources
    maps.set("Gem", np.zeros(env.world_size))
    env.step({})
    assert np.array_equal(maps.get("Gem"), gems)
    assert_drawn(env, rows)


def test_c04_b_agents_gather_a_resource_of_ones_own_in_batches_too(draw, resource):
    path = draw(";".join(["GGGG"] * 4))
    vec = ecumene.make_vec(
        "foundation/layout-v0",
        3,
        env_layout_file=path,
        env_layout_symbols={"G": "Gem"},
        n_agents=2,
    )
    vec.reset(seed=1)
    idle = {"agents": np.zeros((3, 2), int), "planner": np.zeros((3, 1), int)}
    vec.step(idle)
    metrics = vec.metrics()
    assert np.array_equal(metrics["endow/0/Gem"], [1, 1, 1])


@pytest.mark.parametrize(
    "symbols",
    [{"G": "Gold"}, {"G": "Coin"}, {"G": "House"}, {"GG": "Wood"}, {" ": "Wood"}, {3: "Wood"}],
)
def test_symbols_stand_for_what_can_lie_on_a_map(draw, symbols):
    with pytest.raises(ValueError, match="env_layout_symbols: "):
        load(draw("GG;GG;"), env_layout_symbols=symbols)


def test_c06_the_size_is_that_of_the_text(draw):
    rows = scatter(np.random.default_rng(6), 9, 9, {"@": 15, "S": 9, "W": 13})
    path = draw(";".join(rows) + ";\n", "quadrant_8x8.txt")
    message = r"9 rows of 9 cells, but world_size \(height, width\) is \[8, 8\]"
    with pytest.raises(ValueError, match=message):
        load(path, world_size=(8, 8))
    for given in ({"world_size": (9, 9)}, {"world_size": None}, {}):
        env = load(path, **given)
        assert env.world_size == [9, 9]
        assert_drawn(env, rows)


def test_c06_height_comes_before_width(draw):
    path = draw(";".join(scatter(np.random.default_rng(6), 50, 100, {"W": 20})))
    with pytest.raises(ValueError, match=r"50 rows of 100 cells, but .* is \[100, 50\]"):
        load(path, world_size=(100, 50))
    assert load(path).world_size == [50, 100]
    assert load(path, world_size=[50, 100]).world.maps.size == [50, 100]


CROWDED = ";".join(["@@@@@@", "@ @@ @", "@@@@@@", "@@W@@@", "@@@@@@", " @@@S@"])


def test_c07_a_crowded_map_always_has_a_place_for_everybody(draw):
    env = load(draw(CROWDED), n_agents=5)
    free = set(map(tuple, np.argwhere(env.world.maps.get("Water") == 0).tolist()))
    assert len(free) == 5
    for _ in range(1000):
        env.reset()
        assert {tuple(agent.loc) for agent in env.world.agents} == free


def test_c07_so_has_every_copy_of_a_batch(draw):
    simulation = ecumene.make_simulation(
        "foundation/layout-v0", copies=1000, env_layout_file=draw(CROWDED), n_agents=5
    )
    simulation.reset(seed=0)
    location = simulation.state.location
    tiles = np.sort(location[..., 0] * 6 + location[..., 1], axis=1)
    assert (tiles == tiles[0]).all()
    assert len(set(tiles[0])) == 5


def make_one(path, **parameters):
    return ecumene.make("foundation/layout-v0", env_layout_file=path, **parameters)


@pytest.mark.parametrize("make", [load, make_one])
def test_c07_too_many_agents_are_refused_when_the_world_is_made(draw, make):
    with pytest.raises(ValueError, match="6 agents do not fit on the 5 free tiles of the layout"):
        make(draw(CROWDED), n_agents=6)


def test_d01_an_unknown_symbol_and_no_last_separator(draw):
    rows = scatter(np.random.default_rng(1), 14, 14, {"W": 9, "S": 9, "A": 15})
    text = ";".join(rows)
    assert (text.count(";"), "\n" in text) == (13, False)
    with pytest.warns(LayoutWarning, match=r"'A' \(15 times, first at row"):
        env = load(draw(text))
    assert env.world_size == [14, 14]
    assert_drawn(env, rows)


def test_d02_a_separator_and_a_line_break_at_the_end(draw):
    rows = scatter(np.random.default_rng(2), 9, 9, {"@": 15, "S": 9, "W": 13})
    text = ";".join(rows) + ";\n"
    assert (text.count(";"), text.count(" ")) == (9, 44)
    assert_drawn(load(draw(text, "8x8.txt")), rows)


def test_d03_enlarged_blocks_with_a_cut_last_row(draw):
    generator = np.random.default_rng(3)
    blocks = [list(row) for row in scatter(generator, 25, 50, {"W": 60, "S": 60})]
    for i in range(50):
        if i not in (10, 11, 30):
            blocks[12][i] = "@"
    for i in range(25):
        blocks[i][25] = "@"
    rows = ["".join(cell * 2 for cell in row) for row in blocks for _ in range(2)]
    rows[-1] = rows[-1][:52]
    text = ";".join(rows)
    assert (text.count(";"), len(text)) == (49, 5001)
    with pytest.warns(LayoutWarning, match="row 49 has 52"):
        env = load(draw(text))
    assert env.world_size == [50, 100]
    assert_drawn(env, [row.ljust(100) for row in rows])


def test_d04_scattered_sources_without_water(draw):
    rows = scatter(np.random.default_rng(4), 60, 60, {"W": 150, "S": 150})
    text = ";".join(rows)
    assert (text.count(";"), len(text)) == (59, 3659)
    path = draw(text)
    load(path).step({})  # compiles
    start = time.perf_counter()
    env = load(path, n_agents=100)
    for _ in range(20):
        env.reset()
    assert time.perf_counter() - start < 5
    assert_drawn(env, rows)


def test_d05_mixed_zones(draw):
    rows = scatter(np.random.default_rng(5), 15, 15, {"@": 21, "S": 12, "W": 23})
    text = ";".join(rows) + ";"
    assert (text.count(" "), len(text)) == (169, 240)
    env = load(draw(text))
    assert_drawn(env, rows)
    for _ in range(20):
        env.step({i: 1 + i for i in range(3)})


@pytest.mark.parametrize("separator", [";", "\n", "\r\n", ";\n", ";\r\n", "\r"])
@pytest.mark.parametrize("ended", [True, False])
def test_every_form_of_rows(draw, separator, ended):
    rows = ["W  @", "    ", " S S"]
    text = separator.join(rows) + separator * ended
    assert_drawn(load(draw(text), n_agents=2), rows)


def test_a_mark_of_byte_order_is_no_cell(draw):
    assert_drawn(load(draw("\ufeffW@;S ;"), n_agents=2), ["W@", "S "])


@pytest.mark.parametrize("text", ["", "\n", ";;;", "\n\n;"])
def test_an_empty_file_is_refused(draw, text):
    with pytest.raises(ValueError, match=r"layout\.txt: the layout is empty"):
        load(draw(text))


@pytest.mark.parametrize(
    "data", [bytes(range(256)), b"W\x00;\x00 ;", b"\xff\xfeW\x00;\x00", b"W S\x80;"]
)
def test_a_binary_file_is_refused(draw, data):
    with pytest.raises(ValueError, match=r"layout\.txt` cannot be read as text: "):
        load(draw(data))


def test_a_folder_or_a_missing_file_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere.txt", str(tmp_path / "nowhere.txt"), "."):
        with pytest.raises(ValueError, match="no .*file `"):
            load(path)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("quadrant_25x25_20each_30clumps.txt", "quadrant_25x25_20each_30clump.txt"),
        ("Quadrant_8x8_4each_8clump", "quadrant_8x8_4each_8clump.txt"),
        ("env-pure-and-mixed-15x15.txt", "env-pure_and_mixed-15x15.txt"),
    ],
)
def test_an_unknown_name_suggests_a_near_one(given, meant):
    with pytest.raises(ValueError, match=f"no .*file `{given}`. Did you mean `{meant}`"):
        load(given)


def test_there_are_the_files_of_the_documentation():
    listed = (MAP_FOLDER / "README.md").read_text()
    assert len(SHIPPED) == 11
    assert all(f"`{name}`" in listed for name in SHIPPED)
    assert "Redistribution and use" in (MAP_FOLDER / "LICENSE").read_text()


@pytest.mark.parametrize("name", SHIPPED)
def test_every_file_that_is_shipped_loads(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        env = load(name)
    assert len(caught) == (name == "top_wood_bottom_stone_14x14.txt")
    assert_drawn(env, rows_of((MAP_FOLDER / name).read_text()))
    for _ in range(5):
        env.step({i: 1 + i for i in range(3)})


@pytest.mark.parametrize("name", [SHIPPED[0], "own.txt"])
def test_a_file_is_found_by_str_and_by_path(draw, monkeypatch, tmp_path, name):
    draw((MAP_FOLDER / SHIPPED[0]).read_text(), "own.txt")
    monkeypatch.chdir(tmp_path)
    expected = rows_of((MAP_FOLDER / SHIPPED[0]).read_text())
    for form in (name, Path(name), f"./{name}" if name == "own.txt" else name):
        assert_drawn(load(form), expected)


def test_positional_arguments_may_hold_the_size():
    cls = foundation.scenarios.get("layout_from_file/simple_wood_and_stone")
    assert cls(BUILD_AND_GATHER, 2).world_size == [25, 25]
    assert cls(BUILD_AND_GATHER, 2, [25, 25], 7).episode_length == 7
    with pytest.raises(ValueError, match=r"is \[9, 9\]"):
        cls(BUILD_AND_GATHER, 2, [9, 9])


def test_split_layout_reads_files_of_ones_own(draw):
    rows = scatter(np.random.default_rng(7), 8, 6, {"W": 9, "S": 9})
    env = economy(
        "split_layout", components=[PARETO_BUILD], env_layout_file=draw(";".join(rows)), water_row=2
    )
    env.reset()
    rows[2] = "@" * 6
    assert_drawn(env, rows)


def test_a_blank_row_is_a_row():
    layout = parse_layout("   ;W  ;   ")
    assert layout.size == [3, 3]
    assert layout.where("W").tolist() == [[False] * 3, [True, False, False], [False] * 3]
