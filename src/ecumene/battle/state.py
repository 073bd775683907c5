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


# Columns of `State.body`: left column and top row of the body, where it looks, GONE/ALIVE/DIED, how
# many agents were placed before it, its last action (-1 = none yet), its operation in the last
# step, and whom that met (-1 = nobody).
X, Y, DIRECTION, STATUS, NUMBER, ACTION, OPERATION, PARTNER = range(8)

# Columns of `State.vital`: hit points (below 0 = dead), the agent's own reward of the last step,
# and of the step before.
HP, REWARD, PREVIOUS = range(3)

# Columns of `World.kind`: number of the team, whether the agents are the user's, body looking
# north, whether they can hit their own group, number of moves, first attack, number of actions.
TEAM, CONTROLLED, WIDTH, LENGTH, IN_GROUP, MOVES, ATTACK_BASE, ACTIONS = range(8)

# Columns of `World.power`: as the options of `AgentType` of these names.
(
    MAX_HP, DAMAGE, STEP_RECOVER, KILL_SUPPLY, FOOD_SUPPLY, EAT_ABILITY,
    STEP_REWARD, KILL_REWARD, DEAD_PENALTY, ATTACK_PENALTY,
) = range(10)  # fmt: skip


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
    kind: NDArray[np.int32]  # [group, column]
    power: NDArray[np.float32]  # [group, column]
    offset: NDArray[np.int32]  # [group, action, 2]; dx, dy looking north


class State(NamedTuple):
    """What changes, one row per copy."""

    clock: NDArray[np.int64]  # [copy]; steps since the reset
    over: NDArray[np.int8]  # [copy]; PLAYING, ENDED or OVER
    cell: NDArray[np.int32]  # [copy, row, column]; EMPTY, WALL, FOOD or an agent
    food: NDArray[np.float32]  # [copy, row, column]; amount (no rows unless the killed leave food)
    body: NDArray[np.int32]  # [copy, agent, column]
    vital: NDArray[np.float32]  # [copy, agent, column]
    bonus: NDArray[np.float32]  # [copy, group]; what the last step paid every agent of the group
    stream: NDArray[np.uint32]  # [copy, word]

    @property
    def x(self) -> NDArray[np.int32]:
        """Left columns of the bodies, a view ``[copy, agent]``; likewise the next ones."""
        return self.body[:, :, X]

    @property
    def y(self) -> NDArray[np.int32]:
        """Top rows of the bodies."""
        return self.body[:, :, Y]

    @property
    def direction(self) -> NDArray[np.int32]:
        """Where the agents look."""
        return self.body[:, :, DIRECTION]

    @property
    def status(self) -> NDArray[np.int32]:
        """GONE, ALIVE or DIED."""
        return self.body[:, :, STATUS]

    @property
    def hp(self) -> NDArray[np.float32]:
        """Hit points."""
        return self.vital[:, :, HP]


class Scratch(NamedTuple):
    """Where the rules of one step hand things on; means nothing between steps."""

    order: NDArray[np.int32]  # [copy, agent]
    edge: NDArray[np.int64]  # [copy, band + 3]
    bound: NDArray[np.int32]  # [copy, symbol]
    cursor: NDArray[np.int32]  # [copy, symbol]
    terminal: NDArray[np.bool_]  # [copy]; a terminal reward rule fired
    crowded: NDArray[np.int32]  # [copy]; 0, or 1 + group + 1 without room (walls: 1)


def allocate_state(copies: int, world: World, stream: NDArray[np.uint32]) -> State:
    """Allocate the state of unplaced agents."""
    agents = (copies, len(world.owner))
    cells = (copies, world.map_height, world.map_width)
    return State(
        clock=np.zeros(copies, np.int64),
        over=np.full(copies, OVER, np.int8),
        cell=np.full(cells, EMPTY, np.int32),
        food=np.zeros(cells if world.feeding else (copies, 0, 0), np.float32),
        body=np.zeros((*agents, 8), np.int32),
        vital=np.zeros((*agents, 3), np.float32),
        bonus=np.zeros((copies, len(world.kind)), np.float32),
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
