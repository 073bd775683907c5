"""The tables in which a run's results are shown."""

import math
import re
from collections.abc import Iterable, Sequence

from rich.console import RenderableType
from rich.table import Table

from ecumene.engine import Spec
from ecumene.record import Rollout, Statistics, Tally, return_name

AGENTS_SHOWN_APART = 12
METRICS_SHOWN_APART = 40

Row = tuple[str, list[str]]  # what it is called, and the quantities that it pools
Column = tuple[str, list[str]]  # heading and cells


def results_table(rollout: Rollout, width: int) -> list[RenderableType]:
    """Return a table with one line per quantity: over all episodes, and for the first ones.

    Parameters
    ----------
    rollout
        With at least one ended episode.
    width
        Characters per line; decides how many single episodes are shown.
    """
    spec = rollout.simulation.spec
    rows = [("length", ["length"]), *_return_rows(spec), *_metric_rows(rollout.overall, spec)]
    titles = [title for title, _ in rows]
    overall = [pool(rollout.overall, names) for _, names in rows]
    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = [("", titles)]
    columns += [
        (heading, [format_number(getattr(each, heading)) for each in overall])
        for heading in ("mean", "spread", "least", "most")
    ]
    apart = _episode_columns(rollout, rows, width - sum(map(_width, columns)))
    for heading, cells in [*columns, *apart]:
        justify = "left" if cells is titles else "right"
        table.add_column(heading, justify=justify, no_wrap=True)
    for cells in zip(*(cells for _, cells in [*columns, *apart]), strict=True):
        table.add_row(*cells)
    return [table, *_notes(rollout, len(apart))]


def _episode_columns(rollout: Rollout, rows: Sequence[Row], room: int) -> list[Column]:
    """Return columns for the first episodes, as many as there is room for, at least one."""
    columns: list[Column] = []
    if rollout.episodes == 1:
        return columns
    for i, tally in enumerate(rollout.by_episode):
        cells = [format_number(pool(tally, names).mean) for _, names in rows]
        column = (f"episode {i}", cells)
        room -= _width(column)
        if not tally.names or (columns and room < 0):
            break
        columns.append(column)
    return columns


def _width(column: Column) -> int:
    heading, cells = column
    return max(map(len, [heading, *cells])) + 2


def _notes(rollout: Rollout, apart: int) -> list[str]:
    notes = []
    copies = rollout.simulation.copies
    if apart and copies > 1:
        notes.append(f"An episode's column is the mean over the copies ({copies:,}).")
    begun = min(rollout.episodes, int(rollout.episode.max()))
    if apart and begun > apart:
        notes.append(f"Later episodes ({apart} to {begun - 1}) are counted but not shown apart.")
    return notes


def _return_rows(spec: Spec) -> list[Row]:
    if len(spec.agents) <= AGENTS_SHOWN_APART:
        return [(return_name(agent), [return_name(agent)]) for agent in spec.agents]
    return [
        (
            f"return of {group.name} ({len(group.agents):,})",
            [return_name(agent) for agent in group.agents],
        )
        for group in spec.groups
    ]


def _metric_rows(tally: Tally, spec: Spec) -> list[Row]:
    others = {"length", *map(return_name, spec.agents)}
    names = [name for name in tally.names if name not in others]
    if len(names) <= METRICS_SHOWN_APART:
        return [(name, [name]) for name in names]
    pooled: dict[str, list[str]] = {}
    for name in names:
        pooled.setdefault(re.sub(r"(?<![^/])\d+(?![^/])", "*", name), []).append(name)
    return list(pooled.items())


def pool(tally: Tally, names: Iterable[str]) -> Statistics:
    """Return the statistics of several quantities taken as one."""
    parts = [tally[name] for name in names if name in tally]
    return pooled([part for part in parts if part.n])


def pooled(parts: Sequence[Statistics]) -> Statistics:
    """Join the statistics of disjoint sets of values."""
    count = sum(part.n for part in parts)
    if count == 0:
        return Statistics(0, math.nan, math.nan, math.nan, math.nan)
    mean = sum(part.n * part.mean for part in parts) / count
    square = sum(part.n * (part.spread**2 + (part.mean - mean) ** 2) for part in parts) / count
    least, most = min(part.least for part in parts), max(part.most for part in parts)
    return Statistics(count, mean, math.sqrt(square), least, most)


def format_number(value: float) -> str:
    """Write a number in at most nine characters or so; NaN (nothing to tell) as a dash."""
    if math.isnan(value):
        return "-"
    if 1000 <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.4g}"
