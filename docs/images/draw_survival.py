"""Draw the picture of the survival page: ``python draw_survival.py`` (needs Pillow)."""

from typing import Any

import numpy as np
from PIL import Image
from row import save_row

import ecumene
from ecumene.survival import SurvivalSimulation, baselines

SHOWN = (
    ("gathering-v0", {"n_groups": 8}, baselines.gathering, 20, None),
    ("siege-v0", {}, baselines.siege, 30, None),
    ("spying-v0", {"n_groups": 8}, baselines.spying, 20, "agent_0"),
)


def played(world: str, parameters: Any, policy: Any, steps: int, viewer: str | None) -> Any:
    """Return the picture of a world after some steps of its scripted agents."""
    simulation = ecumene.make_simulation(f"survival/{world}", **parameters)
    assert isinstance(simulation, SurvivalSimulation)
    simulation.reset(seed=5)
    generator = np.random.default_rng(5)
    for _ in range(steps):
        seen = {name: out.observation for name, out in simulation.out.items()}
        masks = {name: out.action_mask for name, out in simulation.out.items()}
        simulation.step(policy(seen, masks, generator))
    simulation.view_as(viewer)
    return Image.fromarray(simulation.frame(0))


def main() -> None:
    """Write ``survival.png`` beside this file."""
    save_row([played(*each) for each in SHOWN], "survival.png")


if __name__ == "__main__":
    main()
