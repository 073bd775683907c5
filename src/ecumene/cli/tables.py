"""The tables in which a run's results are shown."""

import math
import re
from collections.abc import Callable, Iterable, Sequence

from rich.console import RenderableType
from rich.table import Table

from ecumene.engine import Spec
from ecumene.record import Rollout, Statistics, Tally, return_name
from ecumene.wrappers.watch import cost_name

AGENTS_SHOWN_APART = 12
METRICS_SHOWN_APART = 40
NOISE = 1e-10  # of the largest number in its line, a number this small is a rounding error

Row = tuple[str, list[str]]  # what it is called, and the quantities that it pools
Column = tuple[str, list[str]]  # heading and cells
PerAgent = dict[str, dict[str, str]]  # metric with a * for the agent -> agent -> metric


def results_table(rollout: Rollout, width: int, all_metrics: bool = False) -> list[RenderableType]:
    """Return tables of all episodes, and notes on them.

    The first table has a line per quantity, with columns for all episodes together and for the
    first ones. Metrics of single agents (such as ``endow/0/Coin``) have a table of their own, a
    column per agent; where that has no room they are pooled by group.

    Parameters
    ----------
    rollout
        With at least one ended episode.
    width
        Characters per line; decides how many columns are shown.
    all_metrics
        Show every metric in a line of its own instead.
    """
    spec = rollout.simulation.spec
    metrics = _metrics(rollout.overall, spec)
    rows = [("length", ["length"]), *_rows_of_agents("return", return_name, spec)]
    if cost_name(spec.agents[0]) in rollout.overall:
        rows += _rows_of_agents("cost", cost_name, spec)
    if all_metrics:
        return _summary(rollout, [*rows, *((name, [name]) for name in metrics)], width)
    per_agent = _per_agent(metrics, spec)
    folded = {name for names in per_agent.values() for name in names.values()}
    rows += _pooled_by_number([name for name in metrics if name not in folded])
    columns = _agent_columns(rollout.overall, per_agent, spec)
    if len(spec.agents) > AGENTS_SHOWN_APART or sum(map(_width, columns)) > width:
        return _summary(rollout, [*rows, *_pooled_by_group(per_agent, spec)], width)
    parts = _summary(rollout, rows, width)
    return [*parts, "", _table(columns), _ALL_METRICS] if per_agent else parts


_ALL_METRICS = "With --all-metrics, spread and extremes of these are shown, too."


def _summary(rollout: Rollout, rows: Sequence[Row], width: int) -> list[RenderableType]:
    titles = [title for title, _ in rows]
    overall = [pool(rollout.overall, names) for _, names in rows]
    scales = [max(abs(each.least), abs(each.most)) for each in overall]
    columns = [("", titles)]
    columns += [
        (heading, _numbers([getattr(each, heading) for each in overall], scales))
        for heading in ("mean", "spread", "least", "most")
    ]
    apart = _episode_columns(rollout, rows, scales, width - sum(map(_width, columns)))
    return [_table([*columns, *apart]), *_notes(rollout, len(apart))]


def _table(columns: Sequence[Column]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, (heading, _) in enumerate(columns):
        table.add_column(heading, justify="right" if i else "left", no_wrap=True)
    for cells in zip(*(cells for _, cells in columns), strict=True):
        table.add_row(*cells)
    return table


def _episode_columns(
    rollout: Rollout, rows: Sequence[Row], scales: Sequence[float], room: int
) -> list[Column]:
    """Return columns for the first episodes, as many as there is room for, at least one."""
    columns: list[Column] = []
    if rollout.episodes == 1:
        return columns
    for i, tally in enumerate(rollout.by_episode):
        cells = _numbers([pool(tally, names).mean for _, names in rows], scales)
        column = (f"episode {i}", cells)
        room -= _width(column)
        if not tally.names or (columns and room < 0):
            break
        columns.append(column)
    return columns


def _width(column: Column) -> int:
    heading, cells = column
    return max(map(len, [heading, *cells])) + 2


def _notes(rollout: Rollout, apart: int) -> list[RenderableType]:
    notes: list[RenderableType] = []
    copies = rollout.simulation.copies
    if apart and copies > 1:
        notes.append(f"An episode's column is the mean over the copies ({copies:,}).")
    begun = min(rollout.episodes, int(rollout.episode.max()))
    if apart and begun > apart:
        last = "" if begun == apart + 1 else f" to {begun - 1}"
        notes.append(f"Later episodes ({apart}{last}) are counted but not shown apart.")
    return notes


def _rows_of_agents(what: str, name_of: Callable[[str], str], spec: Spec) -> list[Row]:
    if len(spec.agents) <= AGENTS_SHOWN_APART:
        return [(name_of(agent), [name_of(agent)]) for agent in spec.agents]
    return [
        (
            f"{what} of {group.name} ({len(group.agents):,})",
            [name_of(agent) for agent in group.agents],
        )
        for group in spec.groups
    ]


def _metrics(tally: Tally, spec: Spec) -> list[str]:
    others = {"length", *map(return_name, spec.agents), *map(cost_name, spec.agents)}
    return [name for name in tally.names if name not in others]


def _per_agent(metrics: Iterable[str], spec: Spec) -> PerAgent:
    """Find the metrics one part of whose name, between slashes, is the name of an agent."""
    found: PerAgent = {}
    for name in metrics:
        parts = name.split("/")
        agents = [part for part in parts if part in spec.place]
        if len(agents) == 1:
            pattern = "/".join("*" if part in spec.place else part for part in parts)
            found.setdefault(pattern, {})[agents[0]] = name
    return found


def _agent_columns(tally: Tally, per_agent: PerAgent, spec: Spec) -> list[Column]:
    columns: list[Column] = [("mean per agent", list(per_agent))]
    for agent in spec.agents:
        owned = [[names[agent]] if agent in names else [] for names in per_agent.values()]
        columns.append((agent, [format_number(pool(tally, names).mean) for names in owned]))
    return columns


def _pooled_by_group(per_agent: PerAgent, spec: Spec) -> list[Row]:
    rows = []
    for pattern, names in per_agent.items():
        for group in spec.groups:
            members = [names[agent] for agent in group.agents if agent in names]
            if members:
                rows.append((f"{pattern} of {group.name} ({len(members):,})", members))
    return rows


def _pooled_by_number(names: Sequence[str]) -> list[Row]:
    """Return a row per metric, or where there are many, a row per name without its numbers."""
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


def _numbers(values: Sequence[float], scales: Sequence[float]) -> list[str]:
    pairs = zip(values, scales, strict=True)
    return [format_number(0.0 if abs(value) < NOISE * scale else value) for value, scale in pairs]


def format_number(value: float) -> str:
    """Write a number in at most nine characters or so; NaN (nothing to tell) as a dash."""
    if math.isnan(value):
        return "-"
    if 1000 <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.4g}"
