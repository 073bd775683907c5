"""Recorded economies, played again: everything they hold must come out the same."""

import copy
import json
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path

import numpy as np
import pytest

from ecumene import foundation

GOLDEN = Path(__file__).parent / "golden"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.npz"))
LOGGED = "t9_dense_log"


class Recording:
    """One recorded run, and the environment that plays it."""

    def __init__(self, name):
        self.info = json.loads((GOLDEN / f"{name}.json").read_text())
        self._arrays = np.load(GOLDEN / f"{name}.npz")
        config = dict(self.info["config"])
        if self.info["derived_collate"]:
            config["collate_agent_step_and_reset_data"] = True
        np.random.seed(self.info["construct_seed"])
        self.env = foundation.make_env_instance(**config)
        self.env.seed(self.info["seed"])
        self.agents = [str(agent.idx) for agent in self.env.all_agents]

    def episode(self, number):
        prefix = f"ep{number}/"
        names = (name for name in self._arrays.files if name.startswith(prefix))
        return {name.removeprefix(prefix): self._arrays[name] for name in names}

    def actions(self, arrays, step):
        if arrays["actions_is_none"][step]:
            return None
        rows = {idx: arrays[f"actions/{idx}"][step].tolist() for idx in self.agents}
        return {idx: row for idx, row in rows.items() if np.all(np.array(row) != -1)}

    def play(self, number):
        """Yield (frame number, expected arrays, what reset or step returned)."""
        arrays = self.episode(number)
        yield 0, arrays, (self.env.reset(**self.info["reset_kwargs"]), None, None, None)
        for step in range(self.info["steps_per_episode"]):
            yield step + 1, arrays, self.env.step(self.actions(arrays, step))

    def run_through(self):
        for number in range(self.info["episodes"]):
            for _ in self.play(number):
                pass


def leaves(nested, path):
    """Yield (path, value) of all entries of nested dicts."""
    for name, value in nested.items():
        where = f"{path}/{name}"
        if isinstance(value, dict):
            yield from leaves(value, where)
        else:
            yield where, value


def assert_same(where, got, want):
    """Compare: whole numbers and what maps and masks hold exactly, other numbers closely."""
    got = np.asarray(got)
    assert (where, got.shape) == (where, want.shape)
    whole = want.dtype.kind in "iub" or where.endswith(("map", "action_mask"))
    tolerance = 1e-6 if want.dtype == np.float32 else 1e-9
    if whole:
        np.testing.assert_array_equal(got, want, where)
    else:
        np.testing.assert_allclose(got, want, tolerance, tolerance, err_msg=where)


def assert_observed(frame, arrays, obs):
    got = dict(leaves(obs, "obs"))
    assert list(got) == [name for name in arrays if name.startswith("obs/")]
    for name, value in got.items():
        assert (name, np.asarray(value).dtype) == (name, arrays[name].dtype)
        assert_same(name, value, arrays[name][frame])


def assert_state(frame, arrays, env):
    for name in arrays:
        kind, *path = name.split("/")
        if kind == "state":
            values = [agent.state[path[0]] for agent in env.world.agents]
            if len(path) == 2:
                values = [value[path[1]] for value in values]
        elif kind == "maps":
            entity, _, part = path[0].partition(".")
            values = env.world.maps.get(entity, owner=part == "owner")
        else:
            continue
        assert_same(name, values, arrays[name][frame])


def assert_generator(frame, arrays):
    _, key, position, has_gauss, _ = np.random.get_state()
    fingerprint = zlib.crc32(np.ascontiguousarray(key).tobytes()), position, has_gauss
    names = ("rng/key_crc32", "rng/pos", "rng/has_gauss")
    assert fingerprint == tuple(int(arrays[name][frame]) for name in names)


def assert_told(frame, arrays, told):
    _, rewards, done, infos = told
    if rewards is None:  # a reset
        return
    assert {f"rewards/{idx}" for idx in rewards} == {n for n in arrays if n.startswith("rewards/")}
    for idx, reward in rewards.items():
        expected = arrays[f"rewards/{idx}"][frame - 1]
        np.testing.assert_allclose(reward, expected, rtol=1e-9, atol=1e-12)
        assert isinstance(reward, float | list)
    assert done == {"__all__": bool(arrays["done"][frame - 1])}
    assert list(infos) == list(rewards)


def assert_metrics(metrics, expected):
    assert list(metrics) == list(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(metrics[name], value, rtol=1e-9, err_msg=name)


def as_json(value):
    """Return a value as it comes back from a JSON file."""
    return json.loads(json.dumps(value, default=lambda each: each.tolist()))


def assert_json(got, want, where=""):
    """Compare parsed JSON; ints and floats of the same value are equal."""
    if isinstance(want, dict):
        assert (where, list(got)) == (where, list(want))
        for name in want:
            assert_json(got[name], want[name], f"{where}/{name}")
    elif isinstance(want, list):
        assert (where, len(got)) == (where, len(want))
        for i, (one, other) in enumerate(zip(got, want, strict=True)):
            assert_json(one, other, f"{where}/{i}")
    elif isinstance(want, float):
        assert got == pytest.approx(want, rel=1e-9, abs=1e-12), where
    else:
        assert (where, got) == (where, want)


def events(env):
    return {part.shorthand: as_json(part.get_dense_log()) for part in env.components}


@pytest.mark.parametrize("name", NAMES)
def test_recording(name):
    recording = Recording(name)
    env, info = recording.env, recording.info
    for number in range(info["episodes"]):
        for frame, arrays, told in recording.play(number):
            assert_generator(frame, arrays)
            assert_observed(frame, arrays, told[0])
            assert_state(frame, arrays, env)
            assert_told(frame, arrays, told)
        assert_json(events(env), json.loads(bytes(arrays["events_json"])))
        assert_metrics(env.previous_episode_metrics, info["metrics"][number])


@pytest.mark.parametrize("name", NAMES)
def test_recorded_names_and_spaces(name):
    recording = Recording(name)
    env, info = recording.env, recording.info
    assert list(env.world.maps.keys()) == info["map_keys"]
    assert env.resources == info["resources"]
    assert env.landmarks == info["landmarks"]
    assert env.endogenous == info["endogenous"]
    for kind, agent in (("agent", env.world.agents[0]), ("planner", env.world.planner)):
        subspaces = [list(each) for each in agent.action_dim.items()]
        assert subspaces == info[f"{kind}_action_subspaces"]
        assert np.array_equal(agent.action_spaces, info[f"{kind}_action_spaces"])


@pytest.fixture
def logged():
    recording = Recording(LOGGED)
    recording.run_through()
    return recording.env


def recorded_log(kind):
    return json.loads((GOLDEN / f"{LOGGED}.{kind}_log.json").read_text())


def test_the_dense_log(logged):
    log = logged.previous_episode_dense_log
    assert_json(as_json(log), recorded_log("dense"))
    assert log is logged.dense_log


def test_the_replay_log(logged):
    assert_json(as_json(logged.previous_episode_replay_log), recorded_log("replay"))


@pytest.mark.parametrize("source", ["own", "recorded"])
def test_a_replay_log_makes_the_episode_again(logged, source):
    before = copy.deepcopy(logged.previous_episode_dense_log)
    metrics = logged.previous_episode_metrics
    own = source == "own"
    replay = logged.previous_episode_replay_log if own else recorded_log("replay")
    logged.seed(12345)
    logged.reset(**replay["reset"], force_dense_logging=True)
    for entry in replay["step"]:
        logged.step(**entry)
    assert logged.previous_episode_dense_log == before
    if own:  # which also carries what outlived the episodes before
        assert logged.previous_episode_metrics == metrics


def test_programs_may_use_the_names_of_numpy_1():
    """Programs of NumPy 1's time, or written around it, set ``np.bool = bool`` and the like."""
    code = """
        import numpy as np
        np.int, np.bool, np.float = int, bool, float
        from ecumene import foundation
        env = foundation.make_env_instance(
            "uniform/simple_wood_and_stone", n_agents=2, world_size=[9, 9],
            components=[("Build", {}), ("Gather", {})], episode_length=3,
        )
        env.seed(1)
        env.reset(force_dense_logging=True)
        while not env.step({"0": 2, "1": 1, "p": [0]})[2]["__all__"]:
            pass
        print(len(env.previous_episode_dense_log["states"]), np.bool is bool)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "4 True\n"


def test_all_recordings_are_there():
    assert len(NAMES) == 14
