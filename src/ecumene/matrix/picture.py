"""Matrix games as tables: payoffs with the last joint action marked, or moves player by player."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.drawing import Table, captioned, palette

_NUMBER = 12  # characters that a changing number has room for, so that pictures keep their size


def payoff_table(
    moves: Sequence[Sequence[str]],
    payoffs: NDArray[np.float64],
    last: Sequence[int],
    harm: bool,
    width: int = 0,
) -> Table:
    """Return the payoffs ``[player, row, column]`` of two players, the last outcome marked.

    `width` is the characters of a field, where payoffs change from round to round.
    """
    fields = [
        [f"{payoffs[0, i, j]:g}, {payoffs[1, i, j]:g}" for j in range(len(moves[1]))]
        for i in range(len(moves[0]))
    ]
    return Table(
        rows=moves[0],
        columns=moves[1],
        fields=fields,
        row_colours=[palette.player(0)] * len(moves[0]),
        column_colour=palette.player(1),
        corner="0 / 1",
        marked=[(last[0], last[1])] if last[0] >= 0 else [],
        mark_colour=palette.mix(palette.MARK, palette.PAPER, 0.5) if harm else palette.GOAL,
        widths=[0, *[width] * len(moves[1])],
    )


def player_table(
    moves: Sequence[Sequence[str]], last: Sequence[int], total: Sequence[float], harm: bool
) -> Table:
    """Return a row per player: what it can do, what it did (marked), and its rewards so far."""
    most = max(map(len, moves))
    rows = [f"player {i}" for i in range(len(moves))]
    fields = [
        [*names, *[""] * (most - len(names)), f"{gain:.6g}"]
        for names, gain in zip(moves, total, strict=True)
    ]
    return Table(
        rows=rows,
        columns=[*(f"action {a}" for a in range(most)), "total"],
        fields=fields,
        row_colours=[palette.player(i) for i in range(len(rows))],
        marked=[(i, a) for i, a in enumerate(last) if a >= 0],
        mark_colour=palette.mix(palette.MARK, palette.PAPER, 0.5) if harm else palette.GOAL,
        widths=[*[0] * (most + 1), _NUMBER],
    )


def frame(simulation: Any, copy: int) -> NDArray[np.uint8]:
    """Return the table of one copy with what there is to say below it."""
    table = simulation.table(copy)
    return captioned(table.picture(), tuple(simulation.remarks(copy)), width=360)


def text(simulation: Any, copy: int) -> str:
    """Return the same in coloured characters."""
    lines = [*simulation.table(copy).lines(), *simulation.remarks(copy)]
    return "\n".join(lines)


def rewards(total: Sequence[float]) -> str:
    """Return the rewards of all players since the reset, as text."""
    return "total  " + "  ".join(f"{i}: {gain:.6g}" for i, gain in enumerate(total))
