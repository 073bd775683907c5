"""The arrays of a battle: what is fixed, what changes, and where rules scribble."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# What a cell of the map holds, unless it is the index of an agent (0 and up).
EMPTY, WALL, FOOD = -1, -2, -3

# Status of an agent. One that died in the last step is still listed: it is told its last reward
# and shown its last view, and it still counts in the density maps.
GONE, ALIVE, DIED = 0, 1, 2

# Whether the episode goes on, ended in the last step, or ended before that.
PLAYING, ENDED, OVER = 0, 1, 2

# The last operation of an agent on another.
NONE, ATTACK, KILL, COLLIDE = 0, 1, 2, 3

# Directions.
EAST, SOUTH, WEST, NORTH = 0, 1, 2, 3


class World(NamedTuple):
    """What never changes. Agents of all groups share one axis, group after group."""

    map_width: int
    map_height: int
    horizon: int  # steps per episode
    turning: bool  # whether agents have a direction
    feeding: bool  # whether the killed leave food
    bands: int  # vertical bands in which a large map is moved over; 1 = agents in plain order
    start: NDArray[np.int32]  # [group + 1]; first agent of each group, then the number of agents
    owner: NDArray[np.int32]  # [agent]; its group
    team: NDArray[np.int32]  # [group]
    controlled: NDArray[np.bool_]  # [group]
    width: NDArray[np.int32]  # [group]; body, looking north
    length: NDArray[np.int32]  # [group]
    max_hp: NDArray[np.float32]  # [group]
    damage: NDArray[np.float32]  # [group]
    step_recover: NDArray[np.float32]  # [group]
    kill_supply: NDArray[np.float32]  # [group]; hp that its killer gains
    food_supply: NDArray[np.float32]  # [group]; food it leaves when killed
    eat_ability: NDArray[np.float32]  # [group]; food eaten by one attack
    step_reward: NDArray[np.float32]  # [group]
    kill_reward: NDArray[np.float32]  # [group]; paid to its killer
    dead_penalty: NDArray[np.float32]  # [group]
    attack_penalty: NDArray[np.float32]  # [group]
    attack_in_group: NDArray[np.bool_]  # [group]
    moves: NDArray[np.int32]  # [group]; number of moves
    attack_base: NDArray[np.int32]  # [group]; first attack
    offset: NDArray[np.int32]  # [group, action, 2]; dx, dy looking north


class State(NamedTuple):
    """What changes, one row per copy."""

    clock: NDArray[np.int64]  # [copy]; steps since the reset
    over: NDArray[np.int8]  # [copy]; PLAYING, ENDED or OVER
    cell: NDArray[np.int32]  # [copy, row, column]; EMPTY, WALL, FOOD or an agent
    food: NDArray[np.float32]  # [copy, row, column]; amount (no rows unless the killed leave food)
    x: NDArray[np.int32]  # [copy, agent]; left column of the body
    y: NDArray[np.int32]  # [copy, agent]; top row of the body
    direction: NDArray[np.int8]  # [copy, agent]
    hp: NDArray[np.float32]  # [copy, agent]; below 0 = dead
    status: NDArray[np.int8]  # [copy, agent]; GONE, ALIVE or DIED
    number: NDArray[np.int32]  # [copy, agent]; how many agents were placed before it
    action: NDArray[np.int16]  # [copy, agent]; its last, -1 = none yet
    operation: NDArray[np.int8]  # [copy, agent]; NONE, ATTACK, KILL or COLLIDE
    partner: NDArray[np.int32]  # [copy, agent]; whom the operation met, -1 = nobody
    reward: NDArray[np.float32]  # [copy, agent]; its own of the last step
    previous: NDArray[np.float32]  # [copy, agent]; its own of the step before
    bonus: NDArray[np.float32]  # [copy, group]; what the last step paid every agent of the group
    stream: NDArray[np.uint32]  # [copy, word]


class Scratch(NamedTuple):
    """Where the rules of one step hand things on; means nothing between steps."""

    order: NDArray[np.int32]  # [copy, agent]
    edge: NDArray[np.int64]  # [copy, band + 3]
    bound: NDArray[np.int32]  # [copy, symbol]
    cursor: NDArray[np.int32]  # [copy, symbol]
    terminal: NDArray[np.bool_]  # [copy]; a terminal reward rule fired
    crowded: NDArray[np.int32]  # [copy]; group + 1 whose agent found no room (0 = all did), -1 walls


def allocate_state(
    copies: int, world: World, stream: NDArray[np.uint32]
) -> State:
    """Allocate the state of unplaced agents."""
    agents = (copies, len(world.owner))
    cells = (copies, world.map_height, world.map_width)
    return State(
        clock=np.zeros(copies, np.int64),
        over=np.full(copies, OVER, np.int8),
        cell=np.full(cells, EMPTY, np.int32),
        food=np.zeros(cells if world.feeding else (copies, 0, 0), np.float32),
        x=np.zeros(agents, np.int32),
        y=np.zeros(agents, np.int32),
        direction=np.full(agents, NORTH, np.int8),
        hp=np.zeros(agents, np.float32),
        status=np.zeros(agents, np.int8),
        number=np.zeros(agents, np.int32),
        action=np.full(agents, -1, np.int16),
        operation=np.zeros(agents, np.int8),
        partner=np.full(agents, -1, np.int32),
        reward=np.zeros(agents, np.float32),
        previous=np.zeros(agents, np.float32),
        bonus=np.zeros((copies, len(world.team)), np.float32),
        stream=stream,
    )


def allocate_scratch(copies: int, world: World, symbols: int) -> Scratch:
    """Allocate the scratch space of one step."""
    agents = len(world.owner)
    return Scratch(
        order=np.zeros((copies, agents), np.int32),
        edge=np.zeros((copies, world.bands + 3), np.int64),
        bound=np.zeros((copies, symbols), np.int32),
        cursor=np.zeros((copies, symbols), np.int32),
        terminal=np.zeros(copies, np.bool_),
        crowded=np.zeros(copies, np.int32),
    )
