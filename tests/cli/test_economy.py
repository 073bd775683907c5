"""`ecumene` and economies: what a newcomer reads, and what is said of mistakes."""

import json
import re
import textwrap
from pathlib import Path

import pyarrow.parquet as pq
import pytest

WORLD = "foundation/layout-v0"
SHORT = ("-p", "episode_length=20")
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"


def test_the_example_plays(cli):
    result = cli("run", EXAMPLES / "economy.yaml", "--copies", 2, "--episodes", 1)
    assert (result.code, result.err) == (0, "")
    assert "4 agents, 1 planner; copies: 2" in result.out


def test_social_metrics_first_then_a_column_per_agent(cli):
    out = cli("run", WORLD, *SHORT, "--copies", 3, "--seed", 0).out
    lines = [line.split() for line in out.splitlines()]
    names = [line[0] for line in lines if line]
    assert names.index("social/equality") < names.index("labor/weighted_cost")
    heading = lines.index(["mean", "per", "agent", "0", "1", "2", "3", "p"])
    rows = {line[0]: line[1:] for line in lines[heading + 1 : -1]}
    assert list(rows) == [
        "endow/*/Coin", "endow/*/Stone", "endow/*/Wood", "endogenous/*/Labor", "util/*",
        "Build/*/n_builds",
    ]  # fmt: skip
    assert all(len(cells) == 5 for cells in rows.values())
    assert rows["endogenous/*/Labor"][4] == "-"  # the planner does not work
    assert max(map(len, out.splitlines()[2:])) <= 100
    full = cli("run", WORLD, *SHORT, "--copies", 3, "--seed", 0, "--all-metrics").out
    assert re.search(r"^endow/3/Wood ", full, re.MULTILINE)


def test_all_logs_of_an_economy_at_once(cli, tmp_path):
    files = {name: tmp_path / name for name in ("log", "dense-log", "replay")}
    flags = [part for name, path in files.items() for part in (f"--{name}", path)]
    result = cli("run", WORLD, *SHORT, "--copies", 2, "--episodes", 2, *flags)
    assert (result.code, result.err) == (0, "")
    assert pq.read_table(files["log"]).num_rows == 2 * 2 * 20 * 5
    dense = json.loads(files["dense-log"].read_text())
    assert (len(dense["states"]), len(dense["rewards"])) == (21, 20)
    assert set(dense) == {"world", "states", "actions", "rewards", "Build", "Gather"}
    assert "40 steps in 2 episodes played again" in cli("replay", files["replay"]).out


def test_c53_logs_change_nothing(cli, tmp_path):
    def rows(name, *flags):
        path = tmp_path / name
        result = cli("run", WORLD, *SHORT, "--seed", 5, "--copies", 2, "--log", path, *flags)
        assert result.code == 0
        return pq.read_table(path).to_pylist()

    both = ["--dense-log", tmp_path / "dense.json", "--replay", tmp_path / "replay"]
    assert rows("without") == rows("with", *both)


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("n_agents=1", "n_agents is an integer from 2 up, not 1"),
        ("n_agents=four", "n_agents is an integer from 2 up, not 'four'"),
        ("n_agent=4", "has no parameter `n_agent`. Did you mean `n_agents`"),
        ("n_agents=4000", "4000 agents do not fit on the 592 free tiles"),
        ("episode_length=0", "episode_length is at least 1, not 0"),
        ("world_size=[3, 3]", r"25 rows of 25 cells, but world_size \(height, width\) is \[3, 3\]"),
        ("env_layout_file=a.txt", "env_layout_file: there is no file `a.txt`"),
        ("seed=3", "seed is None in a batch, not 3"),
        ("components=Build", "components is a list, not 'Build'"),
        ("components=[Build]", "components: a component is .*, not 'Build'"),
        ("components=[{Bild: {}}]", "no component `Bild`. Did you mean `Build`"),
        (
            "components=[{Build: {paymnt: 3}}]",
            "component `Build` has no parameter `paymnt`. Did you mean `payment`.*"
            "Parameters: payment, payment_max_skill_multiplier, skill_dist, build_labor.",
        ),
        (
            "components=[{Build: {payment: ten}}]",
            "component `Build`: payment is an integer from 0 up, not 'ten'",
        ),
        (
            "components=[{Gather: {inventory_scale: 1}}]",
            "component `Gather` has no parameter `inventory_scale`",
        ),
    ],
)
def test_a_wrong_parameter_is_named_in_a_line(cli, parameter, said):
    result = cli("run", WORLD, "-p", parameter)
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1
    assert re.search(said, result.err), result.err


@pytest.mark.parametrize(
    ("parameters", "place", "said"),
    [
        ("n_agens: 3", "3:3", "`n_agens`. Did you mean `n_agents`"),
        ("components: Gather", "3:3", "components is a list"),
        ("components: [Gather]", "3:3", "components: a component is"),
        ("components:\n  - Buid: {skill_dist: none}", "4:7", "no component `Buid`"),
        (
            "components:\n  - Build: {skill_dist: none}\n  - Gather: {skill_dist: normal}",
            "5:16",
            "component `Gather`: skill_dist is one of ",
        ),
        (
            "components:\n  - Build: {skill_dist: none}\n  - Gather:\n      skil_dist: none",
            "6:9",
            "component `Gather` has no parameter `skil_dist`. Did you mean `skill_dist`",
        ),
    ],
)
def test_a_wrong_parameter_in_a_file_is_named_with_its_place(
    cli, tmp_path, parameters, place, said
):
    path = tmp_path / "run.yaml"
    body = textwrap.indent(parameters, "  ")
    path.write_text(f"world: {WORLD}\nparameters:\n{body}\n")
    result = cli("run", path)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"ecumene: {path}:{place}: "), result.err
    assert said in result.err


@pytest.mark.filterwarnings("default")
def test_a_doubtful_layout_is_warned_of(cli, tmp_path):
    (tmp_path / "mine.txt").write_text("WW S\nW@XS\n")
    (tmp_path / "run.yaml").write_text(
        f"world: {WORLD}\n"
        "parameters: {env_layout_file: mine.txt, n_agents: 2, episode_length: 3}\n"
    )
    result = cli("run", tmp_path / "run.yaml")
    assert result.code == 0
    assert result.err.startswith("ecumene: warning: ")
    assert "'X' (1 times, first at row 1, column 2)" in result.err
