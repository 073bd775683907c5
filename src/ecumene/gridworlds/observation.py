"""The board as channels of 0 and 1, the same for everyone.

A world lists the places of the ones in a row ``ones`` per copy (indices into the flat
observation, -1 = none). What never changes, such as walls, is in a template. Only what differs
from what was drawn last is written: a step moves a few ones, and the board may be large.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import helper


class Scene(NamedTuple):
    """What the observations of a batch are drawn with; scratch, not part of the world's state."""

    template: NDArray[np.bool_]  # [place]; ones that never change
    ones: NDArray[np.int64]  # [copy, slot]; where the ones belong
    drawn: NDArray[np.int64]  # [copy, slot]; where they are
    shown: NDArray[np.bool_]  # [copy, agent]; whether the agent's observation shows anything


def allocate(copies: int, agents: int, slots: int, template: NDArray[np.bool_]) -> Scene:
    """Return a scene of which nothing is drawn yet."""
    nowhere = np.full((copies, slots), -1, np.int64)
    return Scene(template, nowhere, nowhere.copy(), np.zeros((copies, agents), np.bool_))


@helper
def show(
    copy, template, ones, drawn, shown, alive, terminated, truncated, observation, mask, no_op
):
    """Bring observations and masks of one copy up to date.

    Agents that are live or have just ended see the board, others zeros. The mask of an agent that
    is not live allows `no_op` alone.
    """
    everyone_saw_and_sees = True
    for i in range(alive.shape[1]):
        told = alive[copy, i] or terminated[copy, i] or truncated[copy, i]
        if not told or not shown[copy, i]:
            everyone_saw_and_sees = False
        if (mask[copy, i, 0] == 1) != alive[copy, i]:
            for action in range(mask.shape[2]):
                mask[copy, i, action] = alive[copy, i] or action == no_op
    if everyone_saw_and_sees:
        _move_ones(ones[copy], drawn[copy], observation[copy])
        return
    for i in range(alive.shape[1]):
        seen = observation[copy, i]
        shown[copy, i] = alive[copy, i] or terminated[copy, i] or truncated[copy, i]
        for place in range(template.shape[0]):
            seen[place] = shown[copy, i] and template[place]
        for slot in range(ones.shape[1]):
            if shown[copy, i] and ones[copy, slot] >= 0:
                seen[ones[copy, slot]] = 1
    for slot in range(ones.shape[1]):
        drawn[copy, slot] = ones[copy, slot]


@helper
def _move_ones(ones, drawn, observation):
    # First all zeros, then all ones: one thing may have come to where another one was.
    for slot in range(ones.shape[0]):
        if drawn[slot] != ones[slot] and drawn[slot] >= 0:
            for i in range(observation.shape[0]):
                observation[i, drawn[slot]] = 0
    for slot in range(ones.shape[0]):
        if drawn[slot] != ones[slot]:
            drawn[slot] = ones[slot]
            if ones[slot] >= 0:
                for i in range(observation.shape[0]):
                    observation[i, ones[slot]] = 1
