"""Any repeated matrix game: give the payoffs, or name a classical game."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import InvalidParameter, check
from ecumene.matrix.env import MatrixEnv
from ecumene.matrix.presets import PRESETS
from ecumene.matrix.simulation import Names, as_name
from ecumene.matrix.table import Game, Joint, TableSimulation, label_fn

DEFAULT_PRESET = "prisoners_dilemma"
#: With more outcomes than this, labels do not name them one by one.
MOST_NAMED_OUTCOMES = 64


class MatrixGameSimulation(TableSimulation):
    """Copies of any repeated matrix game; see `MatrixGame` for its parameters."""

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        payoffs: Sequence[Any] | NDArray[Any] | None = None,
        action_names: Sequence[str] | Sequence[Sequence[str]] | None = None,
        preset: str | None = None,
        unsafe: Sequence[Sequence[int]] | None = None,
        max_moves: int = 200,
        flatten_observations: bool = True,
    ) -> None:
        if payoffs is not None and preset is not None:
            raise InvalidParameter("payoffs and preset exclude each other: give one of them.")
        classical = None
        if payoffs is None:
            preset = DEFAULT_PRESET if preset is None else preset
            classical = PRESETS[check.one_of("preset", preset, tuple(PRESETS))]
            payoffs = classical.payoffs
            action_names = classical.action_names if action_names is None else action_names
            unsafe = classical.unsafe if unsafe is None else unsafe
        table = _table(payoffs)
        moves = _moves(action_names, table.shape[1:])
        harmful = _joints("unsafe", unsafe or (), table.shape[1:])
        parameters = {
            "payoffs": table.tolist() if classical is None else None,
            "action_names": [list(names) for names in moves],
            "preset": preset,
            "unsafe": [list(joint) for joint in harmful],
            "max_moves": max_moves,
            "flatten_observations": flatten_observations,
        }
        game = _game(moves, table, harmful)
        super().__init__(copies, num_threads, game, table, parameters)


class MatrixGame(MatrixEnv):
    """A repeated matrix game of any number of players and actions, a PettingZoo `ParallelEnv`.

    All players choose at once; player i gains ``payoffs[i][a_0][a_1]...``. Players may have
    different numbers of actions. All observe the same channels of 0 and 1, ``uint8``, one for
    each player and action, named such as `player_0_cooperate`: the last moves, all 0 after a
    reset. Nothing is random. An episode never terminates; it is truncated after `max_moves`
    rounds.

    `infos` holds `round`, `last_actions` (one's own first, then the others' in order; None after
    a reset) and once a round was played `outcome`, such as ``"Cooperate-Defect"``.

    Labels: the channels; the outcome, such as `cooperate_defect`, if there are at most 64;
    `equilibrium` (no player gains
    by having chosen otherwise alone), `efficient` (no other outcome is better for one and as good
    for all) and `best_welfare` (no other outcome has a higher sum); `unsafe` after the joint
    actions in `unsafe`.

    The state tuple is ``(agents, last_actions, cum_rewards, rng_state)``.

    Parameters
    ----------
    payoffs
        Numbers ``[player][action of player 0][action of player 1]...``; for two players a pair of
        tables ``(row player's, column player's)``.
    action_names
        Names of the actions, one list for all players or one list for each. None: those of the
        preset, or ``"0"``, ``"1"``, ...
    preset
        A classical game in place of `payoffs`: see ``ecumene.matrix.PRESETS``. None, without
        payoffs: ``"prisoners_dilemma"``.
    unsafe
        Joint actions after which `unsafe` holds. None: those of the preset, else none.
    max_moves
        Rounds per episode, at least 1.
    flatten_observations
        Whether observations are vectors.
    render_mode
        One of ``metadata["render_modes"]``, or None.
    seed
        Seed of the first reset that is given none.
    """

    simulation_class = MatrixGameSimulation
    simulation: MatrixGameSimulation
    payoffs: Any
    unsafe: list[list[int]]

    def __init__(self, payoffs: Any = None, action_names: Any = None, **parameters: Any) -> None:
        super().__init__(payoffs=payoffs, action_names=action_names, **parameters)
        self.payoffs = self.simulation.payoff.copy()

    @property
    def label_fn(self) -> Any:
        """The labels as a pure function of an observation, flat or not."""
        return label_fn(self.simulation.game)


def _table(payoffs: Any) -> NDArray[np.float64]:
    remedy = "payoffs are numbers [player][action of player 0][action of player 1]..."
    try:
        table = np.array(payoffs, np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"{remedy}: {error}") from None
    if table.ndim < 2 or table.shape[0] != table.ndim - 1 or 0 in table.shape:
        raise InvalidParameter(
            f"{remedy}, one axis for each player: not of shape {list(table.shape)}."
        )
    if not np.isfinite(table).all():
        raise InvalidParameter("payoffs are finite numbers.")
    return table


def _moves(action_names: Any, sizes: tuple[int, ...]) -> tuple[Names, ...]:
    if action_names is None:
        return tuple(tuple(map(str, range(size))) for size in sizes)
    if isinstance(action_names, str) or not isinstance(action_names, Sequence):
        raise InvalidParameter(f"action_names are lists of names, not {action_names!r}.")
    if all(isinstance(name, str) for name in action_names):
        action_names = [action_names] * len(sizes)
    if len(action_names) != len(sizes):
        raise InvalidParameter(
            f"action_names are of {len(action_names)} players, payoffs of {len(sizes)}."
        )
    return tuple(
        _names_of(player, names, size)
        for player, (names, size) in enumerate(zip(action_names, sizes, strict=True))
    )


def _names_of(player: int, names: Any, size: int) -> Names:
    fits = not isinstance(names, str) and isinstance(names, Sequence) and len(names) == size
    if not fits or not all(isinstance(name, str) and name.strip() for name in names):
        raise InvalidParameter(
            f"action_names of player_{player} are {size} names, one for each action, not {names!r}."
        )
    if len({as_name(name) for name in names}) < size:
        raise InvalidParameter(f"action_names of player_{player} are not distinct: {names!r}.")
    return tuple(names)


def _joints(name: str, given: Any, sizes: tuple[int, ...]) -> tuple[Joint, ...]:
    joints = []
    for joint in given:
        if isinstance(joint, str) or not isinstance(joint, Sequence) or len(joint) != len(sizes):
            raise InvalidParameter(f"{name} lists joint actions of all players, not {joint!r}.")
        actions = zip(joint, sizes, strict=True)
        joints.append(tuple(check.integer(name, action, 0, n - 1) for action, n in actions))
    return tuple(dict.fromkeys(joints))


def _game(moves: tuple[Names, ...], table: NDArray[np.float64], unsafe: tuple[Joint, ...]) -> Game:
    channels = tuple(
        f"player_{i}_{as_name(name)}" for i, names in enumerate(moves) for name in names
    )
    most = max(map(len, moves))
    action_names = tuple(
        "_or_".join(dict.fromkeys(as_name(names[a]) for names in moves if a < len(names)))
        for a in range(most)
    )
    bare = Game("matrix/game-v0", moves, action_names, channels)
    judged = {
        "equilibrium": _equilibria(table),
        "efficient": _efficient(table),
        "best_welfare": table.sum(axis=0) == table.sum(axis=0).max(),
    }
    judged["unsafe"] = np.zeros_like(judged["efficient"])
    for joint in unsafe:
        judged["unsafe"][joint] = True
    labels = {}
    for joint in bare.joint_actions():
        named = zip(moves, joint, strict=True)
        outcome = ["_".join(as_name(names[a]) for names, a in named)]
        held = [name for name, where in judged.items() if where[joint]]
        labels[joint] = (*(outcome if table[0].size <= MOST_NAMED_OUTCOMES else []), *held)
    return Game(bare.id, moves, action_names, channels, labels)


def _equilibria(table: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the joint actions from which no player gains by leaving alone."""
    stable = np.ones(table.shape[1:], np.bool_)
    for player, payoff in enumerate(table):
        stable &= payoff == payoff.max(axis=player, keepdims=True)
    return stable


def _efficient(table: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the joint actions that no other one improves on without harm to anyone."""
    rows = table.reshape(len(table), -1).T
    kept = np.zeros(len(rows), np.bool_)
    # What improves on a row has a higher sum, and is itself efficient or improved on by one.
    for i in np.argsort(-rows.sum(axis=1), kind="stable"):
        better = rows[kept]
        kept[i] = not ((better >= rows[i]).all(axis=1) & (better > rows[i]).any(axis=1)).any()
    return kept.reshape(table.shape[1:])
