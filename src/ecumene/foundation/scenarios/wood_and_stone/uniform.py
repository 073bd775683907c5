"""Wood and stone strewn over a field, wood towards the bottom and stone towards the top."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.foundation.base.base_env import scenario_registry
from ecumene.foundation.base.errors import ensure
from ecumene.foundation.base.parameters import flag, real, whole
from ecumene.foundation.base.stages import Call
from ecumene.foundation.scenarios.wood_and_stone import sowing
from ecumene.foundation.scenarios.wood_and_stone.scenario import Source, WoodAndStone


@scenario_registry.add
class Uniform(WoodAndStone):
    """Wood and stone at random places that change with every episode.

    Parameters
    ----------
    starting_wood_coverage, starting_stone_coverage : float
        Share of the map that is a source of the resource; from 1 up it is a number of tiles.
    wood_regen_halfwidth, stone_regen_halfwidth : int
        0 to 3. Tiles within this distance help one another to grow; 0: each tile by itself.
    wood_regen_weight, stone_regen_weight : float
        Chance of growth per step and unit of health, 0 to 1.
    wood_max_health, stone_max_health : float
        Most that a source tile holds, above 0.
    wood_clumpiness, stone_clumpiness : float
        0 (strewn singly) to 1 (in clumps).
    gradient_steepness : float
        How much wood keeps to the bottom and stone to the top, at least 1.
    checker_source_blocks : bool
        Keep sources to every other tile, so that agents can walk around houses between them.
    **base_env_kwargs
        See `WoodAndStone` and `BaseEnvironment`.
    """

    name = "uniform/simple_wood_and_stone"
    held_in_common = ("_ground", "_probability")

    def __init__(
        self,
        *base_env_args: Any,
        starting_wood_coverage: float = 0.025,
        wood_regen_halfwidth: int = 0,
        wood_regen_weight: float = 0.01,
        wood_max_health: float = 1,
        wood_clumpiness: float = 0.35,
        starting_stone_coverage: float = 0.025,
        stone_regen_halfwidth: int = 0,
        stone_regen_weight: float = 0.01,
        stone_max_health: float = 1,
        stone_clumpiness: float = 0.5,
        gradient_steepness: float = 8,
        checker_source_blocks: bool = False,
        **base_env_kwargs: Any,
    ) -> None:
        super().__init__(*base_env_args, **base_env_kwargs)
        self._wood = _source("wood", wood_regen_halfwidth, wood_regen_weight, wood_max_health)
        self._stone = _source("stone", stone_regen_halfwidth, stone_regen_weight, stone_max_health)
        clumpiness = (
            real("wood_clumpiness", wood_clumpiness, 0, 1),
            real("stone_clumpiness", stone_clumpiness, 0, 1),
        )
        self._looseness = 1 - np.clip(clumpiness, 0.0, 0.99)
        self.gradient_steepness = real("gradient_steepness", gradient_steepness, 1)
        self._checker_source_blocks = flag("checker_source_blocks", checker_source_blocks)
        self._coverages = np.array(self._covered(starting_wood_coverage, starting_stone_coverage))
        self._ground = sowing.ground(self._copies, *self.world_size)
        maps = self._world.maps
        self._crops = np.array(
            [(maps.channel[name], maps.channel[f"{name}SourceBlock"]) for name in ("Wood", "Stone")]
        )
        self._probability = self.source_probability()
        free = int(self._open_tiles().sum())
        ensure(self.n_agents <= free, f"{self.n_agents} agents do not fit on {free} free tiles.")

    def _covered(self, wood: Any, stone: Any) -> tuple[float, float]:
        tiles = self.world_size[0] * self.world_size[1]
        shares = []
        for name, given in (("wood", wood), ("stone", stone)):
            value = real(f"starting_{name}_coverage", given, 0)
            shares.append(value / tiles if value >= 1 else value)
        ensure(
            sum(shares) < 0.5,
            f"wood and stone cover less than half of the map together, not {sum(shares)} "
            f"(starting_wood_coverage {wood!r}, starting_stone_coverage {stone!r}).",
        )
        doubled = [share * (2 if self._checker_source_blocks else 1) for share in shares]
        for name, share in zip(("wood", "stone"), doubled, strict=True):
            ensure(0 < share < 1, f"starting_{name}_coverage is above 0, and not {share}.")
        return doubled[0], doubled[1]

    def _open_tiles(self) -> NDArray[np.bool_]:
        """Return where agents can start, ``bool[row, column]``."""
        return np.ones(self.world_size, np.bool_)

    def source_probability(self) -> NDArray[np.float64]:
        """Return how likely a tile is to become a source: ``[copy or 1, wood and stone, r, c]``."""
        height, width = self.world_size
        profile = gradient(height, self.gradient_steepness)
        wood = np.repeat(profile[:, None], width, axis=1)
        wood = wood / wood.mean() * self._coverages[0]
        # Both are scaled by the coverage of wood: so the documented worlds have it.
        return np.stack([wood, wood[::-1]])[None]

    def layout_rules(self) -> list[Call]:
        """Sow both resources."""
        world, maps = self._world, self._world.maps
        arguments = (
            world.streams,
            world.spare,
            world.chosen,
            maps.tile,
            maps.marks,
            self._probability,
            self._crops,
            self._coverages,
            self._looseness,
            self._checker_source_blocks,
            *self._ground,
        )
        return [(sowing.sow_copies, arguments)]

    def sources(self) -> Sequence[Source]:
        """Wood, then Stone."""
        return self._wood, self._stone


def gradient(length: int, power: float) -> NDArray[np.float64]:
    """Return weights along a side that rise from 0 to 1; a side of one tile has weight 1."""
    return np.linspace(0.0 if length > 1 else 1.0, 1.0, length) ** power


def _source(name: str, halfwidth: Any, weight: Any, max_health: Any) -> Source:
    most = real(f"{name}_max_health", max_health, 0)
    ensure(most > 0, f"{name}_max_health is above 0, not {max_health!r}.")
    return Source(
        name.capitalize(),
        whole(f"{name}_regen_halfwidth", halfwidth, 0, 3),
        real(f"{name}_regen_weight", weight, 0, 1),
        most,
    )
