"""Chicken: two players race at each other; who swerves loses face, if nobody does they crash."""

from ecumene.matrix.env import MatrixEnv
from ecumene.matrix.simulation import numbers, two_players
from ecumene.matrix.table import Event, Game, TableSimulation, label_fn, symmetric_payoffs

GAME = Game(
    id="matrix/chicken-v0",
    moves=(("Swerve", "Straight"), ("Swerve", "Straight")),
    action_names=("swerve", "straight"),
    move_channels=(
        "player_0_swerve",
        "player_0_straight",
        "player_1_swerve",
        "player_1_straight",
    ),
    outcome_labels={
        (0, 0): ("swerve_swerve",),
        (0, 1): ("swerve_straight",),
        (1, 0): ("straight_swerve",),
        (1, 1): ("straight_straight", "crash", "unsafe"),
    },
    event=Event("crash", "crash", (1, 1)),
)


class ChickenSimulation(TableSimulation):
    """Copies of repeated Chicken; see `ChickenMatrix` for the game and its parameters."""

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        num_agents: int = 2,
        max_moves: int = 200,
        T: float = 3.0,  # noqa: N803
        R: float = 2.0,  # noqa: N803
        S: float = 1.0,  # noqa: N803
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


class ChickenMatrix(MatrixEnv):
    """Repeated Chicken for two players, a PettingZoo `ParallelEnv`.

    ============  =======================  ==========================
    player_0      player_1 swerves (0)     player_1 goes straight (1)
    ============  =======================  ==========================
    swerves (0)   R, R                     S, T
    straight (1)  T, S                     P, P: a crash
    ============  =======================  ==========================

    Both players observe the same five channels of 0 and 1, ``uint8``: `player_0_swerve`,
    `player_0_straight`, `player_1_swerve`, `player_1_straight` (the last moves; all 0 after a
    reset) and `crash`. The shape is ``(5,)``, or ``(1, 1, 5)`` with
    ``flatten_observations=False``; `state()` is the same array. Nothing is random.

    An episode never terminates; it is truncated after `max_moves` rounds.

    `infos` holds `round`, `last_actions` (one's own first; None after a reset), `crash`, and
    once a round was played `outcome`, such as ``"Straight-Swerve"`` (player_0 first).

    Labels: the channels of the last moves; `swerve_swerve`, `swerve_straight`,
    `straight_swerve` or `straight_straight`; after a crash `crash` and `unsafe`.

    The state tuple is ``(agents, last_actions, last_crash, cum_rewards, rng_state)``.

    Parameters
    ----------
    num_agents
        2.
    max_moves
        Rounds per episode, at least 1.
    T, R, S, P
        Payoffs: temptation, reward, sucker's payoff, punishment. Any finite numbers.
    flatten_observations
        Whether observations are vectors.
    render_mode
        One of ``metadata["render_modes"]``, or None.
    seed
        Seed of the first reset that is given none.
    """

    simulation_class = ChickenSimulation
    label_fn = staticmethod(label_fn(GAME))
    T: float
    R: float
    S: float
    P: float
