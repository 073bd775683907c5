"""Distributions from which components draw skills."""

from typing import Any

from ecumene.foundation.base.errors import ensure

NONE, PARETO, LOGNORMAL = 0, 1, 2
_BY_NAME = {"none": NONE, "pareto": PARETO, "lognormal": LOGNORMAL}


def skill_distribution(skill_dist: Any) -> tuple[str, int]:
    """Return the name, in lower case, and the number of a distribution."""
    name = skill_dist.lower() if isinstance(skill_dist, str) else skill_dist
    ensure(
        isinstance(name, str) and name in _BY_NAME,
        f"skill_dist is one of {', '.join(_BY_NAME)}, not {skill_dist!r}.",
    )
    return name, _BY_NAME[name]
