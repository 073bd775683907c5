"""Colours that people who see colours differently still tell apart, as ``(red, green, blue)``."""

Colour = tuple[int, int, int]

INK: Colour = (32, 34, 40)
PAPER: Colour = (250, 249, 245)
FLOOR: Colour = (236, 233, 224)
WALL: Colour = (86, 88, 96)
WATER: Colour = (122, 172, 206)
GRASS: Colour = (205, 221, 182)
TREE: Colour = (58, 112, 62)
STONE: Colour = (140, 138, 140)
FIRE: Colour = (214, 72, 34)
ICE: Colour = (222, 240, 247)
GOAL: Colour = (247, 208, 84)
MARK: Colour = (200, 30, 45)

# Okabe and Ito's colours, dark and light by turns; black and their yellow serve other ends.
_PLAYERS: tuple[Colour, ...] = (
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (230, 159, 0),
    (110, 64, 170),
    (120, 120, 120),
)


def player(index: int) -> Colour:
    """Return the colour of agent number `index`; after eight of them darker shades follow."""
    red, green, blue = _PLAYERS[index % len(_PLAYERS)]
    shade = max(0.4, 1.0 - 0.25 * (index // len(_PLAYERS)))
    return round(red * shade), round(green * shade), round(blue * shade)


def mix(one: Colour, other: Colour, part: float) -> Colour:
    """Return `one` with a part (0..1) of `other` in it."""
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
    return red, green, blue


def on(background: Colour) -> Colour:
    """Return white or ink, whichever is easier to read on a background."""
    red, green, blue = background
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 150 else (255, 255, 255)
