"""The compact observation: two bytes per cell instead of a float32 for every channel.

A world made with ``observations="uint8"`` shows views ``uint8[rows, columns, 2]``. The first code
of a cell is 0 for nothing (also beyond the map and beyond what the agent sees), 1 for a wall, 2 for
food, 3 for an agent of one's own group, 4 for one of the group that follows it, and so on in turn.
The second is the share of hit points that is left, 0 to 255.

This is all that the float32 view shows, but that shares are rounded to 1/255. With
``extra_features`` or ``minimap_mode`` the observation is a dict: `view`; `features`, the vector
that float32 observations hold in constant channels; and, with ``minimap_mode``, `density`, the
density of every group, own group first, ``float32[rows, columns, groups]``. The one that float32
observations add in the bin of the observer is left to the receiver: the features tell where it is.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.battle.rules.picture import CODE_AGENT, CODE_FOOD, CODE_WALL


def expand(view: NDArray[Any], groups: int, food_mode: bool = False) -> NDArray[np.float32]:
    """Return compact views as the channels of float32 ones, densities and features left out.

    Parameters
    ----------
    view
        ``uint8[..., 2]``.
    groups
        Number of groups of the world.
    food_mode
        Whether the killed leave food.

    Returns
    -------
    ndarray
        ``float32[..., channels]``: obstacle, with `food_mode` food, and presence and share of hit
        points of every group, the own one first.
    """
    kind = view[..., 0]
    ground = 2 if food_mode else 1
    wide = np.zeros((*kind.shape, ground + 2 * groups), np.float32)
    wide[..., 0] = kind == CODE_WALL
    if food_mode:
        wide[..., 1] = kind == CODE_FOOD
    share = view[..., 1] / np.float32(255)
    for place in range(groups):
        present = kind == CODE_AGENT + place
        wide[..., ground + 2 * place] = present
        wide[..., ground + 2 * place + 1] = np.where(present, share, 0)
    return wide
