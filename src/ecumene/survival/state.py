"""The state of a survival world, and the fixed numbers its rules are given."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class State(NamedTuple):
    """All there is to a running world; first axis the copy.

    `cell` runs over the map with its border of lava, row after row.
    """

    body: NDArray[np.int32]  # [copy, entity, column]; see `columns`
    clock: NDArray[np.int32]  # [copy, column]
    material: NDArray[np.uint8]  # [copy, cell]; what it is made of, decides who can enter
    look: NDArray[np.uint8]  # [copy, cell]; what it looks like now
    visibility: NDArray[np.uint8]  # [copy, cell]; colour that one must see; 0 = everybody
    access: NDArray[np.uint8]  # [copy, cell]; colour that one must have; 0 = everybody
    ripe_at: NDArray[np.int32]  # [copy, cell]; step at whose end it regrows; -1 = it is ripe
    queue: NDArray[np.int32]  # [copy, place]; ring of the cells that regrow, the next one first
    spawner: NDArray[np.int32]  # [copy, spawner]; fixed cells where NPCs appear
    reward: NDArray[np.float64]  # [copy, agent]
    stream: NDArray[np.uint32]  # [copy, word]


class Derived(NamedTuple):
    """What follows from the state and is kept so as not to be worked out anew at each step.

    `ground` is what agents of a view see of the map, without entities; its last row is one beside
    the map. `occupant` is 1 + entity on a cell. `slot` lists the entities that an agent saw last,
    nearest first, where it may choose among them. `seen` says how many these are, and how many rows
    the observation arrays hold; `blank` that those are all zero.
    """

    occupant: NDArray[np.int16]  # [copy, cell]
    ground: NDArray[np.uint8]  # [copy, view, row, column * channel]; with a border
    slot: NDArray[np.int32]  # [copy, agent, slot]
    seen: NDArray[np.int32]  # [copy, agent]
    blank: NDArray[np.bool_]  # [copy, agent]


class Scratch(NamedTuple):
    """Room to work in; what it holds between two calls means nothing."""

    intent: NDArray[np.int32]  # [copy, entity, column]
    stack: NDArray[np.int32]  # [copy, cell]
    mark: NDArray[np.int32]  # [copy, cell]
    way: NDArray[np.uint8]  # [copy, cell]; where one can walk
    found: NDArray[np.uint32]  # [copy, line, place]; who is in a window
    taken: NDArray[np.uint64]  # [copy, word, column]; which ranks are taken
    place: NDArray[np.int32]  # [copy, entity, column]; see `rules.nearby`
    block: NDArray[np.int32]  # [copy, block]; where the block of cells begins in `standing`
    standing: NDArray[np.uint64]  # [copy, line, place]; who is on the map, block after block
    shown_as: NDArray[np.float32]  # [copy, place, feature]; as in `standing`; the last one: nobody
    spare: NDArray[np.float64]  # [copy, 2]; of `random.gauss`


class Numbers(NamedTuple):
    """The numbers of a world's declaration, as rules want them."""

    agents: int
    entities: int
    height: int
    width: int
    pad: int  # rings of lava around the map
    stride: int  # cells per row of the map with its border
    channels: int
    cell_words: int  # words per cell of the windows
    word_shift: int  # logarithm of the channels in a word: 3, or 0 for words of one byte
    plain: bool  # windows have one word per cell and show every cell as it is
    npc_channel: int  # -1: there are no NPCs
    ripe_channel: int  # -1: harvesting is open to everybody
    balanced_channel: int  # -1: there are no balanced cells
    radius: int
    horizon: int
    generated: bool
    rivers: int
    forests: int
    rocks: float
    balanced: bool
    visibility_colours: int
    access_colours: int
    stocks: bool
    stock: int
    gain: int
    cooldown: int
    regeneration: bool
    fighting: bool
    defence_weight: float
    stealing: bool
    friendly_fire: bool
    infighting: bool
    sharing: bool
    share_reach: int
    building: bool
    planting: bool
    planting_cost: int
    rotate: bool
    boss_lo: int  # the entities whose death wins; none if equal to boss_hi
    boss_hi: int
    bonuses: bool
    survive_reward: float
    death_reward: float
    win_reward: float


class Tables(NamedTuple):
    """The tables of a world's declaration, as rules want them."""

    trait: NDArray[np.int64]  # [entity, column]; see `columns`
    sees: NDArray[np.int64]  # [view]; bit c: cells of visibility colour c are seen as they are
    opens: NDArray[np.int64]  # [view]; bit c: cells of access colour c can be harvested
    starts: NDArray[np.int64]  # [place]; cells where entities may appear
    bonus: NDArray[np.float64]  # [team, team]; reward of the first for a death in the second
    material: NDArray[np.uint8]  # [cell]; of a map that was given
    visibility: NDArray[np.uint8]  # [cell]; of a map that was given
    access: NDArray[np.uint8]  # [cell]; of a map that was given
    spawners: NDArray[np.int64]  # [spawner, 2]; first and last place in `starts`
    rings: NDArray[np.uint32]  # [cell of a window]; its rank, see `rules.nearby`
    away: NDArray[np.float32]  # [2, cell of a window]; rows down and columns right, over the radius


class Heads(NamedTuple):
    """How the choices of one group of agents are read and masked.

    Choice 0 of every head does nothing. `move` is followed by the heads that the world has; a
    count of 0 means that the head is missing.
    """

    first: int  # entity of the group's first agent
    slots: int
    styles: int  # attack styles that the group has
    amounts: int
    build: int
    plant: int
    words: int
    flat: bool  # one Discrete head: a move, or one of the other choices


class Features(NamedTuple):
    """Where features stand in the rows of `entities` and in `self`; -1 = not there."""

    other_health: int
    other_stocks: int
    other_npc: int
    other_fight: int
    other_role: int
    other_word: int
    self_stocks: int
    self_freeze: int
    self_last: int
    self_role: int
    roles: int
    words: int
