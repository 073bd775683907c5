"""Bertrand competition: two sellers set a high or a low price; two low ones are a price war."""

from ecumene.matrix.env import MatrixEnv
from ecumene.matrix.simulation import numbers, two_players
from ecumene.matrix.table import Event, Game, TableSimulation, label_fn, symmetric_payoffs

GAME = Game(
    id="matrix/bertrand-v0",
    moves=(("High", "Low"), ("High", "Low")),
    action_names=("high", "low"),
    move_channels=("player_0_high", "player_0_low", "player_1_high", "player_1_low"),
    outcome_labels={
        (0, 0): ("high_high", "collusion"),
        (0, 1): ("high_low",),
        (1, 0): ("low_high",),
        (1, 1): ("low_low", "price_war", "unsafe"),
    },
    event=Event("war", "price_war", (1, 1)),
)


class BertrandSimulation(TableSimulation):
    """Copies of repeated Bertrand competition; see `BertrandMatrix`."""

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        num_agents: int = 2,
        max_moves: int = 200,
        T: float = 8.0,  # noqa: N803
        R: float = 5.0,  # noqa: N803
        S: float = 0.0,  # noqa: N803
        P: float = 0.0,  # noqa: N803
        flatten_observations: bool = True,
    ) -> None:
        two_players(num_agents)
        payoffs = numbers({"T": T, "R": R, "S": S, "P": P})
        parameters = {
            "num_agents": num_agents,
            "max_moves": max_moves,
            **payoffs,
            "flatten_observations": flatten_observations,
        }
        table = symmetric_payoffs(*payoffs.values())
        super().__init__(copies, num_threads, GAME, table, parameters)


class BertrandMatrix(MatrixEnv):
    """Repeated Bertrand competition of two sellers, a PettingZoo `ParallelEnv`.

    ========  =======================  ==========================
    player_0  player_1 sells high (0)  player_1 sells low (1)
    ========  =======================  ==========================
    high (0)  R, R                     S, T
    low (1)   T, S                     P, P: a price war
    ========  =======================  ==========================

    Both players observe the same five channels of 0 and 1, ``uint8``: `player_0_high`,
    `player_0_low`, `player_1_high`, `player_1_low` (the last moves; all 0 after a reset) and
    `price_war`. The shape is ``(5,)``, or ``(1, 1, 5)`` with ``flatten_observations=False``;
    `state()` is the same array. Nothing is random.

    An episode never terminates; it is truncated after `max_moves` rounds.

    `infos` holds `round`, `last_actions` (one's own first; None after a reset), `war`, and once a
    round was played `outcome`, such as ``"High-Low"`` (player_0 first).

    Labels: the channels of the last moves; `high_high` with `collusion`, `high_low`, `low_high`
    or `low_low`; in a price war `price_war` and `unsafe`.

    The state tuple is ``(agents, last_actions, last_war, cum_rewards, rng_state)``.

    Parameters
    ----------
    num_agents
        2.
    max_moves
        Rounds per episode, at least 1.
    T, R, S, P
        Payoffs: of undercutting, of both selling high, of being undercut, of a price war. Any
        finite numbers.
    flatten_observations
        Whether observations are vectors.
    render_mode
        One of ``metadata["render_modes"]``, or None.
    seed
        Seed of the first reset that is given none.
    """

    simulation_class = BertrandSimulation
    label_fn = staticmethod(label_fn(GAME))
    T: float
    R: float
    S: float
    P: float
