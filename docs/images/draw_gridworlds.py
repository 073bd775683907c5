"""Draw the picture of the gridworlds' page: ``python draw_gridworlds.py`` (needs Pillow)."""

from typing import Any

import numpy as np
from PIL import Image
from row import save_row

from ecumene.gridworlds import Gathering, IceDuel, MarkovStagHunt, Pursuit

SHOWN = (
    (MarkovStagHunt, {"num_agents": 3, "num_stags": 2, "on_maul": "continue"}, 14),
    (IceDuel, {"holes": [(1, 1), (3, 3)], "slip_prob": 0.0}, 3),
    (Pursuit, {"num_agents": 3}, 6),
    (Gathering, {"num_agents": 4, "beam_range": 11}, 40),
)


def played(cls: Any, parameters: dict[str, Any], steps: int) -> Any:
    """Return the picture of a world after some random steps."""
    env = cls(render_mode="rgb_array", seed=8, **parameters)
    env.reset()
    generator = np.random.default_rng(4)
    for _ in range(steps):
        most = env.action_space("player_0").n
        env.step({name: int(generator.integers(most)) for name in env.agents})
        if not env.agents:
            env.reset()
    return Image.fromarray(env.render())


def main() -> None:
    """Write ``gridworlds.png`` beside this file."""
    pictures = [played(*each) for each in SHOWN]
    save_row(pictures, "gridworlds.png")


if __name__ == "__main__":
    main()
