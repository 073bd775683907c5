"""Pictures of grids: what is where, at any size."""

import numpy as np
import pytest

from ecumene.drawing import Board, captioned, palette, tile_size
from ecumene.drawing.shapes import SHAPES, coverage

RED, BLUE = (255, 0, 0), (0, 0, 255)


def tile(board, row, column):
    """Return the pixels of a cell without its lines."""
    side = board.tile
    return board.pixels[row * side + 1 : (row + 1) * side, column * side + 1 : (column + 1) * side]


def colours(pixels):
    return {tuple(colour) for colour in pixels.reshape(-1, 3).tolist()}


@pytest.mark.parametrize(
    ("size", "side"), [((5, 9), 48), ((25, 25), 19), ((40, 30), 12), ((1000, 1000), 1)]
)
def test_pictures_are_of_readable_size(size, side):
    assert tile_size(*size) == side
    board = Board(*size)
    assert board.pixels.shape == (size[0] * side, size[1] * side, 3)
    assert board.pixels.dtype == np.uint8


def test_cells_are_filled_where_told():
    board = Board(3, 4, tile=10)
    board.fill([(0, 1), (2, 3), (-1, -1)], RED)
    where = np.zeros((3, 4), bool)
    where[1, 2] = True
    board.fill(where, BLUE)
    for row, column in np.ndindex(3, 4):
        expected = {(0, 1): RED, (2, 3): RED, (1, 2): BLUE}.get((row, column), palette.FLOOR)
        assert colours(tile(board, row, column)) == {expected}


def test_lines_part_cells_that_are_large_enough():
    large, small = Board(2, 2, tile=10), Board(2, 2, tile=4)
    for board in (large, small):
        board.fill(np.ones((2, 2), bool), RED)
    assert colours(small.pixels) == {RED}
    assert len(colours(large.pixels)) == 2
    assert colours(large.pixels[10]) != {RED}


def test_every_cell_has_the_ground_of_its_kind():
    kinds = np.arange(6).reshape(2, 3) % 3
    grounds = [RED, BLUE, palette.GRASS]
    board = Board(2, 3, tile=1)
    board.paint(kinds, grounds)
    assert [tuple(pixel) for pixel in board.pixels.reshape(-1, 3).tolist()] == grounds * 2


def test_a_large_map_is_one_pixel_per_cell():
    generator = np.random.default_rng(0)
    kinds = generator.integers(0, 3, (1000, 1000))
    board = Board(1000, 1000)
    grounds = [palette.FLOOR, palette.WATER, palette.TREE]
    board.paint(kinds, grounds)
    assert np.array_equal(board.pixels, np.array(grounds, np.uint8)[kinds])
    agents = generator.integers(0, 1000, (5000, 2))
    board.agents(agents, [RED] * 5000)
    assert colours(board.pixels[agents[:, 0], agents[:, 1]]) == {RED}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_cover_some_of_a_cell_and_keep_their_proportions(shape):
    small, large = (coverage(shape, size) for size in (16, 64))
    assert small.shape == (16, 16)
    assert 0 <= small.min() <= small.max() <= 1
    assert 0.02 < small.mean() <= 1
    assert small.mean() == pytest.approx(large.mean(), abs=0.03)
    assert coverage(shape, 2).tolist() == [[1, 1], [1, 1]]


def test_stamps_stay_within_their_cells():
    board = Board(3, 3, tile=20)
    before = board.pixels.copy()
    board.stamp([(1, 1)], "disc", RED)
    changed = np.argwhere((board.pixels != before).any(axis=2))
    assert changed.min() >= 20
    assert changed.max() < 40
    assert RED in colours(tile(board, 1, 1))


def test_agents_are_told_apart():
    board = Board(1, 4, tile=32)
    board.agents([(0, 0), (0, 1), (-1, -1), (0, 3)])
    seen = [colours(tile(board, 0, column)) for column in range(4)]
    for column, index in ((0, 0), (1, 1), (3, 3)):
        assert palette.player(index) in seen[column]
    assert seen[2] == {palette.FLOOR}
    same = Board(1, 2, tile=32)
    same.agents([(0, 0), (0, 1)], [RED, RED])
    assert not np.array_equal(tile(same, 0, 0), tile(same, 0, 1))  # the digits differ


def test_agents_on_one_cell_are_all_seen():
    board = Board(1, 1, tile=48)
    board.agents([(0, 0)] * 5)
    assert {palette.player(i) for i in range(5)} <= colours(board.pixels)


def test_marks_are_seen():
    pictures = []
    for mark in (None, "damaged", "frozen"):
        board = Board(1, 1, tile=32)
        board.agents([(0, 0)], mark=[mark])
        pictures.append(board.pixels.tobytes())
    assert len(set(pictures)) == 3


def test_bars_are_as_long_as_the_part():
    lengths = []
    for part in (0.0, 0.5, 1.0, 7.0):
        board = Board(1, 1, tile=24)
        board.bars([(0, 0)], [part], RED)
        lengths.append(int((board.pixels[-2] == RED).all(axis=1).sum()))
    assert lengths == [0, 10, 20, 20]


def test_captions_do_not_change_the_size():
    pixels = Board(5, 5).pixels
    short, long = (captioned(pixels, (text,)) for text in ("", "far too long " * 30))
    assert short.shape == long.shape
    assert np.array_equal(short[:240], pixels)
    assert not np.array_equal(short, long)
    assert captioned(pixels, ("",), width=500).shape[1] == 500


def test_there_are_colours_for_any_number_of_agents():
    first = [palette.player(i) for i in range(24)]
    assert len(set(first)) == 24
    assert all(0 <= part <= 255 for colour in first for part in colour)
