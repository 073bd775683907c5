"""A map to draw, in each test of Gather."""

from functools import partial

import pytest
from foundation.boards import board


@pytest.fixture
def draw(tmp_path):
    return partial(board, tmp_path)
