"""What the groups of a battle see: spaces, boards, and the calls that write observations."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene.battle.definition import Battle
from ecumene.battle.rules import picture, seeing
from ecumene.battle.rules.picture import Canvas, Shown
from ecumene.battle.rules.seeing import Eye
from ecumene.battle.state import ALIVE, State, World
from ecumene.battle.world import action_names, margin_of, windows_of
from ecumene.engine import InvalidParameter, Output

FORMS = ("float32", "uint8", "none")
# Channels of a cell in the compact form: kind, and share of hp.
CODES = 2
# Side of the squares by which neighbours are found.
_TILE = 64

Call = tuple[Callable[..., object], tuple[Any, ...]]


class Sights:
    """Boards and eyes of all groups that are the user's.

    Parameters
    ----------
    battle, world
        The world.
    copies
        Number of copies.
    form
        One of `FORMS`.

    Attributes
    ----------
    viewers
        Numbers of the groups that see.
    """

    REDRAW = staticmethod(picture.redraw)
    REFRESH = staticmethod(picture.refresh)

    def __init__(self, battle: Battle, world: World, copies: int, form: str) -> None:
        self.battle = battle
        self.world = world
        self.form = form
        self.viewers = [i for i, group in enumerate(battle.groups) if group.controlled]
        self.windows = windows_of(battle)
        self.pair = 3 if battle.minimap_mode else 2
        self.base = 1 + battle.food_mode + self.pair * len(battle.groups)
        margin = margin_of(self.windows)
        agents = len(world.owner)
        boards = (copies, len(self.viewers), battle.height + 2 * margin)
        columns = battle.width + 2 * margin
        compact = form == "uint8"
        self.canvas = Canvas(
            board=np.zeros(
                (*boards, columns * self.base) if not compact else (copies, 0, 0, 0), np.float32
            ),
            codes=np.zeros((*boards, columns * CODES) if compact else (copies, 0, 0, 0), np.uint8),
            margin=margin,
            channels=self.base,
            pair=self.pair,
            viewer=np.array(self.viewers, np.int32),
        )
        self.shown = Shown(
            x=np.zeros((copies, agents), np.int32),
            y=np.zeros((copies, agents), np.int32),
            direction=np.zeros((copies, agents), np.int8),
            share=np.full((copies, agents), -1, np.float32),
        )
        sizes = np.diff(world.start).tolist()
        self.filled = {
            i: np.zeros((copies, sizes[i] if form != "none" else 0), np.bool_) for i in self.viewers
        }
        self.density = {
            i: np.zeros(self._density_shape(copies, i), np.float32) for i in self.viewers
        }
        self.eyes = {i: self._eye(board, i) for board, i in enumerate(self.viewers)}

    def _density_shape(self, copies: int, i: int) -> tuple[int, ...]:
        if not self.battle.minimap_mode:
            return copies, 0, 0, 0
        return (copies, *self.windows[i].mask.shape, len(self.battle.groups))

    def _eye(self, board: int, i: int) -> Eye:
        window = self.windows[i]
        names = action_names(self.battle.groups[i].type, self.battle.turn_mode)
        return Eye(
            group=i,
            board=board,
            margin=self.canvas.margin,
            left=window.left,
            top=window.top,
            span=window.spans,
            base=self.base,
            pair=self.pair,
            channels=self.base + self.features(i),
            embedding=self.battle.embedding_size,
            actions=len(names),
            idle=names.index("stay"),
            minimap=self.battle.minimap_mode,
            extra=self.battle.extra_features,
        )

    def _actions(self, i: int) -> int:
        return len(action_names(self.battle.groups[i].type, self.battle.turn_mode))

    def features(self, i: int) -> int:
        """Return the number of features of an agent of a group."""
        own = self.battle.embedding_size + self._actions(i) + 1
        return own * self.battle.extra_features + 2 * self.battle.minimap_mode

    # Spaces.

    def space(self, i: int) -> spaces.Space[Any]:
        """Return the observation space of a group."""
        if self.form == "none":
            return spaces.Box(0, 1, (0,), np.float32)
        if self.form == "uint8":
            return self._compact_space(i)
        shape = (*self.windows[i].mask.shape, self.base + self.features(i))
        return self._box(shape)

    def _box(self, shape: tuple[int, ...]) -> spaces.Box:
        """Return the box of views and features; only the last reward has bounds of its own."""
        low, high = np.zeros(shape, np.float32), np.full(shape, 2, np.float32)
        if self.battle.extra_features:
            reward = shape[-1] - 1 - 2 * self.battle.minimap_mode
            low[..., reward], high[..., reward] = reward_bounds(self.battle)
        return spaces.Box(low, high, dtype=np.float32)

    def _compact_space(self, i: int) -> spaces.Space[Any]:
        window = self.windows[i].mask.shape
        view = spaces.Box(0, 255, (*window, CODES), np.uint8)
        if not self.features(i):
            return view
        parts: dict[str, spaces.Space[Any]] = {
            "view": view,
            "features": self._box((self.features(i),)),
        }
        if self.battle.minimap_mode:
            parts["density"] = spaces.Box(0, 1, (*window, len(self.battle.groups)), np.float32)
        return spaces.Dict(parts)

    def channel_names(self, i: int) -> tuple[str, ...]:
        """Return the names of the channels of a group's float32 observation."""
        groups = self.battle.groups
        pair = ("presence", "hp", "density")[: self.pair]
        names = ["obstacle", *["food"] * self.battle.food_mode]
        for place in range(len(groups)):
            group = groups[(i + place) % len(groups)].name
            names += [f"{group}_{part}" for part in pair]
        if self.battle.extra_features:
            names += [f"number_{bit}" for bit in range(self.battle.embedding_size)]
            names += [
                f"last_{name}" for name in action_names(groups[i].type, self.battle.turn_mode)
            ]
            names.append("last_reward")
        return (*names, *(("x", "y") if self.battle.minimap_mode else ()))

    # Calls.

    def board_arguments(self, chosen: NDArray[np.bool_], state: State) -> tuple[Any, ...]:
        """Return the arguments of `redraw` and `refresh` but `lo` and `hi`."""
        return chosen, self.world, state, self.canvas, self.shown

    def redraw(self, chosen: NDArray[np.bool_], state: State, lo: int, hi: int) -> None:
        """Draw the boards of some copies afresh."""
        picture.redraw(*self.board_arguments(chosen, state), lo, hi)

    def refresh(self, chosen: NDArray[np.bool_], state: State, lo: int, hi: int) -> None:
        """Bring the boards of some copies up to date."""
        picture.refresh(*self.board_arguments(chosen, state), lo, hi)

    def refresh_calls(self, state: State) -> list[tuple[str, Callable[..., object], Any]]:
        """Return what `refresh` does for a single copy, to be split by agents."""
        arguments = self.world, state, self.canvas, self.shown, 0
        return [("erase", picture.erase, arguments), ("draw", picture.draw, arguments)]

    def count_calls(self, chosen: NDArray[np.bool_], state: State, i: int) -> list[Call]:
        """Return the call that counts what a group's density maps show, if it has any."""
        if not self.battle.minimap_mode:
            return []
        return [(seeing.count_densities, (chosen, self.world, state, self.density[i]))]

    def observe_calls(
        self, chosen: NDArray[np.bool_], state: State, i: int, output: Output
    ) -> list[Call]:
        """Return the calls that write a group's observations, but for the ranges."""
        eye, board = self.eyes[i], self.canvas.board
        seen, parts = output.observation, {}
        if self.form == "none":
            return [
                (seeing.allow_all, (chosen, i, eye.idle, self.world, state, output.action_mask))
            ]
        if self.form == "uint8":
            parts = seen if isinstance(seen, dict) else {"view": seen}
            seen, board = parts["view"], self.canvas.codes
            eye = eye._replace(base=CODES, channels=CODES, minimap=False, extra=False)
        seen = seen.reshape(*seen.shape[:3], seen.shape[3] * seen.shape[4])
        common = chosen, eye, self.world, state
        calls: list[Call] = [
            (
                seeing.observe,
                (*common, board, self.density[i], self.filled[i], seen, output.action_mask),
            )
        ]
        if "features" in parts:
            common = chosen, self.eyes[i], self.world, state
            calls.append((seeing.observe_features, (*common, parts["features"])))
        if "density" in parts:
            calls.append((seeing.hand_out_density, (*common, self.density[i], parts["density"])))
        return calls

    def observe_some_call(
        self, state: State, i: int, copy: int, agents: NDArray[np.int64], target: NDArray[Any]
    ) -> Call:
        """Return the call that writes the observations of given agents, but for the range."""
        if self.form == "uint8":
            raise InvalidParameter('observe_agents needs observations "float32" or "none".')
        seen = target.reshape(*target.shape[:2], target.shape[2] * target.shape[3])
        common = self.eyes[i], self.world, state, self.canvas.board
        return seeing.observe_some, (*common, self.density[i], copy, agents, seen)

    def blank(self, i: int, count: int, out: NDArray[Any] | None) -> NDArray[np.float32]:
        """Return an array for `count` float32 observations, the beginning of `out` if given."""
        shape = (*self.windows[i].mask.shape, self.eyes[i].channels)
        if out is None:
            return np.zeros((count, *shape), np.float32)
        fits = out.dtype == np.float32 and out.shape[1:] == shape and out.flags.c_contiguous
        if not fits or len(out) < count:
            raise InvalidParameter(
                f"out is float32[{count} or more, {', '.join(map(str, shape))}], "
                f"not {out.dtype}{list(out.shape)}."
            )
        return out[:count]

    def neighbours(self, state: State, i: int, copy: int) -> NDArray[np.int64]:
        """Return the living agents of a group, those that stand near one another together."""
        first, last = self.world.start[i], self.world.start[i + 1]
        living = np.flatnonzero(state.status[copy, first:last] == ALIVE)
        across = -(-self.battle.width // _TILE)
        x, y = state.x[copy, first:last][living], state.y[copy, first:last][living]
        tile = (y // _TILE) * across + x // _TILE
        small = across * -(-self.battle.height // _TILE) <= np.iinfo(np.uint16).max
        order = np.argsort(tile.astype(np.uint16) if small else tile, kind="stable")
        return living[order]


def reward_bounds(battle: Battle) -> tuple[np.float32, np.float32]:
    """Return bounds of the last reward in float32, with room for the rounding of sums."""
    low, high = (np.float32(bound) for bound in battle.reward_bounds)
    for _ in range(2):
        low = np.nextafter(low, np.float32(-np.inf)) if low < 0 else low
        high = np.nextafter(high, np.float32(np.inf)) if high > 0 else high
    return low, high
