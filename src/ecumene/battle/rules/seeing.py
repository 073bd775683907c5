"""Rules of observation: what an agent is shown."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.battle.rules.space import eye_of, turned
from ecumene.battle.state import (
    ACTION,
    ALIVE,
    DIRECTION,
    EMPTY,
    FOOD,
    GONE,
    HP,
    MAX_HP,
    NORTH,
    NUMBER,
    OVER,
    PLAYING,
    PREVIOUS,
    STATUS,
    WALL,
    X,
    Y,
)
from ecumene.engine import helper, inlined, rule

_PAIR = 2  # channels of a board for each group


class Eye(NamedTuple):
    """How one group sees.

    The channels of an observation are those of the ground (obstacle, and food if there can be
    any); for every group, the own one first, presence, share of hp, and with `minimap` density;
    then the features.
    """

    group: int
    left: int  # offset of the view's first column from the eye
    top: int  # and of its first row
    span: NDArray[np.int32]  # [row, 2]; first and end of the columns that it sees
    ground: int  # channels of the ground
    base: int  # channels of the board
    pair: int  # channels of an observation for each group
    channels: int  # channels of an observation
    features: int  # of them for features
    embedding: int  # bits of the agent's number
    actions: int
    idle: int  # the action that does nothing
    minimap: bool  # whether there are densities and the position
    extra: bool  # whether the other features are shown too
    # Scratch: the densities where they belong in an observation, with 0 everywhere else.
    density: NDArray[np.float32]  # [copy, row, column x channel]


class Report(NamedTuple):
    """What one group is told; see `Output`."""

    eye: Eye
    filled: NDArray[np.bool_]  # [copy, agent]; whether a view may hold anything but zeros
    seen: NDArray[np.float32] | NDArray[np.uint16]  # [copy, agent, row, column x channel]
    mask: NDArray[np.int8]
    reward: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    alive: NDArray[np.bool_]


@inlined
def observe(world, state, boards, reports, viewer, slot, copy, first, last):
    """Write the views and masks of the agents ``first:last`` of a group.

    viewer: index in `reports`. slot: of the boards that show the copy.
    """
    report = reports[viewer]
    eye = report.eye
    filled = report.filled[copy]
    over = state.over[copy] == OVER
    playing = state.over[copy] == PLAYING
    body = state.body[copy]
    pixel = boards.pixel[slot, viewer]
    for i in range(first, last):
        agent = world.start[eye.group] + i
        status = body[agent, STATUS]
        if status != GONE and not over:
            see(eye, world, state, boards.margin, pixel, copy, agent, report.seen[copy, i])
            filled[i] = True
        elif filled[i]:
            wipe(report.seen[copy, i])
            filled[i] = False
        allow(report.mask[copy, i], eye.idle, playing and status == ALIVE)


@rule
def observe_some(eye, world, state, copy, agents, observation, first, last):
    """Write the observations number ``first:last`` of given agents of a group, without boards.

    agents: int[n]; indices within the group.
    observation: [n, row, column x channel].
    """
    for i in range(first, last):
        agent = world.start[eye.group] + agents[i]
        seen = observation[i]
        wipe(seen)
        if state.body[copy, agent, STATUS] != GONE and state.over[copy] != OVER:
            if eye.features > 0:
                lay_out(eye, world, state, copy, agent, seen)
            look_around(eye, world, state, copy, agent, seen)


@inlined
def look_around(eye, world, state, copy, agent, seen):
    """Write what stands in the cells of a view; the others hold zeros already."""
    direction = state.body[copy, agent, DIRECTION]
    x, y = eye_of(world, state, copy, agent)
    for row in range(eye.span.shape[0]):
        begin = eye.span[row, 0]
        end = eye.span[row, 1]
        if direction == NORTH:
            y_here = y + eye.top + row
            if 0 <= y_here < world.map_height:
                left = x + eye.left
                cells = state.cell[copy, y_here]
                for column in range(max(begin, -left), min(end, world.map_width - left)):
                    there = cells[left + column]
                    if there != EMPTY:
                        show(eye, world, state, copy, there, seen[row, column * eye.channels :])
        else:
            for column in range(begin, end):
                dx, dy = turned(direction, eye.left + column, eye.top + row)
                if 0 <= x + dx < world.map_width and 0 <= y + dy < world.map_height:
                    there = state.cell[copy, y + dy, x + dx]
                    if there != EMPTY:
                        show(eye, world, state, copy, there, seen[row, column * eye.channels :])


@inlined
def show(eye, world, state, copy, there, seen):
    """Write what stands in one cell."""
    if there == WALL:
        seen[0] = 1
    elif there == FOOD:
        seen[1] = 1
    else:
        group = 0  # looked up in a table of all agents it would have to be fetched from afar
        for other in range(1, world.kind.shape[0]):
            group += there >= world.start[other]
        place = group - eye.group
        if place < 0:
            place += world.kind.shape[0]
        at = eye.ground + eye.pair * place
        seen[at] = 1
        seen[at + 1] = state.vital[copy, there, HP] / world.power[group, MAX_HP]


@inlined
def allow(mask, idle, alive):
    """Allow every action to the living, and to others only the one that does nothing."""
    another = 0 if idle > 0 else mask.shape[0] - 1
    if mask[another] != alive:
        for action in range(mask.shape[0]):
            mask[action] = alive or action == idle


@inlined
def wipe(seen):
    """Show nothing."""
    for row in range(seen.shape[0]):
        target = seen[row]
        for k in range(target.shape[0]):
            target[k] = 0


@inlined
def see(eye, world, state, margin, pixel, copy, agent, seen):
    """Write one agent's observation; what it never sees is left as it is."""
    direction = state.body[copy, agent, DIRECTION]
    x, y = eye_of(world, state, copy, agent)
    x += margin
    y += margin
    if eye.channels > eye.base:
        lay_out(eye, world, state, copy, agent, seen)
    if direction != NORTH:
        cut_turned(eye, pixel, x, y, direction, seen)
    elif eye.channels > eye.base:
        cut_apart(eye, pixel, x + eye.left, y + eye.top, seen)
    else:
        cut(eye.span, pixel, x + eye.left, y + eye.top, eye.base, seen)


@inlined
def cut(span, pixel, left, top, channels, seen):
    """Copy runs of the board."""
    for row in range(span.shape[0]):
        begin = span[row, 0]
        source = pixel[top + row, (left + begin) * channels :]
        target = seen[row, begin * channels :]
        for k in range((span[row, 1] - begin) * channels):
            target[k] = source[k]


@inlined
def cut_apart(eye, pixel, left, top, seen):
    """Copy the channels of the board, one by one, to where they lie in a wider view."""
    for row in range(eye.span.shape[0]):
        source = pixel[top + row, left * eye.base :]
        target = seen[row]
        for k in range(eye.base):
            to = place_of(eye, k)
            for column in range(eye.span[row, 0], eye.span[row, 1]):
                target[column * eye.channels + to] = source[column * eye.base + k]


@inlined
def cut_turned(eye, pixel, x, y, direction, seen):
    """Copy the cells of the board as they lie for one who does not look north."""
    for row in range(eye.span.shape[0]):
        for column in range(eye.span[row, 0], eye.span[row, 1]):
            dx, dy = turned(direction, eye.left + column, eye.top + row)
            source = pixel[y + dy, (x + dx) * eye.base :]
            target = seen[row, column * eye.channels :]
            for k in range(eye.base):
                target[place_of(eye, k)] = source[k]


@inlined
def place_of(eye, channel):
    """Return the channel of an observation that shows a channel of the board."""
    if channel < eye.ground or eye.pair == _PAIR:
        return channel
    return channel + (channel - eye.ground) // _PAIR * (eye.pair - _PAIR)


@inlined
def lay_out(eye, world, state, copy, agent, seen):
    """Write features and densities, and zeros between them."""
    first = seen[0]
    for k in range(eye.channels - eye.features):
        first[k] = 0
    write_features(eye, world, state, copy, agent, first[eye.channels - eye.features :])
    for k in range(eye.channels, first.shape[0]):
        first[k] = first[k - eye.channels]
    for row in range(1, seen.shape[0]):
        target = seen[row]
        if eye.minimap:
            source = eye.density[copy, row]
            for k in range(first.shape[0]):
                target[k] = first[k] + source[k]
        else:
            for k in range(first.shape[0]):
                target[k] = first[k]
    if eye.minimap:
        source = eye.density[copy, 0]
        for k in range(first.shape[0]):
            first[k] += source[k]
        count_oneself(eye, world, state, copy, agent, seen)


@inlined
def count_oneself(eye, world, state, copy, agent, seen):
    """Add one to the densities of all groups in the bin of the agent."""
    columns = seen.shape[1] // eye.channels
    row = state.body[copy, agent, Y] // bin_size(world.map_height, seen.shape[0])
    column = state.body[copy, agent, X] // bin_size(world.map_width, columns)
    at = column * eye.channels + density_channel(eye, 0)
    for _ in range(world.kind.shape[0]):
        seen[row, at] += np.float32(1)
        at += eye.pair


@inlined
def density_channel(eye, place):
    """Return the channel of the density of the group that comes at a place."""
    return eye.ground + eye.pair * place + _PAIR


@helper
def bin_size(cells, bins):
    """Return how many rows or columns of the map one bin of a density map takes in."""
    return (cells + bins - 1) // bins


@inlined
def write_features(eye, world, state, copy, agent, features):
    """Write number, last action, last reward, and in minimap mode the position."""
    body = state.body[copy, agent]
    k = 0
    if eye.extra:
        for bit in range(eye.embedding):
            features[bit] = (body[NUMBER] >> bit) & 1
        for action in range(eye.actions):
            features[eye.embedding + action] = 0
        if body[ACTION] >= 0:
            features[eye.embedding + body[ACTION]] = 1
        k = eye.embedding + eye.actions
        features[k] = state.vital[copy, agent, PREVIOUS]
        k += 1
    if eye.minimap:
        features[k] = np.float32(body[X]) / np.float32(world.map_width)
        features[k + 1] = np.float32(body[Y]) / np.float32(world.map_height)


@rule
def observe_features(chosen, eye, world, state, features, lo, hi):
    """Write the features of a group, one vector for each agent."""
    for copy in range(lo, hi):
        if chosen[copy]:
            over = state.over[copy] == OVER
            for i in range(features.shape[1]):
                agent = world.start[eye.group] + i
                if state.body[copy, agent, STATUS] != GONE and not over:
                    write_features(eye, world, state, copy, agent, features[copy, i])
                else:
                    features[copy, i, :] = 0


@rule
def count_densities(chosen, eye, world, state, lo, hi):
    """Write the share of each group's listed agents that stand in each bin of the map."""
    rows = eye.density.shape[1]
    columns = eye.density.shape[2] // eye.channels
    height = bin_size(world.map_height, rows)
    width = bin_size(world.map_width, columns)
    groups = world.kind.shape[0]
    for copy in range(lo, hi):
        if chosen[copy]:
            here = eye.density[copy]
            wipe(here)
            for place in range(groups):
                group = (eye.group + place) % groups
                channel = density_channel(eye, place)
                listed = 0
                for agent in range(world.start[group], world.start[group + 1]):
                    if state.body[copy, agent, STATUS] != GONE:
                        listed += 1
                        column = state.body[copy, agent, X] // width
                        row = state.body[copy, agent, Y] // height
                        here[row, column * eye.channels + channel] += 1
                for row in range(rows if listed else 0):
                    for column in range(columns):
                        here[row, column * eye.channels + channel] /= np.float32(listed)


@rule
def hand_out_densities(chosen, eye, world, state, observation, lo, hi):
    """Write the density maps into float32[copy, agent, row, column, group], own group first."""
    groups = observation.shape[4]
    for copy in range(lo, hi):
        if chosen[copy]:
            over = state.over[copy] == OVER
            for i in range(observation.shape[1]):
                agent = world.start[eye.group] + i
                listed = state.body[copy, agent, STATUS] != GONE and not over
                for row in range(observation.shape[2]):
                    for column in range(observation.shape[3]):
                        at = column * eye.channels
                        for place in range(groups):
                            share = eye.density[copy, row, at + density_channel(eye, place)]
                            observation[copy, i, row, column, place] = share if listed else 0


@rule
def allow_all(chosen, eye, world, state, mask, lo, hi):
    """Write the masks of a group."""
    for copy in range(lo, hi):
        if chosen[copy]:
            playing = state.over[copy] == PLAYING
            for i in range(mask.shape[1]):
                alive = state.body[copy, world.start[eye.group] + i, STATUS] == ALIVE
                allow(mask[copy, i], eye.idle, playing and alive)
