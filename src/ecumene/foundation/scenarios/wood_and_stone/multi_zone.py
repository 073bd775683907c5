"""Wood and stone in rectangular zones."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.compile import rule
from ecumene.engine.random import shuffle
from ecumene.foundation.base.base_env import scenario_registry
from ecumene.foundation.base.errors import ensure
from ecumene.foundation.base.parameters import whole
from ecumene.foundation.base.stages import Call
from ecumene.foundation.scenarios.wood_and_stone.uniform import Uniform

WOOD, STONE, BOTH, NOTHING = 0, 1, 2, -1


@scenario_registry.add
class MultiZone(Uniform):
    """Wood and stone in zones of the map, which are drawn anew for every episode.

    Parameters
    ----------
    num_partitions_row, num_partitions_col : int
        Zones along each side.
    num_wood_zones, num_stone_zones, num_wood_and_stone_zones : int
        Zones in which only wood, only stone, or both grow.
    **base_env_kwargs
        See `Uniform`, `WoodAndStone` and `BaseEnvironment`.
    """

    name = "multi_zone/simple_wood_and_stone"
    held_in_common = ("_zones",)

    def __init__(
        self,
        *base_env_args: Any,
        num_partitions_row: int = 8,
        num_partitions_col: int = 8,
        num_wood_zones: int = 6,
        num_stone_zones: int = 6,
        num_wood_and_stone_zones: int = 4,
        **base_env_kwargs: Any,
    ) -> None:
        self.num_partitions_row = whole("num_partitions_row", num_partitions_row, 1)
        self.num_partitions_col = whole("num_partitions_col", num_partitions_col, 1)
        counts = (
            whole("num_wood_zones", num_wood_zones, 0),
            whole("num_stone_zones", num_stone_zones, 0),
            whole("num_wood_and_stone_zones", num_wood_and_stone_zones, 0),
        )
        self.num_wood_zones, self.num_stone_zones, self.num_wood_and_stone_zones = counts
        zones = self.num_partitions_row * self.num_partitions_col
        ensure(sum(counts) <= zones, f"{sum(counts)} zones do not fit into {zones} partitions.")
        empty = zones - sum(counts)
        kinds = np.repeat([WOOD, STONE, BOTH, NOTHING], [*counts, empty])
        if not self._batched:
            np.random.shuffle(kinds)  # the documented stream draws zones at construction too
        self._kinds = np.sort(kinds % 4).astype(np.int64)
        super().__init__(*base_env_args, **base_env_kwargs)
        self._zones = np.zeros((self._copies, zones), np.int64)

    def source_probability(self) -> NDArray[np.float64]:
        """Return room for the probabilities of every copy; `draw_zones` fills it."""
        return np.zeros((self._copies, 2, *self.world_size))

    def layout_rules(self) -> list[Call]:
        """Draw the zones, then sow both resources in them."""
        shape = (self.num_partitions_row, self.num_partitions_col, float(self._coverages[0]))
        drawn = (self._kinds, self._zones, self._probability, shape)
        zoning = (draw_zones, (self._world.streams, self._world.chosen, *drawn))
        return [zoning, *super().layout_rules()]


@rule
def draw_zones(streams, chosen, kinds, zones, probability, shape, lo, hi):
    """Shuffle the zones and spread the chance of a source over those of its kind."""
    rows, columns, coverage = shape
    height, width = probability.shape[2], probability.shape[3]
    tall = -(-height // rows)
    broad = -(-width // columns)
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        zone = zones[copy]
        for i in range(kinds.shape[0]):
            zone[i] = kinds[i]
        shuffle(streams[copy], zone)
        for crop in range(2):
            chances = probability[copy, crop]
            inside = 0
            for r in range(height):
                for c in range(width):
                    kind = zone[(r // tall) * columns + c // broad]
                    grows = kind in (crop, BOTH)
                    chances[r, c] = grows
                    inside += grows
            scale = coverage * height * width / max(1, inside)
            for r in range(height):
                for c in range(width):
                    chances[r, c] *= scale
