"""The global state: the whole map in channels, indexed ``[x, y, channel]``.

Channel 0 shows the walls; with ``food_mode`` channel 1 the food; then every group has two: whether
one of its agents is there, and its share of hit points. With ``extra_features`` the features of
whoever stands there follow: bits of its number, its last action (in as many channels as the widest
group needs), and, last of all, its last reward. Agents that have died are not in it.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene.battle.definition import Battle
from ecumene.battle.sights import reward_bounds
from ecumene.battle.state import (
    ACTION,
    ALIVE,
    FOOD,
    LENGTH,
    MAX_HP,
    NUMBER,
    REWARD,
    WALL,
    WIDTH,
    State,
    World,
)


def _channels(battle: Battle, world: World) -> int:
    ground = 1 + battle.food_mode + 2 * len(battle.groups)
    return ground + (battle.embedding_size + world.offset.shape[1] + 1) * battle.extra_features


def space(battle: Battle, world: World) -> spaces.Box:
    """Return the space of the global state."""
    shape = (battle.width, battle.height, _channels(battle, world))
    low, high = np.zeros(shape, np.float32), np.full(shape, 2, np.float32)
    if battle.extra_features:
        low[..., -1], high[..., -1] = reward_bounds(battle)
    return spaces.Box(low, high, dtype=np.float32)


def write(battle: Battle, world: World, state: State, copy: int) -> NDArray[np.float32]:
    """Return the global state of one copy."""
    whole = np.zeros((battle.width, battle.height, _channels(battle, world)), np.float32)
    cell = state.cell[copy].T
    whole[:, :, 0] = cell == WALL
    if battle.food_mode:
        whole[:, :, 1] = cell == FOOD
    agents = np.flatnonzero(state.status[copy] == ALIVE)
    x, y, agents = _bodies(world, state, copy, agents)
    group = world.owner[agents]
    first = 1 + battle.food_mode + 2 * group
    whole[x, y, first] = 1
    whole[x, y, first + 1] = state.hp[copy, agents] / world.power[group, MAX_HP]
    if battle.extra_features:
        _add_features(battle, state, copy, whole, (x, y, agents))
    return whole


def _bodies(
    world: World, state: State, copy: int, agents: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return every cell of the agents' bodies, and whose it is."""
    x, y = state.x[copy, agents], state.y[copy, agents]
    group = world.owner[agents]
    columns, rows = world.kind[group, WIDTH], world.kind[group, LENGTH]
    sideways = np.isin(state.direction[copy, agents], (0, 2))
    columns, rows = np.where(sideways, rows, columns), np.where(sideways, columns, rows)
    cells = [
        (x[wide] + dx, y[wide] + dy, agents[wide])
        for dx in range(columns.max(initial=0))
        for dy in range(rows.max(initial=0))
        for wide in [(columns > dx) & (rows > dy)]
    ]
    if not cells:
        return x, y, agents
    xs, ys, owners = zip(*cells, strict=True)
    return np.concatenate(xs), np.concatenate(ys), np.concatenate(owners)


def _add_features(
    battle: Battle,
    state: State,
    copy: int,
    whole: NDArray[np.float32],
    where: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
) -> None:
    x, y, agents = where
    first = 1 + battle.food_mode + 2 * len(battle.groups)
    number = state.body[copy, agents, NUMBER]
    for bit in range(battle.embedding_size):
        whole[x, y, first + bit] = (number >> bit) & 1
    action = state.body[copy, agents, ACTION]
    acted = action >= 0
    whole[x[acted], y[acted], first + battle.embedding_size + action[acted]] = 1
    whole[x, y, -1] = state.vital[copy, agents, REWARD]
