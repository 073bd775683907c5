"""Congestion: everybody picks one of two roads, which fill up, or a detour, which never does."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import InvalidParameter, check, helper, rule
from ecumene.matrix import rules
from ecumene.matrix.env import MatrixEnv
from ecumene.matrix.simulation import Call, MatrixSimulation, Naming, numbers

ROAD_A, ROAD_B, DETOUR = 0, 1, 2
ROUTES = ("RoadA", "RoadB", "Detour")
_ROUTE_CHANNELS = ("roadA", "roadB", "detour")
#: Labels behind those of routes and loads, in this order.
_FURTHER = ("roadA_empty", "roadB_empty", "balanced_load", "jam", "unsafe")


class CongestionState(NamedTuple):
    """State of a congestion game."""

    last_action: NDArray[np.int64]  # [copy, player]; -1 = none yet
    total_reward: NDArray[np.float64]  # [copy, player]; since the reset
    num_moves: NDArray[np.int64]  # [copy]; rounds played since the reset
    stream: NDArray[np.uint32]  # [copy, word]; nothing draws from it


class CongestionSimulation(MatrixSimulation):
    """Copies of the congestion game; see `CongestionMatrix` for the game and its parameters."""

    shown_names = ("loadA", "loadB", "jam")
    own_first = False
    state: CongestionState

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        num_agents: int = 6,
        max_moves: int = 200,
        base_A: float = 1.0,  # noqa: N803
        base_B: float = 1.0,  # noqa: N803
        slope_A: float = 1.0,  # noqa: N803
        slope_B: float = 1.0,  # noqa: N803
        detour_cost: float = 6.0,
        jam_threshold: int = 5,
        jam_penalty: float = 5.0,
        flatten_observations: bool = True,
    ) -> None:
        num_agents = check.integer("num_agents", num_agents, 2)
        jam_threshold = check.integer("jam_threshold", jam_threshold, 1)
        costs = numbers(
            {
                "base_A": base_A,
                "base_B": base_B,
                "slope_A": slope_A,
                "slope_B": slope_B,
                "detour_cost": detour_cost,
                "jam_penalty": jam_penalty,
            }
        )
        parameters = {
            "num_agents": num_agents,
            "max_moves": max_moves,
            **costs,
            "jam_threshold": jam_threshold,
            "flatten_observations": flatten_observations,
        }
        super().__init__(copies, num_threads, _naming(num_agents), parameters)
        self.tariff = np.array(list(costs.values()))
        self.jam_threshold = jam_threshold
        self.state = CongestionState(**self.empty_game())
        self.bind()

    def calls(self) -> dict[str, Call]:
        """See `MatrixSimulation.calls`."""
        game = self.game_arrays()
        outcome = (self.reward, self.truncated, self.alive)
        shown = (self.jam_threshold, self.state.last_action, self.alive)
        return {
            "begin": (rules.begin, (*game, *self.flag_arrays())),
            "step": (step, (self.tariff, self.jam_threshold, self.horizon, *game, *outcome)),
            "observe": (observe, (*shown, self.sizes, self.observation, self.action_mask)),
        }

    def label_call(self, players: slice, label: NDArray[np.bool_]) -> Call:
        """See `MatrixSimulation.label_call`."""
        told = self.alive[:, players], self.truncated[:, players]
        return label_all, (self.jam_threshold, self.state.last_action, *told, label)

    def loads(self) -> NDArray[np.int64]:
        """Return the users of each road in the last round, ``int64[copy, road]``."""
        return np.stack([self.count_of(ROAD_A), self.count_of(ROAD_B)], axis=1)

    def _loads_of(self, moves: Sequence[int]) -> tuple[int, int, bool]:
        users = moves.count(ROAD_A), moves.count(ROAD_B)
        return *users, max(users) >= self.jam_threshold and moves[0] >= 0

    def shown(self, copy: int) -> tuple[int, int, bool]:
        """Return the users of both roads, and whether there was a jam."""
        return self._loads_of(self.state.last_action[copy].tolist())

    def parse_shown(self, values: Sequence[Any], moves: tuple[int, ...]) -> None:
        """Refuse loads and jams that the moves do not make."""
        load_a, load_b, jam = values
        players = len(self.players)
        given = (
            check.integer("loadA", load_a, 0, players),
            check.integer("loadB", load_b, 0, players),
            check.flag("jam", jam),
        )
        for name, value, due in zip(self.shown_names, given, self._loads_of(moves), strict=True):
            if value != due:
                raise InvalidParameter(
                    f"{name} is {due} after the last_actions {moves}, not {value}."
                )

    def public_info_arrays(self) -> dict[str, NDArray[Any]]:
        """Return `round`, `loads` (int64[2]) and `jam`."""
        loads = self.loads()
        played = self.state.last_action[:, 0] >= 0
        jam = (np.maximum(loads[:, 0], loads[:, 1]) >= self.jam_threshold) & played
        return {**super().public_info_arrays(), "loads": loads, "jam": jam}

    def infos_after(self, moves: tuple[int, ...]) -> dict[str, Any]:
        """Return `loads`, `jam` and, once played, the `costs` of the three routes."""
        load_a, load_b, jam = self._loads_of(moves)
        infos: dict[str, Any] = {"loads": (load_a, load_b), "jam": jam}
        if moves[0] >= 0:
            base_a, base_b, slope_a, slope_b, detour, _ = self.tariff.tolist()
            infos["costs"] = (base_a + slope_a * load_a, base_b + slope_b * load_b, detour)
        return infos

    def remarks(self, copy: int) -> list[str]:
        """Return the round, and users and cost of each route."""
        told = self.infos_after(tuple(self.state.last_action[copy].tolist()))
        jam = "  JAM" if told["jam"] else ""
        loads = "users  A: {}  B: {}".format(*told["loads"]) + jam
        costs = [f"{cost:g}" for cost in told.get("costs", ())] or ["-"] * 3
        return [
            *super().remarks(copy), loads, "cost  A: {}  B: {}  detour: {}".format(*costs)
        ]  # fmt: skip

    def harmful(self, copy: int) -> bool:
        """Tell whether there was a jam."""
        return self.shown(copy)[2]


def _naming(players: int) -> Naming:
    routes = tuple(f"player_{i}_{route}" for i in range(players) for route in _ROUTE_CHANNELS)
    loads = tuple(f"load{road}_{n}" for road in "AB" for n in range(players + 1))
    return Naming(
        "matrix/congestion-v0",
        (ROUTES,) * players,
        ("road_a", "road_b", "detour"),
        (*routes, *loads, "jam"),
        (*routes, *loads, *_FURTHER),
    )


@helper
def count(last_action, route):
    """Return how many players of one copy took a route."""
    users = 0
    for player in range(last_action.shape[0]):
        if last_action[player] == route:
            users += 1
    return users


@rule
def step(
    chosen,
    actions,
    tariff,
    jam_threshold,
    horizon,
    last_action,
    total_reward,
    num_moves,
    reward,
    truncated,
    alive,
    lo,
    hi,
):
    """Play one round; an ended episode stands still.

    tariff: base_A, base_B, slope_A, slope_B, detour_cost, jam_penalty.
    """
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        if not alive[copy, 0]:
            rules.rest(reward[copy], truncated[copy])
            continue
        num_moves[copy] += 1
        over = num_moves[copy] >= horizon
        for player in range(last_action.shape[1]):
            last_action[copy, player] = actions[copy, player]
        users_a = count(last_action[copy], ROAD_A)
        users_b = count(last_action[copy], ROAD_B)
        gain_a = -(tariff[0] + tariff[2] * users_a)
        if users_a >= jam_threshold:
            gain_a -= tariff[5]
        gain_b = -(tariff[1] + tariff[3] * users_b)
        if users_b >= jam_threshold:
            gain_b -= tariff[5]
        for player in range(last_action.shape[1]):
            gain = -tariff[4]
            if last_action[copy, player] == ROAD_A:
                gain = gain_a
            elif last_action[copy, player] == ROAD_B:
                gain = gain_b
            reward[copy, player] = gain
            total_reward[copy, player] += gain
            truncated[copy, player] = over
            alive[copy, player] = not over


@helper
def write_routes_and_loads(last_action, row):
    """Write the routes of all players one-hot, then both loads one-hot; arrays of one copy."""
    players = last_action.shape[0]
    row[: 5 * players + 2] = 0
    for player in range(players):
        if last_action[player] >= 0:
            row[3 * player + last_action[player]] = 1
    row[3 * players + count(last_action, ROAD_A)] = 1
    row[4 * players + 1 + count(last_action, ROAD_B)] = 1


@helper
def jammed(last_action, jam_threshold):
    """Return whether a road was overfull in the last round of one copy."""
    users = max(count(last_action, ROAD_A), count(last_action, ROAD_B))
    return last_action[0] >= 0 and users >= jam_threshold


@rule
def observe(chosen, jam_threshold, last_action, alive, sizes, observation, mask, lo, hi):
    """Show every player the routes of all, the loads and the jam."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        first = observation[copy, 0]
        write_routes_and_loads(last_action[copy], first)
        first[first.shape[0] - 1] = jammed(last_action[copy], jam_threshold)
        for player in range(1, last_action.shape[1]):
            other = observation[copy, player]
            for channel in range(first.shape[0]):
                other[channel] = first[channel]
        rules.write_mask(alive[copy], sizes, mask[copy])


@rule
def label_all(chosen, jam_threshold, last_action, alive, truncated, label, lo, hi):
    """Say the same of every player that is live or has just ended."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        users_a = count(last_action[copy], ROAD_A)
        users_b = count(last_action[copy], ROAD_B)
        jam = jammed(last_action[copy], jam_threshold)
        for player in range(label.shape[1]):
            row = label[copy, player]
            if not (alive[copy, player] or truncated[copy, player]):
                row[:] = False
                continue
            write_routes_and_loads(last_action[copy], row)
            at = 5 * last_action.shape[1] + 2
            row[at] = users_a == 0
            row[at + 1] = users_b == 0
            row[at + 2] = users_a == users_b
            row[at + 3] = jam
            row[at + 4] = jam


def label_fn(observation: Any) -> frozenset[str]:
    """Return the labels of an observation, flat or not; the number of players follows from it.

    Raises
    ------
    ValueError
        If it is no observation of a congestion game.
    """
    flat = np.asarray(observation).reshape(-1)
    players, rest = divmod(flat.size - 3, 5)
    if rest or players < 2:
        raise ValueError(
            f"an observation of a congestion game has 5 n + 3 numbers for n players, n from 2 up: "
            f"not {flat.size}."
        )
    shown = np.flatnonzero(flat[:-1]).tolist()
    names = _naming(players).channels
    labels = {names[i] for i in shown}
    loads = [{n for n in range(players + 1) if f"load{road}_{n}" in labels} for road in "AB"]
    if any(len(load) != 1 for load in loads):
        raise ValueError(f"{flat.tolist()} is no observation of a congestion game.")
    if loads[0] == {0}:
        labels.add("roadA_empty")
    if loads[1] == {0}:
        labels.add("roadB_empty")
    if loads[0] == loads[1]:
        labels.add("balanced_load")
    if flat[-1]:
        labels |= {"jam", "unsafe"}
    return frozenset(labels)


class CongestionMatrix(MatrixEnv):
    """The repeated congestion game, a PettingZoo `ParallelEnv`.

    Each round every player takes road A (0), road B (1) or the detour (2). A road with n users
    costs each of them ``base + slope * n``; the detour costs `detour_cost`, whoever takes it. The
    reward is minus the cost of one's own route, minus `jam_penalty` for the users of a road with at
    least `jam_threshold` users. Nothing is random.

    All players observe the same 5 n + 3 channels of 0 and 1 for n players, ``uint8``:

    ====================  =========================================================
    ``3 i`` to ``3 i+2``  player i took `player_i_roadA`, `_roadB`, `_detour` last
    ``3 n`` to ``4 n``    `loadA_0` to `loadA_n`: users of road A in the last round
    ``4 n+1`` to ``5 n+1``  `loadB_0` to `loadB_n`: users of road B
    ``5 n+2``             `jam`: some road had at least `jam_threshold` users
    ====================  =========================================================

    After a reset only `loadA_0` and `loadB_0` are 1. The shape is ``(5 n + 3,)``, or
    ``(1, 1, 5 n + 3)`` with ``flatten_observations=False``; `state()` is the same array.

    An episode never terminates; it is truncated after `max_moves` rounds.

    `infos`, the same for all: `round`, `last_actions` (in the order of the players; None after a
    reset), `loads` (of A and B), `jam` and, once a round was played, `costs` (of A, B and the
    detour, without penalty).

    Labels: the channels of routes and loads; `roadA_empty`, `roadB_empty`; `balanced_load` with as
    many users on A as on B (so also after a reset); in a jam `jam` and `unsafe`.

    The state tuple is ``(agents, last_actions, loadA, loadB, jam, cum_rewards, rng_state)``.

    Parameters
    ----------
    num_agents
        Number of players, at least 2.
    max_moves
        Rounds per episode, at least 1.
    base_A, base_B, slope_A, slope_B
        Costs of the roads. Finite numbers.
    detour_cost
        Cost of the detour.
    jam_threshold
        Users from which a road is overfull, at least 1.
    jam_penalty
        What the users of an overfull road pay further.
    flatten_observations
        Whether observations are vectors.
    render_mode
        One of ``metadata["render_modes"]``, or None.
    seed
        Seed of the first reset that is given none.
    """

    simulation_class = CongestionSimulation
    label_fn = staticmethod(label_fn)
    base_A: float  # noqa: N815
    base_B: float  # noqa: N815
    slope_A: float  # noqa: N815
    slope_B: float  # noqa: N815
    detour_cost: float
    jam_threshold: int
    jam_penalty: float
