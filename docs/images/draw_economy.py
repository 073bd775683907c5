"""Draw the README's picture from a played economy: ``python draw_economy.py`` (needs Pillow)."""

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from ecumene import foundation

HERE = Path(__file__).resolve().parent
LAYOUT = HERE.parent.parent / "examples" / "valley.txt"
STEPS = 1000
TILE = 22  # pixels
SMOOTH = 3  # drawn this much larger, then scaled down

GROUND = (226, 222, 200)
WATER = (88, 134, 189)
WOOD, WOOD_SOURCE = (66, 117, 74), (172, 190, 152)
STONE, STONE_SOURCE = (122, 122, 128), (200, 198, 192)
AGENTS = ((214, 69, 65), (240, 171, 48), (142, 84, 170), (36, 123, 160))


def played() -> Any:
    """Return an economy after some steps: build where possible, else move at random."""
    env = foundation.make_env_instance(
        "layout_from_file/simple_wood_and_stone",
        components=[
            ("Build", {"skill_dist": "pareto", "payment_max_skill_multiplier": 3}),
            ("Gather", {"skill_dist": "pareto"}),
        ],
        n_agents=len(AGENTS),
        env_layout_file=str(LAYOUT),
        seed=5,
    )
    observations = env.reset()
    generator = np.random.default_rng(5)
    build = next(
        i for i, (name, _) in env.world.agents[0].single_action_map.items() if name == "Build"
    )
    for _ in range(STEPS):
        actions = {}
        for agent in env.world.agents:
            allowed = np.flatnonzero(observations[str(agent.idx)]["action_mask"])
            actions[agent.idx] = build if build in allowed else generator.choice(allowed[1:])
        observations, *_ = env.step(actions)
    return env


def draw(env: Any) -> Image.Image:
    """Return a picture of the map, its houses and agents."""
    maps = env.world.maps
    size = TILE * SMOOTH
    picture = Image.new("RGB", (maps.sz_w * size, maps.sz_h * size), GROUND)
    pen = ImageDraw.Draw(picture)

    def box(r: int, c: int, inset: float) -> tuple[float, float, float, float]:
        edge = inset * size
        return (c * size + edge, r * size + edge, (c + 1) * size - edge, (r + 1) * size - edge)

    owners = maps.get("House", owner=True)
    for r, c in np.ndindex(maps.sz_h, maps.sz_w):
        if maps.get_point("Water", r, c):
            pen.rectangle(box(r, c, 0), WATER)
        for name, full, source in (("Wood", WOOD, WOOD_SOURCE), ("Stone", STONE, STONE_SOURCE)):
            if maps.get_point(f"{name}SourceBlock", r, c):
                pen.rectangle(box(r, c, 0), source)
            if maps.get_point(name, r, c):
                pen.ellipse(box(r, c, 0.18), full)
        if owners[r, c] >= 0:
            _house(pen, box(r, c, 0.14), AGENTS[owners[r, c]])
    for agent in env.world.agents:
        pen.ellipse(box(*agent.loc, 0.1), (255, 255, 255))
        pen.ellipse(box(*agent.loc, 0.2), AGENTS[agent.idx])
    return picture.resize((picture.width // SMOOTH, picture.height // SMOOTH), Image.LANCZOS)


def _house(pen: Any, box: tuple[float, float, float, float], color: tuple[int, ...]) -> None:
    left, top, right, bottom = box
    eaves = top + (bottom - top) * 0.45
    pen.rectangle((left, eaves, right, bottom), color)
    pen.polygon([(left, eaves), ((left + right) / 2, top), (right, eaves)], (90, 60, 45))


if __name__ == "__main__":
    draw(played()).save(HERE / "economy.png", optimize=True)
