"""Turn the orders of a battle into arrays, and find how many agents they place."""

import numpy as np
from numpy.typing import NDArray

from ecumene.battle.definition import WALLS, Battle, Custom, Fill, Maze, Random
from ecumene.battle.rules import placing
from ecumene.battle.rules.placing import Layout
from ecumene.engine import InvalidParameter


def make_layout(battle: Battle) -> Layout:
    """Return the orders of a battle as arrays.

    Raises
    ------
    InvalidParameter
        For a spot outside the map.
    """
    orders: list[tuple[int, int, int, int]] = []
    spots: list[NDArray[np.int32]] = [np.zeros((0, 3), np.int32)]
    used = 0
    for place in battle.places:
        group = placing.WALLS if place.what == WALLS else battle.names[place.what]
        where = place.where
        if isinstance(where, Maze):
            orders.append((group, placing.MAZE, where.corridor, 0))
        elif isinstance(where, Random):
            orders.append((group, placing.ANYWHERE, 0, where.count))
        else:
            added = _spots(battle, group, where)
            _check_inside(battle, place.what, added)
            orders.append((group, placing.FIXED, used, len(added)))
            spots.append(added)
            used += len(added)
    order = np.array(orders, np.int64).reshape(-1, 4)
    return Layout(order, np.concatenate(spots))


def _spots(battle: Battle, group: int, where: Custom | Fill) -> NDArray[np.int32]:
    if isinstance(where, Custom):
        return where.spots
    if group == placing.WALLS:
        return where.spots(1, 1)
    kind = battle.groups[group].type
    sideways = battle.turn_mode and where.direction in (0, 2)
    return where.spots(*((kind.length, kind.width) if sideways else (kind.width, kind.length)))


def _check_inside(battle: Battle, what: str, spots: NDArray[np.int32]) -> None:
    outside = (spots[:, :2] < 0) | (spots[:, :2] >= (battle.width, battle.height))
    if outside.any():
        x, y, _ = spots[outside.any(axis=1)][0].tolist()
        raise InvalidParameter(
            f"{what} at ({x}, {y}) would stand outside the map of {battle.width} columns and "
            f"{battle.height} rows."
        )


def most_agents(layout: Layout, groups: int) -> list[int]:
    """Return the number of agents of each group that the orders ask for."""
    counts = [0] * groups
    for group, _, _, count in layout.order.tolist():
        if group != placing.WALLS:
            counts[group] += count
    return counts


def is_certain(layout: Layout) -> bool:
    """Whether every episode has the same number of agents: no given spot after a random one."""
    chance = False
    for group, how, _, count in layout.order.tolist():
        if how == placing.FIXED and chance and group != placing.WALLS and count:
            return False
        chance = chance or (how != placing.FIXED)
    return True


def has_certain_walls(layout: Layout) -> bool:
    """Whether every episode has the same walls: none at random or after something random."""
    chance = False
    for group, how, _, _ in layout.order.tolist():
        chance = chance or (how != placing.FIXED)
        if chance and group == placing.WALLS:
            return False
    return True


def check_room(battle: Battle, layout: Layout) -> None:
    """Raise `InvalidParameter` if what is placed at random has more cells than the map."""
    inner = (battle.width - 2) * (battle.height - 2)
    walls = agents = bodies = 0
    for group, how, _, count in layout.order.tolist():
        if how == placing.ANYWHERE and group == placing.WALLS:
            walls += count
        elif how == placing.ANYWHERE:
            kind = battle.groups[group].type
            agents += count
            bodies += count * kind.width * kind.length
    if walls + bodies > inner:
        raise InvalidParameter(
            f"{agents} random agents ({bodies} cells) and {walls} random walls do not fit on the "
            f"{inner} cells within the border of a {battle.width}x{battle.height} map."
        )
