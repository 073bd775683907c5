"""Inspection: an inspector decides whether to look, an inspectee whether to break the rules."""

from ecumene.matrix.env import MatrixEnv
from ecumene.matrix.simulation import numbers, two_players
from ecumene.matrix.table import Event, Game, TableSimulation, label_fn

GAME = Game(
    id="matrix/inspection-v0",
    moves=(("NotInspect", "Inspect"), ("Comply", "Violate")),
    action_names=("not_inspect_or_comply", "inspect_or_violate"),
    move_channels=(
        "inspector_notinspect",
        "inspector_inspect",
        "inspectee_comply",
        "inspectee_violate",
    ),
    outcome_labels={
        (0, 0): ("notinspect_comply",),
        (0, 1): ("notinspect_violate", "violation", "undetected_violation", "unsafe"),
        (1, 0): ("inspect_comply",),
        (1, 1): ("inspect_violate", "violation", "detected_violation"),
    },
    event=Event("undetected", "undetected_violation", (0, 1)),
)


class InspectionSimulation(TableSimulation):
    """Copies of the repeated inspection game; see `InspectionMatrix`."""

    def __init__(
        self,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        num_agents: int = 2,
        max_moves: int = 200,
        b: float = 5.0,
        f: float = 10.0,
        c: float = 2.0,
        h: float = 4.0,
        v: float = 3.0,
        flatten_observations: bool = True,
    ) -> None:
        two_players(num_agents)
        payoffs = numbers({"b": b, "f": f, "c": c, "h": h, "v": v})
        b, f, c, h, v = payoffs.values()
        inspector = [[0.0, -h], [-c, v - c]]
        inspectee = [[0.0, b], [0.0, -f]]
        parameters = {
            "num_agents": num_agents,
            "max_moves": max_moves,
            **payoffs,
            "flatten_observations": flatten_observations,
        }
        super().__init__(copies, num_threads, GAME, (inspector, inspectee), parameters)


class InspectionMatrix(MatrixEnv):
    """The repeated inspection game of two players, a PettingZoo `ParallelEnv`.

    ======================  =====================  ======================
    player_0, inspector     player_1 complies (0)  player_1 violates (1)
    ======================  =====================  ======================
    does not inspect (0)    0, 0                   -h, b: undetected
    inspects (1)            -c, 0                  v - c, -f
    ======================  =====================  ======================

    Both players observe the same five channels of 0 and 1, ``uint8``: `inspector_notinspect`,
    `inspector_inspect`, `inspectee_comply`, `inspectee_violate` (the last moves; all 0 after a
    reset) and `undetected_violation`. The shape is ``(5,)``, or ``(1, 1, 5)`` with
    ``flatten_observations=False``; `state()` is the same array. Nothing is random.

    An episode never terminates; it is truncated after `max_moves` rounds.

    `infos` holds `round`, `last_actions` (one's own first; None after a reset), `undetected`, and
    once a round was played `outcome`, such as ``"NotInspect-Violate"`` (the inspector first).

    Labels: the channels of the last moves; `notinspect_comply`, `notinspect_violate`,
    `inspect_comply` or `inspect_violate`; `violation` with either violation,
    `detected_violation` with an inspected one, `undetected_violation` and `unsafe` with the other.

    The state tuple is ``(agents, last_actions, last_undetected, cum_rewards, rng_state)``.

    Parameters
    ----------
    num_agents
        2.
    max_moves
        Rounds per episode, at least 1.
    b
        Gain of the inspectee from an undetected violation.
    f
        Fine for a detected one.
    c
        Cost of an inspection.
    h
        Harm that an undetected violation does to the inspector.
    v
        Value of a detected violation to the inspector. All are finite numbers.
    flatten_observations
        Whether observations are vectors.
    render_mode
        One of ``metadata["render_modes"]``, or None.
    seed
        Seed of the first reset that is given none.
    """

    simulation_class = InspectionSimulation
    label_fn = staticmethod(label_fn(GAME))
    b: float
    f: float
    c: float
    h: float
    v: float
