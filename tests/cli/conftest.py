"""Run the command in this process, with the toy world among the registered ones."""

from typing import NamedTuple

import pytest
import toy

from ecumene.cli import main


class Result(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def cli(capsys, monkeypatch):
    """Return a function that runs ``ecumene ARGUMENTS`` on a terminal of 100 columns."""
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return run


@pytest.fixture(autouse=True)
def _toy_worlds():
    with toy.registered():
        yield
