"""`ecumene list`, `ecumene info`, `ecumene --version`."""

import re

import numpy as np
import pytest
from gymnasium import spaces

import ecumene
from ecumene.cli.info import describe_space, parameter_docs, shortened


def test_list_names_every_world_with_a_line_about_it(cli):
    result = cli("list")
    assert result.code == 0
    assert re.search(r"^matrix/chicken-v0 +Repeated Chicken", result.out, re.MULTILINE)
    assert re.search(r"^toy/countdown-v0 +Copy k ends after", result.out, re.MULTILINE)
    worlds = [line.split()[0] for line in result.out.splitlines() if not line.startswith(" ")]
    assert worlds == sorted(ecumene.registry)


def test_info_shows_agents_spaces_actions_channels_and_parameters(cli):
    out = cli("info", "matrix/chicken-v0").out
    assert "at most 200 steps" in out
    assert "2: player_0, player_1" in out
    assert "uint8[5] in 0..1" in out
    assert "Discrete(2)" in out
    assert "0 swerve, 1 straight" in out
    assert "2 player_1_swerve" in out
    assert "straight_straight, crash, unsafe" in " ".join(out.split())
    assert "max_moves             200   Rounds per episode, at least 1." in out


def test_info_about_an_economy_tells_of_its_components_too(cli):
    out = cli("info", "foundation/layout-v0").out
    assert "Wood, stone and water where a text file draws them." in out
    assert "observes world-map      float32[7, 11, 11] in 0..inf" in out
    assert "5 WoodSourceBlock, 6 InWorld" in " ".join(out.split())
    assert "0 no-op, 1 Build.build, 2 Gather.left, 3 Gather.right, 4 Gather.up" in out
    assert "n_agents                        4   " in out
    assert "Parameters of component Gather  Lets mobile agents walk" in out
    assert "collect_labor  1.0     Labor per collected resource, at least 0." in out
    # These say nothing about a batch.
    for name in ("collate_agent", "flatten_masks", " seed "):
        assert name not in out


@pytest.mark.parametrize("world", [each for each in ecumene.registry if each.startswith("found")])
def test_every_parameter_of_an_economy_is_explained(cli, world, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    _, _, parameters = cli("info", world).out.partition("\nParameters\n")
    rows = [line for line in parameters.splitlines() if re.match(r"[a-z_]+ ", line)]
    assert len(rows) > 25
    for row in rows:
        assert len(re.split(r" {2,}", row.strip(), maxsplit=2)) == 3, row


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
    assert cli("--version").out == f"ecumene {ecumene.__version__}\n"


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
