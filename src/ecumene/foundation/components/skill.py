"""Distributions from which components draw skills."""

from typing import Any

from ecumene.foundation.base.parameters import choice

NONE, PARETO, LOGNORMAL = 0, 1, 2
_BY_NAME = {"none": NONE, "pareto": PARETO, "lognormal": LOGNORMAL}


def skill_distribution(skill_dist: Any) -> tuple[str, int]:
    """Return the name, in lower case, and the number of a distribution."""
    name = choice(
        "skill_dist", skill_dist.lower() if isinstance(skill_dist, str) else skill_dist, _BY_NAME
    )
    return name, _BY_NAME[name]
