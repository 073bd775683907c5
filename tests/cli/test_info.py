"""`ecumene list`, `ecumene info`, `ecumene --version`."""

from importlib.metadata import version

import numpy as np
import pytest
from gymnasium import spaces

from ecumene.cli.info import describe_space, parameter_docs, shortened


def test_list_names_every_world_with_a_line_about_it(cli):
    result = cli("list")
    assert result.code == 0
    lines = result.out.splitlines()
    assert any(line.startswith("matrix/chicken-v0  Repeated Chicken") for line in lines)
    assert any(line.startswith("toy/countdown-v0   Copy k ends after") for line in lines)


def test_info_shows_agents_spaces_actions_channels_and_parameters(cli):
    out = cli("info", "matrix/chicken-v0").out
    assert "at most 200 steps" in out
    assert "2: player_0, player_1" in out
    assert "uint8[5] in 0..1" in out
    assert "Discrete(2)" in out
    assert "0 swerve, 1 straight" in out
    assert "2 player_1_swerve" in out
    assert "max_moves             200   Rounds per episode, at least 1." in out


def test_info_follows_parameters(cli):
    assert (
        "4: walker_0, walker_1, walker_2, walker_3"
        in cli("info", "toy/countdown-v0", "-p", "walkers=4").out
    )
    refused = cli("info", "toy/countdown-v0", "-p", "first=0")
    assert refused.code == 2
    assert "first is from 1 up" in refused.err


def test_info_about_an_unknown_world(cli):
    result = cli("info", "toy/countdwn-v0")
    assert result.code == 2
    assert "Did you mean `toy/countdown-v0`" in result.err


def test_version(cli):
    assert cli("--version").out == f"ecumene {version('ecumene')}\n"


def test_no_arguments_show_the_help(cli):
    assert "bench" in cli("--help").out


def test_parameter_docs_take_the_first_sentence_and_the_nearest_class():
    class Base:
        """Base.

        Parameters
        ----------
        depth
            Of the base, in m. Further words.
        width
            Of the base.

        Returns
        -------
        nothing
            At all.
        """

    class Derived(Base):
        """Derived.

        Parameters
        ----------
        depth, height : float
            Both
            of one kind. More.
        """

    assert parameter_docs(Derived) == {
        "depth": "Both of one kind.",
        "height": "Both of one kind.",
        "width": "Of the base.",
    }


@pytest.mark.parametrize(
    ("space", "text"),
    [
        (spaces.Discrete(4), "Discrete(4)"),
        (spaces.Box(0, 1, (7, 11, 11), np.float32), "float32[7, 11, 11] in 0..1"),
        (spaces.Box(-np.inf, np.inf, (3,), np.float32), "float32[3] in -inf..inf"),
    ],
)
def test_spaces_are_described_in_a_line(space, text):
    assert describe_space(space) == text


def test_long_lists_of_names_are_shortened():
    assert shortened(tuple(map(str, range(9)))) == "0, 1, 2, ..., 8"
