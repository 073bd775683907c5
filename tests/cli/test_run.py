"""`ecumene run`: what it plays, what it tells, what it writes."""

import json
import os
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from toy import Countdown, LoggedCountdown

import ecumene

TOY = "toy/countdown-v0"
OWNED = "toy/owned-v0"


class OwnedCountdown(Countdown):
    """The toy world with metrics of single agents."""

    id = OWNED

    def metrics(self, copies=None):
        clock = super().metrics(copies)["clock/0/end"]
        agents = self.spec.groups[0].agents
        walkers = {f"wealth/{name}/coin": clock * (i + 1) for i, name in enumerate(agents)}
        judge = np.full(len(clock), 10.0)
        total = sum(walkers.values()) + judge
        return {
            "wealth/total": total,
            **walkers,
            "wealth/judge/coin": judge,
            "walker_0/age": clock * 0,
        }


@pytest.fixture(autouse=True)
def _owned_world():
    ecumene.register(OWNED, OwnedCountdown)


def line_of(text, name):
    """Return the numbers in the table's line of a quantity."""
    lines = [line for line in text.splitlines() if line.startswith(f"{name}  ")]
    assert len(lines) == 1, text
    return lines[0].removeprefix(name).split()


def test_the_table_tells_length_returns_and_metrics(cli):
    result = cli("run", TOY, "--policy", "random", "--copies", "2", "--episodes", "2")
    assert result.code == 0
    assert result.err == ""
    assert line_of(result.out, "length") == ["3.5", "0.5", "3", "4", "3.5", "3.5"]
    assert line_of(result.out, "clock/1/end")[:4] == ["-3.5", "0.5", "-4", "-3"]
    assert line_of(result.out, "never") == ["-"] * 6
    assert "14 env-steps, 36 agent-steps" in result.out
    assert "mean over the copies (2)" in result.out


def test_noop_does_the_action_that_is_named_so(cli):
    result = cli("run", TOY, "--policy", "noop")
    assert line_of(result.out, "return walker_1") == ["0", "0", "0", "0"]
    assert line_of(result.out, "return judge") == ["0", "0", "0", "0"]


def test_noop_is_refused_where_every_action_does_something(cli):
    result = cli("run", "matrix/chicken-v0", "--policy", "noop")
    assert result.code == 2
    assert "no action that does nothing, only swerve, straight" in result.err


def test_equal_seeds_equal_runs(cli, tmp_path):
    def rows(seed, name):
        cli("run", TOY, "--copies", 3, "--episodes", 2, "--seed", seed, "--log", tmp_path / name)
        return pq.read_table(tmp_path / name).to_pylist()

    assert rows(5, "a") == rows(5, "b")
    assert rows(5, "a") != rows(6, "c")


def test_the_random_policy_respects_masks(cli, tmp_path):
    cli("run", TOY, "--copies", 50, "--seed", 0, "--log", tmp_path / "log")
    rows = pq.read_table(tmp_path / "log").to_pylist()
    walked = {tuple(row["action"]) for row in rows if row["agent"].startswith("walker")}
    judged = {tuple(row["action"]) for row in rows if row["agent"] == "judge"}
    assert walked == {(0,), (1,)}
    assert judged == {(a, b) for a in range(2) for b in range(4)}


def test_a_seed_that_was_not_given_is_shown_and_repeats_the_run(cli, tmp_path):
    first = cli("run", TOY, "--log", tmp_path / "a")
    seed = re.search(r"seed: (\d+)", first.out)[1]
    cli("run", TOY, "--log", tmp_path / "b", "--seed", seed)
    assert pq.read_table(tmp_path / "a").equals(pq.read_table(tmp_path / "b"))


def test_parameters_are_yaml(cli):
    result = cli("run", TOY, "-p", "walkers=3", "-p", "first=7")
    assert "3 walkers, 1 judge" in result.out
    assert line_of(result.out, "length")[0] == "7"


def test_many_agents_are_pooled(cli):
    result = cli("run", TOY, "-p", "walkers=100", "--policy", "noop", "--copies", 3)
    assert line_of(result.out, "return of walkers (100)") == ["0", "0", "0", "0"]
    assert "return walker_7" not in result.out
    assert max(map(len, result.out.splitlines()[2:])) <= 100


def test_metrics_of_single_agents_have_a_column_per_agent(cli):
    result = cli("run", OWNED, "--copies", 2, "--policy", "noop")
    lines = [line.split() for line in result.out.splitlines()]
    heading = lines.index(["mean", "per", "agent", "walker_0", "walker_1", "judge"])
    assert lines[heading + 1] == ["wealth/*/coin", "3.5", "7", "10"]
    assert lines[heading + 2] == ["*/age", "0", "-", "-"]
    assert line_of(result.out, "wealth/total")[0] == "20.5"
    assert "wealth/walker_0/coin" not in result.out


def test_all_metrics_have_a_line_each_on_request(cli):
    result = cli("run", OWNED, "--copies", 2, "--policy", "noop", "--all-metrics")
    assert line_of(result.out, "wealth/walker_0/coin") == ["3.5", "0.5", "3", "4"]
    assert line_of(result.out, "wealth/total")[0] == "20.5"
    assert "mean per agent" not in result.out


def test_metrics_of_many_agents_are_pooled_by_group(cli):
    result = cli("run", OWNED, "-p", "walkers=30", "--policy", "noop")
    assert line_of(result.out, "wealth/*/coin of walkers (30)") == ["46.5", "25.97", "3", "90"]
    assert line_of(result.out, "wealth/*/coin of judge (1)")[0] == "10"
    assert "mean per agent" not in result.out


def test_rounding_errors_are_shown_as_0(cli, monkeypatch):
    def metrics(self, copies=None):
        return {"equality": np.array([1.0, 3e-14])[copies]}

    monkeypatch.setattr(Countdown, "metrics", metrics)
    result = cli("run", TOY, "--copies", 2, "-p", "first=1", "--episodes", 1)
    assert line_of(result.out, "equality") == ["0.5", "0.5", "0", "1"]


def test_many_episodes_are_not_shown_one_by_one(cli):
    result = cli("run", TOY, "--episodes", 500, "--policy", "noop")
    assert line_of(result.out, "length")[:2] == ["3", "0"]
    assert "to 499) are counted but not shown apart" in result.out
    assert max(map(len, result.out.splitlines()[2:])) <= 100


def test_the_log_is_named_with_its_rows(cli, tmp_path):
    path = tmp_path / "run.parquet"
    result = cli("run", TOY, "--log", path)
    assert f"{path}: 8 rows" in result.out
    facts = json.loads(pq.read_schema(path).metadata[b"ecumene"])
    assert facts["world"] == TOY
    assert facts["parameters"] == {}


def test_a_dense_log_is_named(cli, tmp_path):
    dense = tmp_path / "dense.json"
    result = cli("run", "toy/logged-v0", "--dense-log", dense, "--episodes", 2)
    assert result.code == 0
    assert f"{dense}: the last episode of copy 0" in result.out
    assert json.loads(dense.read_text()) == {"length": 3, "copy": 0}


def test_a_world_without_dense_logs_is_refused_before_the_run(cli, tmp_path):
    result = cli("run", TOY, "--dense-log", tmp_path / "dense.json", "--log", tmp_path / "log")
    assert (result.code, result.out) == (2, "")
    assert "toy/countdown-v0 keeps no dense log" in result.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["matrix/chickn-v0"], "no world `matrix/chickn-v0`.*Did you mean `matrix/chicken-v0`"),
        (["matrix/chicken-v7"], "has no version v7; it has v0"),
        (["chicken"], 'not an id of the form "family/name-v0"'),
        ([TOY, "-p", "walker=3"], "no parameter `walker`. Did you mean `walkers`"),
        ([TOY, "-p", "first=0"], "first is from 1 up, not 0"),
        ([TOY, "-p", "first"], "-p takes key=value, not `first`"),
        ([TOY, "-p", "first=1", "-p", "first=2"], "-p first is given twice"),
        ([TOY, "-p", "first=[1"], r"-p first: `\[1` is not YAML"),
        (["matrix/chicken-v0", "-p", "max_moves=many"], "max_moves is an integer.*, not 'many'"),
        ([TOY, "--policy", "randm"], "no policy `randm`.*Did you mean `random`"),
        ([TOY, "--policy", "no_such_module:f"], "there is no module `no_such_module`"),
        ([TOY, "--policy", "math:sqr"], "math has no function `sqr`. Did you mean `sqrt`"),
        (["nowhere.yaml"], "nowhere.yaml: there is no such file"),
    ],
)
def test_refusals_are_one_line(cli, arguments, said):
    result = cli("run", *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("ecumene: ")
    assert result.err.count("\n") == 1
    assert re.search(said, result.err), result.err


@pytest.mark.parametrize(
    "arguments",
    [["--copies", "0"], ["--copies", "x"], ["--episodes", "0"], ["--seed", "-1"], ["--nonsense"]],
)
def test_wrong_flags_are_refused(cli, arguments):
    result = cli("run", TOY, *arguments)
    assert (result.code, result.out) == (2, "")
    assert arguments[0] in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("flag", ["--log", "--dense-log", "--replay"])
@pytest.mark.parametrize(
    ("place", "said"),
    [("no/file", "there is no folder"), (".", "it is a folder"), ("plain/file", "no folder")],
)
def test_unwritable_outputs_are_refused_before_anything_runs(cli, tmp_path, flag, place, said):
    (tmp_path / "plain").write_text("a file, not a folder")
    result = cli("run", "toy/logged-v0", flag, tmp_path / place)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert flag in result.err
    assert "Nothing was run" in result.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
@pytest.mark.parametrize("flag", ["--log", "--dense-log", "--replay"])
def test_a_full_disk_is_told_in_a_line(cli, flag):
    result = cli("run", "toy/logged-v0", flag, "/dev/full")
    assert result.code == 2
    assert result.err.startswith("ecumene: cannot write /dev/full: ")
    assert result.err.count("\n") == 1


def test_a_pipe_is_no_place_for_a_log(cli, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    result = cli("run", TOY, "--log", tmp_path / "pipe")
    assert result.code == 2
    assert "it is no ordinary file" in result.err


@pytest.mark.filterwarnings("default")
def test_warnings_are_lines_too(cli, monkeypatch):
    def begin(self, lo, hi):
        warnings.warn("row 3 is short", stacklevel=2)
        Countdown.begin_copies(self, lo, hi)

    monkeypatch.setattr(LoggedCountdown, "begin_copies", begin)
    result = cli("run", "toy/logged-v0")
    assert result.code == 0
    assert result.err == "ecumene: warning: row 3 is short\n"


def test_one_file_for_two_logs_is_refused(cli, tmp_path):
    result = cli("run", "toy/logged-v0", "--log", tmp_path / "x", "--replay", tmp_path / "x")
    assert result.code == 2
    assert "--replay and --log name the same file" in result.err
    assert list(tmp_path.iterdir()) == []


def test_a_refused_run_leaves_an_existing_file_as_it_is(cli, tmp_path):
    path = tmp_path / "run.parquet"
    path.write_text("of old")
    assert cli("run", TOY, "--log", path, "-p", "first=0").code == 2
    assert path.read_text() == "of old"


def test_without_pyarrow_a_log_is_refused_with_the_remedy(cli, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = cli("run", TOY, "--log", tmp_path / "run.parquet")
    assert result.code == 2
    assert 'pip install "ecumene[logs]"' in result.err


@pytest.mark.parametrize("library", ["typer", "rich", "pydantic", "yaml"])
def test_without_the_libraries_of_the_command_the_remedy_is_named(cli, monkeypatch, library):
    for name in list(sys.modules):
        if name.startswith(("ecumene.cli.", f"{library}.")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    result = cli("list")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f'ecumene: the command `ecumene` needs {library}: pip install "ecumene[cli]"\n'
    )
