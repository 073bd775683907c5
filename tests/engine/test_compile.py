"""A compiled rule is never served when it is older than the sources it calls."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ecumene.engine import compile as compiling
from ecumene.engine import sources

HELPER = """from ecumene.engine import rule

@rule
def amount(x):
    return x + {number}
"""
CALLER = """from ecumene.engine import rule
from {package}helper import amount

@rule
def twice(x):
    return 2 * amount(x)
"""
ASK = (
    "from {package}caller import twice; print(twice(10)); "
    "print(sum(twice.stats.cache_hits.values()), sum(twice.stats.cache_misses.values()))"
)


def test_the_digest_depends_on_every_source(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "one.py").write_text("1")
    (tmp_path / "deep" / "two.py").write_text("2")
    (tmp_path / "notes.txt").write_text("x")
    first = sources.source_digest(tmp_path)
    (tmp_path / "notes.txt").write_text("y")
    assert sources.source_digest(tmp_path) == first
    (tmp_path / "deep" / "two.py").write_text("3")
    second = sources.source_digest(tmp_path)
    (tmp_path / "deep" / "two.py").rename(tmp_path / "deep" / "three.py")
    assert len({first, second, sources.source_digest(tmp_path)}) == 3


def ask(package, folder, cache):
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), str(sources.PACKAGE.parent)]),
        "NUMBA_CACHE_DIR": str(cache),
        "NUMBA_DISABLE_JIT": "0",
    }
    done = subprocess.run(
        [sys.executable, "-c", ASK.format(package=package)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_an_edited_helper_in_another_module_is_not_served_stale(tmp_path):
    package = tmp_path / "src" / "ecumene"
    shutil.copytree(sources.PACKAGE / "engine", package / "engine")
    (package / "__init__.py").write_text("")
    (package / "caller.py").write_text(CALLER.format(package="ecumene."))

    def ask_after(number):
        (package / "helper.py").write_text(HELPER.format(number=number))
        return ask("ecumene.", package.parent, tmp_path / "cache")

    assert ask_after(1) == ["22", "0", "1"]
    assert ask_after(1) == ["22", "1", "0"]  # the cache serves what has not changed
    assert ask_after(5) == ["30", "0", "1"]


@pytest.mark.parametrize("form", ["from helper import amount", "import helper"])
def test_an_authors_edited_helper_is_not_served_stale(tmp_path, form):
    (tmp_path / "code").mkdir()
    caller = CALLER.format(package="")
    if form == "import helper":
        caller = caller.replace("from helper import amount", form).replace("* a", "* helper.a")
    (tmp_path / "code" / "caller.py").write_text(caller)

    def ask_after(number):
        (tmp_path / "code" / "helper.py").write_text(HELPER.format(number=number))
        return ask("", tmp_path / "code", tmp_path / "cache")

    assert ask_after(1) == ["22", "0", "1"]
    assert ask_after(1) == ["22", "1", "0"]
    assert ask_after(5) == ["30", "0", "1"]


def test_old_cache_folders_are_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    old, recent = tmp_path / "ecumene" / "old", tmp_path / "ecumene" / "recent"
    for folder in (old, recent):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    folder = compiling.cache_folder.__wrapped__("digest")
    assert folder.parent == Path(tmp_path, "ecumene")
    assert folder.is_dir()
    assert not old.exists()
    assert recent.exists()


def test_an_unwritable_cache_is_no_error(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked))
    assert not compiling.cache_folder.__wrapped__("digest").exists()


def test_numbas_own_setting_is_left_as_it_was():
    import numba

    before = numba.config.CACHE_DIR
    compiling.rule(_plus_one)
    assert before == numba.config.CACHE_DIR


def _plus_one(values):
    for i in range(values.shape[0]):
        values[i] += 1


def test_a_rule_computes():
    values = np.arange(3)
    compiling.rule(_plus_one)(values)
    assert values.tolist() == [1, 2, 3]


@compiling.helper
def _largest_of(values):
    largest = values[0]
    for value in values:
        largest = max(largest, value)
    return largest


@compiling.inlined
def _sum_of(values):
    total = 0
    for value in values:
        total += value
    return total


@compiling.rule
def _share_of_the_largest(values):
    return _largest_of(values) / _sum_of(values)


def test_helpers_are_called_by_rules_and_from_python_too():
    values = np.arange(5)
    assert _share_of_the_largest(values) == 0.4
    assert _largest_of(values) == 4
    assert _sum_of(values) == 10
    assert pickle.loads(pickle.dumps(_largest_of))(values) == 4
