"""Wood and stone in a field that water divides into four."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.compile import rule
from ecumene.foundation.base.base_env import scenario_registry
from ecumene.foundation.base.errors import ensure
from ecumene.foundation.base.stages import Call
from ecumene.foundation.scenarios.wood_and_stone.uniform import Uniform, gradient


@scenario_registry.add
class Quadrant(Uniform):
    """A cross of water with gaps, wood towards the top and stone towards the left.

    Takes the parameters of `Uniform`, `WoodAndStone` and `BaseEnvironment`.
    """

    name = "quadrant/simple_wood_and_stone"
    required_entities = ["Wood", "Stone", "Water"]
    held_in_common = ("_water",)

    def __init__(self, *base_env_args: Any, **base_env_kwargs: Any) -> None:
        super().__init__(*base_env_args, **base_env_kwargs)
        self._water = self._cross()

    def _cross(self) -> NDArray[np.bool_]:
        height, width = self.world_size
        water = np.zeros((height, width), np.bool_)
        water[:, width // 2] = _has_water(height)
        water[height // 2, :] = _has_water(width)
        return water

    def _open_tiles(self) -> NDArray[np.bool_]:
        return ~self._cross()

    def source_probability(self) -> NDArray[np.float64]:
        """Return how likely a tile is to become a source; each resource's sum to 1."""
        height, width = self.world_size
        ensure(
            min(height, width) >= 2,
            f"a cross of water needs a world_size of at least [2, 2], not {self.world_size}.",
        )
        power = self.gradient_steepness / 2
        up = gradient(height, power)[::-1, None]
        left = gradient(width, power)[None, ::-1]
        maps = []
        for share in (up, left):
            chances = (up + left) * share
            chances = np.where(self._cross(), 0, chances / chances.sum())
            maps.append(chances / chances.sum())
        return np.stack(maps)[None]

    def layout_rules(self) -> list[Call]:
        """Sow both resources, then dig the cross through them."""
        world, maps = self._world, self._world.maps
        digging = (world.chosen, maps.tile, maps.channel["Water"], self._water)
        return [*super().layout_rules(), (dig, digging)]


@rule
def dig(chosen, tile, channel, water, lo, hi):
    """Empty the middle row and column, and put water there."""
    height, width = water.shape
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        for each in range(tile.shape[1]):
            tile[copy, each, height // 2] = np.float32(0)
            for r in range(height):
                tile[copy, each, r, width // 2] = np.float32(0)
        for r in range(height):
            for c in range(width):
                tile[copy, channel, r, c] = water[r, c]


def _has_water(length: int) -> NDArray[np.bool_]:
    """Return where a line across the map has water: everywhere but in two gaps."""
    x = (np.arange(length) + 0.5) / length
    return ((x < 0.2) | (x > 0.35)) & ((x < 0.65) | (x > 0.8))
