"""Payments by rank: what the skill of each rank is worth on average."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.foundation.base.errors import ensure

SAMPLES = 100_000


def build_component(environment: Any, purpose: str) -> Any:
    """Return the Build component, which must draw skills from the Pareto distribution."""
    build = next((each for each in environment.components if each.name == "Build"), None)
    ensure(
        build is not None and build.skill_dist == "pareto",
        f'{purpose} needs the component Build with skill_dist "pareto".',
    )
    return build


def ranked_payments(build: Any, n_agents: int, draws: Any) -> NDArray[np.float64]:
    """Return the expected payment of each rank, ascending.

    Parameters
    ----------
    build
        The Build component.
    n_agents
        Number of ranks.
    draws
        `numpy.random` or a `RandomState`, from which 100,000 societies are drawn.
    """
    most = build.payment_max_skill_multiplier
    samples = draws.pareto(4, size=(SAMPLES, n_agents))
    rates = np.sort(np.minimum(most, (most - 1) * samples + 1), axis=1)
    return build.payment * rates.mean(axis=0)


def corner_places(n_agents: int, height: int, width: int) -> list[tuple[int, int]]:
    """Return a place per rank: quarters of the ranks fill the four corners.

    The least skilled start top right, then bottom left, top left, and bottom right.
    """
    filled = [0, 0, 0, 0]
    places = []
    for rank in range(n_agents):
        corner = int(rank * (4 / n_agents))
        down, across = divmod(filled[corner], 4)
        filled[corner] += 1
        r = down if corner in (0, 2) else height - 1 - down
        c = across if corner in (1, 2) else width - 1 - across
        places.append((r, c))
    return places
