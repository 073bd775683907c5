"""Rules of observation: what an agent is shown."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.battle.rules.space import eye_of, turned
from ecumene.battle.state import (
    ACTION,
    ALIVE,
    DIRECTION,
    GONE,
    NORTH,
    NUMBER,
    OVER,
    PLAYING,
    PREVIOUS,
    STATUS,
    X,
    Y,
)
from ecumene.engine import rule


class Eye(NamedTuple):
    """How one group sees."""

    group: int
    board: int  # the board it looks at
    margin: int  # rows and columns of the board around the map
    left: int  # offset of the view's first column from the eye
    top: int  # and of its first row
    span: NDArray[np.int32]  # [row, 2]; first and end of the columns that it sees
    base: int  # channels of the board
    pair: int  # of them for each group
    channels: int  # channels of an observation; those of the board come first
    embedding: int  # bits of the agent's number
    actions: int
    idle: int  # the action that does nothing
    minimap: bool  # whether there are densities and the position
    extra: bool  # whether the other features are shown too


@rule
def observe(
    chosen, eye, world, state, board, density, filled, observation, mask, first, last, lo, hi
):
    """Write the observations and masks of the agents ``first:last`` of a group.

    board: [copy, board, row, column x channel].
    density: float32[copy, row, column, group]; scratch.
    filled: bool[copy, agent]; whether the observation may hold anything but zeros.
    observation: [copy, agent, row, column x channel].
    """
    for copy in range(lo, hi):
        if chosen[copy]:
            over = state.over[copy] == OVER
            body = state.body[copy]
            for i in range(first, last):
                agent = world.start[eye.group] + i
                if body[agent, STATUS] != GONE and not over:
                    see(eye, world, state, board, density, copy, agent, observation[copy, i])
                    filled[copy, i] = True
                elif filled[copy, i]:
                    wipe(observation[copy, i])
                    filled[copy, i] = False
                allow(
                    mask[copy, i],
                    eye.idle,
                    state.over[copy] == PLAYING and body[agent, STATUS] == ALIVE,
                )


@rule
def observe_some(eye, world, state, board, density, copy, agents, observation, first, last):
    """Write the observations number ``first:last`` of given agents of a group.

    agents: int[n]; indices within the group.
    observation: [n, row, column x channel]; zero in what agents never see.
    """
    for i in range(first, last):
        agent = world.start[eye.group] + agents[i]
        if state.body[copy, agent, STATUS] != GONE and state.over[copy] != OVER:
            see(eye, world, state, board, density, copy, agent, observation[i])
        else:
            wipe(observation[i])


@rule
def allow(mask, idle, alive):
    """Allow every action to the living, and to others only the one that does nothing."""
    another = 0 if idle > 0 else mask.shape[0] - 1
    if mask[another] != alive:
        for action in range(mask.shape[0]):
            mask[action] = alive or action == idle


@rule
def wipe(seen):
    """Show nothing."""
    for row in range(seen.shape[0]):
        seen[row, :] = 0


@rule
def see(eye, world, state, board, density, copy, agent, seen):
    """Write one agent's observation; what it never sees is left as it is."""
    direction = state.body[copy, agent, DIRECTION]
    x, y = eye_of(world, state, copy, agent)
    x += eye.margin
    y += eye.margin
    pixels = board[copy, eye.board]
    if direction != NORTH:
        cut_turned(eye, pixels, x, y, direction, seen)
    elif eye.channels == eye.base:
        cut(eye, pixels, x, y, seen)
    else:
        cut_apart(eye, pixels, x, y, seen)
    if eye.channels > eye.base:
        fill_features(eye, world, state, copy, agent, seen)
    if eye.minimap:
        add_densities(eye, world, state, density[copy], copy, agent, seen)


@rule
def cut(eye, board, x, y, seen):
    """Copy runs of the board."""
    channels = eye.base
    for row in range(eye.span.shape[0]):
        begin = eye.span[row, 0]
        source = board[y + eye.top + row, (x + eye.left + begin) * channels :]
        target = seen[row, begin * channels :]
        for k in range((eye.span[row, 1] - begin) * channels):
            target[k] = source[k]


@rule
def cut_apart(eye, board, x, y, seen):
    """Copy the cells of the board; those of the view are further apart."""
    channels = eye.base
    for row in range(eye.span.shape[0]):
        for column in range(eye.span[row, 0], eye.span[row, 1]):
            source = board[y + eye.top + row, (x + eye.left + column) * channels :]
            target = seen[row, column * eye.channels :]
            for k in range(channels):
                target[k] = source[k]


@rule
def cut_turned(eye, board, x, y, direction, seen):
    """Copy the cells of the board as they lie for one who does not look north."""
    channels = eye.base
    for row in range(eye.span.shape[0]):
        for column in range(eye.span[row, 0], eye.span[row, 1]):
            dx, dy = turned(direction, eye.left + column, eye.top + row)
            source = board[y + dy, (x + dx) * channels :]
            target = seen[row, column * eye.channels :]
            for k in range(channels):
                target[k] = source[k]


@rule
def fill_features(eye, world, state, copy, agent, seen):
    """Write the agent's features: each has a channel of its own, the same in all cells."""
    rows = seen.shape[0]
    columns = seen.shape[1] // eye.channels
    channels = eye.base
    width = eye.channels - channels
    # They are written once, into the first cell, and copied from there.
    first = seen[0, channels:]
    write_features(eye, world, state, copy, agent, first)
    for row in range(rows):
        for column in range(columns):
            if row > 0 or column > 0:
                target = seen[row, column * eye.channels + channels :]
                for k in range(width):
                    target[k] = first[k]


@rule
def write_features(eye, world, state, copy, agent, features):
    """Write number, last action, last reward, and in minimap mode the position."""
    k = 0
    if eye.extra:
        number = state.body[copy, agent, NUMBER]
        for bit in range(eye.embedding):
            features[bit] = (number >> bit) & 1
        for action in range(eye.actions):
            features[eye.embedding + action] = 0
        if state.body[copy, agent, ACTION] >= 0:
            features[eye.embedding + state.body[copy, agent, ACTION]] = 1
        k = eye.embedding + eye.actions
        features[k] = state.vital[copy, agent, PREVIOUS]
        k += 1
    if eye.minimap:
        features[k] = np.float32(state.body[copy, agent, X]) / np.float32(world.map_width)
        features[k + 1] = np.float32(state.body[copy, agent, Y]) / np.float32(world.map_height)


@rule
def observe_features(chosen, eye, world, state, features, first, last, lo, hi):
    """Write the features of the agents ``first:last`` of a group, one vector each."""
    for copy in range(lo, hi):
        if chosen[copy]:
            over = state.over[copy] == OVER
            for i in range(first, last):
                agent = world.start[eye.group] + i
                if state.body[copy, agent, STATUS] != GONE and not over:
                    write_features(eye, world, state, copy, agent, features[copy, i])
                else:
                    features[copy, i, :] = 0


@rule
def add_densities(eye, world, state, density, copy, agent, seen):
    """Write the densities of all groups, one more in the bin of the agent."""
    rows, columns, groups = density.shape
    own_row = state.body[copy, agent, Y] // bin_size(world.map_height, rows)
    own_column = state.body[copy, agent, X] // bin_size(world.map_width, columns)
    for row in range(rows):
        for column in range(columns):
            target = seen[row, column * eye.channels :]
            k = eye.base - groups * eye.pair + 2
            for place in range(groups):
                here = density[row, column, (eye.group + place) % groups]
                if row == own_row and column == own_column:
                    here += np.float32(1)
                target[k] = here
                k += eye.pair


@rule
def bin_size(cells, bins):
    """Return how many rows or columns of the map one bin of a density map takes in."""
    return (cells + bins - 1) // bins


@rule
def count_densities(chosen, world, state, density, lo, hi):
    """Write the share of each group's listed agents that stand in each bin of the map."""
    rows = density.shape[1]
    columns = density.shape[2]
    height = bin_size(world.map_height, rows)
    width = bin_size(world.map_width, columns)
    for copy in range(lo, hi):
        if chosen[copy]:
            here = density[copy]
            for row in range(rows):
                for column in range(columns):
                    here[row, column, :] = 0
            for group in range(world.kind.shape[0]):
                listed = 0
                for agent in range(world.start[group], world.start[group + 1]):
                    if state.body[copy, agent, STATUS] != GONE:
                        listed += 1
                        row = state.body[copy, agent, Y] // height
                        here[row, state.body[copy, agent, X] // width, group] += 1
                for row in range(rows if listed else 0):
                    for column in range(columns):
                        here[row, column, group] /= np.float32(listed)


@rule
def hand_out_density(chosen, eye, world, state, density, observation, first, last, lo, hi):
    """Write the density maps, own group first, into the observations of the agents."""
    groups = density.shape[3]
    for copy in range(lo, hi):
        if chosen[copy]:
            over = state.over[copy] == OVER
            for i in range(first, last):
                listed = state.body[copy, world.start[eye.group] + i, STATUS] != GONE and not over
                for row in range(density.shape[1]):
                    for column in range(density.shape[2]):
                        target = observation[copy, i, row, column]
                        for place in range(groups):
                            group = (eye.group + place) % groups
                            target[place] = density[copy, row, column, group] if listed else 0


@rule
def allow_all(chosen, group, idle, world, state, mask, first, last, lo, hi):
    """Write the masks of the agents ``first:last`` of a group."""
    for copy in range(lo, hi):
        if chosen[copy]:
            playing = state.over[copy] == PLAYING
            for i in range(first, last):
                alive = state.body[copy, world.start[group] + i, STATUS] == ALIVE
                allow(mask[copy, i], idle, playing and alive)
