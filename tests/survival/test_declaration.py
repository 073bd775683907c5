"""Declarations: what they refuse, and that they describe worlds in full."""

import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from survival.boards import AgentGroup, NpcGroup, World

import ecumene
from ecumene.engine import InvalidParameter
from ecumene.survival import Bonus, parallel_env, vector_env

ROOT = Path(__file__).resolve().parents[2]
DICTS = {
    "groups": [
        {"name": "wolf", "size": 2, "styles": ["melee"], "team": "pack"},
        {"name": "deer", "size": 3, "health": 5},
    ],
    "npcs": [{"name": "bear", "health": 20, "behaviour": "neutral"}],
    "bonuses": [{"to": "pack", "death_of": "enemies", "reward": 2}],
    "size": [12, 10],
}


def test_dicts_and_objects_declare_the_same_world():
    made = World(
        groups=[
            AgentGroup(name="wolf", size=2, styles=["melee"], team="pack"),
            AgentGroup(name="deer", size=3, health=5),
        ],
        npcs=[NpcGroup(name="bear", health=20, behaviour="neutral")],
        bonuses=[Bonus(to="pack", death_of="enemies", reward=2)],
        size=[12, 10],
    )
    assert made == World(**DICTS)
    assert World(**asdict(made)) == made
    assert made.teams == ["pack", "team_1"]


def test_a_declaration_makes_environments():
    world = World(**DICTS)
    env = parallel_env(world)
    assert env.possible_agents == ["wolf_0", "wolf_1", "deer_0", "deer_1", "deer_2"]
    assert env.agent_group["wolf_1"] == "pack"
    vec = vector_env(world, 3)
    observations, _ = vec.reset(seed=4)
    single, _ = env.reset(seed=5)
    for name, part in single["wolf_1"].items():
        assert (part == observations["wolf"][name][1, 1]).all()


def test_a_world_of_ones_own_can_be_registered():
    ecumene.register("pasture/common-v0", "ecumene.survival.worlds:CustomSimulation", **DICTS)
    try:
        env = ecumene.make("pasture/common-v0", horizon=9)
        env.reset(seed=0)
        assert len(env.agents) == 5
        assert env.simulation.spec.horizon == 9
    finally:
        from ecumene.api import registration

        del registration._registry["pasture/common-v0"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"groups": []}, "at least one group"),
        ({"groups": "wolf"}, "groups is a list"),
        ({"groups": [{"nmae": "x"}]}, r"groups\[0\] has no field `nmae`. Did you mean `name`"),
        ({"groups": [5]}, r"groups\[0\] is a AgentGroup or a dict"),
        ({"groups": [{"name": "a b"}]}, "letters"),
        ({"groups": [{"size": 0}]}, "agent: size is an integer from 1 up"),
        ({"groups": [{"melee": 100}]}, "melee"),
        ({"groups": [{"styles": ["bite"]}]}, "'melee', 'range', 'mage', 'heal', not 'bite'"),
        ({"groups": [{"sees": [0]}]}, "colour of sees"),
        ({"groups": [{"start": "middle"}]}, "'edge', 'anywhere'"),
        ({"groups": [{}, {"styles": ["mage"]}]}, "share their actions"),
        ({"npcs": [{"styles": []}]}, "at least one style"),
        ({"npcs": [{"behaviour": "shy"}]}, "'hostile', not 'shy'"),
        ({"npcs": [{"respawn_delay": 0}]}, "respawn_delay"),
        ({"bonuses": [{"to": "nobody"}]}, "no `nobody`"),
        ({"bonuses": [{"reward": "much"}]}, "reward of a bonus"),
        ({"boss": "dragon"}, "no `dragon`"),
        ({"npcs": [{"name": "boss"}], "boss": "boss"}, "respawn_delay None"),
        ({"unsafe": ["hungri"]}, "Did you mean `hungry`"),
        ({"share": [0]}, "amount of share"),
        ({"share": [1], "metabolism": False}, "nothing to share"),
        ({"plant": True, "metabolism": False}, "planting"),
        ({"horizon": 0}, "horizon"),
        ({"radius": 61}, "radius"),
        ({"rocks": 0.6}, "rocks"),
        ({"stock": 1.5}, "stock is an integer"),
        ({"build": 1}, "build is True or False"),
        ({"order": "random"}, "'index', 'rotate'"),
        ({"resource_mode": "none"}, "'classic', 'balanced'"),
        ({"max_visible": 0}, "max_visible"),
        ({"groups": [{"size": 40_000}], "size": [4000, 4000]}, "at most 32,000"),
    ],
)
def test_what_makes_no_sense_is_refused(changes, message):
    with pytest.raises(InvalidParameter, match=message):
        ecumene.make_simulation("survival/custom-v0", **{"groups": [{}], **changes})


def test_unknown_parameters_are_refused_with_a_hint():
    with pytest.raises(InvalidParameter, match="Did you mean `cooldown`"):
        ecumene.make("survival/gathering-v0", cooldwn=3)
    with pytest.raises(InvalidParameter, match="needs the parameter `groups`"):
        ecumene.make("survival/custom-v0")


def test_agents_of_the_gathering_worlds_start_where_they_are_told_to():
    box = {"rows": [4, 5], "columns": [2, 9]}
    for start, rows, columns in (("edge", (0, 11), (0, 11)), (box, (4, 5), range(2, 10))):
        simulation = ecumene.make_simulation(
            "survival/arena-v0", 20, 1, n_groups=4, size=[12, 12], start=start
        )
        simulation.reset(seed=3)
        for copy in range(20):
            row, column = simulation.places(copy).T
            if start == "edge":
                assert (np.isin(row, rows) | np.isin(column, columns)).all()
            else:
                assert (np.isin(row, rows) & np.isin(column, columns)).all()
    anywhere = ecumene.make_simulation("survival/gathering-v0", 200, 1, start="anywhere")
    anywhere.reset(seed=0)
    inner = [((anywhere.places(k) > 0) & (anywhere.places(k) < 11)).all(axis=1) for k in range(200)]
    assert np.mean(inner) == pytest.approx(100 / 144, abs=0.05)
    for wrong, message in (("middle", "'edge', 'anywhere'"), ({"rows": [0, 1]}, "is a box")):
        with pytest.raises(InvalidParameter, match=message):
            ecumene.make("survival/gathering-v0", start=wrong)


@pytest.mark.parametrize("name", [
    "Gathering", "Colors", "Spying", "Exploring", "Building", "Planting", "Corridor", "Arena",
    "Deathmatch", "TeamDeathmatch", "PredatorPrey", "Pve", "Siege", "BossFight", "Raid",
])  # fmt: skip
def test_named_environments_are_the_registered_worlds(name):
    kind = getattr(ecumene.survival, name)
    env = kind()
    registered = ecumene.make(env.simulation.spec.id)
    assert type(registered.simulation) is type(env.simulation)
    one, two = env.reset(seed=3), registered.reset(seed=3)
    assert list(one[0]) == list(two[0])
    assert env.state_hash() == registered.state_hash()
    assert kind.__doc__ == kind.kind.recipe.__doc__
    kind.reference().reset(seed=0)


def test_the_reference_numbers_are_the_recorded_ones():
    gain = {"Gathering": 4, "Colors": 12, "Spying": 8, "Exploring": 28, "Corridor": 14, "Pve": 4}
    for name, expected in gain.items():
        simulation = getattr(ecumene.survival, name).reference().simulation
        assert simulation.numbers.gain == expected
        assert simulation.numbers.balanced
    for name in ("Gathering", "Pve", "Planting"):
        world = getattr(ecumene.survival, name).reference().simulation.world
        assert (world.rivers, world.forests) == (4, 8)
    assert ecumene.survival.Pve.reference().simulation.numbers.infighting
    assert ecumene.survival.TeamDeathmatch.reference().simulation.numbers.friendly_fire


def test_classes_and_bosses_have_the_recorded_levels():
    from ecumene.survival import columns as c

    for name, sizes, health, damage, vision in (
        ("BossFight", {}, 251, 19, 8), ("Raid", {}, 751, 26, 21),
        ("Raid", {"fighters": 0, "healers": 0}, 251, 19, 8),
    ):  # fmt: skip
        simulation = getattr(ecumene.survival, name)(**sizes).simulation
        boss = simulation.tables.trait[simulation.numbers.boss_lo]
        assert boss[[c.HEALTH_MAX, c.POWER, c.VISION]].tolist() == [health, damage, vision]
    raid = ecumene.survival.Raid().simulation.tables.trait
    assert raid[[0, 2, 4], c.HEALTH_MAX].tolist() == [200, 50, 50]
    assert raid[2, [c.POWER, c.POWER_RANGE]].tolist() == [16, 9]
    assert raid[0, c.POWER] == 10
    assert raid[4, c.POWER_HEAL] == 9


def test_the_example_makes_a_world_in_twenty_lines():
    path = ROOT / "examples" / "my_survival.py"
    lines = [line for line in path.read_text().splitlines() if line.strip()]
    assert len(lines) <= 40
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "survivors" in done.stdout


def test_unseeded_copies_differ():
    vec = vector_env(World(groups=[{"size": 2}]), 4)
    vec.reset()
    cells = {vec.simulation.cells(copy).tobytes() for copy in range(4)}
    assert len(cells) == 4
    assert isinstance(vec.simulation.state.stream, np.ndarray)
