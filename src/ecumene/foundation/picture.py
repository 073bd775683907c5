"""An economy's map as a picture and as text: what grows where, whose houses, and the people."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.drawing import Board, TextBoard, captioned, palette
from ecumene.foundation.entities import landmark_registry, resource_registry
from ecumene.foundation.entities.landmarks import source_block
from ecumene.foundation.rules.space import OFFSET

COIN = "Coin"


class Look(NamedTuple):
    """How an entity is drawn: a shape, a colour, and the character that stands for it."""

    shape: str
    colour: palette.Colour
    character: str


LOOKS = {
    "Wood": Look("tree", palette.TREE, "w"),
    "Stone": Look("rock", palette.STONE, "s"),
    "House": Look("house", palette.INK, "^"),
    "Water": Look("full", palette.WATER, "~"),
}


def look(name: str) -> Look:
    """Return how an entity is drawn; a user's own by its colour and first letter."""
    if name in LOOKS:
        return LOOKS[name]
    registry = resource_registry if resource_registry.has(name) else landmark_registry
    red, green, blue = (round(255 * float(part)) for part in registry.get(name)().color)
    return Look("square", (red, green, blue), name[:1].lower())


def frame(world: Any, copy: int) -> NDArray[np.uint8]:
    """Return the map of one copy with a line on time and one on coin below it."""
    picture = Board(*world.maps.size)
    for name, where in _grounds(world.maps, copy):
        kind = look(name)
        if name in world.maps.collectible:
            picture.fill(where, palette.mix(palette.FLOOR, kind.colour, 0.2))
        else:
            picture.fill(where, kind.colour)
    for name, where in _things(world.maps, copy):
        kind = look(name)
        picture.stamp(where, kind.shape, kind.colour)
    for name, owner, where in _owned(world.maps, copy):
        picture.stamp(where, look(name).shape, palette.mix(palette.player(owner), palette.INK, 0.1))
    picture.agents(world.maps.location[copy])
    return captioned(picture.pixels, (_clock(world, copy), _coin(world, copy)), width=168)


def text(world: Any, copy: int) -> str:
    """Return the same in coloured characters."""
    picture = TextBoard(*world.maps.size)
    for name, where in _grounds(world.maps, copy):
        kind = look(name)
        if name in world.maps.collectible:
            picture.put(where, "", ground=palette.mix(palette.FLOOR, kind.colour, 0.2))
        else:
            picture.put(where, 2 * kind.character, palette.INK, kind.colour)
    for name, where in _things(world.maps, copy):
        picture.put(where, look(name).character, look(name).colour)
    for name, owner, where in _owned(world.maps, copy):
        colour = palette.player(owner)
        picture.put(where, look(name).character, palette.on(colour), colour)
    picture.agents(world.maps.location[copy])
    return "\n".join([*picture.lines(), _clock(world, copy), _coin(world, copy)])


def _grounds(maps: Any, copy: int) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield what is under things: (resource, where it grows), (unowned landmark, where it is)."""
    growing = {source_block(resource): resource for resource in maps.collectible}
    for name, channel in maps.channel.items():
        if name not in maps.collectible and name not in maps.private:
            yield growing.get(name, name), maps.tile[copy, channel] > 0


def _things(maps: Any, copy: int) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield (resource, where it lies)."""
    for name in maps.collectible:
        yield name, maps.tile[copy, maps.channel[name]] > 0


def _owned(maps: Any, copy: int) -> Iterator[tuple[str, int, NDArray[np.bool_]]]:
    """Yield (landmark, owner, where the owner's are)."""
    for name, private in maps.private.items():
        marks = maps.marks[copy, private]
        for mark in np.unique(marks[marks > 0]).tolist():
            yield name, mark - OFFSET, marks == mark


def _clock(world: Any, copy: int) -> str:
    return f"step {world.clock[copy]}"


def _coin(world: Any, copy: int) -> str:
    if COIN not in world.resources:
        return ""
    coin = world.inventory[copy, :, world.resources.index(COIN)]
    return "coin  " + "  ".join(f"{i}: {each:.0f}" for i, each in enumerate(coin[:-1]))
