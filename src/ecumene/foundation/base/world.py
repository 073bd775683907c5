"""The world as an object: its map, its agents and its clock."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import random
from ecumene.foundation.base.base_agent import BaseAgent, agent_registry
from ecumene.foundation.base.focus import Focus
from ecumene.foundation.base.global_stream import GlobalStream
from ecumene.foundation.base.maps import Maps
from ecumene.foundation.base.observation import AGENTS, PLANNER, mask_columns
from ecumene.foundation.base.plain import PlainParts
from ecumene.foundation.base.views import Fields, RowView, StateView
from ecumene.foundation.rules import space

__all__ = ["Maps", "World"]


class World:
    """Everything that components and scenarios act on.

    The arrays hold all copies; properties and methods show the copy of the `focus`.

    Parameters
    ----------
    world_size
        ``[height, width]``.
    n_agents
        Number of mobile agents.
    world_resources, world_landmarks
        Names of the entities.
    multi_action_mode_agents, multi_action_mode_planner
        See `BaseEnvironment`.
    copies
        Number of copies.
    """

    def __init__(
        self,
        world_size: list[int],
        n_agents: int,
        world_resources: list[str],
        world_landmarks: list[str],
        multi_action_mode_agents: bool,
        multi_action_mode_planner: bool,
        copies: int = 1,
    ) -> None:
        self.world_size = world_size
        self.n_agents = n_agents
        self.resources = world_resources
        self.landmarks = world_landmarks
        self.multi_action_mode_agents = bool(multi_action_mode_agents)
        self.multi_action_mode_planner = bool(multi_action_mode_planner)
        self.copies = copies
        self.focus = Focus()
        self.maps = Maps(world_size, n_agents, world_resources, world_landmarks, copies, self.focus)
        self.goods_names = self.maps.collectible
        #: Of each collectible resource, channel on the map and column in inventories.
        self.goods = np.array(
            [(self.maps.channel[name], world_resources.index(name)) for name in self.goods_names],
            np.int64,
        ).reshape(-1, 2)
        self.clock = np.zeros(copies, np.int64)
        mobile, planner = agent_registry.get("BasicMobileAgent"), agent_registry.get("BasicPlanner")
        self._agents = [mobile(i, self.multi_action_mode_agents) for i in range(n_agents)]
        self._planner = planner(multi_action_mode=self.multi_action_mode_planner)
        self.completions = np.zeros(copies, np.int64)
        self.chosen = np.ones(copies, np.bool_)
        self.streams: NDArray[np.uint32] = random.philox_streams(copies)
        #: NumPy's global generator, where the rules draw from that.
        self.source: GlobalStream | None = None
        self.spare = np.zeros((copies, 2))
        self.order = np.zeros((copies, n_agents), np.int64)
        self._felt: list[str] = []
        self._fields: list[Fields] = []
        self.plain = PlainParts(self)
        #: Copies whose components keep their events for the dense log.
        self.logged: list[int] = []
        # Made by `attach`, once all variables and actions are known.
        self.inventory = self.escrow = self.endogenous = np.zeros((copies, n_agents + 1, 0))
        self.action = np.zeros((copies, n_agents + 1, 0), np.int64)

    @property
    def agents(self) -> list[BaseAgent]:
        """Mobile agents in index order."""
        return self._agents

    @property
    def planner(self) -> BaseAgent:
        """The planner."""
        return self._planner

    @property
    def timestep(self) -> int:
        """Steps since the last reset."""
        return int(self.clock[self.focus.copy])

    @timestep.setter
    def timestep(self, value: int) -> None:
        self.clock[self.focus.copy] = value

    @property
    def loc_map(self) -> NDArray[np.int16]:
        """Index of the agent on each tile, ``int16[row, column]``, -1 = nobody."""
        indices = np.full(self.world_size, -1, np.int16)
        for agent in self.agents:
            r, c = agent.loc
            indices[r, c] = agent.idx
        return indices

    def get_random_order_agents(self) -> list[BaseAgent]:
        """Return the mobile agents in an order drawn by ``np.random.permutation``."""
        return [self.agents[i] for i in np.random.permutation(self.n_agents)]

    def is_valid(self, r: int, c: int) -> bool:
        """Tell whether a tile is in the world."""
        return 0 <= r < self.world_size[0] and 0 <= c < self.world_size[1]

    def is_location_accessible(self, r: int, c: int, agent: BaseAgent) -> bool:
        """Tell whether a tile is in the world and landmarks let the agent stand on it."""
        return self.is_valid(r, c) and self.maps.is_accessible(r, c, self.maps.mobile(agent.idx))

    def can_agent_occupy(self, r: int, c: int, agent: BaseAgent) -> bool:
        """Tell whether the agent could move to a tile: accessible, and nobody there."""
        maps, copy = self.maps, self.focus.copy
        tile, marks, idx = maps.tile[copy], maps.marks[copy], maps.mobile(agent.idx)
        return bool(space.can_occupy(tile, marks, maps.blocking, int(r), int(c), idx))

    def clear_agent_locs(self) -> None:
        """Take every agent off the map, to location (-1, -1)."""
        space.clear_people(self.maps.marks[self.focus.copy], self.maps.location[self.focus.copy])
        for agent in self.agents:
            agent.state["loc"] = [-1, -1]

    def agent_locs_are_valid(self) -> bool:
        """Tell whether every agent's location is accessible to it."""
        places = [(*agent.loc, agent) for agent in self.agents]
        return all(self.is_location_accessible(r, c, agent) for r, c, agent in places)

    def set_agent_loc(self, agent: BaseAgent, r: int, c: int) -> tuple[int, int]:
        """Move an agent if it can occupy the tile, and return where it then is."""
        if self.can_agent_occupy(r, c, agent):
            self.maps.set_agent_loc(agent, r, c)
        row, column = agent.loc
        return row, column

    def location_resources(self, r: int, c: int) -> dict[str, float]:
        """Return the resources on a tile and how much of each; nothing outside the world."""
        return self.maps.location_resources(r, c) if self.is_valid(r, c) else {}

    def location_landmarks(self, r: int, c: int) -> dict[str, float]:
        """Return the landmarks on a tile; nothing outside the world."""
        return self.maps.location_landmarks(r, c) if self.is_valid(r, c) else {}

    def create_landmark(
        self, landmark_name: str, r: int, c: int, agent_idx: int | None = None
    ) -> None:
        """Put a landmark on a tile; a private one needs its owner's index."""
        self.maps.set_point(landmark_name, r, c, 1, owner=agent_idx)

    def consume_resource(self, resource_name: str, r: int, c: int) -> None:
        """Take one unit of a resource off a tile."""
        self.maps.set_point_add(resource_name, r, c, -1)

    # What holds all copies.

    def attach(self, endogenous: list[str]) -> None:
        """Move the agents' state and actions into arrays, of which they become views."""
        everyone = [*self.agents, self.planner]
        shape = (self.copies, len(everyone))
        self._felt = list(endogenous)
        self.inventory = np.zeros((*shape, len(self.resources)))
        self.escrow = np.zeros_like(self.inventory)
        self.endogenous = np.zeros((*shape, len(endogenous)))
        self.action = np.zeros((*shape, max(len(agent.action) for agent in everyone)), np.int64)
        self._fields = [Fields({}, [{} for _ in range(self.copies)], {}) for _ in everyone]
        self._show_agents()

    def _show_agents(self) -> None:
        owned = {name: i for i, name in enumerate(self.resources)}
        for row, agent in enumerate([*self.agents, self.planner]):
            mobile = agent is not self.planner
            felt = {name: i for i, name in enumerate(self._felt) if mobile}
            parts = {
                "inventory": RowView(self.focus, self.inventory, row, owned),
                "escrow": RowView(self.focus, self.escrow, row, owned),
                "endogenous": RowView(self.focus, self.endogenous, row, felt),
            }
            location = self.maps.location if mobile else None
            agent.state = StateView(self.focus, row, parts, self._fields[row], location)
            columns = {name: i for i, name in enumerate(agent.action_dim)}
            agent.action = RowView(self.focus, self.action, row, columns)

    def show_column(self, field: str, column: NDArray[Any]) -> None:
        """Let a field of the mobile agents' state be a column ``[copy, agent]`` of an array."""
        for fields in self._fields[:-1]:
            fields.columns[field] = column

    def touch_fields(self, declared: Callable[[str], Iterable[str]]) -> None:
        """Let fields that are columns appear in the state of agents of whose class they are."""
        for agent, fields in zip(self.agents, self._fields, strict=False):
            for name in declared(agent.name):
                fields.order[name] = None

    def fields_of(self, copy: int) -> list[dict[str, Any]]:
        """Return the state fields of every agent that a copy holds outside the arrays."""
        return [fields.extra[copy] for fields in self._fields]

    def action_columns(self, subspace: str) -> NDArray[np.int64]:
        """Return each mobile agent's column of a subspace in `action`, -1 if it has none."""
        subspaces = [list(agent.action_dim) for agent in self.agents]
        columns = [own.index(subspace) if subspace in own else -1 for own in subspaces]
        return np.array(columns, np.int64)

    def entity(self, name: str) -> int:
        """Return the column of a resource in inventories."""
        return self.resources.index(name)

    def felt(self, name: str) -> int:
        """Return the column of an endogenous variable."""
        return self._felt.index(name)

    def mask_layout(self) -> tuple[dict[str, NDArray[np.int8]], dict[str, Any]] | None:
        """Allocate the masks of both groups and say where each subspace's mask is.

        None if mobile agents differ in their actions.
        """
        first = self.agents[0].action_dim
        if any(agent.action_dim != first for agent in self.agents):
            return None
        masks, columns = {}, {}
        for kind, agents in ((AGENTS, self.agents), (PLANNER, [self.planner])):
            agent = agents[0]
            columns[kind], width = mask_columns(agent.action_dim, agent.multi_action_mode)
            masks[kind] = np.ones((self.copies, len(agents), width), np.int8)
        return masks, columns

    @contextmanager
    def gaussians(self) -> Iterator[None]:
        """Let rules draw Gaussians: keep `spare` in step with NumPy's global generator."""
        if self.source is None:
            yield
            return
        self.source.lend_spare(self.spare)
        yield
        self.source.take_spare(self.spare)

    def __getstate__(self) -> dict[str, Any]:
        own = dict(self.__dict__)
        if self.source is not None:
            own["streams"] = None  # memory of NumPy's own generator
        return own

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.source is not None:
            self.streams = self.source.row()
        self._show_agents()

    @property
    def completed(self) -> int:
        """Episodes completed by the copy in view."""
        return int(self.completions[self.focus.copy])

    def each(self, method: Callable[[], Any], lo: int, hi: int) -> None:
        """Call a documented method with the focus on each chosen copy of a range."""
        if self.source is not None:
            # Plain Python draws from the generator itself, its spare Gaussian included.
            self.source.take_spare(self.spare)
        self._each(self.plain.call, method, lo, hi)
        if self.source is not None:
            self.source.lend_spare(self.spare)

    def each_looks(self, method: Callable[[], Any], lo: int, hi: int) -> None:
        """Call a documented method that changes nothing, as `each` does."""
        self._each(self.plain.look, method, lo, hi)

    def _each(self, caller: Callable[..., Any], method: Any, lo: int, hi: int) -> None:
        for copy in range(lo, hi):
            if self.chosen[copy]:
                caller(copy, method)

    def collect(
        self, copies: Iterable[int], method: Callable[[], dict[str, Any] | None]
    ) -> dict[str, NDArray[Any]]:
        """Return key -> one value per copy of what a documented method returns for each."""
        rows = [self.plain.look(copy, method) or {} for copy in copies]
        keys = dict.fromkeys(key for row in rows for key in row)
        return {key: np.array([row.get(key, np.nan) for row in rows]) for key in keys}
