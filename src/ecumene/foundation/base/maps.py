"""The map as an object: a view of the arrays at the focus."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.foundation.base.errors import UnknownName, ensure
from ecumene.foundation.base.focus import Focus
from ecumene.foundation.entities import landmark_registry, resource_registry
from ecumene.foundation.entities.landmarks import source_block
from ecumene.foundation.rules import space


class Maps:
    """Resources, landmarks and agents on a grid.

    Parameters
    ----------
    size
        Height and width.
    n_agents
        Number of mobile agents.
    world_resources, world_landmarks
        Names. The source blocks of the collectible resources are appended to `world_landmarks`.
    copies
        Number of copies that the arrays hold; the methods show that of the focus.
    focus
        Shared with the world that this map belongs to.

    Attributes
    ----------
    tile : ndarray
        ``float32[copy, channel, row, column]``, in the order of `keys`.
    marks : ndarray
        ``int16[copy, private landmarks + 1, row, column]``; see `foundation.rules.space`.
    location : ndarray
        ``int64[copy, agent, 2]``, row and column.
    """

    def __init__(
        self,
        size: Sequence[int],
        n_agents: int,
        world_resources: list[str],
        world_landmarks: list[str],
        copies: int = 1,
        focus: Focus | None = None,
    ) -> None:
        self.size = list(size)
        self.sz_h, self.sz_w = self.size
        self.n_agents = n_agents
        self.resources = world_resources
        self.landmarks = world_landmarks
        self.entities = list(world_resources) + list(world_landmarks)
        self._focus = focus or Focus()
        collectible = [r for r in world_resources if resource_registry.get(r)().collectible]
        standing = list(world_landmarks)
        sources = [source_block(resource) for resource in collectible]
        world_landmarks.extend(name for name in sources if name not in world_landmarks)
        names = collectible + standing + [name for name in sources if name not in standing]
        self.channel = {name: i for i, name in enumerate(names)}
        kinds = {name: landmark_registry.get(name)() for name in names if name not in collectible}
        private = [name for name in names if name in kinds and kinds[name].private]
        self.private = {name: i for i, name in enumerate(private)}
        blocking = [self.channel[name] for name in kinds if kinds[name].blocking]
        self.blocking = np.array(blocking, np.int64)
        self.collectible = collectible
        self._standing = list(kinds)
        height, width = self.size
        self.tile = np.zeros((copies, len(names), height, width), np.float32)
        self.marks = np.zeros((copies, len(private) + 1, height, width), np.int16)
        self.location = np.zeros((copies, n_agents, 2), np.int64)

    # The arrays of the copy in view.

    @property
    def _tile(self) -> NDArray[np.float32]:
        return self.tile[self._focus.copy]

    @property
    def _marks(self) -> NDArray[np.int16]:
        return self.marks[self._focus.copy]

    def _known(self, name: str) -> int:
        if name not in self.channel:
            raise UnknownName("map", name, self.channel)
        return self.channel[name]

    def _owner(self, name: str) -> NDArray[np.int16]:
        marks = self._marks[self.private[name]]
        return np.where(marks == 0, -1, marks - space.OFFSET).astype(np.int16)

    # Rules do not check indices.

    def _ensure_inside(self, r: Any, c: Any) -> None:
        inside = 0 <= r < self.sz_h and 0 <= c < self.sz_w
        ensure(inside, f"({r}, {c}) is outside the {self.sz_h}x{self.sz_w} world.")

    def mobile(self, idx: Any) -> int:
        """Return the index of a mobile agent; refuse any other."""
        ensure(
            isinstance(idx, int | np.integer) and 0 <= idx < self.n_agents,
            f"agent {idx!r} neither walks the map nor is an owner; the mobile agents are "
            f"0..{self.n_agents - 1}.",
        )
        return int(idx)

    # Whole maps.

    def keys(self) -> Iterator[str]:
        """Names in channel order: resources, landmarks, source blocks."""
        return iter(self.channel)

    def values(self) -> Iterator[Any]:
        """Maps in channel order."""
        return iter(self.state_dict.values())

    def items(self) -> Iterator[tuple[str, Any]]:
        """Names and maps in channel order."""
        return iter(self.state_dict.items())

    @property
    def state_dict(self) -> dict[str, Any]:
        """Name -> map; a private landmark's is ``{"owner": int16, "health": float32}``."""
        return {
            name: {"owner": self._owner(name), "health": self._tile[channel]}
            if name in self.private
            else self._tile[channel]
            for name, channel in self.channel.items()
        }

    @property
    def state(self) -> NDArray[np.float32]:
        """All maps, ``float32[channel, row, column]``; a private landmark's is its health."""
        return self._tile.copy()

    @property
    def owner_state(self) -> NDArray[np.int16]:
        """Owners of the private landmarks, ``int16[private, row, column]``, -1 = nobody."""
        owners = [self._owner(name) for name in self.private]
        return np.array(owners, np.int16).reshape(-1, *self.size)

    def get(self, entity_name: str, owner: bool = False) -> NDArray[Any]:
        """Return a map ``[row, column]``; of a private landmark its health, or its owners."""
        channel = self._known(entity_name)
        if owner and entity_name in self.private:
            return self._owner(entity_name)
        return self._tile[channel]

    def set(self, entity_name: str, map_state: Any) -> None:
        """Replace a whole map; negative values count as 0.

        Parameters
        ----------
        entity_name
            Name of the map.
        map_state
            Array ``[row, column]``; for a private landmark a dict with arrays ``owner`` (-1 =
            nobody) and ``health``. Where the health is 0 nobody is owner.
        """
        channel = self._known(entity_name)
        if entity_name not in self.private:
            self._tile[channel] = np.maximum(self._fitting(entity_name, map_state), 0)
            return
        for part in ("owner", "health"):
            ensure(part in map_state, f"the map of `{entity_name}` needs `{part}`.")
        health = np.maximum(self._fitting(entity_name, map_state["health"]), 0)
        owner = self._fitting(entity_name, map_state["owner"])
        ensure(
            (owner[health > 0] >= 0).all() and (owner < self.n_agents).all(),
            f"each `{entity_name}` needs an owner in 0..{self.n_agents - 1}.",
        )
        self._tile[channel] = health
        marks = np.where(health > 0, owner + space.OFFSET, 0)
        self._marks[self.private[entity_name]] = marks

    def _fitting(self, entity_name: str, map_state: Any) -> NDArray[Any]:
        values = np.asarray(map_state)
        ensure(
            list(values.shape) == self.size,
            f"the map of `{entity_name}` is {self.size}, not {list(values.shape)}.",
        )
        return values

    def set_add(self, entity_name: str, map_state: Any) -> None:
        """Add to a whole map; not for private landmarks."""
        ensure(entity_name not in self.private, f"`{entity_name}` has owners: use set.")
        self.set(entity_name, self.get(entity_name) + self._fitting(entity_name, map_state))

    def clear(self, entity_name: str | None = None) -> None:
        """Empty one map, or all of them."""
        names = list(self.channel) if entity_name is None else [entity_name]
        for name in names:
            self._tile[self._known(name)] = 0
            if name in self.private:
                self._marks[self.private[name]] = 0

    # Single tiles.

    def get_point(self, entity_name: str, r: int, c: int, **kwargs: Any) -> float:
        """Return `get` at one tile."""
        return self.get(entity_name, **kwargs)[r, c]

    def set_point(
        self, entity_name: str, r: int, c: int, val: float, owner: int | None = None
    ) -> None:
        """Set one tile; negative values count as 0.

        A private landmark needs an `owner`, and the tile must be free or already that owner's; a
        value of 0 leaves nobody as owner.
        """
        channel = self._known(entity_name)
        self._ensure_inside(r, c)
        if entity_name in self.private:
            ensure(owner is not None, f"`{entity_name}` needs an owner.")
            mark = self.mobile(owner) + space.OFFSET
            marks = self._marks[self.private[entity_name]]
            ensure(
                marks[r, c] in (0, mark),
                f"the `{entity_name}` at ({r}, {c}) belongs to {marks[r, c] - space.OFFSET}.",
            )
            marks[r, c] = mark if val > 0 else 0
        self._tile[channel, r, c] = max(0, val)

    def set_point_add(self, entity_name: str, r: int, c: int, value: float, **kwargs: Any) -> None:
        """Add to one tile."""
        self.set_point(entity_name, r, c, self.get_point(entity_name, r, c) + value, **kwargs)

    def location_resources(self, r: int, c: int) -> dict[str, float]:
        """Return the resources on a tile and how much of each, in channel order."""
        return self._standing_at(self.collectible, r, c)

    def location_landmarks(self, r: int, c: int) -> dict[str, float]:
        """Return the landmarks on a tile, source blocks included, in channel order."""
        return self._standing_at(self._standing, r, c)

    def _standing_at(self, names: list[str], r: int, c: int) -> dict[str, float]:
        found = {name: float(self._tile[self.channel[name], r, c]) for name in names}
        return {name: value for name, value in found.items() if value > 0}

    # Agents.

    def clear_agent_loc(self, agent: Any = None) -> None:
        """Take one agent, or all, off the map; ``agent.state["loc"]`` stays what it was."""
        if agent is None:
            self._marks[-1] = 0
        else:
            space.leave(self._marks, self.location[self._focus.copy], self.mobile(agent.idx))

    def set_agent_loc(self, agent: Any, r: int, c: int) -> None:
        """Move an agent to a tile of the world, whatever is there."""
        self._ensure_inside(r, c)
        location = self.location[self._focus.copy]
        space.put(self._marks, location, int(r), int(c), self.mobile(agent.idx))
        agent.state["loc"] = [int(r), int(c)]

    def is_accessible(self, r: int, c: int, agent_id: int) -> bool:
        """Tell whether landmarks let an agent stand on a tile."""
        self._ensure_inside(r, c)
        idx = self.mobile(agent_id)
        return bool(space.accessible(self._tile, self._marks, self.blocking, r, c, idx))

    @property
    def unoccupied(self) -> NDArray[np.bool_]:
        """Where no agent is, ``bool[row, column]``."""
        return self._marks[-1] == 0

    @property
    def accessibility(self) -> NDArray[np.bool_]:
        """Where landmarks let each agent stand, ``bool[agent, row, column]``."""
        marks = self._marks[:-1, None]
        own = (np.arange(self.n_agents) + space.OFFSET)[None, :, None, None]
        open_to = ((marks == 0) | (marks == own)).all(axis=0)
        blocked = (self._tile[self.blocking] > 0).any(axis=0)
        return np.broadcast_to(open_to & ~blocked, (self.n_agents, *self.size)).copy()

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Where there is no resource and no landmark, ``bool[row, column]``; agents don't count."""
        return np.asarray((self._tile <= 0).all(axis=0))
