"""A YAML file states a run; what is wrong with it is named with its place."""

import re
import textwrap

import pyarrow.parquet as pq
import pytest

from ecumene.cli.options import resolve_files


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a YAML file."""

    def write(text):
        path = tmp_path / "run.yaml"
        path.write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).encode())
        return path

    return write


GOOD = """\
    world: toy/countdown-v0
    parameters:
      walkers: 3
    copies: 2
    episodes: 2
    seed: 1
    policy: noop
    log: run.parquet
    """


def test_it_does_what_the_flags_do_with_paths_beside_the_file(cli, write, tmp_path):
    result = cli("run", write(GOOD))
    assert result.code == 0, result.err
    assert "3 walkers, 1 judge; copies: 2; episodes of each: 2; policy: noop; seed: 1" in result.out
    assert pq.read_table(tmp_path / "run.parquet").num_rows > 0


def test_flags_overrule_the_file(cli, write):
    result = cli("run", write(GOOD), "--copies", 1, "--seed", 8, "-p", "first=5")
    assert "3 walkers, 1 judge; copies: 1; episodes of each: 2; policy: noop; seed: 8" in result.out
    assert re.search(r"^length +5 ", result.out, re.MULTILINE)


def test_a_policy_module_is_found_beside_the_file(cli, write, tmp_path):
    (tmp_path / "beside_the_file.py").write_text(
        "def act(observations, masks, generator):\n"
        "    return {'walkers': [[0, 0]], 'judge': [[[0, 0]]]}\n"
    )
    result = cli("run", write("world: toy/countdown-v0\npolicy: 'beside_the_file:act'\n"))
    assert result.code == 0, result.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("# nothing\n", "the file is empty"),
        ("- a\n- b\n", r"run\.yaml:1:1: the file holds no `key: value` lines"),
        ("copies: 3\n", "`world` is missing"),
        ("world: toy/countdown-v0\ncopis: 3\n", r":2:1: .*`copis`. Did you mean `copies`"),
        ("world: toy/countdown-v0\ncopies: many\n", r":2:1: `copies` is an integer, not 'many'"),
        ("world: toy/countdown-v0\ncopies: '4'\n", r":2:1: `copies` is an integer, not '4'"),
        ("world: toy/countdown-v0\ncopies: true\n", r":2:1: `copies` is an integer, not True"),
        ("world: toy/countdown-v0\ncopies: 1.5\n", r":2:1: `copies` is an integer, not 1.5"),
        ("world: toy/countdown-v0\ncopies: 0\n", r":2:1: `copies` is an integer from 1 up, not 0"),
        ("world: toy/countdown-v0\n\nseed: -4\n", r":3:1: `seed` is an integer from 0 up, not -4"),
        ("world: 7\n", ":1:1: `world` is a text, not 7"),
        ("world: toy/countdown-v0\nparameters: 3\n", ":2:1: `parameters` holds `key: value`"),
        ("world: toy/countdown-v0\nlog: [a]\n", r":2:1: `log` is a text"),
        ("world: a\nworld: b\n", r":2:1: `world` is given twice"),
        ("world: 'toy\n", r"run\.yaml:2:1: this is not YAML"),
        ("world: toy\n\tcopies: 3\n", r"run\.yaml:2:1: this is not YAML"),
        ("world: {a: [1, 2}\n", r"run\.yaml:1:17: this is not YAML"),
        ("world: a: b\n", r"run\.yaml:1:9: this is not YAML"),
        ("world: !!python/object:os.system x\n", r"run\.yaml:1:8: this is not YAML"),
        ("a: &x\n  b: *x\n", r":2:3|:1:4: it contains itself"),
        (b"world: \xff\xfe\n", "is not UTF-8 text"),
        (b"world: a\0b\n", "this is not YAML"),
        ("world: toy/countdwn-v0\n", ":1:1: no world .*Did you mean `toy/countdown-v0`"),
        (
            "world: toy/countdown-v0\nparameters:\n  walkers: 2\n  first: 0\n",
            r":4:3: first is from 1 up, not 0",
        ),
        (
            "world: toy/countdown-v0\nparameters:\n  walker: 2\n",
            r":3:3: .*no parameter `walker`. Did you mean `walkers`",
        ),
    ],
)
def test_damaged_files_are_refused_with_the_place(cli, write, text, said):
    path = write(text)
    result = cli("run", path)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"ecumene: {path}")
    assert result.err.count("\n") == 1
    assert re.search(said, result.err), result.err


def test_every_fault_is_named(cli, write):
    result = cli("run", write("world: toy/countdown-v0\ncopies: x\nseed: y\ncolour: z\n"))
    assert result.code == 2
    assert result.err.count("\n") == 3
    for place in (":2:1:", ":3:1:", ":4:1:"):
        assert place in result.err


def test_a_fault_in_a_flag_is_not_laid_on_the_file(cli, write):
    result = cli("run", write(GOOD), "-p", "first=0")
    assert result.code == 2
    assert "first is from 1 up" in result.err
    assert "run.yaml:3" not in result.err


def test_only_files_that_are_there_become_absolute(tmp_path):
    (tmp_path / "here.txt").write_text("")
    parameters = {
        "env_layout_file": "here.txt",
        "other_file": "built_in.txt",
        "name": "here.txt",
        "components": [{"Custom": {"table_file": "here.txt"}}],
    }
    there = str((tmp_path / "here.txt").resolve())
    assert resolve_files(parameters, tmp_path) == {
        "env_layout_file": there,
        "other_file": "built_in.txt",
        "name": "here.txt",
        "components": [{"Custom": {"table_file": there}}],
    }
