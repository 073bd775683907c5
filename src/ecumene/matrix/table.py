"""Repeated games that are a table of payoffs: declare a `Game`, get a simulation and its labels."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.drawing import Table
from ecumene.engine import InvalidParameter, check
from ecumene.matrix import picture, rules
from ecumene.matrix.simulation import Call, MatrixSimulation, Names, Naming

Joint = tuple[int, ...]


class TableState(NamedTuple):
    """State of a game with a table of payoffs."""

    last_action: NDArray[np.int64]  # [copy, player]; -1 = none yet
    total_reward: NDArray[np.float64]  # [copy, player]; since the reset
    num_moves: NDArray[np.int64]  # [copy]; rounds played since the reset
    stream: NDArray[np.uint32]  # [copy, word]; nothing draws from it


@dataclass(frozen=True)
class Event:
    """A pair of moves that the game makes much of.

    Parameters
    ----------
    name
        Its name in infos and, behind ``last_``, in the state tuple.
    channel
        Name of its channel, the last one.
    at
        The joint action that makes it.
    """

    name: str
    channel: str
    at: Joint


@dataclass(frozen=True)
class Game:
    """What tells one game from another, its payoffs apart.

    Parameters
    ----------
    id
        Registered id.
    moves
        Names of the moves of each player, as they appear in outcomes.
    action_names
        Names of the action ids.
    move_channels
        Names of the channels that show the last moves: player by player, move by move. They are
        labels, too.
    outcome_labels
        What else holds after a joint action.
    event
        The event that the last channel and the infos show, if there is one.
    """

    id: str
    moves: tuple[Names, ...]
    action_names: Names
    move_channels: Names
    outcome_labels: Mapping[Joint, Names] = field(default_factory=dict)
    event: Event | None = None

    def joint_actions(self) -> Iterable[Joint]:
        """Yield all joint actions, the last player's action counting fastest."""
        return itertools.product(*(range(len(names)) for names in self.moves))

    def labels_after(self, joint: Joint) -> Names:
        """Return the labels that hold after a joint action."""
        offsets = itertools.accumulate([0, *map(len, self.moves[:-1])])
        shown = tuple(self.move_channels[at + a] for at, a in zip(offsets, joint, strict=True))
        return (*shown, *self.outcome_labels.get(joint, ()))

    def naming(self) -> Naming:
        """Return the names of the game."""
        channels = self.move_channels + ((self.event.channel,) if self.event else ())
        further = itertools.chain.from_iterable(self.outcome_labels.values())
        propositions = tuple(dict.fromkeys([*self.move_channels, *further, "unsafe"]))
        return Naming(self.id, self.moves, self.action_names, channels, propositions)


class TableSimulation(MatrixSimulation):
    """Copies of a game with a table of payoffs.

    Parameters
    ----------
    game
        The game.
    payoff
        Rewards ``[player, action of player 0, action of player 1, ...]``.
    parameters
        See `MatrixSimulation`.

    Attributes
    ----------
    payoff
        The same, ``float64``.
    """

    state: TableState

    def __init__(
        self,
        copies: int,
        num_threads: int | None,
        game: Game,
        payoff: Any,
        parameters: Mapping[str, Any],
    ) -> None:
        super().__init__(copies, num_threads, game.naming(), parameters)
        self.game = game
        self.payoff = np.array(payoff, np.float64)
        players = len(self.players)
        self._payoff_rows = np.ascontiguousarray(self.payoff.reshape(players, -1).T)
        self.stride = _strides(self.sizes)
        self._seen, self._held = self._tables()
        if game.event is not None:
            self.shown_names = (f"last_{game.event.name}",)
        self.state = TableState(**self.empty_game())
        self.bind()

    def _tables(self) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return what is seen and what holds after each outcome."""
        channel, proposition = (
            {name: i for i, name in enumerate(names)}
            for names in (self.naming.channels, self.naming.propositions)
        )
        outcomes = 1 + len(self._payoff_rows)
        seen = np.zeros((outcomes, len(channel)), np.uint8)
        held = np.zeros((outcomes, len(proposition)), np.bool_)
        for outcome, joint in enumerate(self.game.joint_actions(), 1):
            labels = self.game.labels_after(joint)
            held[outcome, [proposition[name] for name in labels]] = True
            seen[outcome, [channel[name] for name in labels[: len(joint)]]] = 1
            seen[outcome, -1] |= self._is_event(joint)
        return seen, held

    def _is_event(self, joint: Joint) -> bool:
        return self.game.event is not None and joint == self.game.event.at

    def calls(self) -> dict[str, Call]:
        """See `MatrixSimulation.calls`."""
        state, table = self.state, (self.stride, self._payoff_rows, self.horizon)
        outcome = (self.reward, self.truncated, self.alive)
        step = (*table, *self.game_arrays(), *outcome)
        shown, seen = (self.observation, self.action_mask), (self._seen, self.sizes)
        return {
            "begin": (rules.begin, (*self.game_arrays(), *self.flag_arrays())),
            "step": (rules.step, step),
            "observe": (
                rules.observe, (self.stride, *seen, state.last_action, self.alive, *shown),
            ),
            "play": (rules.play, (*step, *seen, *shown)),
        }  # fmt: skip

    def label_call(self, players: slice, label: NDArray[np.bool_]) -> Call:
        """See `MatrixSimulation.label_call`."""
        told = self.alive[:, players], self.truncated[:, players]
        return rules.label, (self.stride, self._held, self.state.last_action, *told, label)

    def shown(self, copy: int) -> tuple[Any, ...]:
        """Return whether the last moves made the event, where the game has one."""
        if self.game.event is None:
            return ()
        return (self._is_event(tuple(self.state.last_action[copy].tolist())),)

    def parse_shown(self, values: Sequence[Any], moves: Joint) -> None:
        """Refuse an event that is not what the moves make."""
        for name, value in zip(self.shown_names, values, strict=True):
            if check.flag(name, value) != self._is_event(moves):
                raise InvalidParameter(
                    f"{name} is {not value} after the last_actions {moves}, not {value}."
                )

    def public_info_arrays(self) -> dict[str, NDArray[Any]]:
        """Return `round` and the event."""
        arrays = super().public_info_arrays()
        if self.game.event is not None:
            last = self.state.last_action
            made = np.ones(self.copies, np.bool_)
            for player, move in enumerate(self.game.event.at):  # `all` over an axis is slow
                made &= last[:, player] == move
            arrays[self.game.event.name] = made
        return arrays

    def infos_after(self, moves: Joint) -> dict[str, Any]:
        """Return the event and, once played, `outcome`."""
        infos: dict[str, Any] = {}
        if self.game.event is not None:
            infos[self.game.event.name] = self._is_event(moves)
        if moves[0] >= 0:
            named = zip(self.game.moves, moves, strict=True)
            infos["outcome"] = "-".join(names[move] for names, move in named)
        return infos

    def table(self, copy: int) -> Table:
        """Return the payoffs where there are two players, else a row per player."""
        if len(self.players) != 2:
            return super().table(copy)
        last = self.state.last_action[copy].tolist()
        return picture.payoff_table(self.game.moves, self.payoff, last, self.harmful(copy))

    def remarks(self, copy: int) -> list[str]:
        """Return the round and, below payoffs, the rewards so far."""
        if len(self.players) != 2:
            return super().remarks(copy)
        return [*super().remarks(copy), picture.rewards(self.state.total_reward[copy].tolist())]

    def harmful(self, copy: int) -> bool:
        """Tell whether `unsafe` holds after the last moves."""
        last = tuple(self.state.last_action[copy].tolist())
        return last[0] >= 0 and "unsafe" in self.game.labels_after(last)


def label_fn(game: Game) -> Any:
    """Return the function observation -> labels of a game; it needs no simulation."""
    width = len(game.naming().channels)
    moves = len(game.move_channels)
    known = {}
    for joint in game.joint_actions():
        labels = game.labels_after(joint)
        shown = [name in labels[: len(joint)] for name in game.move_channels]
        known[tuple(shown)] = frozenset(labels)
    known[(False,) * moves] = frozenset()

    def labels_of(observation: Any) -> frozenset[str]:
        flat = np.asarray(observation).reshape(-1)
        if flat.size != width:
            raise ValueError(f"an observation of {game.id} has {width} numbers, not {flat.size}.")
        shown = tuple((flat[:moves] != 0).tolist())
        if shown not in known:
            raise ValueError(f"{flat.tolist()} is no observation of {game.id}.")
        return known[shown]

    return labels_of


def _strides(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.append(np.cumprod(sizes[:0:-1])[::-1], 1).astype(np.int64)


def symmetric_payoffs(
    temptation: float, reward: float, sucker: float, punishment: float
) -> tuple[list[list[float]], list[list[float]]]:
    """Return the payoffs of both players where move 0 cooperates and move 1 does not."""
    rows = [[reward, sucker], [temptation, punishment]]
    columns = [[reward, temptation], [sucker, punishment]]
    return rows, columns
