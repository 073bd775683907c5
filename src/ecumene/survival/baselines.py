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

from ecumene.engine import helper, rule
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


@rule
def walk(open_cells, worth, came, queue, moves):
    """Find the cell with the least sum of worth and steps to it, and the first step of the way.

    open_cells: bool[n, cell of the window]; worth: float32[n, cell].
    came, queue: int64[cell], room to work in. moves: int64[n], what is found; 0 = stay.
    """
    cells = open_cells.shape[1]
    side = int(np.sqrt(cells) + 0.5)
    for n in range(open_cells.shape[0]):
        came[:] = -1
        start = cells // 2
        came[start] = 0
        queue[0] = start
        best = worth[n, start]
        moves[n] = 0
        count, done, end, steps = 1, 0, 1, 0
        while done < count:
            cell = queue[done]
            done += 1
            for direction in range(1, 5):
                beside = neighbour(cell, direction, side)
                if beside < 0 or came[beside] >= 0 or not open_cells[n, beside]:
                    continue
                came[beside] = came[cell] if cell != start else direction
                queue[count] = beside
                count += 1
                total = worth[n, beside] + steps + 1
                if total < best:
                    best = total
                    moves[n] = came[beside]
            if done == end:  # all cells of one distance are done
                steps += 1
                end = count


@helper
def neighbour(cell, direction, side):
    """Return the cell beside another one of the window; -1 = outside."""
    row = cell // side
    column = cell - row * side
    if direction == 1:
        row -= 1
    elif direction == 2:
        row += 1
    elif direction == 3:
        column += 1
    else:
        column -= 1
    if row < 0 or row >= side or column < 0 or column >= side:
        return -1
    return row * side + column


class _Window:
    """What one group of agents sees, all copies and agents in one axis.

    Attributes
    ----------
    open
        ``bool[n, row, column]``: cells that can be walked on and are free.
    worth
        ``float32[n, row, column]``: what there is to gain of being there; less is better.
    """

    def __init__(self, observation: Arrays, agents: NDArray[np.int64]) -> None:
        grid = observation["grid"]
        self.shape = grid.shape[:2]
        self.grid = grid.reshape(-1, *grid.shape[2:])
        self.me = observation["self"].reshape(len(self.grid), -1)
        others = observation["entities"]
        self.others = others.reshape(len(self.grid), *others.shape[2:])
        self.agents = np.broadcast_to(agents, self.shape).ravel()
        self.side = self.grid.shape[1]
        layers = self.grid[..., [ground.GRASS, ground.BUSH, ground.FOREST]].any(axis=-1)
        self.open = layers & ~self.layer(ground.OWN)
        self.open &= ~self.layer(ground.OTHER)
        self.worth = np.full(self.open.shape, FAR, np.float32)

    def layer(self, channel: int) -> NDArray[np.bool_]:
        """Return one channel."""
        return self.grid[..., channel].astype(bool)

    def forage(self, own: NDArray[np.bool_] | None = None) -> None:
        """Value food and water, the scarcer one more; `own`: cells that one may harvest."""
        food, water = self.me[:, FOOD], self.me[:, WATER]
        mine = np.ones(self.open.shape, bool) if own is None else own
        wet = beside(self.layer(ground.RIVER) & mine)
        forest = self.layer(ground.FOREST) & mine
        thirst = np.where(water <= food, 0.0, LATER)
        thirst[water > FULL] = NEVER_MIND
        hunger = np.where(food <= water, 0.0, LATER)
        hunger[food > FULL] = NEVER_MIND
        self.offer(wet, thirst)
        self.offer(forest, hunger)
        if own is None:  # whose forest a bush was does not show
            self.offer(self.layer(ground.BUSH), hunger + REGROWTH)

    def offer(self, cells: NDArray[np.bool_], worth: Any) -> None:
        """Value some cells, unless they are worth more already."""
        value = np.broadcast_to(np.reshape(worth, (-1, 1, 1)), cells.shape).astype(np.float32)
        self.worth = np.where(cells, np.minimum(self.worth, value), self.worth)

    def explore(self) -> None:
        """Value cells in a direction that changes with time, and those in the map's middle."""
        phase = np.floor(self.me[:, 3] * 16).astype(np.int64)
        angle = (phase * 5 + self.agents * 3) % 8 * (np.pi / 4)
        down = 4 * np.sin(angle) + (0.5 - self.me[:, 1]) * SIZE_OF_MAP
        right = 4 * np.cos(angle) + (0.5 - self.me[:, 2]) * SIZE_OF_MAP
        radius = self.side // 2
        offsets = np.arange(-radius, radius + 1)
        rows = np.abs(offsets[None, :, None] - np.clip(down, -radius, radius)[:, None, None])
        columns = np.abs(offsets[None, None, :] - np.clip(right, -radius, radius)[:, None, None])
        self.offer(np.ones(self.open.shape, bool), 2 * NEVER_MIND)
        idle = self.worth >= 2 * NEVER_MIND
        self.worth = np.where(idle, (2 * (rows + columns) + 2 * NEVER_MIND), self.worth)

    def shun(self, cells: NDArray[np.bool_], price: float, reach: int) -> None:
        """Make cells within some steps of others worth less."""
        near = cells
        for _ in range(reach):
            near = near | beside(near)
        self.worth = (self.worth + price * near).astype(np.float32)

    def moves(self) -> NDArray[np.int64]:
        """Return the best moves, ``int64[copy, agent]``."""
        count = len(self.grid)
        moves = np.zeros(count, np.int64)
        cells = self.side * self.side
        room = (np.zeros(cells, np.int64) for _ in range(2))
        worth = self.worth.astype(np.float32).reshape(count, cells)
        walk(self.open.reshape(count, cells), worth, *room, moves)
        return moves.reshape(self.shape)


def beside(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells that have one of the given ones as a neighbour."""
    near = np.zeros_like(cells)
    near[:, 1:] |= cells[:, :-1]
    near[:, :-1] |= cells[:, 1:]
    near[:, :, 1:] |= cells[:, :, :-1]
    near[:, :, :-1] |= cells[:, :, 1:]
    return near


def _window(observation: Arrays) -> _Window:
    return _Window(observation, np.arange(observation["grid"].shape[1]))


def _foragers(observations: Arrays, parts: int = 1) -> dict[str, NDArray[np.int64]]:
    window = _window(observations["agent"])
    window.forage()
    window.explore()
    return {"agent": _action(window.moves(), parts)}


def _action(moves: NDArray[np.int64], parts: int) -> NDArray[np.int64]:
    """Return actions with a move and nothing else."""
    if parts == 1:
        return moves
    action = np.zeros((*moves.shape, parts), np.int64)
    action[..., 0] = moves
    return action


def gathering(observations: Arrays, masks: Arrays, generator: Any) -> dict[str, Any]:
    """Go for the scarcer of food and water, else look around."""
    return _foragers(observations)


spying = gathering


def colors(observations: Arrays, masks: Arrays, generator: Any) -> dict[str, Any]:
    """Do the same with what one's own colour may harvest."""
    window = _window(observations["agent"])
    window.forage(window.layer(HARVESTABLE))
    window.explore()
    return {"agent": window.moves()}


exploring = colors


def building(observations: Arrays, masks: Arrays, generator: Any) -> dict[str, Any]:
    """Forage, and build nothing: stones help nobody here."""
    return _foragers(observations, parts=2)


def planting(observations: Arrays, masks: Arrays, generator: Any) -> dict[str, Any]:
    """Forage, and plant while there is food for it and no forest left in sight."""
    actions = _foragers(observations, parts=2)["agent"]
    grid, me = observations["agent"]["grid"], observations["agent"]["self"]
    woods = grid[..., [ground.BUSH, ground.FOREST]].any(axis=-1).sum(axis=(2, 3))
    plants = masks["agent"][..., 6] > 0
    actions[..., 1] = plants & (me[..., FOOD] > 0.6) & (woods < 3)
    return {"agent": actions}


def corridor(observations: Arrays, masks: Arrays, generator: Any) -> dict[str, Any]:
    """Fill up at one's own end, share seven units of it in the middle, and go back."""
    me = observations["agent"]["self"]
    mask = masks["agent"]
    amounts = (mask.shape[-1] - len(MOVES) - 1) // 2  # of food; as many of water follow
    actions = np.zeros((*me.shape[:2], 2), np.int64)
    # Agent 0 lives where the river is, agent 1 where the forest is.
    for agent, (own, end, other_way) in enumerate(((WATER, 4, 3), (FOOD, 3, 4))):
        rich = me[:, agent, own] > 0.6
        column = me[:, agent, 2]
        at_end = column < 0.15 if agent == 0 else column > 0.85
        actions[:, agent, 0] = np.where(rich, other_way, np.where(at_end, 0, end))
        share = 1 + (own == WATER) * amounts + 1  # the second amount: seven
        able = mask[:, agent, len(MOVES) + share] > 0
        actions[:, agent, 1] = np.where(able & rich, share, 0)
        # One waits in the middle for the other one, who may be on the way.
        waits = rich & (np.abs(column - 0.45) < 0.06)
        actions[waits, agent, 0] = 0
    return {"agent": actions}


def _targets(masks: NDArray[np.int8], first: int, slots: int, styles: int) -> NDArray[np.bool_]:
    """Return ``bool[n, style, slot]``: the attacks that a mask allows."""
    flat = masks.reshape(-1, masks.shape[-1])
    return flat[:, first : first + styles * slots].reshape(-1, styles, slots) > 0


def _strike(
    allowed: NDArray[np.bool_], wanted: NDArray[np.bool_], rank: NDArray[np.float32]
) -> NDArray[np.int64]:
    """Return the choices of attack heads: the first style that reaches somebody wanted.

    Among several targets the one of least rank is taken.
    """
    count, styles, slots = allowed.shape
    choice = np.zeros(count, np.int64)
    for style in range(styles):
        able = allowed[:, style] & wanted
        value = np.where(able, rank, np.inf)
        best = value.argmin(axis=1)
        hits = able.any(axis=1) & (choice == 0)
        choice = np.where(hits, 1 + style * slots + best, choice)
    return choice


def _fighters(
    observation: Arrays, mask: NDArray[np.int8], styles: int, wanted: Any, npcs: bool = False
) -> tuple[_Window, NDArray[np.int64]]:
    """Return the window of foragers, and whom they attack: ``wanted(rows of entities)``."""
    window = _window(observation)
    if npcs:
        window.open &= ~window.layer(NPC)
    window.forage()
    window.explore()
    slots = window.others.shape[1]
    allowed = _targets(mask, len(MOVES) + 1, slots, styles)
    choice = _strike(allowed, wanted(window.others), window.others[:, :, HEALTH])
    return window, choice.reshape(window.shape)


def _is_foe(others: NDArray[np.float32]) -> NDArray[np.bool_]:
    return (others[:, :, 0] > 0) & (others[:, :, 3] == 0)


def _hit_me(others: NDArray[np.float32]) -> NDArray[np.bool_]:
    return _is_foe(others) & (others[:, :, 8] > 0)


def _with_attack(window: _Window, choice: NDArray[np.int64], parts: int) -> NDArray[np.int64]:
    actions = _action(window.moves(), parts)
    actions[..., 1] = choice
    return actions


def arena(observations: Arrays, masks: Arrays, generator: Any) -> dict[str, Any]:
    """Forage in peace, and hit back."""
    window, choice = _fighters(observations["agent"], masks["agent"], 3, _hit_me)
    return {"agent": _with_attack(window, choice, 2)}


def deathmatch(observations: Arrays, masks: Arrays, generator: Any) -> dict[str, Any]:
    """Forage, and hit the weakest enemy in reach that is weaker than oneself, or hits first."""
    window, choice = _deathmatch(observations["agent"], masks["agent"])
    return {"agent": _with_attack(window, choice, 2)}


team_deathmatch = deathmatch


def _deathmatch(observation: Arrays, mask: NDArray[np.int8]) -> tuple[_Window, NDArray[np.int64]]:
    health = observation["self"][..., 0].reshape(-1, 1)

    def weaker(others: NDArray[np.float32]) -> NDArray[np.bool_]:
        return _hit_me(others) | (_is_foe(others) & (others[:, :, HEALTH] < health))

    return _fighters(observation, mask, 3, weaker)


def predator_prey(observations: Arrays, masks: Arrays, generator: Any) -> dict[str, Any]:
    """Predators forage and strike prey; prey forage away from them and heal each other."""
    hunters, choice = _fighters(observations["predator"], masks["predator"], 3, _is_foe)
    prey = _window(observations["prey"])
    prey.forage()
    prey.explore()
    prey.shun(prey.layer(ground.OTHER), 15.0, 3)
    slots = prey.others.shape[1]
    allowed = _targets(masks["prey"], len(MOVES) + 1, slots, 1)
    hurt = (prey.others[:, :, 3] > 0) & (prey.others[:, :, HEALTH] < 1)
    heals = _strike(allowed, hurt, prey.others[:, :, HEALTH]).reshape(prey.shape)
    return {
        "predator": _with_attack(hunters, choice, 2),
        "prey": _with_attack(prey, heals, 2),
    }


def _is_npc(others: NDArray[np.float32]) -> NDArray[np.bool_]:
    return others[:, :, 7] > 0


def pve(observations: Arrays, masks: Arrays, generator: Any) -> dict[str, Any]:
    """Forage, and strike every mob in reach."""
    window, choice = _fighters(observations["agent"], masks["agent"], 1, _is_npc, npcs=True)
    return {"agent": _with_attack(window, choice, 2)}


def siege(observations: Arrays, masks: Arrays, generator: Any) -> dict[str, Any]:
    """Do the same; nothing is built."""
    window, choice = _fighters(observations["agent"], masks["agent"], 1, _is_npc, npcs=True)
    return {"agent": _with_attack(window, choice, 3)}


# In the hall of the boss there are no stocks: in the rows of `entities`, `npc` follows `health`.
BOSS = 5


def _hero(
    observation: Arrays, mask: NDArray[np.int8], styles: int, near: int, wanted: Any
) -> NDArray[np.int64]:
    """Keep at a distance from the boss and do what one does from there."""
    window = _window(observation)
    window.open &= ~window.layer(NPC)
    rows = window.others
    goals = window.layer(NPC)
    reached = goals
    for _ in range(near):
        goals, reached = beside(goals) & ~reached, reached | beside(reached)
    window.offer(goals, 0.0)
    allowed = _targets(mask, len(MOVES) + 1, rows.shape[1], styles)
    choice = _strike(allowed, wanted(rows), rows[:, :, HEALTH]).reshape(window.shape)
    return _with_attack(window, choice, 2)


def _is_boss(rows: NDArray[np.float32]) -> NDArray[np.bool_]:
    return rows[:, :, BOSS] > 0


def _hurt_hero(rows: NDArray[np.float32]) -> NDArray[np.bool_]:
    return (rows[:, :, 0] > 0) & (rows[:, :, BOSS] == 0) & (rows[:, :, HEALTH] < 1)


def boss_fight(observations: Arrays, masks: Arrays, generator: Any) -> dict[str, Any]:
    """Go up to the boss and strike."""
    return {"tank": _hero(observations["tank"], masks["tank"], 1, 1, _is_boss)}


def raid(observations: Arrays, masks: Arrays, generator: Any) -> dict[str, Any]:
    """Tanks strike, fighters shoot from three steps away, healers heal the weakest in reach."""
    heroes = {
        "tank": (1, 1, _is_boss), "fighter": (2, 3, _is_boss), "healer": (1, 2, _hurt_hero),
    }  # fmt: skip
    return {name: _hero(observations[name], masks[name], *heroes[name]) for name in observations}
