"""What the groups of a battle see: spaces, boards, and the calls that write observations."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene.battle.definition import Battle
from ecumene.battle.rules import seeing
from ecumene.battle.rules.picture import CODE_AGENT, Boards
from ecumene.battle.rules.seeing import Eye, Report
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
    shared
        Whether all copies have the same walls.

    Attributes
    ----------
    viewers
        Numbers of the groups that see.
    windows
        What each group sees.
    boards
        See the rules. They hold no copies if the form is ``"none"``.
    eyes, filled
        By number of the group; see the rules.
    """

    def __init__(self, battle: Battle, world: World, copies: int, form: str, shared: bool) -> None:
        self.battle = battle
        self.world = world
        self.form = form
        self.viewers = [i for i, group in enumerate(battle.groups) if group.controlled]
        self.windows = windows_of(battle)
        self.ground = 2 if battle.food_mode else 1
        self.pair = 3 if battle.minimap_mode else 2
        self.boards = self._boards(0 if form == "none" else copies, shared)
        self.eyes = {i: self._eye(copies, i) for i in self.viewers}
        sizes = np.diff(world.start).tolist()
        self.filled = {i: np.zeros((copies, sizes[i]), np.bool_) for i in self.viewers}

    def _boards(self, slots: int, shared: bool) -> Boards:
        margin = margin_of(self.windows)
        compact = self.form == "uint8"
        count = len(self.battle.groups)
        channels = 1 if compact else self.ground + 2 * count
        rows, columns = (side + 2 * margin for side in (self.battle.height, self.battle.width))
        turn = (np.arange(count) - np.array(self.viewers, np.int32)[:, None]) % count
        place = CODE_AGENT + turn if compact else self.ground + 2 * turn
        agents = (slots, len(self.world.owner))
        dtype: Any = np.uint16 if compact else np.float32
        return Boards(
            shared=shared,
            margin=margin,
            compact=compact,
            channels=channels,
            place=place.astype(np.int32),
            # Zeros take no memory before they are written, so shared boards take little.
            pixel=np.zeros((slots, len(self.viewers), rows, columns * channels), dtype),
            walled=np.zeros(slots, np.bool_),
            spot=np.zeros((*agents, 3), np.int32),
            shown=np.zeros(agents, np.bool_),
        )

    def _eye(self, copies: int, i: int) -> Eye:
        battle, window = self.battle, self.windows[i]
        names = action_names(battle.groups[i].type, battle.turn_mode)
        features = self.features(i)
        channels = self.ground + self.pair * len(battle.groups) + features
        rows, columns = window.mask.shape
        return Eye(
            group=i,
            left=window.left,
            top=window.top,
            span=window.spans,
            ground=self.ground,
            base=self.ground + 2 * len(battle.groups),
            pair=self.pair,
            channels=channels,
            features=features,
            embedding=battle.embedding_size,
            actions=len(names),
            idle=names.index("stay"),
            minimap=battle.minimap_mode,
            extra=battle.extra_features,
            density=np.zeros((copies, rows * battle.minimap_mode, columns * channels), np.float32),
        )

    def features(self, i: int) -> int:
        """Return the number of features that are shown to an agent of a group."""
        actions = len(action_names(self.battle.groups[i].type, self.battle.turn_mode))
        own = self.battle.embedding_size + actions + 1
        return own * self.battle.extra_features + 2 * self.battle.minimap_mode

    # Spaces.

    def space(self, i: int) -> spaces.Space[Any]:
        """Return the observation space of a group."""
        if self.form == "none":
            return spaces.Box(0, 1, (0,), np.float32)
        if self.form == "uint8":
            return self._compact_space(i)
        return self._box((*self.windows[i].mask.shape, self.eyes[i].channels))

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
            actions = action_names(groups[i].type, self.battle.turn_mode)
            names += [f"last_{name}" for name in actions]
            names.append("last_reward")
        return (*names, *(("x", "y") if self.battle.minimap_mode else ()))

    # What rules are handed.

    def report(self, i: int, output: Output) -> Report:
        """Return where a group is told things."""
        eye = self.eyes[i]
        compact = eye._replace(ground=1, base=1, pair=2, channels=1, features=0, minimap=False)
        return Report(
            compact if self.form == "uint8" else eye,
            self.filled[i],
            self._view(output),
            output.action_mask,
            output.reward,
            output.terminated,
            output.truncated,
            output.alive,
        )

    def density_calls(self, chosen: NDArray[np.bool_], state: State) -> list[Call]:
        """Return the calls that have to precede all looking, of ranges of copies."""
        if self.form == "none" or not self.battle.minimap_mode:
            return []
        common = [(chosen, self.eyes[i], self.world, state) for i in self.viewers]
        return [(seeing.count_densities, each) for each in common]

    def further_calls(
        self, chosen: NDArray[np.bool_], state: State, i: int, output: Output
    ) -> Iterator[Call]:
        """Yield the calls that write what a group is shown besides views, of ranges of copies."""
        common = chosen, self.eyes[i], self.world, state
        if self.form == "none":
            yield seeing.allow_all, (*common, output.action_mask)
        elif isinstance(output.observation, dict):
            yield seeing.observe_features, (*common, output.observation["features"])
            if "density" in output.observation:
                yield seeing.hand_out_densities, (*common, output.observation["density"])

    def _view(self, output: Output) -> NDArray[Any]:
        """Return a group's views as ``[copy, agent, row, column x channel]``."""
        view = output.observation
        if self.form == "none":
            return np.zeros((0, 0, 0, 0), np.float32)
        view = view["view"] if isinstance(view, dict) else view
        wide = view.reshape(*view.shape[:3], view.shape[3] * view.shape[4])
        return wide.view(np.uint16) if self.form == "uint8" else wide

    def observe_some_call(
        self, state: State, i: int, copy: int, agents: NDArray[np.int64], target: NDArray[Any]
    ) -> Call:
        """Return the call that writes the observations of given agents, of a range of them."""
        seen = target.reshape(*target.shape[:2], target.shape[2] * target.shape[3])
        return seeing.observe_some, (self.eyes[i], self.world, state, copy, agents, seen)

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
