"""The spaces of a survival world, and the names of all that is in them."""

from dataclasses import dataclass

import numpy as np
from gymnasium import spaces

from ecumene.survival.columns import STYLE_NAMES
from ecumene.survival.declaration import World
from ecumene.survival.state import Features, Heads

MOVES = ("stay", "north", "south", "east", "west")
LEAST_SLOTS = 8
ALL = 1_000_000_000


@dataclass(frozen=True)
class Layout:
    """Names of the features, and where the rules find them."""

    others: tuple[str, ...]
    own: tuple[str, ...]
    places: Features


def slots(world: World) -> int:
    """Return the number of rows of `entities`."""
    if world.max_visible is not None:
        return world.max_visible
    others = world.agent_count - 1 + world.npc_count
    return min(max(LEAST_SLOTS, others), (2 * world.radius + 1) ** 2 - 1)


def layout(world: World) -> Layout:
    """Lay out the features of `entities` and `self`."""
    others = ["present", "rows_down", "columns_right", "own_team", "health"]
    own = ["health", "row", "column", "steps_left"]
    fights = any(being.styles for being in (*world.groups, *world.npcs))
    roles = list(dict.fromkeys(group.name for group in world.groups))
    roles = roles if len(roles) > 1 else []
    words = [f"said_{k}" for k in range(1, world.messages + 1)]

    def add(names: list[str], wanted: bool, further: list[str]) -> int:
        if not wanted:
            return -1
        names += further
        return len(names) - len(further)

    places = Features(
        other_health=4,
        other_stocks=add(others, world.metabolism and not world.hide_others, ["food", "water"]),
        other_npc=add(others, bool(world.npcs), ["npc"]),
        other_fight=add(others, fights, ["freeze", "hit_me_last"]),
        other_role=add(others, bool(roles), roles),
        other_word=add(others, bool(words), words),
        self_stocks=add(own, world.metabolism, ["food", "water"]),
        self_freeze=add(own, fights, ["freeze"]),
        self_last=add(own, world.build or world.plant, ["last_cell_free"]),
        self_role=add(own, bool(roles), roles),
        roles=len(roles),
        words=world.messages,
    )
    return Layout(tuple(others), tuple(own), places)


def observation_space(world: World, channels: int) -> spaces.Dict:
    """Return the observation space, the same for all agents of a world."""
    side = 2 * world.radius + 1
    names = layout(world)
    low = np.zeros((slots(world), len(names.others)), np.float32)
    low[:, 1:3] = -1
    return spaces.Dict(
        {
            "grid": spaces.Box(0, 1, (side, side, channels), np.uint8),
            "entities": spaces.Box(low, np.ones_like(low), dtype=np.float32),
            "self": spaces.Box(0, 1, (len(names.own),), np.float32),
        }
    )


def heads(world: World, first: int, styles: int) -> Heads:
    """Return how the choices of a group are read."""
    return Heads(
        first=first,
        slots=slots(world),
        styles=styles,
        amounts=len(world.share),
        build=int(world.build),
        plant=int(world.plant),
        words=world.messages,
        flat=world.flat_actions,
    )


def choices(world: World, styles: tuple[str, ...]) -> list[list[str]]:
    """Return the names of the choices of every head."""
    targets = range(slots(world))
    parts: list[list[str]] = [list(MOVES)]
    if styles:
        parts.append([f"{style} {k}" for style in styles for k in targets])
    if world.share:
        parts.append(
            [
                f"share {amount} {stock} {k}"
                for stock in ("food", "water")
                for k in targets
                for amount in world.share
            ]
        )
    parts += [[name] for name, wanted in (("build", world.build), ("plant", world.plant)) if wanted]
    if world.messages:
        parts.append([f"say {k}" for k in range(1, world.messages + 1)])
    return parts if world.flat_actions else [parts[0], *(["nothing", *p] for p in parts[1:])]


def action_space(
    world: World, styles: tuple[str, ...]
) -> tuple[spaces.Discrete | spaces.MultiDiscrete, tuple[str, ...]]:
    """Return the action space of a group and the names of its choices."""
    parts = choices(world, styles)
    names = tuple(name for part in parts for name in part)
    if world.flat_actions or len(parts) == 1:
        return spaces.Discrete(len(names)), names
    return spaces.MultiDiscrete([len(part) for part in parts]), names


def style_numbers(styles: tuple[str, ...]) -> np.ndarray:
    """Return the numbers of attack styles, at least one place for the rules to point at."""
    return np.array([STYLE_NAMES.index(style) for style in styles] or [0], np.int64)


def amounts(world: World) -> np.ndarray:
    """Return the amounts that can be shared, at least one place for the rules to point at."""
    return np.array([ALL if each == "all" else each for each in world.share] or [0], np.int64)
