"""Draw the picture of the battles' page: ``python draw_battles.py`` (needs Pillow)."""

from pathlib import Path

from PIL import Image

import ecumene
from ecumene.battle import baselines

GAP = 16  # pixels
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
    width = sum(picture.width + GAP for picture in pictures) - GAP
    sheet = Image.new("RGB", (width, max(picture.height for picture in pictures)), "white")
    left = 0
    for picture in pictures:
        sheet.paste(picture, (left, 0))
        left += picture.width + GAP
    sheet.save(Path(__file__).resolve().parent / "battles.png", optimize=True)


if __name__ == "__main__":
    main()
