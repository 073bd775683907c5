"""The table of presets in the documentation is what the presets are."""

import re
from pathlib import Path

from ecumene.matrix import PRESETS

PAGE = Path(__file__).parents[2] / "docs" / "matrix.md"


def test_the_presets_are_documented_as_they_are():
    rows = re.findall(r"^\| `(\w+)` \| (\w+), (\w+) \|(.*)\|$", PAGE.read_text(), re.MULTILINE)
    assert {name for name, *_ in rows} | {"rock_paper_scissors"} == set(PRESETS)
    for name, first, second, outcomes in rows:
        preset = PRESETS[name]
        assert tuple(preset.action_names) == (first, second)
        cells = [cell.strip() for cell in outcomes.split("|")]
        for cell, joint in zip(cells, [(0, 0), (0, 1), (1, 0), (1, 1)], strict=True):
            paid = [float(preset.payoffs[player][joint[0]][joint[1]]) for player in (0, 1)]
            assert [float(number) for number in cell.strip("*").split(",")] == paid
            assert cell.startswith("**") == (joint in preset.unsafe)
