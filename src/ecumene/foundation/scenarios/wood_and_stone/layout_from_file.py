"""Worlds drawn in a text file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.compile import rule
from ecumene.engine.random import permutation
from ecumene.foundation.base.base_env import scenario_registry
from ecumene.foundation.base.errors import ensure
from ecumene.foundation.base.parameters import flag, real
from ecumene.foundation.base.stages import Call
from ecumene.foundation.entities import landmark_registry, resource_registry
from ecumene.foundation.rules.space import clear_people, put
from ecumene.foundation.scenarios.wood_and_stone.layout_text import (
    Layout,
    read_layout,
    warn_of_unknown,
)
from ecumene.foundation.scenarios.wood_and_stone.ranked_skill import (
    build_component,
    corner_places,
    ranked_payments,
)
from ecumene.foundation.scenarios.wood_and_stone.scenario import Source, WoodAndStone

SYMBOLS = {"W": "Wood", "S": "Stone", "@": "Water"}
WORLD_SIZE_PLACE = 2


@scenario_registry.add
class LayoutFromFile(WoodAndStone):
    """Wood, stone and water where a text file draws them.

    Rows of the text end with ``;`` or a line break. ``W`` is a source of Wood, ``S`` one of Stone,
    ``@`` is Water; a blank is an empty tile. Other symbols count as empty, with a warning. Short
    rows are filled up with empty tiles, with a warning.

    Parameters
    ----------
    env_layout_file : str or Path
        A file of the library (see `map_txt`) by name, any other by path.
    resource_regen_prob : float
        Chance per step that an empty source tile grows a unit, 0 to 1.
    fixed_four_skill_and_loc : bool
        Pay agents the average payment of their rank and start ranks in fixed corners; which agent
        has which rank is drawn at each reset. Needs Build with ``skill_dist="pareto"``.
    env_layout_symbols : dict or None
        Further symbols: symbol -> name of a collectible resource or of a landmark that no agent
        owns.
    world_size : list or None
        ``[height, width]``, which must be the size of the text; left out, it is read from there.
    **base_env_kwargs
        See `WoodAndStone` and `BaseEnvironment`.
    """

    name = "layout_from_file/simple_wood_and_stone"
    required_entities = ["Wood", "Stone", "Water"]
    held_in_common = ("_drawing",)
    _placed_in_random_order = False

    def __init__(
        self,
        *base_env_args: Any,
        resource_regen_prob: float = 0.01,
        fixed_four_skill_and_loc: bool = False,
        env_layout_file: str | Path = "quadrant_25x25_20each_30clump.txt",
        env_layout_symbols: Mapping[str, str] | None = None,
        **base_env_kwargs: Any,
    ) -> None:
        layout = read_layout(env_layout_file)
        self._symbols = _symbols(env_layout_symbols)
        warn_of_unknown(layout, self._symbols)
        self.required_entities = sorted(
            {*(type(self).required_entities or ()), *self._symbols.values()}
        )
        given = len(base_env_args) > WORLD_SIZE_PLACE
        if not given and base_env_kwargs.get("world_size") is None:
            base_env_kwargs["world_size"] = layout.size
        super().__init__(*base_env_args, **base_env_kwargs)
        self.resource_regen_prob = real("resource_regen_prob", resource_regen_prob, 0, 1)
        self._check_size(layout)
        self._draw(layout)
        self._check_room()
        fixed = flag("fixed_four_skill_and_loc", fixed_four_skill_and_loc)
        self._fixed_four_skill_and_loc = fixed
        if self._fixed_four_skill_and_loc:
            self._rank()

    def _check_size(self, layout: Layout) -> None:
        ensure(
            layout.size == self.world_size,
            f"the layout {layout.origin} has {layout.size[0]} rows of {layout.size[1]} cells, but "
            f"world_size (height, width) is {self.world_size}; leave world_size out to take the "
            "layout's.",
        )

    def _draw(self, layout: Layout) -> None:
        maps = self._world.maps
        self._drawing = np.zeros(maps.tile.shape[1:], np.float32)
        for symbol, name in self._symbols.items():
            drawn = layout.where(symbol)
            self._drawing[maps.channel[name]][drawn] = 1
            if name in maps.collectible:
                self._drawing[maps.channel[f"{name}SourceBlock"]][drawn] = 1

    def _check_room(self) -> None:
        free = int(self._open_tiles().sum())
        ensure(
            self.n_agents <= free,
            f"{self.n_agents} agents do not fit on the {free} free tiles of the layout.",
        )

    def _open_tiles(self) -> NDArray[np.bool_]:
        """Return where agents can start, ``bool[row, column]``."""
        return np.all(self._drawing[self._world.maps.blocking] <= 0, axis=0)

    # Ranks.

    def _rank(self) -> None:
        self._build = build_component(self, "fixed_four_skill_and_loc")
        payments = ranked_payments(self._build, self.n_agents, np.random.RandomState(1))
        self._ranked_payments = payments
        places = corner_places(self.n_agents, *self.world_size)
        self._check_places(places)
        self._ranked_places = np.array(places, np.int64)

    def _check_places(self, places: Sequence[tuple[int, int]]) -> None:
        height, width = self.world_size
        open_tiles = self._open_tiles()
        for rank, (r, c) in enumerate(places):
            inside = 0 <= r < height and 0 <= c < width
            ensure(
                inside and open_tiles[r, c] and (r, c) not in places[:rank],
                f"fixed_four_skill_and_loc: the place ({r}, {c}) of rank {rank} is off the map, "
                "under water or already another's: the corners of the layout are too small.",
            )

    @property
    def avg_ranked_skill(self) -> Any:
        """Payment of each rank, ascending."""
        return self._ranked_payments

    # Reset.

    def layout_rules(self) -> list[Call]:
        """Draw the map as the file has it."""
        maps, chosen = self._world.maps, self._world.chosen
        return [(draw, (chosen, maps.tile, maps.marks, self._drawing))]

    def finish_rules(self) -> list[Call]:
        """Hand out ranks where they are fixed, then take stock."""
        if not self._fixed_four_skill_and_loc:
            return super().finish_rules()
        world, maps = self._world, self._world.maps
        people = (world.streams, world.chosen, world.order, maps.marks, maps.location)
        ranks = (self._build.arrays.payment, self._ranked_payments, self._ranked_places)
        return [(hand_out_corners, (*people, *ranks)), *super().finish_rules()]

    def sources(self) -> Sequence[Source]:
        """Wood, Stone, then resources of the user's own."""
        own = [name for name in self._symbols.values() if name in self._world.maps.collectible]
        names = dict.fromkeys(["Wood", "Stone", *own])
        return [Source(name, 0, self.resource_regen_prob, 1) for name in names]


def _symbols(further: Any) -> dict[str, str]:
    symbols = {**SYMBOLS, **(further or {})}
    for symbol, name in symbols.items():
        one = isinstance(symbol, str) and len(symbol) == 1 and symbol not in "; \n"
        ensure(one, f"env_layout_symbols: a symbol is one visible character, not {symbol!r}.")
        grows = resource_registry.has(name) and resource_registry.get(name)().collectible
        stands = landmark_registry.has(name) and not landmark_registry.get(name)().ownable
        ensure(
            grows or stands,
            f"env_layout_symbols: {symbol!r} stands for a collectible resource or a landmark that "
            f"nobody owns, not for {name!r}.",
        )
    return symbols


@rule
def hand_out_corners(streams, chosen, order, marks, location, payment, payments, places, lo, hi):
    """Give the agents, in a random order, the ranks from the lowest up, and their places."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        clear_people(marks[copy], location[copy])
        permutation(streams[copy], order[copy])
        for rank in range(order.shape[1]):
            agent = order[copy, rank]
            payment[copy, agent] = payments[rank]
            put(marks[copy], location[copy], places[rank, 0], places[rank, 1], agent)


@rule
def draw(chosen, tile, marks, drawing, lo, hi):
    """Put the map into copies as it is drawn: ``float32[channel, row, column]``."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for private in range(marks.shape[1] - 1):
            marks[copy, private] = 0
        for channel in range(drawing.shape[0]):
            for r in range(drawing.shape[1]):
                for c in range(drawing.shape[2]):
                    tile[copy, channel, r, c] = drawing[channel, r, c]
