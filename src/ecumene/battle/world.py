"""Turn the definition of a battle into the arrays that its rules read."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.battle.definition import AgentGroup, AgentType, Battle
from ecumene.battle.ranges import Window, attack_cells, move_cells, view_window
from ecumene.battle.state import World

# A map of more cells than this is moved over in bands, one of more than that in twice as many.
_LARGE, _HUGE = 9_801, 1_000_000
_BANDS = 8
# The options of `AgentType` in the order of the columns of `World.power`.
_POWERS = (
    "hp", "damage", "step_recover", "kill_supply", "food_supply", "eat_ability",
    "step_reward", "kill_reward", "dead_penalty", "attack_penalty",
)  # fmt: skip
# Bodies with room to spare between the bands: a step takes them this many cells at most.
_BAND_REACH = 4


def actions_of(kind: AgentType, turning: bool) -> tuple[NDArray[np.int32], int, int]:
    """Return an agent's offsets by action, its number of moves and its first attack.

    The offsets of turns are (0, 0).
    """
    moves = move_cells(kind.speed)
    turns = np.zeros((2 if turning else 0, 2), np.int32)
    attacks = attack_cells(kind.attack_range, kind.width)
    return np.concatenate([moves, turns, attacks]), len(moves), len(moves) + len(turns)


def action_names(kind: AgentType, turning: bool) -> tuple[str, ...]:
    """Return names like ``move_0_-2`` and ``attack_1_0``: offsets right and down."""
    offsets, moves, base = actions_of(kind, turning)
    names = [
        "stay" if (dx, dy) == (0, 0) else f"move_{dx}_{dy}" for dx, dy in offsets[:moves].tolist()
    ]
    names += ["turn_clockwise", "turn_counter_clockwise"] if turning else []
    return (*names, *(f"attack_{dx}_{dy}" for dx, dy in offsets[base:].tolist()))


def make_world(battle: Battle, sizes: list[int]) -> World:
    """Return the tables of a battle whose groups have the given numbers of agents."""
    groups = battle.groups
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    actions = [actions_of(group.type, battle.turn_mode) for group in groups]
    offset = np.zeros((len(groups), max(len(each[0]) for each in actions), 2), np.int32)
    for row, (offsets, _, _) in zip(offset, actions, strict=True):
        row[: len(offsets)] = offsets

    kinds = [group.type for group in groups]
    return World(
        map_width=battle.width,
        map_height=battle.height,
        horizon=battle.max_cycles,
        turning=battle.turn_mode,
        feeding=battle.food_mode,
        bands=bands_of(battle.width * battle.height),
        start=start,
        owner=np.repeat(np.arange(len(groups)), sizes).astype(np.int32),
        kind=np.array(
            [
                (
                    team,
                    group.controlled,
                    group.type.width,
                    group.type.length,
                    group.type.attack_in_group,
                    moves,
                    base,
                    len(offsets),
                )
                for team, group, (offsets, moves, base) in zip(
                    teams_of(groups), groups, actions, strict=True
                )
            ],
            np.int32,
        ),
        power=np.array([[getattr(kind, name) for name in _POWERS] for kind in kinds], np.float32),
        offset=offset,
    )


def bands_of(cells: int) -> int:
    """Return the number of bands in which a map is moved over."""
    if cells <= _LARGE:
        return 1
    return 2 * _BANDS if cells > _HUGE else _BANDS


def teams_of(groups: tuple[AgentGroup, ...]) -> list[int]:
    """Return the number of each group's team."""
    known: dict[Any, int] = {}
    return [
        known.setdefault(group.name if group.team is None else ("team", group.team), len(known))
        for group in groups
    ]


def bands_are_apart(battle: Battle) -> bool:
    """Whether agents of different bands never meet, so that bands can be moved at a time."""
    return not battle.turn_mode and all(
        int(group.type.speed) + group.type.width <= _BAND_REACH for group in battle.groups
    )


def windows_of(battle: Battle) -> list[Window]:
    """Return what the agents of each group see."""
    return [view_window(group.type.view_range, group.type.width) for group in battle.groups]


def margin_of(windows: list[Window]) -> int:
    """Return how far beyond the map a view can reach, whichever way an agent looks."""
    reach = 1
    for window in windows:
        rows, columns = window.mask.shape
        reach = max(reach, -window.left, -window.top, window.left + columns, window.top + rows)
    return reach
