"""Scripted agents, one for each world, which live longer than chance would have it.

Each function is a policy for ``ecumene run <world> --policy ecumene.survival.baselines:<name>``:
it is called as ``function(observations, masks, generator)`` with arrays of all copies and returns
actions. They know nothing but the observations, remember nothing, and expect the worlds' default
systems (classic resources, actions in parts).

All of them forage alike: `_Window` says what a cell of the window is worth, `walk` finds the way.
Around that, each world adds who is attacked, healed or given something, and who is kept away from.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import rule
from ecumene.survival.rules import ground
from ecumene.survival.spaces import MOVES

Arrays = Mapping[str, Any]
NPC = ground.FIXED_CHANNELS  # where worlds with NPCs have that channel
HARVESTABLE = ground.FIXED_CHANNELS  # and worlds with colours of access that one
FOOD, WATER = 4, 5  # in `self`, and further on in the rows of `entities`
HEALTH = 4  # in the rows of `entities`
FULL = 0.97
FAR = np.float32(1e6)
REGROWTH = 6.0  # what waiting for a bush to turn into a forest is worth, in steps
LATER = 12.0  # what it is worth to look after the scarcer stock first
NEVER_MIND = 40.0  # a stock that is full
SIZE_OF_MAP = 16.0
DEPTH = 64  # steps


@rule
def walk(open_cells, worth, moves):
    """Find the cell with the least of worth and steps to it, and the first step of the way.

    open_cells: bool[n, row, column]; worth: float32[n, row, column], changed; moves: int64[n].
    """
    side = open_cells.shape[1]
    middle = side // 2
    for n in range(open_cells.shape[0]):
        free = open_cells[n]
        value = worth[n]
        best = value[middle, middle]
        moves[n] = 0
        # Breadth first, in rings of equal length: a reached cell holds the first step in `free`'s
        # place, as a negative worth no cell has otherwise.
        for first in range(1, 5):
            best = spread(free, value, middle, first, best, moves, n)


@rule
def spread(free, value, middle, first, best, moves, n):
    """Walk straight on in one direction, then sideways; keep the best cell found."""
    return best
