"""Replays: what is recorded is played again exactly, and a difference is named."""

import json
import re

import numpy as np
import pytest
from toy import Countdown, fixed_policy

import ecumene
from ecumene.api.policies import random_actions
from ecumene.engine import EcumeneError, EnvironmentNotFound, InvalidParameter
from ecumene.foundation.base.base_component import BaseComponent, component_registry
from ecumene.record import (
    DamagedReplay,
    ReplayMismatch,
    ReplayRecorder,
    Rollout,
    finished,
    replay,
    return_name,
)


def random_policy(simulation, seed=0):
    generator = np.random.default_rng(seed)
    return lambda observations, masks: random_actions(masks, simulation.spec.groups, generator)


def record(path, simulation, policy=None, episodes=2, steps=None, listeners=()):
    """Record a run, or its first steps, and return the rollout."""
    recorder = ReplayRecorder(path, simulation)
    policy = policy or random_policy(simulation)
    rollout = Rollout(simulation, policy, episodes, 3, [recorder, *listeners])
    while not rollout.over and (steps is None or steps > 0):
        rollout.advance()
        steps = None if steps is None else steps - 1
    recorder.close()
    return rollout


@pytest.fixture
def file(tmp_path):
    """Return the replay of two episodes of the toy world, three steps each."""
    path = tmp_path / "toy.replay"
    simulation = Countdown(2, drift=0.5)
    record(path, simulation, fixed_policy(simulation))
    return path


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def rewrite(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_every_world_is_played_again_exactly(world_id, short, tmp_path):
    simulation = ecumene.make_simulation(world_id, 1, **short(world_id))
    rollout = record(tmp_path / "it", simulation, episodes=3)
    report = replay(tmp_path / "it")
    assert (report.world, report.ecumene) == (world_id, ecumene.__version__)
    assert report.parameters == simulation.spec.parameters
    assert [episode.number for episode in report.episodes] == [0, 1, 2]
    assert all(episode.complete for episode in report.episodes)
    assert report.steps == rollout.copy_steps
    for agent in simulation.spec.agents:
        returns = [episode.returns[agent] for episode in report.episodes]
        assert np.mean(returns) == pytest.approx(rollout.overall[return_name(agent)].mean)


def test_copy_0_of_a_batch_is_recorded(tmp_path):
    one, many = Countdown(1, drift=1.0), Countdown(4, drift=1.0)
    record(tmp_path / "one", one, fixed_policy(one))
    record(tmp_path / "many", many, fixed_policy(many))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()


def test_c53_recording_changes_nothing(world_id, short, tmp_path):
    hashes = []
    for recorded in (False, True):
        simulation = ecumene.make_simulation(world_id, 2, **short(world_id))
        listeners = [ReplayRecorder(tmp_path / "it", simulation)] if recorded else []
        rollout = Rollout(simulation, random_policy(simulation), 2, 8, listeners)
        while not rollout.over:
            rollout.advance()
        hashes.append([simulation.state_hash(copy) for copy in range(2)])
        for listener in listeners:
            listener.close()
    assert hashes[0] == hashes[1]


def test_c53_an_interrupted_episode_is_kept_and_marked(tmp_path):
    simulation = Countdown(1, first=9)
    record(tmp_path / "it", simulation, steps=12)
    full, cut = replay(tmp_path / "it").episodes
    assert (full.steps, full.complete) == (9, True)
    assert (cut.steps, cut.complete) == (3, False)


def test_what_a_killed_run_has_written_is_played_again(file):
    lines = lines_of(file)
    rewrite(file, lines[:4])
    (cut,) = replay(file).episodes
    assert (cut.steps, cut.complete) == (2, False)


def test_steps_are_written_while_the_run_goes_on(tmp_path):
    simulation = Countdown(1, first=3000)
    recorder = ReplayRecorder(tmp_path / "it", simulation)
    rollout = Rollout(simulation, random_policy(simulation), 1, 0, [recorder])
    for _ in range(1000):
        rollout.advance()
    assert (tmp_path / "it").read_text().count("\n") > 900
    recorder.close()
    recorder.close()  # a second time does nothing


def change_action(lines):
    lines[3]["actions"]["judge"] = [[0, 0]]


def change_hash(lines):
    lines[7]["hash"] = lines[8]["hash"]


def change_start(lines):
    lines[6]["hash"] = lines[7]["hash"]


def change_returns(lines):
    lines[5]["returns"]["judge"][0] += 1e-12


def change_end(lines):
    lines[5]["complete"] = False


def stop_too_early(lines):
    del lines[8:10]
    lines[8]["steps"] = 1


def change_drift(lines):
    lines[0]["parameters"]["drift"] = 0.25


def choose_what_is_not_there(lines):
    lines[4]["actions"]["walkers"] = [3, 0]


def change_shape(lines):
    array = lines[1]["snapshot"]["arrays"]["state.stream"]["!array"]
    array.update(lines[1]["snapshot"]["arrays"]["state.clock"]["!array"])


@pytest.mark.parametrize(
    ("change", "episode", "step", "said"),
    [
        (change_action, 0, 2, "the returns up to here differ"),
        (change_hash, 1, 0, "the state differs"),
        (change_start, 1, None, "its beginning: the state differs"),
        (change_returns, 0, 2, "the returns up to here differ"),
        (change_end, 0, 2, "the present episode is over, the recorded one is not"),
        (stop_too_early, 1, 0, "the recorded episode is over, the present one is not"),
        (change_drift, 0, 2, "the returns up to here differ"),
        (choose_what_is_not_there, 0, 2, r"action 3 is outside Discrete\(3\)"),
        (change_shape, 0, None, "array `state.stream` is"),
    ],
)
def test_c53_the_first_step_that_differs_is_named(file, change, episode, step, said):
    lines = lines_of(file)
    change(lines)
    rewrite(file, lines)
    with pytest.raises(ReplayMismatch, match=said) as raised:
        replay(file)
    assert (raised.value.episode, raised.value.step) == (episode, step)
    where = "its beginning" if step is None else f"step {step}"
    assert str(raised.value).startswith(f"{file}: episode {episode}, {where}: ")


def test_c53_other_parameters_of_an_economy_are_noticed_at_a_step(tmp_path):
    path = tmp_path / "economy"
    simulation = ecumene.make_simulation("foundation/layout-v0")
    rollout = record(path, simulation, episodes=1, steps=1)
    while not simulation.state.endogenous.any():  # nobody has moved yet
        rollout = record(path, simulation, episodes=1, steps=rollout.copy_steps + 1)
    text = path.read_text()
    assert text.count('["Gather",{}]') == 1
    path.write_text(text.replace('["Gather",{}]', '["Gather",{"move_labor":2.0}]'))
    with pytest.raises(ReplayMismatch, match="the state differs") as raised:
        replay(path)
    assert raised.value.step == rollout.copy_steps - 1


def test_another_version_of_ecumene_is_tried_and_named_where_it_differs(file):
    lines = lines_of(file)
    lines[0]["ecumene"] = "0.0.1"
    rewrite(file, lines)
    assert replay(file).ecumene == "0.0.1"
    change_hash(lines)
    rewrite(file, lines)
    said = re.escape(f"recorded by ecumene 0.0.1; this is {ecumene.__version__}.")
    with pytest.raises(ReplayMismatch, match=said):
        replay(file)


def without(i, key):
    return lambda lines: lines[i].pop(key)


def put(i, key, value):
    return lambda lines: lines[i].update({key: value})


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (without(0, "format"), ":1: this is no replay"),
        (put(0, "version", 2), ":1: the replay has format version 2.*reads version 1"),
        (put(0, "version", "1"), ":1: `version` is no integer"),
        (without(0, "world"), ":1: `world` is missing"),
        (put(0, "parameters", [1]), ":1: `parameters` is no object"),
        (put(0, "parameters", {"walkers": {"!tuple": 3}}), ":1: .*`!tuple` is damaged"),
        (put(0, "agents", {}), ":1: the agents are not those of"),
        (put(0, "parameters", {"walkers": 3}), ":1: the agents are not those of"),
        (without(1, "snapshot"), ":2: `snapshot` is missing"),
        (put(1, "snapshot", {"arrays": {"state.clock": 3}}), ":2: `arrays` holds something else"),
        (put(1, "episode", 1), ":2: episode 1 is not the next one"),
        (lambda lines: lines.pop(1), ":2: step 0 is not the next one"),
        (lambda lines: lines.pop(3), ":4: step 2 is not the next one"),
        (lambda lines: lines.pop(4), ":5: this is not the end of the episode before it"),
        (lambda lines: lines.pop(5), ":6: episode 1 is not the next one"),
        (without(2, "actions"), ":3: `actions` is missing"),
        (put(2, "actions", {"walkers": [[1], [1, 2]]}), ":3: `actions` are no integers"),
        (without(2, "hash"), ":3: `hash` is missing"),
        (put(2, "step", True), ":3: `step` is no integer: True"),
        (lambda lines: lines.insert(2, {}), ":3: the line is neither"),
        (lambda lines: lines.insert(2, 7), ":3: the line is no JSON object"),
    ],
)
def test_damage_is_named_with_its_line(file, damage, said):
    lines = lines_of(file)
    damage(lines)
    rewrite(file, lines)
    with pytest.raises(DamagedReplay, match=said):
        replay(file)


def test_c53_a_file_that_was_cut_or_is_something_else_is_told(file, tmp_path):
    whole = file.read_bytes()
    for content, said in [
        (b"", "the file is empty"),
        (whole[:-30], r":11: the line is not JSON and the file ends in the middle of it"),
        (b"\x93NUMPY\xff", "the file is not UTF-8 text"),
        (b"a,b\n1,2\n", ":1: the line is not JSON"),
        (b'{"dense": []}\n', ":1: this is no replay"),
    ]:
        file.write_bytes(content)
        with pytest.raises(DamagedReplay, match=said):
            replay(file)
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(DamagedReplay, match=re.escape(str(path))):
            replay(path)


def test_a_world_that_is_not_registered_is_named(file):
    lines = lines_of(file)
    lines[0]["world"] = "toy/countdwn-v0"
    rewrite(file, lines)
    with pytest.raises(EnvironmentNotFound, match="Did you mean `toy/countdown-v0`"):
        replay(file)


def test_parameters_that_the_world_does_not_take_are_named(file):
    lines = lines_of(file)
    lines[0]["parameters"] = {"walkers": 2, "first": 0}
    rewrite(file, lines)
    with pytest.raises(InvalidParameter, match="recorded parameters: first is from 1 up, not 0"):
        replay(file)


class Unknown(Countdown):
    """A world that nobody has registered."""

    id = "toy/unknown-v0"


class Keeper(Countdown):
    """Keeps something in an attribute that counts; `secret` is kept, too."""

    id = "toy/keeper-v0"
    secret = None

    def begin_copies(self, lo, hi):
        super().begin_copies(lo, hi)
        self.notes = {(1, 2): [np.float32(self.secret or 0.5)]}

    def step_copies(self, lo, hi):
        super().step_copies(lo, hi)
        self.notes[1, 2].append(np.float32(len(self.notes[1, 2])))
        self.out["judge"].reward[:] = sum(self.notes[1, 2])

    def _copy_extra(self, copy):
        return self.secret or self.notes

    def _restore_extra(self, copy, extra):
        self.notes = extra


def test_a_world_that_could_not_be_made_again_is_refused(tmp_path):
    with pytest.raises(InvalidParameter, match="`toy/unknown-v0` is not registered"):
        ReplayRecorder(tmp_path / "it", Unknown())


def test_what_plain_python_keeps_is_recorded_exactly(tmp_path):
    ecumene.register(Keeper.id, Keeper)
    rollout = record(tmp_path / "it", Keeper())
    assert finished(rollout.simulation).all()
    first, second = replay(tmp_path / "it").episodes
    assert first.returns["judge"] == (0.5 + 1) + (0.5 + 1 + 2) + (0.5 + 1 + 2 + 3)
    assert second.complete


class Drizzle(BaseComponent):
    """Drizzles coin on agents, and remembers on whom, in plain Python."""

    name = "Drizzle"
    agent_subclasses = ["BasicMobileAgent"]
    required_entities = ["Coin"]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.hits = {}

    def get_n_actions(self, agent_cls_name):
        return None

    def get_additional_state_fields(self, agent_cls_name):
        return {"luck": 0.0} if agent_cls_name == "BasicMobileAgent" else {}

    def component_step(self):
        for agent in self.world.agents:
            if np.random.rand() < 0.5:
                self.hits[agent.idx] = self.hits.get(agent.idx, 0) + 1
                agent.inventory["Coin"] += self.hits[agent.idx]
                agent.state["luck"] += np.random.rand()

    def generate_observations(self):
        return {str(agent.idx): {"luck": agent.state["luck"]} for agent in self.world.agents}


def test_a_component_of_the_users_is_played_again(tmp_path):
    component_registry.add(Drizzle)
    try:
        components = [("Drizzle", {}), ("Gather", {})]
        simulation = ecumene.make_simulation(
            "foundation/layout-v0", 2, components=components, episode_length=12
        )
        record(tmp_path / "it", simulation)
        assert sum(simulation.environment.get_component("Drizzle").hits.values()) > 12
        assert [episode.steps for episode in replay(tmp_path / "it").episodes] == [12, 12]
    finally:
        del component_registry._classes["drizzle"]


def test_what_cannot_be_recorded_is_refused_and_no_file_is_touched(tmp_path, monkeypatch):
    ecumene.register(Keeper.id, Keeper)
    monkeypatch.setattr(Keeper, "secret", {1, 2})
    monkeypatch.setattr(Keeper, "begin_copies", Countdown.begin_copies)
    (tmp_path / "it").write_text("of old")
    with pytest.raises(InvalidParameter, match="what parts of toy/keeper-v0.* keep is a set"):
        record(tmp_path / "it", Keeper())
    assert (tmp_path / "it").read_text() == "of old"


def test_parameters_that_cannot_be_recorded_are_refused(tmp_path):
    simulation = Countdown()
    simulation.spec.parameters["policy"] = print
    with pytest.raises(InvalidParameter, match=r"parameters of toy/countdown-v0\['policy'\]"):
        ReplayRecorder(tmp_path / "it", simulation)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(EcumeneError, match="cannot write .*nowhere"):
        record(tmp_path / "nowhere" / "it", Countdown())
