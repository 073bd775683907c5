"""Draw the picture of the battles' page: ``python draw_battles.py`` (needs Pillow)."""

from PIL import Image
from row import save_row

import ecumene
from ecumene.battle import baselines

SHOWN = (
    ("battle/battle-v0", "rush", 14),
    ("battle/combined-arms-v0", "rush", 12),
    ("battle/adversarial-pursuit-v0", {"predator": "rush", "prey": "flee"}, 30),
)


def main() -> None:
    """Write ``battles.png`` beside this file."""
    pictures = []
    for world, names, steps in SHOWN:
        simulation = ecumene.make_simulation(world)
        simulation.reset(seed=8)
        for _ in range(steps):
            simulation.step(baselines.act(simulation, names))
        pictures.append(Image.fromarray(simulation.frame(0)))
    save_row(pictures, "battles.png")


if __name__ == "__main__":
    main()
