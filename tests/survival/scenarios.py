"""Replays recorded scenarios: builds their world, injects their dice, and tells its state."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from ecumene.engine.random import TWISTER_WORDS
from ecumene.survival import columns as c
from ecumene.survival.declaration import AgentGroup, NpcGroup, World
from ecumene.survival.rules import episode
from ecumene.survival.rules.decode import NOBODY
from ecumene.survival.simulation import SurvivalSimulation

GOLDEN = Path(__file__).parent / "golden"
DIRECTIONS = {"N": 1, "S": 2, "E": 3, "W": 4}
SKILLS = ("melee", "range", "mage", "heal")
SYSTEMS = {"Building": "build", "Planting": "plant"}


def load(*names: str) -> list[dict[str, Any]]:
    """Return the scenarios of some files."""
    return [each for name in names for each in json.loads((GOLDEN / f"{name}.json").read_text())]


def group_of(given: dict[str, Any], base_health: int, fights: bool) -> dict[str, Any]:
    skills = dict(given.get("skills", {}))
    banned = given.get("banned", [])
    return {
        "size": len(given["pos"]),
        "start": given["pos"],
        "health": skills.pop("constitution", base_health),
        "styles": [style for style in SKILLS if style not in banned] if fights else [],
        **{name.replace("defense", "defence"): level for name, level in skills.items()},
    }


def world_of(scenario: dict[str, Any]) -> World:
    """Return the declaration of a scenario's world."""
    params = scenario["params"]
    systems = params["systems"]
    fights = "Combat" in systems or "NPC" in systems
    groups = []
    for i, given in enumerate(scenario["groups"]):
        traits = group_of(given, params["base_health"], fights)
        colours = {"sees": given.get("vis", []), "harvests": given.get("acc", [])}
        groups.append(AgentGroup(name=f"group_{i}", **traits, **colours))
    npcs = []
    for given in scenario["npcs"]:
        assert given["danger"] == 1.0
        traits = group_of(given, params["base_health"], True)
        npcs.append(NpcGroup(**{**traits, "styles": ["melee"]}, behaviour="hostile"))
    stocks = params["resource_mode"] != "none"
    given = {}
    if stocks:
        stock = params["base_resource"]
        given = {
            "stock": stock,
            "gain": int(params["restore_fraction"] * stock),
            "cooldown": params["cooldown"],
            "resource_mode": params["resource_mode"],
        }
    for name, field in (
        ("defense_weight", "defence_weight"), ("stealing", "stealing"),
        ("planting_cost", "planting_cost"), ("sharing_distance", "share_reach"),
        ("visibility_color", "visibility"), ("accessibility_color", "access"),
    ):  # fmt: skip
        source = params if name in params else scenario
        if source.get(name) is not None:
            given[field] = source[name]
    for system, field in SYSTEMS.items():
        given[field] = system in systems
    return World(
        groups=groups,
        npcs=npcs,
        layout=scenario["layout"],
        horizon=1000,
        metabolism=stocks,
        share=[1] if "Sharing" in systems else [],
        **given,
    )


def untempered(word: int) -> int:
    """Return the MT19937 state word that is drawn as `word`."""

    def undo_right(y, shift):
        x = y
        for _ in range(32 // shift + 1):
            x = y ^ (x >> shift)
        return x

    def undo_left(y, shift, mask):
        x = y
        for _ in range(32 // shift + 1):
            x = y ^ ((x << shift) & mask & 0xFFFFFFFF)
        return x

    y = undo_right(word, 18)
    y = undo_left(y, 15, 0xEFC60000)
    y = undo_left(y, 7, 0x9D2C5680)
    return undo_right(y, 11)


def stream_of(dice: list[int]) -> np.ndarray:
    """Return an MT19937 row that rolls the dice; what follows them draws no armour."""
    row = np.zeros((1, TWISTER_WORDS), np.uint32)
    row[0, :624] = untempered(0x80000000)
    row[0, : len(dice)] = [untempered(die - 1) for die in dice]
    return row


class Replay:
    """A scenario under way. Entities are known by the recorded ids 1, 2, ... and -1, -2, ..."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        self.scenario = scenario
        self.simulation = SurvivalSimulation(world_of(scenario), 1, 1)
        self.simulation.reset(seed=0)
        agents = self.simulation.numbers.agents
        body = self.simulation.state.body[0]
        self.slot = {i + 1: i for i in range(agents)}
        for npc in range(agents, len(body)):
            self.slot[-(npc - agents) - 1] = npc
            body[npc, [c.CHEST, c.LEGS]] = 0
        for name, values in scenario["init"].items():
            for key, value in values.items():
                body[self.slot[int(name)], getattr(c, key.upper())] = value
        self.next_npc = -len(scenario["npcs"]) - 1

    def order(self, actions: list[Any]) -> None:
        """Let the agents act in the order of the recorded list, by renumbering them."""
        ids = [each for each, _ in actions]
        if ids == sorted(ids):
            return
        assert len(ids) == self.simulation.numbers.agents
        body = self.simulation.state.body[0]
        body[: len(ids)] = body[[self.slot[each] for each in ids]]
        self.slot.update({each: i for i, each in enumerate(ids)})
        for i in range(len(ids)):
            self.simulation.derived.occupant[0, body[i, c.CELL]] = i + 1

    def step(self, actions: list[Any], dice: list[int]) -> None:
        self.order(actions)
        simulation = self.simulation
        simulation.state = simulation.state._replace(stream=stream_of(dice))
        intent = simulation.scratch.intent[0]
        intent[:] = 0
        intent[:, c.FOE] = c.NO_FOE
        for each, wish in actions:
            mine = intent[self.slot[each]]
            mine[c.MOVE] = DIRECTIONS.get(wish.get("move"), 0)
            if "attack" in wish:
                style, target = wish["attack"]
                mine[c.WITH] = SKILLS.index(style)
                mine[c.FOE] = self.slot.get(target, NOBODY)
            if "share" in wish:
                stock, target, amount = wish["share"]
                mine[c.GIFT] = c.WATER if stock == "water" else c.FOOD
                mine[c.FRIEND] = self.slot[target]
                mine[c.AMOUNT] = amount
            mine[c.BUILD] = wish.get("build", 0)
            mine[c.PLANT] = wish.get("plant", 0)
        there = simulation.state.body[0, :, c.PRESENT].copy()
        simulation.chosen[:] = True
        episode.step(*simulation._rule_arguments(), 0, 1)
        drawn = simulation.state.stream[0, 624]
        assert drawn >= len(dice)
        self.renumber(there)

    def renumber(self, there) -> None:
        """Give NPCs that have just appeared ids of their own."""
        body = self.simulation.state.body[0]
        names = {slot: name for name, slot in self.slot.items()}
        for npc in range(self.simulation.numbers.agents, len(body)):
            if body[npc, c.PRESENT] and not there[npc]:
                del self.slot[names[npc]]
                self.slot[self.next_npc] = npc
                self.next_npc -= 1

    @property
    def over(self) -> bool:
        """Whether nobody is left; a world then stands still, the recorded one went on."""
        agents = self.simulation.state.body[0, : self.simulation.numbers.agents]
        return not agents[:, c.PRESENT].any()

    def entities(self) -> dict[str, dict[str, Any]]:
        """Return what is recorded of every entity that is there."""
        simulation = self.simulation
        n = simulation.numbers
        told = {}
        names = {slot: name for name, slot in self.slot.items()}
        for name, slot in self.slot.items():
            me = simulation.state.body[0, slot]
            just_died = me[c.ENDED] == c.TERMINATED or (
                slot >= n.agents and not me[c.PRESENT] and me[c.WAIT] == 1
            )
            if not me[c.PRESENT] and not just_died:
                continue
            row, column = divmod(int(me[c.CELL]), n.stride)
            told[str(name)] = {
                "pos": [row - n.pad, column - n.pad],
                "health": me[c.HEALTH], "food": me[c.FOOD], "water": me[c.WATER],
                "freeze": me[c.FREEZE], "damage": me[c.DAMAGE],
                "attacker": names.get(me[c.ATTACKER] - 1, 0), "alive": bool(me[c.PRESENT]),
            }  # fmt: skip
        return told

    def cooldown(self) -> dict[str, int]:
        """Return the remaining steps of used-up cells."""
        n = self.simulation.numbers
        ripe_at = self.simulation.state.ripe_at[0]
        tick = self.simulation.state.clock[0, c.TICK]
        found = {}
        for cell in (ripe_at >= 0).nonzero()[0].tolist():
            row, column = divmod(cell, n.stride)
            found[f"{row - n.pad},{column - n.pad}"] = int(ripe_at[cell] - tick - 1)
        return found
