"""Everything the README and the documentation tell a reader to run does run."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

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
    """Return a test parameter for every line that calls `ecumene`."""
    return [
        pytest.param(line, id=f"{block.id}: {line}")
        for block in blocks("sh")
        for line in block.values[0].splitlines()
        if line.startswith("ecumene ")
    ]


@pytest.mark.parametrize(("code", "page"), blocks("python"))
def test_snippet(code, page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, page, "exec"), {"__name__": "snippet"})


@pytest.mark.parametrize("command", commands())
def test_command(command, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    arguments = shlex.split(command, comments=True)[1:]
    done = subprocess.run(
        [sys.executable, "-m", "ecumene.cli", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_there_is_something_to_run():
    assert len(blocks("python")) >= 5
    assert len(commands()) >= 4


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
