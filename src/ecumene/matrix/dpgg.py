"""Dynamic public goods game: contributions fill a pot that pays out from the next round on."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecumene.drawing import Table
from ecumene.engine import InvalidParameter, check, helper, rule
from ecumene.matrix import picture, rules
from ecumene.matrix.env import MatrixEnv
from ecumene.matrix.simulation import Call, MatrixSimulation, Naming, numbers, two_players

CONTRIBUTE, WITHHOLD = 0, 1
_MOVE_CHANNELS = (
    "player_0_contribute",
    "player_0_withhold",
    "player_1_contribute",
    "player_1_withhold",
)
_FURTHER = (
    "both_contribute",
    "both_withhold",
    "mixed_contributions",
    "pot_empty",
    "pot_positive",
    "pot_nonempty",
    "unsafe",
)


class DPGGState(NamedTuple):
    """State of a dynamic public goods game."""

    last_action: NDArray[np.int64]  # [copy, player]; -1 = none yet
    total_reward: NDArray[np.float64]  # [copy, player]; since the reset
    num_moves: NDArray[np.int64]  # [copy]; rounds played since the reset
    pot: NDArray[np.int64]  # [copy]; index of the pot's level
    pot_before: NDArray[np.int64]  # [copy]; the same before the last round, -1 = none played
    stream: NDArray[np.uint32]  # [copy, word]; nothing draws from it


class DPGGSimulation(MatrixSimulation):
    """Copies of the dynamic public goods game; see `DPGGMatrix`."""

    shown_names = ("pot_idx",)
    incidental = MatrixSimulation.incidental | {"pot_before"}
    state: DPGGState

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        num_agents: int = 2,
        max_moves: int = 200,
        contribution_cost: float = 10.0,
        alpha: float = 1.5,
        payout_rate: float = 0.3,
        decay: float = 0.0,
        initial_pot: float = 0.0,
        pot_cap: float = 500.0,
        pot_step: float = 1.0,
        flatten_observations: bool = True,
    ) -> None:
        two_players(num_agents)
        values = numbers(
            {
                "contribution_cost": contribution_cost,
                "alpha": alpha,
                "payout_rate": payout_rate,
                "decay": decay,
                "initial_pot": initial_pot,
                "pot_cap": pot_cap,
                "pot_step": pot_step,
            }
        )
        for name in ("payout_rate", "decay"):
            values[name] = min(1.0, max(0.0, values[name]))
        for name in ("initial_pot", "pot_cap"):
            values[name] = max(0.0, values[name])
        if values["pot_step"] <= 0:
            raise InvalidParameter(f"pot_step is above 0, not {pot_step!r}.")
        levels = values["pot_cap"] / values["pot_step"]
        if levels >= 2**53:
            raise InvalidParameter(f"pot_step is too small for pot_cap: {levels:.3g} levels.")
        self.pot_levels = math.floor(levels) + 1
        self.pot_bits = max(1, (self.pot_levels - 1).bit_length())
        parameters = {
            "num_agents": num_agents,
            "max_moves": max_moves,
            **values,
            "flatten_observations": flatten_observations,
        }
        super().__init__(copies, num_threads, _naming(self.pot_bits), parameters)
        self.values = np.array(list(values.values()))
        self._pot_step, self._payout_rate = values["pot_step"], values["payout_rate"]
        self.state = DPGGState(
            **self.empty_game(),
            pot=np.zeros(self.copies, np.int64),
            pot_before=np.full(self.copies, -1, np.int64),
        )
        self.bind()

    def calls(self) -> dict[str, Call]:
        """See `MatrixSimulation.calls`."""
        game, state = self.game_arrays(), self.state
        pot = (self.values, self.pot_levels)
        pots = (state.pot, state.pot_before)
        outcome = (self.reward, self.truncated, self.alive)
        shown = (state.last_action, state.pot, self.alive, self.sizes)
        return {
            "begin": (begin, (*pot, *pots, *game, *self.flag_arrays())),
            "step": (step, (*pot, self.horizon, *pots, *game, *outcome)),
            "observe": (observe, (*shown, self.observation, self.action_mask)),
        }

    def label_call(self, players: slice, label: NDArray[np.bool_]) -> Call:
        """See `MatrixSimulation.label_call`."""
        told = self.alive[:, players], self.truncated[:, players]
        return label_all, (self.state.last_action, self.state.pot, *told, label)

    def shown(self, copy: int) -> tuple[int]:
        """Return the index of the pot's level."""
        return (self.state.pot[copy].item(),)

    def parse_shown(self, values: Sequence[Any], moves: tuple[int, ...]) -> int:
        """Return the index of the pot's level, checked."""
        return check.integer("pot_idx", values[0], 0, self.pot_levels - 1)

    def place_shown(self, copy: int, parsed: int) -> None:
        """Fill the pot; what the last round paid is not known any more."""
        self.state.pot[copy] = parsed
        self.state.pot_before[copy] = -1

    def public_info_arrays(self) -> dict[str, NDArray[Any]]:
        """Return `round`, `pot`, `pot_idx`, `payout` (both players' together), `contributors`."""
        before = np.maximum(self.state.pot_before, 0) * self._pot_step
        return {
            **super().public_info_arrays(),
            "pot": self.state.pot * self._pot_step,
            "pot_idx": self.state.pot,
            "payout": self._payout_rate * before,
            "contributors": self.count_of(CONTRIBUTE),
        }

    def present_infos(self, copy: int) -> dict[str, Any]:
        """Return `round` and what there is to say of the pot."""
        step = self._pot_step
        pot, before = self.state.pot[copy].item(), self.state.pot_before[copy].item()
        infos = {**super().present_infos(copy), "pot": pot * step, "pot_idx": pot}
        infos["payout"] = 0.0
        if before >= 0:
            infos["pot_before"] = before * step
            infos["payout"] = self._payout_rate * infos["pot_before"]
        return infos

    def infos_after(self, moves: tuple[int, ...]) -> dict[str, Any]:
        """Return `contributors`."""
        return {"contributors": moves.count(CONTRIBUTE)}

    def table(self, copy: int) -> Table:
        """Return what the next round pays with the pot as it is; the last moves are marked."""
        share = self._payout_rate * self.state.pot[copy].item() * self._pot_step / 2
        costs = np.array([self.values[0], 0.0])
        payoffs = np.stack([share - np.tile(costs[:, None], 2), share - np.tile(costs, (2, 1))])
        last = self.state.last_action[copy].tolist()
        moves, harm = self.naming.moves, self.harmful(copy)
        return picture.payoff_table(moves, payoffs, last, harm, width=18)

    def remarks(self, copy: int) -> list[str]:
        """Return the round, the pot and the rewards so far."""
        pot = self.state.pot[copy].item() * self._pot_step
        totals = picture.rewards(self.state.total_reward[copy].tolist())
        return [*super().remarks(copy), f"pot {pot:g} of {self.values[5]:g}", totals]

    def harmful(self, copy: int) -> bool:
        """Tell whether nobody contributed."""
        return self.state.last_action[copy].tolist() == [WITHHOLD, WITHHOLD]


def _naming(pot_bits: int) -> Naming:
    moves = ("Contribute", "Withhold")
    bits = tuple(f"pot_bit_{i}" for i in range(pot_bits))
    return Naming(
        "matrix/dpgg-v0",
        (moves, moves),
        ("contribute", "withhold"),
        (*_MOVE_CHANNELS, *bits),
        (*_MOVE_CHANNELS, *_FURTHER),
    )


@helper
def level(value, pot_step, pot_levels):
    """Return the index of the level next to a value; halves go up."""
    index = np.int64(math.floor(value / pot_step + 0.5))
    return min(max(index, 0), pot_levels - 1)


@rule
def begin(
    chosen,
    values,
    pot_levels,
    pot,
    pot_before,
    last_action,
    total_reward,
    num_moves,
    reward,
    terminated,
    truncated,
    alive,
    lo,
    hi,
):
    """Start a new episode with the initial pot."""
    rules.begin(
        chosen, last_action, total_reward, num_moves, reward, terminated, truncated, alive, lo, hi
    )
    for copy in range(lo, hi):
        if chosen[copy]:
            pot[copy] = level(min(values[4], values[5]), values[6], pot_levels)
            pot_before[copy] = -1


@rule
def step(
    chosen,
    actions,
    values,
    pot_levels,
    horizon,
    pot,
    pot_before,
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

    values: contribution_cost, alpha, payout_rate, decay, initial_pot, pot_cap, pot_step.
    """
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        if not alive[copy, 0]:
            rules.rest(reward[copy], truncated[copy])
            continue
        num_moves[copy] += 1
        over = num_moves[copy] >= horizon
        value = pot[copy] * values[6]
        payout = values[2] * value
        share = payout / 2
        contributors = 0
        for player in range(2):
            gain = share
            if actions[copy, player] == CONTRIBUTE:
                gain = share - values[0]
                contributors += 1
            last_action[copy, player] = actions[copy, player]
            reward[copy, player] = gain
            total_reward[copy, player] += gain
            truncated[copy, player] = over
            alive[copy, player] = not over
        rest = max(0.0, value - payout) * (1 - values[3])
        filled = rest + (values[1] * values[0]) * contributors
        pot_before[copy] = pot[copy]
        pot[copy] = level(min(max(filled, 0.0), values[5]), values[6], pot_levels)


@helper
def write_moves(last_action, row):
    """Write the moves of both players one-hot; arrays of one copy."""
    row[:4] = 0
    if last_action[0] >= 0:
        row[last_action[0]] = 1
        row[2 + last_action[1]] = 1


@rule
def observe(chosen, last_action, pot, alive, sizes, observation, mask, lo, hi):
    """Show both players the last moves and the pot's level in binary, lowest bit first."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        first = observation[copy, 0]
        write_moves(last_action[copy], first)
        left = pot[copy]
        for channel in range(4, first.shape[0]):
            first[channel] = left & 1
            left >>= 1
        other = observation[copy, 1]
        for channel in range(first.shape[0]):
            other[channel] = first[channel]
        rules.write_mask(alive[copy], sizes, mask[copy])


@rule
def label_all(chosen, last_action, pot, alive, truncated, label, lo, hi):
    """Say the same of both players where they are live or have just ended."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        played = last_action[copy, 0] >= 0
        both = last_action[copy, 0] + last_action[copy, 1]
        for player in range(label.shape[1]):
            row = label[copy, player]
            if not (alive[copy, player] or truncated[copy, player]):
                row[:] = False
                continue
            write_moves(last_action[copy], row)
            row[4] = played and both == 2 * CONTRIBUTE
            row[5] = played and both == 2 * WITHHOLD
            row[6] = played and both == CONTRIBUTE + WITHHOLD
            row[7] = pot[copy] == 0
            row[8] = pot[copy] > 0
            row[9] = pot[copy] > 0
            row[10] = row[5]


def label_fn(observation: Any) -> frozenset[str]:
    """Return the labels of an observation, flat or not.

    Raises
    ------
    ValueError
        If it is no observation of a dynamic public goods game: at least 5 numbers.
    """
    flat = np.asarray(observation).reshape(-1)
    if flat.size < 5:
        raise ValueError(
            f"an observation of this game has 4 numbers and the pot's bits, not {flat.size}."
        )
    moves = [name for name, set_ in zip(_MOVE_CHANNELS, flat.tolist(), strict=False) if set_]
    labels = {*moves, *({"pot_positive", "pot_nonempty"} if flat[4:].any() else {"pot_empty"})}
    if moves == [_MOVE_CHANNELS[0], _MOVE_CHANNELS[2]]:
        labels.add("both_contribute")
    elif moves == [_MOVE_CHANNELS[1], _MOVE_CHANNELS[3]]:
        labels |= {"both_withhold", "unsafe"}
    elif len(moves) == 2:
        labels.add("mixed_contributions")
    return frozenset(labels)


class DPGGMatrix(MatrixEnv):
    """The dynamic public goods game of two players, a PettingZoo `ParallelEnv`.

    Each round both players contribute (0) or withhold (1). The pot first pays out `payout_rate`
    of its value, half to each; a contributor pays `contribution_cost`. What is left shrinks by
    `decay`, then `alpha` times every contribution is added, up to `pot_cap`, and the sum is rounded
    to the nearest multiple of `pot_step`, halves up. So today's contributions pay from the next
    round on. Nothing is random.

    Both players observe the same 4 + `pot_bits` channels of 0 and 1, ``uint8``:
    `player_0_contribute`, `player_0_withhold`, `player_1_contribute`, `player_1_withhold` (the
    last moves; all 0 after a reset) and `pot_bit_0`, ...: the index of the pot's level in binary,
    lowest bit first. Its value is ``index * pot_step``; there are ``floor(pot_cap / pot_step) + 1``
    levels. The shape is ``(C,)``, or ``(1, 1, C)`` with ``flatten_observations=False``; `state()`
    is the same array. The observation holds all that the future depends on.

    An episode never terminates; it is truncated after `max_moves` rounds.

    `infos` holds `round`, `last_actions` (one's own first; None after a reset), `pot` (its value),
    `pot_idx`, `payout` (of the last round, to both together), `contributors` and, once a round
    was played, `pot_before`.

    Labels: the channels of the last moves; `both_contribute`, `mixed_contributions`, or
    `both_withhold` with `unsafe`; `pot_empty`, or `pot_positive` and `pot_nonempty`.

    The state tuple is ``(agents, last_actions, pot_idx, cum_rewards, rng_state)``.

    Parameters
    ----------
    num_agents
        2.
    max_moves
        Rounds per episode, at least 1.
    contribution_cost
        What a contribution costs.
    alpha
        What the pot gains from a contribution, per coin of it.
    payout_rate, decay
        Shares; clipped to 0..1.
    initial_pot, pot_cap
        Value of the pot at first, and at most; at least 0 (clipped).
    pot_step
        Value of a level of the pot, above 0.
    flatten_observations
        Whether observations are vectors.
    render_mode
        One of ``metadata["render_modes"]``, or None.
    seed
        Seed of the first reset that is given none.
    """

    simulation_class = DPGGSimulation
    simulation: DPGGSimulation
    label_fn = staticmethod(label_fn)
    contribution_cost: float
    alpha: float
    payout_rate: float
    decay: float
    initial_pot: float
    pot_cap: float
    pot_step: float

    @property
    def pot_levels(self) -> int:
        """Number of levels of the pot."""
        return self.simulation.pot_levels

    @property
    def pot_bits(self) -> int:
        """Number of channels that show the pot."""
        return self.simulation.pot_bits

    @property
    def _pot_idx(self) -> int:
        """Index of the pot's level."""
        return self.simulation.state.pot[0].item()
