"""`ecumene replay`: play a recorded run again and tell whether it went the same way."""

import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ecumene.cli.tables import AGENTS_SHOWN_APART, format_number
from ecumene.record import ReplayedEpisode, ReplayMismatch, ReplayReport, replay

DIFFERS = 1
EPISODES_SHOWN_APART = 20


def show_replay(path: Path, console: Console) -> int:
    """Play a replay and print a summary; returns the exit code.

    0: every state is the recorded one. 1: one differs, and is named on standard error.
    """
    try:
        report = replay(path)
    except ReplayMismatch as error:
        print(f"ecumene: {error}", file=sys.stderr)
        return DIFFERS
    console.print(
        f"[bold]{report.world}[/]  copy 0 of a run, recorded by ecumene {report.ecumene}",
        soft_wrap=True,
    )
    console.print(
        f"{report.steps:,} steps in {_counted(len(report.episodes), 'episode')} played again: "
        "every state is the recorded one.",
        soft_wrap=True,
    )
    if report.episodes:
        console.print(_episodes_table(report))
    hidden = len(report.episodes) - EPISODES_SHOWN_APART
    if hidden > 0:
        console.print(f"Another {_counted(hidden, 'episode')} went as recorded, too.")
    return 0


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _episodes_table(report: ReplayReport) -> Table:
    agents = list(report.episodes[0].returns)
    table = Table(box=None, pad_edge=False, header_style="bold")
    headings = [f"return {agent}" for agent in agents]
    if len(agents) > AGENTS_SHOWN_APART:
        headings = [f"mean return of {len(agents):,}"]
    for heading in ("episode", "steps", *headings):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    for episode in report.episodes[:EPISODES_SHOWN_APART]:
        table.add_row(*_cells(episode, apart=len(headings) == len(agents)))
    return table


def _cells(episode: ReplayedEpisode, apart: bool) -> list[str]:
    returns = list(episode.returns.values())
    shown = returns if apart else [sum(returns) / len(returns)]
    return [
        f"{episode.number}",
        f"{episode.steps:,}",
        *map(format_number, shown),
        "" if episode.complete else "interrupted",
    ]
