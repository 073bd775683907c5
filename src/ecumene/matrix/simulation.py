"""Copies of a repeated game, whatever its rules: players, clock, last actions, rewards."""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene.drawing import Table
from ecumene.engine import Group, InvalidParameter, Output, Simulation, Spec, check, random
from ecumene.matrix import picture

GROUP = "players"
Call = tuple[Callable[..., object], tuple[Any, ...]]
Names = tuple[str, ...]


@dataclass(frozen=True)
class Naming:
    """The names of a game's parts.

    Parameters
    ----------
    id
        Registered id.
    moves
        Names of the moves of each player, as they appear in outcomes and pictures.
    action_names
        Names of the action ids, the same for all players.
    channels
        Names of the channels of the observation.
    propositions
        What labels can say.
    """

    id: str
    moves: tuple[Names, ...]
    action_names: Names
    channels: Names
    propositions: Names


class MatrixSimulation(Simulation):
    """Copies of a repeated game in which nothing is random and all players see all there is.

    Players with equally many actions form one group ``players``; else each player is a group of
    its own, under its own name. Arrays of all players together (`reward`, `alive` ...) are what
    rules write; `out` shows them by group. A subclass assigns `state`, a named tuple that has at
    least ``last_action``, ``total_reward``, ``num_moves`` and ``stream``, and then calls `bind`.

    Parameters
    ----------
    naming
        The names of the game.
    parameters
        What the constructor of the game was given; `max_moves` and `flatten_observations` are
        checked here.

    Attributes
    ----------
    players
        Names of the players.
    sizes
        Number of actions of each player, ``int64[player]``.
    """

    safety_depth_exact = math.inf
    incidental = frozenset({"stream", "num_moves", "total_reward", "last_action"})
    #: Names, in the state tuple, of what stands between last actions and rewards.
    shown_names: Names = ()
    #: Whether `last_actions` of the infos begins with one's own; else it is in player order.
    own_first = True
    state: Any

    def __init__(
        self, copies: int, num_threads: int | None, naming: Naming, parameters: Mapping[str, Any]
    ) -> None:
        super().__init__(copies, num_threads)
        self.naming = naming
        self.players = tuple(f"player_{i}" for i in range(len(naming.moves)))
        self.sizes = np.array([len(names) for names in naming.moves], np.int64)
        self.horizon = check.integer("max_moves", parameters["max_moves"], 1)
        flat = check.flag("flatten_observations", parameters["flatten_observations"])
        channels = len(naming.channels)
        self._shape = (channels,) if flat else (1, 1, channels)
        self._allocate(channels)
        groups = self._groups()
        self.spec = Spec(naming.id, self.horizon, groups, dict(parameters), naming.propositions)
        self.random_states: dict[int, np.random.RandomState] = {}
        self._seating = self._seats()
        self._told_after: dict[tuple[int, ...], list[tuple[str, dict[str, Any]]]] = {}

    def _allocate(self, channels: int) -> None:
        shape = (self.copies, len(self.players))
        self.observation = np.zeros((*shape, channels), np.uint8)
        self.action_mask = np.ones((*shape, int(self.sizes.max())), np.int8)
        self.reward = np.zeros(shape)
        self.terminated, self.truncated, self.alive = (np.zeros(shape, np.bool_) for _ in range(3))
        self._given = np.zeros(shape, np.int64)

    def _groups(self) -> tuple[Group, ...]:
        if (self.sizes == self.sizes[0]).all():
            return (self._group(GROUP, self.players, self.naming.action_names),)
        return tuple(
            self._group(name, (name,), tuple(map(as_name, moves)))
            for name, moves in zip(self.players, self.naming.moves, strict=True)
        )

    def _seats(self) -> NDArray[np.int64]:
        """Return in which order each player is told the last actions, ``[player, place]``."""
        everyone = list(range(len(self.players)))
        if not self.own_first:
            return np.array([everyone] * len(everyone))
        return np.array([[i, *everyone[:i], *everyone[i + 1 :]] for i in everyone])

    def _group(self, name: str, agents: Names, action_names: Names) -> Group:
        seen = spaces.Box(0, 1, self._shape, np.uint8)
        choice = spaces.Discrete(len(action_names))
        return Group(name, agents, seen, choice, action_names, self.naming.channels)

    def empty_game(self) -> dict[str, NDArray[Any]]:
        """Allocate the arrays that every game's state has, by name."""
        shape = (self.copies, len(self.players))
        return {
            "last_action": np.full(shape, -1, np.int64),
            "total_reward": np.zeros(shape),
            "num_moves": np.zeros(self.copies, np.int64),
            "stream": random.philox_streams(self.copies),
        }

    # What a game adds.

    @abstractmethod
    def calls(self) -> dict[str, Call]:
        """Return the rules ``begin``, ``step``, ``observe`` and their arguments.

        Without `chosen` in front and ``lo, hi`` behind; those of ``step`` without the actions,
        which come second. ``play``, with them too, may stand for ``step`` and ``observe``.
        """

    @abstractmethod
    def label_call(self, players: slice, label: NDArray[np.bool_]) -> Call:
        """Return the rule that writes the labels of some players, and its arguments."""

    def shown(self, copy: int) -> tuple[Any, ...]:
        """Return what `shown_names` names."""
        return ()

    def parse_shown(self, values: Sequence[Any], moves: tuple[int, ...]) -> Any:
        """Check what `shown` returned in some state after the given moves (-1: none yet).

        Returns what `place_shown` takes.
        """
        del values, moves

    def place_shown(self, copy: int, parsed: Any) -> None:
        """Put what `parse_shown` returned into one copy."""

    # Stepping.

    def bind(self) -> None:
        """Show the arrays by group, and look up the arguments of the rules once."""
        self.out = {}
        first = 0
        shape = (self.copies, len(self.players), *self._shape)
        for group in self.spec.groups:
            rows = slice(first, first + len(group.agents))
            self.out[group.name] = Output(
                self.observation.reshape(shape)[:, rows],
                self.action_mask[:, rows, : int(group.action_sizes[0])],
                self.reward[:, rows],
                self.terminated[:, rows],
                self.truncated[:, rows],
                self.alive[:, rows],
            )
            first = rows.stop
        self._calls = self.calls()

    def game_arrays(self) -> tuple[NDArray[Any], ...]:
        """Return what `rules.begin` writes, but for the flags."""
        return self.state.last_action, self.state.total_reward, self.state.num_moves

    def flag_arrays(self) -> tuple[NDArray[Any], ...]:
        """Return reward and flags of all players."""
        return self.reward, self.terminated, self.truncated, self.alive

    def begin_copies(self, lo: int, hi: int) -> None:
        """Start a new episode."""
        function, arguments = self._calls["begin"]
        function(self.chosen, *arguments, lo, hi)

    def step_copies(self, lo: int, hi: int) -> None:
        """Play one round."""
        self._play("step", lo, hi)

    def _step_and_observe(self, lo: int, hi: int) -> None:
        if "play" in self._calls:
            self._play("play", lo, hi)
        else:
            super()._step_and_observe(lo, hi)

    def _play(self, name: str, lo: int, hi: int) -> None:
        function, arguments = self._calls[name]
        function(self.chosen, self._joint_actions(lo, hi), *arguments, lo, hi)

    def observe_copies(self, lo: int, hi: int) -> None:
        """Write observations and masks."""
        function, arguments = self._calls["observe"]
        function(self.chosen, *arguments, lo, hi)

    def label_copies(self, lo: int, hi: int) -> None:
        """Write the labels."""
        first = 0
        for group in self.spec.groups:
            players = slice(first, first + len(group.agents))
            function, arguments = self.label_call(players, self.label[group.name])
            function(self.chosen, *arguments, lo, hi)
            first = players.stop

    def _joint_actions(self, lo: int, hi: int) -> NDArray[np.int64]:
        if len(self.spec.groups) == 1:
            return self.actions[GROUP]
        for i, group in enumerate(self.spec.groups):
            self._given[lo:hi, i] = self.actions[group.name][lo:hi, 0]
        return self._given

    def rule_calls(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """Return the rules with their arguments."""
        actions = (self._joint_actions(0, self.copies),)
        given = {"step": actions, "play": actions}
        return [
            (function, (self.chosen, *given.get(name, ()), *arguments, 0, self.copies))
            for name, (function, arguments) in self._calls.items()
        ]

    # The generator of the state tuple.

    def reset(
        self, seed: int | Sequence[int] | None = None, copies: NDArray[np.bool_] | None = None
    ) -> None:
        """Start a new episode; a seed also starts the copy's `random_state` afresh."""
        super().reset(seed, copies)
        if seed is not None and self.random_states:
            for copy in np.flatnonzero(self.chosen):
                self.random_states.pop(int(copy), None)

    def random_state(self, copy: int) -> np.random.RandomState:
        """Return the generator that the game's state tuple shows, made from the copy's seed."""
        if copy not in self.random_states:
            key = self.state.stream[copy, random.KEY : random.KEY + 2]
            self.random_states[copy] = np.random.RandomState(key)
        return self.random_states[copy]

    def _copy_extra(self, copy: int) -> Any:
        return self.random_states.get(copy)

    def _restore_extra(self, copy: int, extra: Any) -> None:
        self.random_states.pop(copy, None)
        if extra is not None:
            self.random_states[copy] = extra

    # Being put somewhere, and telling where one is.

    def place(
        self,
        copy: int,
        last_action: Sequence[int],
        parsed: Any,
        total_reward: Sequence[float],
        live: bool,
    ) -> None:
        """Put one copy after the given moves; its clock stays as it is."""
        self.state.last_action[copy] = last_action
        self.place_shown(copy, parsed)
        self.state.total_reward[copy] = total_reward
        for flags in (self.reward, self.terminated, self.truncated):
            flags[copy] = 0
        self.alive[copy] = live
        self.started[copy] = True
        self._observe_one(copy)

    def count_of(self, move: int) -> NDArray[np.int64]:
        """Return how many players of each copy made a move last."""
        count = np.zeros(self.copies, np.int64)
        for player in range(len(self.players)):  # `sum` over a short axis is slow
            count += self.state.last_action[:, player] == move
        return count

    def public_info_arrays(self) -> dict[str, NDArray[Any]]:
        """Return what every player is told alike: name -> array ``[copy, ...]``."""
        return {"round": self.state.num_moves}

    def present_infos(self, copy: int) -> dict[str, Any]:
        """Return what every player of one copy is told alike, whatever was played last."""
        return {"round": self.state.num_moves.item(copy)}

    def infos_after(self, moves: tuple[int, ...]) -> dict[str, Any]:
        """Return what every player is told alike of the last moves (-1: none yet)."""
        return {}

    def info_arrays(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Return `last_actions` (-1 = none yet) and what the players are told alike."""
        public = self.public_info_arrays()
        arrays = {}
        first = 0
        for group in self.spec.groups:
            players = slice(first, first + len(group.agents))
            arrays[group.name] = {
                **{name: _for_each(values, len(group.agents)) for name, values in public.items()},
                "last_actions": self.state.last_action[:, self._seating[players]],
            }
            first = players.stop
        return arrays

    def infos(self, copy: int) -> dict[str, dict[str, Any]]:
        """Return the infos of every player; `last_actions` is None before the first round."""
        moves = tuple(self.state.last_action[copy].tolist())
        known = self._told_after.get(moves)
        if known is None:
            known = self._tell_after(moves)
        present = self.present_infos(copy)
        return {name: {**present, **told} for name, told in known}

    def _tell_after(self, moves: tuple[int, ...]) -> list[tuple[str, dict[str, Any]]]:
        """Return name and infos of every player after some moves, and remember them."""
        told = self.infos_after(moves)
        if len(self._told_after) >= _MOST_TOLD:
            self._told_after.clear()
        self._told_after[moves] = [
            (name, {**told, "last_actions": self._moves_as_seen(moves, i)})
            for i, name in enumerate(self.players)
        ]
        return self._told_after[moves]

    def _moves_as_seen(self, moves: tuple[int, ...], player: int) -> tuple[int, ...] | None:
        return tuple(moves[i] for i in self._seating[player]) if moves[0] >= 0 else None

    def metrics(self, copies: Sequence[int] | None = None) -> dict[str, NDArray[np.float64]]:
        """Return the rewards of each player since the reset."""
        chosen = slice(None) if copies is None else list(copies)
        total = self.state.total_reward[chosen]
        return {f"total_reward/{name}": total[:, i].copy() for i, name in enumerate(self.players)}

    def global_state(self, copy: int) -> NDArray[np.uint8]:
        """Return what every player sees."""
        return self.observation[copy, 0].reshape(self._shape).copy()

    @property
    def global_state_space(self) -> spaces.Space[Any]:
        """The observation space."""
        return self.spec.groups[0].observation_space

    # Pictures.

    def frame(self, copy: int) -> NDArray[np.uint8]:
        """Return a picture of the game as a table, the last moves marked."""
        return picture.frame(self, copy)

    def text(self, copy: int) -> str:
        """Return the same in coloured characters."""
        return picture.text(self, copy)

    def table(self, copy: int) -> Table:
        """Return the table that is drawn: here a row per player."""
        last = self.state.last_action[copy].tolist()
        total = self.state.total_reward[copy].tolist()
        return picture.player_table(self.naming.moves, last, total, self.harmful(copy))

    def remarks(self, copy: int) -> list[str]:
        """Return what is written below the table, always as many lines."""
        return [f"round {self.state.num_moves[copy]}"]

    def harmful(self, copy: int) -> bool:
        """Tell whether the last moves were unsafe."""
        return False

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _BOUND}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Views do not survive pickling: show the arrays by group again.
        vars(self).update(state)
        self.bind()


_BOUND = ("out", "_calls")
_MOST_TOLD = 4096


def _for_each(values: NDArray[Any], players: int) -> NDArray[Any]:
    """Repeat ``[copy, ...]`` as ``[copy, player, ...]``, without copying it."""
    shape = (len(values), players, *values.shape[1:])
    return np.broadcast_to(values[:, None], shape)


def as_name(move: str) -> str:
    """Return the form a move has in the names of actions, channels and labels."""
    return move.lower().replace(" ", "_")


def two_players(num_agents: Any) -> None:
    """Refuse any number of players but two."""
    check.integer("num_agents", num_agents, 2, 2)


def numbers(given: Mapping[str, Any]) -> dict[str, float]:
    """Return parameters as floats; an infinite one is refused like any other non-number."""
    values = {name: check.number(name, value) for name, value in given.items()}
    for name, value in values.items():
        if not math.isfinite(value):
            raise InvalidParameter(f"{name} is a finite number, not {value}.")
    return values
