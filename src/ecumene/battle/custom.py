"""A battle of one's own from plain numbers, texts, lists and dicts, as YAML files hold them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ecumene.battle import events
from ecumene.battle.definition import (
    TYPE_OPTIONS,
    AgentGroup,
    AgentType,
    Battle,
    Custom,
    Fill,
    Maze,
    Place,
    Random,
)
from ecumene.battle.events import Event, Reward, Symbol
from ecumene.battle.named import NamedSimulation, Settings
from ecumene.battle.ranges import Circle, Range, Sector
from ecumene.engine import InvalidParameter, check
from ecumene.engine.errors import near_match

_SYMBOL = re.compile(r"(?P<group>[^:*#]+)(?::(?P<label>.+)|(?P<all>\*)|#(?P<index>\d+))?")
_PAIRS = {"attack": events.Attack, "kill": events.Kill, "collide": events.Collide}
_JOINTS = {"and": events.And, "or": events.Or}
_EVENTS = (*_PAIRS, "at", "in", "die", "in_a_line", *_JOINTS, "not")


@dataclass(frozen=True, kw_only=True)
class CustomSettings(Settings):
    """A battle of one's own, described by plain numbers, texts, lists and dicts.

    An agent's actions are its moves (all cells within `speed`), with `turn_mode` two turns
    (clockwise and back), then its attacks (all cells of `attack_range` beyond its body), cells
    row by row from the top. What else holds is documented with the parts of which
    `ecumene.battle.definition.Battle` is built, which these parameters describe.

    Parameters
    ----------
    width, height
        Columns and rows of the map, with its border of walls.
    types
        Name -> options of `AgentType`; a range is ``{"circle": radius}`` or
        ``{"sector": [radius, angle]}``.
    groups
        List of ``{"name": ..., "type": ...}``, and if need be `team`, `controlled` and `colour`.
    places
        List of ``{"what": group or "walls", how: ...}``, where `how` is
        ``"custom": [[x, y], ...]``, ``"random": count``,
        ``"fill": {"position": [x, y], "size": [columns, rows]}`` or, for walls,
        ``"maze": width of the corridors``.
    rewards
        List of ``{"event": ..., "pays": {agent: value, ...}}``, and if need be `terminal`. An agent
        is ``"red"`` (any one of the group), ``"red:a"`` (the same, to tell several apart),
        ``"red#3"`` (one of them) or ``"red*"`` (all). An event is ``{"attack": [one, other]}``,
        likewise `kill` and `collide`; ``{"at": [agent, x, y]}``; ``{"in": [agent, [x, y],
        [x, y]]}``; ``{"die": agent}``; ``{"in_a_line": agent}``; ``{"and": [event, event]}``,
        likewise `or`; ``{"not": event}``.
    max_cycles
        Steps per episode.
    turn_mode, food_mode, minimap_mode, extra_features, embedding_size, unsafe
        See `Battle`.
    observations
        ``"float32"``; ``"uint8"``, see `ecumene.battle.compact`; or ``"none"``: on request only.
    rng
        ``"philox"``, or ``"minstd"``, with which recorded episodes replay.
    """

    world_id = "battle/custom-v0"

    width: int
    height: int
    types: Mapping[str, Mapping[str, Any]]
    groups: Sequence[Mapping[str, Any]]
    places: Sequence[Mapping[str, Any]]
    rewards: Sequence[Mapping[str, Any]] = ()
    max_cycles: int = 500
    turn_mode: bool = False
    food_mode: bool = False
    embedding_size: int = 0
    unsafe: str = "dead"

    def battle(self) -> Battle:
        """Return the battle that the parameters describe."""
        types = {name: _type(name, each) for name, each in _mapping("types", self.types).items()}
        return Battle(
            self.width,
            self.height,
            groups=tuple(_group(each, types) for each in _sequence("groups", self.groups)),
            places=tuple(_place(each) for each in _sequence("places", self.places)),
            rewards=tuple(_reward(each) for each in _sequence("rewards", self.rewards)),
            max_cycles=self.max_cycles,
            turn_mode=self.turn_mode,
            food_mode=self.food_mode,
            minimap_mode=self.minimap_mode,
            extra_features=self.extra_features,
            embedding_size=self.embedding_size,
            unsafe=self.unsafe,
        )


class CustomWorld(NamedSimulation):
    """Copies of the world; see `CustomSettings`."""

    settings = CustomSettings


def _mapping(name: str, given: Any, keys: Sequence[str] = ()) -> Mapping[str, Any]:
    """Return a mapping whose keys are among `keys` (none: any)."""
    if not isinstance(given, Mapping):
        raise InvalidParameter(f"{name} is a mapping, not {given!r}.")
    for key in given:
        if keys and key not in keys:
            raise InvalidParameter(
                f"{name} has no key {key!r}.{near_match(key, keys)} Keys: {', '.join(keys)}."
            )
    return given


def _sequence(name: str, given: Any, length: int | None = None) -> Sequence[Any]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidParameter(f"{name} is a list, not {given!r}.")
    if length is not None and len(given) != length:
        raise InvalidParameter(f"{name} is a list of {length}, not {given!r}.")
    return given


def _only(name: str, given: Any, keys: Sequence[str]) -> tuple[str, Any]:
    """Return key and value of a mapping of one entry."""
    entries = _mapping(name, given, keys)
    if len(entries) != 1:
        raise InvalidParameter(f"{name} has one of the keys {', '.join(keys)}, not {given!r}.")
    return next(iter(entries.items()))


def _required(name: str, given: Mapping[str, Any], *keys: str) -> tuple[Any, ...]:
    for key in keys:
        if key not in given:
            raise InvalidParameter(f"{name} needs `{key}`: {dict(given)!r} has none.")
    return tuple(given[key] for key in keys)


def _type(name: str, given: Any) -> AgentType:
    options = dict(_mapping(f"type {name!r}", given, TYPE_OPTIONS))
    for key in ("view_range", "attack_range"):
        if options.get(key) is not None:
            options[key] = _range(f"{key} of {name!r}", options[key])
    return AgentType(**options)


def _range(name: str, given: Any) -> Range:
    kind, size = _only(name, given, ("circle", "sector"))
    if kind == "circle":
        return Circle(size)
    return Sector(*_sequence(f"sector of {name}", size, 2))


def _group(given: Any, types: Mapping[str, AgentType]) -> AgentGroup:
    keys = ("name", "type", "team", "controlled", "colour")
    options = dict(_mapping("a group", given, keys))
    _, kind = _required("a group", options, "name", "type")
    if kind not in types:
        raise InvalidParameter(
            f"group {options['name']!r} is of type {kind!r}, which is not among the types."
            f"{near_match(kind, types)} Types: {', '.join(types)}."
        )
    return AgentGroup(**{**options, "type": types[kind]})


def _place(given: Any) -> Place:
    options = dict(_mapping("a place", given, ("what", "custom", "random", "fill", "maze")))
    (what,) = _required("a place", options, "what")
    del options["what"]
    how, value = _only(f"the place of {what!r}", options, ("custom", "random", "fill", "maze"))
    if how == "custom":
        return Place(what, Custom(value))
    if how == "fill":
        options = _mapping("fill", value, ("position", "size", "direction"))
        _required("fill", options, "position", "size")
        return Place(what, Fill(**options))
    return Place(what, Random(value) if how == "random" else Maze(value))


def _reward(given: Any) -> Reward:
    options = _mapping("a reward", given, ("event", "pays", "terminal"))
    event, pays = _required("a reward", options, "event", "pays")
    values = {_symbol(name): value for name, value in _mapping("pays", pays).items()}
    return Reward(_event(event), values, options.get("terminal", False))


def _symbol(text: Any) -> Symbol:
    match = _SYMBOL.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise InvalidParameter(
            f'an agent is "group", "group:label", "group#index" or "group*", not {text!r}.'
        )
    if match["all"]:
        return events.all_of(match["group"])
    if match["index"]:
        return events.member(match["group"], int(match["index"]))
    return events.any_of(match["group"], match["label"] or "")


def _event(given: Any) -> Event:
    kind, value = _only("an event", given, _EVENTS)
    if kind in _PAIRS:
        one, other = _sequence(kind, value, 2)
        return _PAIRS[kind](_symbol(one), _symbol(other))
    if kind in _JOINTS:
        first, second = _sequence(kind, value, 2)
        return _JOINTS[kind](_event(first), _event(second))
    if kind == "not":
        return events.Not(_event(value))
    if kind == "at":
        agent, x, y = _sequence(kind, value, 3)
        return events.At(_symbol(agent), check.integer("x", x), check.integer("y", y))
    if kind == "in":
        agent, corner, opposite = _sequence(kind, value, 3)
        return events.In(_symbol(agent), _corner(corner), _corner(opposite))
    return events.Die(_symbol(value)) if kind == "die" else events.InALine(_symbol(value))


def _corner(given: Any) -> tuple[int, int]:
    x, y = _sequence("a corner", given, 2)
    return check.integer("x", x), check.integer("y", y)
