"""`ecumene list` and `ecumene info`: which worlds there are, and what one is made of."""

import inspect
import re
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
_DEFAULT_WIDTH = 26


def worlds_table() -> Table:
    """Return a table of the registered worlds with the first line of their documentation."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for world in sorted(registry):
        table.add_row(f"[bold]{world}[/]", escape(_about(world)))
    return table


def world_page(world: str, parameters: Mapping[str, Any]) -> RenderableType:
    """Return a page about one world, made with the given parameters.

    A world that cannot be made with them is shown by its parameters alone, and why.
    """
    page: list[RenderableType] = [f"[bold]{world}[/]  {escape(_about(world))}", ""]
    parts: Mapping[str, type] = {}
    try:
        simulation = make_simulation(world, **parameters)
    except EcumeneError as error:
        if parameters:
            raise
        page += [f"Agents and spaces depend on parameters: {escape(str(error))}", ""]
    else:
        page += _pages_of_groups(simulation)
        parts = simulation.parts()
        simulation.close()
    page += ["[bold]Parameters[/]", _world_parameters(world)]
    for name, part in parts.items():
        page += ["", f"[bold]Parameters of {name}[/]  {escape(first_line(part))}"]
        page.append(_part_parameters(part))
    return Stack(*page)


def _pages_of_groups(simulation: Simulation) -> list[RenderableType]:
    page: list[RenderableType] = [f"An episode has at most {simulation.spec.horizon:,} steps.", ""]
    for group in simulation.spec.groups:
        page += [f"[bold]Group {group.name}[/]", _facts_table(_facts(group)), ""]
    if simulation.spec.propositions:
        page += [_facts_table([("labels", ", ".join(simulation.spec.propositions))]), ""]
    return page


def _facts_table(facts: Iterable[tuple[str, str]]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in facts:
        table.add_row(name, escape(text))
    return table


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


def _world_parameters(world: str) -> Table:
    registration = find(world)
    defaults = {
        name: registration.defaults.get(name, parameter.default)
        for name, parameter in registration.parameters().items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    }
    cls = registration.load()
    return _parameters_table(defaults, parameter_docs(cls) | parameter_docs(cls.page()))


def _part_parameters(part: type) -> Table:
    texts = parameter_docs(part)
    own = inspect.signature(part).parameters.values()
    keyword = inspect.Parameter.KEYWORD_ONLY
    return _parameters_table(
        {each.name: each.default for each in own if each.kind is keyword}, texts
    )


def _parameters_table(defaults: Mapping[str, Any], texts: Mapping[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(style="dim", overflow="fold", max_width=_DEFAULT_WIDTH)
    table.add_column(overflow="fold")
    for name, default in defaults.items():
        shown = "needed" if default is inspect.Parameter.empty else repr(default)
        table.add_row(name, escape(shown), escape(texts.get(name, "")))
    return table


def _about(world: str) -> str:
    return first_line(find(world).load().page())


def first_line(thing: object) -> str:
    """Return the first line of an object's documentation."""
    return _plain((inspect.getdoc(thing) or "").partition("\n")[0])


def _plain(text: str) -> str:
    """Return a text without the marks of literals."""
    return text.replace("``", "")


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
            yield name, _plain(sentence[0]) if sentence else ""
