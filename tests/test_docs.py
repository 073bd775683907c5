"""Everything the README and the documentation tell a reader to run does run."""

import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from ecumene import foundation
from ecumene.api import registration

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


def blocks(language):
    """Return a test parameter for every code block of a language, named after page and line."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 2
            name = f"{page.relative_to(ROOT)}:{line}"
            found.append(pytest.param("\n" * (line - 1) + match[1], str(page), id=name))
    return found


def commands():
    """Return a test parameter for every block that calls `ecumene`: those lines."""
    found = []
    for block in blocks("sh"):
        lines = [line for line in block.values[0].splitlines() if line.startswith("ecumene ")]
        if lines:
            found.append(pytest.param(lines, id=block.id))
    return found


@pytest.fixture
def _registries():
    """Forget what a snippet registers."""
    registries = [registration._registry] + [
        getattr(foundation, name)._classes
        for name in ("scenarios", "components", "agents", "resources", "landmarks", "endogenous")
    ]
    before = [dict(each) for each in registries]
    yield
    for each, kept in zip(registries, before, strict=True):
        each.clear()
        each.update(kept)


@pytest.mark.usefixtures("_registries")
@pytest.mark.parametrize(("code", "page"), blocks("python"))
def test_snippet(code, page, tmp_path, monkeypatch):
    # A module, as a reader would make of it: compiled rules are loaded into theirs by its name.
    name = f"snippet_{Path(page).stem}_{len(code) - len(code.lstrip())}"
    (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    import_module(name)


@pytest.mark.parametrize("lines", commands())
def test_commands(lines, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for line in lines:
        done = subprocess.run(
            [sys.executable, "-m", "ecumene.cli", *shlex.split(line, comments=True)[1:]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), line
        assert done.stdout, line


def test_there_is_something_to_run():
    assert len(blocks("python")) >= 10
    assert sum(len(block.values[0]) for block in commands()) >= 5


def test_the_policy_of_the_readme_plays(tmp_path):
    (code,) = [block.values[0] for block in blocks("python") if "def act(" in block.values[0]]
    (tmp_path / "last.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "ecumene.cli", "run", "matrix/chicken-v0", "--policy", "last:act"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "policy: last:act" in done.stdout
