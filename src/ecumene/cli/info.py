"""`ecumene list` and `ecumene info`: which worlds there are, and what one is made of."""

import inspect
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from rich.console import Group as Stack
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from ecumene.api.registration import find, make_simulation, registry
from ecumene.engine import EcumeneError, Group, Simulation

_NAMES_SHOWN = 8


def worlds_table() -> Table:
    """Return a table of the registered worlds with the first line of their documentation."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for world in sorted(registry):
        table.add_row(f"[bold]{world}[/]", escape(first_line(documented(world))))
    return table


def world_page(world: str, parameters: Mapping[str, Any]) -> RenderableType:
    """Return a page about one world, made with the given parameters.

    A world that cannot be made with them is shown by its parameters alone, and why.
    """
    page: list[RenderableType] = [
        f"[bold]{world}[/]  {escape(first_line(documented(world)))}",
        "",
    ]
    try:
        simulation = make_simulation(world, **parameters)
    except EcumeneError as error:
        if parameters:
            raise
        page += [f"Agents and spaces depend on parameters: {escape(str(error))}", ""]
    else:
        page += _pages_of_groups(simulation)
        simulation.close()
    page += ["[bold]Parameters[/]", _parameters_table(world)]
    return Stack(*page)


def _pages_of_groups(simulation: Simulation) -> list[RenderableType]:
    page: list[RenderableType] = [f"An episode has at most {simulation.spec.horizon:,} steps.", ""]
    for group in simulation.spec.groups:
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for name, text in _facts(group):
            table.add_row(name, escape(text))
        page += [f"[bold]Group {group.name}[/]", table, ""]
    return page


def _facts(group: Group) -> Iterable[tuple[str, str]]:
    yield "agents", f"{len(group.agents)}: {shortened(group.agents)}"
    space = group.observation_space
    if isinstance(space, spaces.Dict):
        for name, part in space.items():
            yield f"observes {name}", describe_space(part)
    else:
        yield "observes", describe_space(space)
    if group.channel_names:
        yield "channels", _numbered(group.channel_names)
    yield "acts", describe_space(group.action_space)
    if group.action_names:
        yield "actions", _action_names(group)


def _action_names(group: Group) -> str:
    parts, first = [], 0
    for size in group.action_sizes:
        parts.append(_numbered(group.action_names[first : first + size]))
        first += size
    return "; ".join(parts)


def _numbered(names: Iterable[str]) -> str:
    return ", ".join(f"{i} {name}" for i, name in enumerate(names))


def shortened(names: tuple[str, ...]) -> str:
    """List names, only the first and last where there are many."""
    if len(names) <= _NAMES_SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[:3])}, ..., {names[-1]}"


def describe_space(space: spaces.Space[Any]) -> str:
    """Describe a space in one line: kind, shape, dtype and bounds."""
    if not isinstance(space, spaces.Box):
        return str(space)
    low, high = np.min(space.low), np.max(space.high)
    return f"{space.dtype}{list(space.shape)} in {low:g}..{high:g}"


def _parameters_table(world: str) -> Table:
    registration = find(world)
    texts = parameter_docs(documented(world))
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(style="dim", overflow="fold")
    table.add_column(overflow="fold")
    for name, parameter in registration.parameters().items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        default = registration.defaults.get(name, parameter.default)
        shown = "needed" if default is inspect.Parameter.empty else repr(default)
        table.add_row(name, escape(shown), escape(texts.get(name, "")))
    return table


def documented(world: str) -> type:
    """Return the class whose docstring is the page about a world.

    That is the simulation, unless the first line of its docstring says "see `Name`": then the
    class of that name in the same module.
    """
    simulation = find(world).load()
    other = re.search(r"\bsee `(\w+)`", inspect.getdoc(simulation) or "")
    module = sys.modules[simulation.__module__]
    return getattr(module, other[1], simulation) if other else simulation


def first_line(thing: object) -> str:
    """Return the first line of an object's documentation."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def parameter_docs(page: type) -> dict[str, str]:
    """Return the first sentence about each parameter in the NumPy-style docstrings of a class.

    Base classes are read too, the nearest one wins.
    """
    found: dict[str, str] = {}
    for each in page.__mro__:
        for name, text in _documented_parameters(inspect.cleandoc(each.__doc__ or "")):
            found.setdefault(name, text)
    return found


def _documented_parameters(text: str) -> Iterable[tuple[str, str]]:
    section = re.search(
        r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+$|\Z)", text, re.DOTALL | re.MULTILINE
    )
    if section is None:
        return
    for entry in re.split(r"\n(?=\S)", section[1].strip("\n")):
        heading, _, body = entry.partition("\n")
        sentence = re.match(r".*?\.(?=\s|$)|.*", " ".join(body.split()))
        for name in re.split(r"\s*,\s*", heading.partition(" :")[0]):
            yield name, sentence[0] if sentence else ""
