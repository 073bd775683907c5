"""Recorded scenarios, state by state; see golden/README.md."""

import pytest
from survival.scenarios import Replay, load

from ecumene.survival import tiles

FILES = (
    "movement", "metabolism", "harvest_balanced", "harvest_classic_derived", "sharing",
    "building", "planting", "combat", "npc", "colors",
)  # fmt: skip
NOT_NORMATIVE = "idle_starve_32_alt_order"
SCENARIOS = [each for each in load(*FILES) if each["name"] != NOT_NORMATIVE]
STOCKS = ("food", "water")


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[each["name"] for each in SCENARIOS])
def test_scenario(scenario):
    replay = Replay(scenario)
    assert_state(replay, scenario["states"][0], 0)
    steps = zip(scenario["steps"], scenario["states"][1:], strict=True)
    for i, (step, state) in enumerate(steps, start=1):
        replay.step(step["actions"], step["dice"])
        assert_state(replay, state, i)
        if replay.over:
            break


def assert_state(replay, state, step):
    entities = replay.entities()
    assert set(entities) == set(state["ents"]), step
    for name, expected in state["ents"].items():
        told = entities[name]
        skipped = () if expected["alive"] else STOCKS
        for key, value in expected.items():
            if key not in skipped and not (int(name) < 0 and key in STOCKS):
                assert told[key] == value, (step, name, key, told, expected)
    if "map" in state:
        assert tiles.draw(replay.simulation.cells()).split("\n") == state["map"], step
    if "cooldown" in state:
        assert replay.cooldown() == state["cooldown"], step


def test_every_scenario_is_played():
    assert len(SCENARIOS) == 94
