"""The subcommands of `ecumene` and their flags."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ecumene.cli.options import RunFile, RunOptions, parse_parameters

app = typer.Typer(
    help="Fast worlds with many agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_World = Annotated[str, typer.Argument(help="Id of a world; `ecumene list` shows all.")]
_Parameters = Annotated[
    list[str] | None,
    typer.Option("-p", "--parameter", metavar="KEY=VALUE", help="A parameter; the value is YAML."),
]


def _show_version(wanted: bool) -> None:
    if wanted:
        from ecumene import __version__

        typer.echo(f"ecumene {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Fast worlds with many agents."""


@app.command("run")
def run_command(
    world: Annotated[
        str, typer.Argument(metavar="WORLD_OR_YAML", help="Id of a world, or a YAML file.")
    ],
    policy: Annotated[
        str | None, typer.Option(help="random, noop or module:function. [default: random]")
    ] = None,
    copies: Annotated[
        int | None, typer.Option(min=1, help="Copies of the world. [default: 1]")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Most threads. [default: all processors]")
    ] = None,
    episodes: Annotated[
        int | None, typer.Option(min=1, help="Episodes of each copy. [default: 1]")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Copy k has seed + k. [default: a fresh one]")
    ] = None,
    parameter: _Parameters = None,
    log: Annotated[
        str | None, typer.Option(metavar="FILE", help="Parquet: a row per copy, step and agent.")
    ] = None,
    dense_log: Annotated[
        str | None, typer.Option(metavar="FILE", help="JSON dense log of copy 0's last episode.")
    ] = None,
    replay: Annotated[
        str | None, typer.Option(metavar="FILE", help="Replay of copy 0; see `ecumene replay`.")
    ] = None,
    all_metrics: Annotated[
        bool | None, typer.Option("--all-metrics", help="Show every metric in a line of its own.")
    ] = None,
    labels: Annotated[
        bool | None, typer.Option("--labels", help="Count costs and violations, too.")
    ] = None,
    shield: Annotated[
        int | None, typer.Option(min=0, metavar="LEVEL", help="Correct unsafe joint actions.")
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Harm that the shield lets through. [default: 0]"),
    ] = None,
) -> int:
    """Play episodes and tell what happened.

    A YAML file has the same options as keys (`world`, `parameters`, `policy`, `copies`, `threads`,
    `episodes`, `seed`, `log`, `dense_log`, `replay`, `all_metrics`, `labels`, `shield`, `delta`);
    flags overrule it. A shield of level k lets a joint action through if nobody is unsafe after it
    and none has to be for k - 1 further steps.
    """
    from ecumene.cli.run import run

    flags = {
        "policy": policy,
        "copies": copies,
        "threads": threads,
        "episodes": episodes,
        "seed": seed,
        "log": log,
        "dense_log": dense_log,
        "replay": replay,
        "all_metrics": all_metrics,
        "labels": labels,
        "shield": shield,
        "delta": delta,
    }
    given: dict[str, Any] = {name: value for name, value in flags.items() if value is not None}
    file = RunFile(Path(world)) if _is_yaml(world) else None
    options = RunOptions(world=world) if file is None else file.options
    given["parameters"] = options.parameters | parse_parameters(parameter or [])
    folder = Path() if file is None or policy is not None else Path(world).parent
    return run(options.model_copy(update=given), folder, Console(highlight=False), file)


def _is_yaml(text: str) -> bool:
    return text.lower().endswith((".yaml", ".yml")) or Path(text).is_file()


@app.command("play")
def play_command(
    world: _World,
    agent: Annotated[str | None, typer.Option(help="Whom you play. [default: the first]")] = None,
    others: Annotated[str, typer.Option(help="random, noop or module:function.")] = "random",
    seed: Annotated[int | None, typer.Option(min=0, help="[default: a fresh one]")] = None,
    parameter: _Parameters = None,
) -> int:
    """Play one agent of a world in the terminal; the keys are shown, q ends the game."""
    from ecumene.cli.play import play

    parameters = parse_parameters(parameter or [])
    return play(world, parameters, agent, others, seed, Console(highlight=False))


@app.command("replay")
def replay_command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What `ecumene run --replay FILE` wrote.")
    ],
) -> int:
    """Play a recorded run again and check that every state is the recorded one.

    Exits with 1 and names the first step that differs, if one does.
    """
    from ecumene.cli.replay import show_replay

    return show_replay(file, Console(highlight=False))


@app.command("list")
def list_command() -> None:
    """List the worlds."""
    from ecumene.cli.info import worlds_table

    Console(highlight=False).print(worlds_table())


@app.command("info")
def info_command(world: _World, parameter: _Parameters = None) -> None:
    """Show a world's agents, spaces, actions, channels and parameters."""
    from ecumene.cli.info import world_page

    Console(highlight=False).print(world_page(world, parse_parameters(parameter or [])))


@app.command("bench")
def bench_command(
    world: _World,
    copies: Annotated[str, typer.Option(help="Numbers of copies.")] = "1,64,1024",
    threads: Annotated[str, typer.Option(help="Numbers of threads.")] = "1",
    seconds: Annotated[float, typer.Option(min=0.001, help="Length of a single run.")] = 0.5,
    runs: Annotated[int, typer.Option(min=1, help="Runs, of which the median is shown.")] = 5,
    parameter: _Parameters = None,
) -> None:
    """Measure how fast a world steps here, observations included.

    An env-step is one step of one copy; agent-steps count living agents. `us/step`, `bytes` (of
    observations and masks) and `floor us` are per env-step, `resets` is their share of the time.
    The floor is the time that copying as many bytes takes, measured in the same run; the gap is
    how many times longer the step takes. Choosing actions is not counted.
    """
    from ecumene.cli.bench import measure, parse_counts, speed_table

    speeds = measure(
        world,
        parse_parameters(parameter or []),
        parse_counts("--copies", copies),
        parse_counts("--threads", threads),
        seconds,
        runs,
    )
    console = Console(highlight=False)
    console.print(
        f"[bold]{world}[/]  random allowed actions; medians of {runs} runs of {seconds:g} s",
        soft_wrap=True,
    )
    console.print(speed_table(speeds))
