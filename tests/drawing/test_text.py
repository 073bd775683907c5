"""Coloured characters, tables, and the font of the pictures."""

import re

import numpy as np

from ecumene.drawing import Table, TextBoard, font, paint, palette


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_paint_wraps_text_in_codes():
    assert paint("a") == "a"
    assert paint("a", (255, 0, 0)) == "\x1b[38;5;196ma\x1b[0m"
    assert paint("a", (0, 0, 0), (238, 238, 238)) == "\x1b[38;5;16;48;5;255ma\x1b[0m"


def test_cells_and_agents_of_a_text_board():
    board = TextBoard(2, 3)
    board.put([(0, 0)], "#")
    where = np.zeros((2, 3), bool)
    where[1, 1] = True
    board.put(where, "~~")
    board.agents([(0, 2), (1, 0), (1, 0), (-1, -1), (1, 2), (1, 2), (1, 2)])
    assert [plain(line) for line in board.lines()] == ["#   0 ", "12~~4*"]
    assert "48;5" in board.lines()[0]


def test_a_table_in_text():
    table = Table(["up", "down"], ["left", "right"], [["1, 2", "3"], ["4", "five"]], corner="x")
    lines = [plain(line) for line in table.lines()]
    assert len({len(line) for line in lines}) == 1
    assert [re.split(r"\s*\|\s*", line.strip()) for line in lines] == [
        ["x", "left", "right"],
        ["up", "1, 2", "3"],
        ["down", "4", "five"],
    ]


def test_the_marked_field_is_the_only_one_with_another_ground():
    fields = [["a", "b"], ["c", "d"]]
    bare = Table(["r", "s"], ["t", "u"], fields)
    marked = Table(["r", "s"], ["t", "u"], fields, marked=[(1, 0)])
    changed = (bare.picture() != marked.picture()).any(axis=2)
    rows, columns = np.nonzero(changed)
    height, width = changed.shape
    assert rows.min() > height / 2
    assert width / 4 < columns.min() < columns.max() < 2 * width / 3
    assert palette.GOAL in {tuple(pixel) for pixel in marked.picture()[changed].tolist()}
    differ = [a != b for a, b in zip(bare.lines(), marked.lines(), strict=True)]
    assert differ == [False, False, True]


def test_given_widths_hold_whatever_the_texts():
    tables = [Table(["r"], ["t"], [[text]], widths=[0, 5]) for text in ("1", "123456789")]
    assert tables[0].picture().shape == tables[1].picture().shape
    assert "12345 " in plain(tables[1].lines()[1])


def test_characters_differ():
    known = {font.bitmap(character).tobytes(): character for character in font._GLYPHS}
    assert len(known) == len(font._GLYPHS)
    assert all(font.bitmap(each).shape == (7, 5) for each in font._GLYPHS)


def test_lines_of_text():
    assert font.size("abc", 2) == (14, 34)
    assert font.bitmap("abc", 2).shape == (14, 34)
    assert font.bitmap("").shape == (7, 0)
    assert np.array_equal(font.bitmap("a"), font.bitmap("A"))
    assert font.bitmap("\N{SNOWMAN}").any()  # a box stands for what the font lacks
