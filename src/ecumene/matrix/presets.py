"""Classical stage games, ready for `MatrixGame`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Preset:
    """A classical game.

    Parameters
    ----------
    payoffs
        Rewards ``[player, action of player 0, action of player 1]``.
    action_names
        Names of the moves, of both players or of each.
    unsafe
        Joint actions after which ``unsafe`` holds.
    """

    payoffs: Sequence[Any]
    action_names: Sequence[Any]
    unsafe: tuple[tuple[int, int], ...] = ()


def _symmetric(rows: list[list[float]]) -> tuple[Any, Any]:
    """Return the payoffs of both players of a symmetric game from those of player 0."""
    return rows, [list(column) for column in zip(*rows, strict=True)]


def _zero_sum(rows: list[list[float]]) -> tuple[Any, Any]:
    return rows, [[0.0 - payoff for payoff in row] for row in rows]


_EITHER_ALONE = ((0, 1), (1, 0))
_BOTH_SECOND = ((1, 1),)

PRESETS: dict[str, Preset] = {
    "prisoners_dilemma": Preset(
        _symmetric([[3.0, 0.0], [5.0, 1.0]]), ("Cooperate", "Defect"), _BOTH_SECOND
    ),
    "stag_hunt": Preset(_symmetric([[4.0, 0.0], [3.0, 3.0]]), ("Stag", "Hare"), _EITHER_ALONE),
    "chicken": Preset(_symmetric([[2.0, 1.0], [3.0, 0.0]]), ("Swerve", "Straight"), _BOTH_SECOND),
    "hawk_dove": Preset(_symmetric([[2.0, 0.0], [4.0, -1.0]]), ("Dove", "Hawk"), _BOTH_SECOND),
    "matching_pennies": Preset(_zero_sum([[1.0, -1.0], [-1.0, 1.0]]), ("Heads", "Tails")),
    "battle_of_the_sexes": Preset(
        ([[2.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 2.0]]), ("Opera", "Football"), _EITHER_ALONE
    ),
    "rock_paper_scissors": Preset(
        _zero_sum([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]),
        ("Rock", "Paper", "Scissors"),
    ),
    "coordination": Preset(_symmetric([[1.0, 0.0], [0.0, 1.0]]), ("Left", "Right"), _EITHER_ALONE),
    "pure_coordination": Preset(
        _symmetric([[2.0, 0.0], [0.0, 1.0]]), ("First", "Second"), _EITHER_ALONE
    ),
    "deadlock": Preset(_symmetric([[1.0, 0.0], [3.0, 2.0]]), ("Cooperate", "Defect")),
    "harmony": Preset(_symmetric([[4.0, 3.0], [2.0, 1.0]]), ("Cooperate", "Defect")),
}
"""Name -> game; `docs/matrix.md` shows them as tables."""
