"""Chicken: two players race at each other; who swerves loses face, if nobody does they crash."""

from ecumene.engine import check
from ecumene.matrix.bimatrix import BimatrixEnv, BimatrixSimulation, Game

GAME = Game(
    id="matrix/chicken-v0",
    moves=(("Swerve", "Straight"), ("Swerve", "Straight")),
    action_names=("swerve", "straight"),
    channel_names=(
        "player_0_swerve",
        "player_0_straight",
        "player_1_swerve",
        "player_1_straight",
        "crash",
    ),
    event="crash",
    event_at=(1, 1),
)


class ChickenSimulation(BimatrixSimulation):
    """Copies of repeated Chicken; see `ChickenMatrix` for the game and its parameters."""

    game = GAME

    @classmethod
    def page(cls) -> type:
        """See `Simulation.page`."""
        return ChickenMatrix

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
        given = {"T": T, "R": R, "S": S, "P": P}
        payoffs = {name: check.number(name, payoff) for name, payoff in given.items()}
        t, r, s, p = payoffs.values()
        rows = [[r, s], [t, p]]
        columns = [[r, t], [s, p]]
        parameters = {
            "num_agents": num_agents,
            "max_moves": max_moves,
            **payoffs,
            "flatten_observations": flatten_observations,
        }
        super().__init__(copies, num_threads, (rows, columns), parameters)


class ChickenMatrix(BimatrixEnv):
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

    Parameters
    ----------
    num_agents
        2.
    max_moves
        Rounds per episode, at least 1.
    T, R, S, P
        Payoffs: temptation, reward, sucker's payoff, punishment. Any numbers.
    flatten_observations
        Whether observations are vectors.
    render_mode
        None.
    seed
        Seed of the first reset that is given none.
    """

    def __init__(
        self,
        *,
        num_agents: int = 2,
        max_moves: int = 200,
        T: float = 3.0,  # noqa: N803
        R: float = 2.0,  # noqa: N803
        S: float = 1.0,  # noqa: N803
        P: float = 0.0,  # noqa: N803
        flatten_observations: bool = True,
        render_mode: str | None = None,
        seed: int | None = None,
    ) -> None:
        simulation = ChickenSimulation(
            num_agents=num_agents,
            max_moves=max_moves,
            T=T,
            R=R,
            S=S,
            P=P,
            flatten_observations=flatten_observations,
        )
        super().__init__(simulation, render_mode, seed)
        self.T, self.R, self.S, self.P = (simulation.spec.parameters[name] for name in "TRSP")
        self.max_moves = simulation.horizon
