"""Windows of grids, against slices of padded arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecumene.engine import grid


@pytest.mark.parametrize(
    ("r", "c", "expected"),
    [(0, 0, True), (2, 4, True), (-1, 0, False), (0, -1, False), (3, 0, False), (0, 5, False)],
)
def test_inside_is_between_the_borders(r, c, expected):
    assert grid.inside(3, 5, r, c) == expected


@given(
    height=st.integers(1, 8),
    width=st.integers(1, 8),
    reach=st.integers(0, 4),
    top=st.integers(-12, 12),
    left=st.integers(-12, 12),
    dtype=st.sampled_from([np.float32, np.int16, np.uint8]),
)
def test_a_window_is_a_slice_of_the_padded_grid(height, width, reach, top, left, dtype):
    source = np.arange(1, 2 * height * width + 1).reshape(2, height, width).astype(dtype)
    side = 2 * reach + 1
    window = np.full((2, side, side), 77, dtype)
    grid.copy_window(source, top, left, window)
    # Wide enough that every window drawn above lies in the padded grid.
    padded = np.pad(source, ((0, 0), (32, 32), (32, 32)))
    expected = padded[:, 32 + top : 32 + top + side, 32 + left : 32 + left + side]
    np.testing.assert_array_equal(window, expected)

    known = np.full((side, side), 77, np.float32)
    grid.mark_inside(height, width, top, left, known)
    np.testing.assert_array_equal(known, (expected[0] > 0).astype(np.float32))
