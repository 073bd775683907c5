"""Registering, looking up and making worlds."""

import pickle
import subprocess
import sys

import pytest

import ecumene
from ecumene import gridworlds, matrix, survival
from ecumene.api import registration
from ecumene.api.parallel import ParallelEnv
from ecumene.api.vector import VectorEnv
from ecumene.engine import AlreadyRegistered, EnvironmentNotFound, InvalidParameter
from ecumene.matrix import ChickenSimulation

CHICKEN = "matrix/chicken-v0"
ENTRY = "ecumene.matrix.chicken:ChickenSimulation"


@pytest.fixture(autouse=True)
def restored_registry():
    kept = dict(registration._registry)
    yield
    registration._registry.clear()
    registration._registry.update(kept)


def test_the_registry_is_read_only():
    assert ecumene.registry[CHICKEN].entry_point == ENTRY
    with pytest.raises(TypeError):
        ecumene.registry["x/y-v0"] = None  # type: ignore[index]


def test_every_registered_world_is_made_in_every_form(world_id, short):
    registered = ecumene.registry[world_id]
    assert registered.load().__name__ == registered.entry_point.split(":")[1]
    env = ecumene.make(world_id, **short(world_id))
    assert isinstance(env, ParallelEnv)
    assert env.metadata["name"] == world_id
    vec = ecumene.make_vec(world_id, 3, num_threads=1, **short(world_id))
    assert isinstance(vec, VectorEnv)
    assert vec.num_envs == 3
    assert ecumene.make_simulation(world_id, 2, **short(world_id)).copies == 2
    assert ecumene.make_vec(world_id, **short(world_id)).num_envs == 1


@pytest.mark.parametrize(
    ("world", "message"),
    [
        ("matrx/chicken-v0", "no family `matrx`. Did you mean `matrix/chicken-v0`?"),
        ("matrix/chiken-v0", "`matrix` has no `chiken`. Did you mean `matrix/chicken-v0`?"),
        ("matrix/chicken-v7", "has no version v7; it has v0."),
        ("Matrix/Chicken-v0", "Did you mean `matrix/chicken-v0`?"),
        ("chicken", 'not an id of the form "family/name-v0".'),
        (3, 'not an id of the form "family/name-v0".'),
        (["a"], 'not an id of the form "family/name-v0".'),
        ("zzz/qqq-v0", "there is no family `zzz`."),
    ],
)
def test_an_unknown_id_says_what_is_unknown(world, message):
    for make in (ecumene.make, ecumene.make_vec, ecumene.make_simulation):
        with pytest.raises(EnvironmentNotFound) as raised:
            make(world)
        assert message in str(raised.value)
        assert "`ecumene list` shows all." in str(raised.value)


def test_the_versions_that_exist_are_listed():
    ecumene.register("matrix/chicken-v2", ENTRY)
    with pytest.raises(EnvironmentNotFound, match="it has v0, v2"):
        ecumene.make("matrix/chicken-v1")


def test_c10_a_taken_id_is_not_replaced_by_accident(toy):
    ecumene.register("toy/toy-v0", toy)
    ecumene.register("toy/toy-v0", toy)  # the same thing: nothing happens
    assert ecumene.make("toy/toy-v0").possible_agents == ["red_0", "red_1", "blue_0"]
    for taken in ("toy/toy-v0", "Toy/TOY-v0"):
        with pytest.raises(AlreadyRegistered, match=r"`toy/toy-v0` is registered as .*Toy"):
            ecumene.register(taken, ENTRY)
    with pytest.raises(AlreadyRegistered):
        ecumene.register("toy/toy-v0", toy, limits=3)
    assert ecumene.registry["toy/toy-v0"].load() is toy
    ecumene.register("Toy/toy-v0", ENTRY, override=True)
    assert ecumene.registry["Toy/toy-v0"].load() is ChickenSimulation
    assert "toy/toy-v0" not in ecumene.registry


def test_a_class_and_its_address_are_the_same_thing():
    ecumene.register(CHICKEN, ENTRY)
    ecumene.register(CHICKEN, ChickenSimulation)
    assert ecumene.registry[CHICKEN].entry_point == ENTRY


def test_defaults_hold_unless_others_are_given():
    ecumene.register("matrix/short_chicken-v0", ENTRY, max_moves=3)
    assert ecumene.make("matrix/short_chicken-v0").simulation.horizon == 3
    assert ecumene.make("matrix/short_chicken-v0", max_moves=4).simulation.horizon == 4


@pytest.mark.parametrize("bad", ["chicken", "a/b", "a/b-v", "a/b-v0x", "a b/c-v0", "a/b/c-v0", 5])
def test_ids_of_another_form_are_refused(bad):
    with pytest.raises(InvalidParameter, match=r"family/name-v0"):
        ecumene.register(bad, ENTRY)


@pytest.mark.parametrize("bad", ["module", "module:", ":Class", int, print, None])
def test_entry_points_of_another_form_are_refused(bad):
    with pytest.raises(InvalidParameter, match="an entry point is"):
        ecumene.register("a/b-v0", bad)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_move": 3}, "no parameter `max_move`. Did you mean `max_moves`?"),
        ({"max_moves": 0}, "max_moves is an integer from 1 up, not 0"),
        ({"max_moves": True}, "max_moves is an integer from 1 up, not True"),
        ({"T": "3"}, "T is a finite number, not '3'"),
        ({"num_agents": 3}, "num_agents"),
        ({"flatten_observations": 1}, "flatten_observations is True or False"),
        ({"render_mode": "sideways"}, "render_mode"),
        ({"copies": 2}, "copies is not a parameter of the world"),
        ({"num_envs": 2}, "num_envs is not a parameter of the world"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(InvalidParameter) as raised:
        ecumene.make(CHICKEN, **parameters)
    assert message in str(raised.value)


def test_every_world_names_an_unknown_parameter(world_id):
    with pytest.raises(InvalidParameter, match="no_such_parameter"):
        ecumene.make(world_id, no_such_parameter=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs is an integer from 1 up"),
        ({"num_envs": 2.0}, "num_envs is an integer"),
        ({"copies": 2}, "The number of copies is num_envs"),
        ({"num_threads": 0}, "num_threads is an integer from 1 up"),
        ({"autoreset_mode": "Sometimes"}, "autoreset_mode is one of 'NextStep'"),
    ],
)
def test_bad_options_of_make_vec_are_named(options, message):
    with pytest.raises(InvalidParameter, match=message):
        ecumene.make_vec(CHICKEN, **options)


def test_a_needed_parameter_is_asked_for():
    class Needy(ChickenSimulation):
        def __init__(self, copies=1, num_threads=None, *, size):
            super().__init__(copies, num_threads)

    ecumene.register("a/needy-v0", Needy)
    with pytest.raises(InvalidParameter, match="`a/needy-v0` needs the parameter `size`"):
        ecumene.make("a/needy-v0")
    ecumene.make("a/needy-v0", size=3)


def test_pprint_registry_lists_every_world(capsys):
    ecumene.pprint_registry()
    printed = capsys.readouterr().out
    assert all(world in printed for world in ecumene.registry)
    families = {world.partition("/")[0] for world in ecumene.registry}
    assert [line.partition(":")[0] for line in printed.splitlines()] == sorted(families)


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_the_package_is_light():
    """No family, no PettingZoo, and 0.15 s at most (best of three) beyond the big three."""
    code = (
        "import sys, time, numpy, numba, gymnasium; start = time.perf_counter(); import ecumene;"
        "print(time.perf_counter() - start);"
        "print(*[name for name in sys.modules if name.startswith(('ecumene.', 'pettingzoo'))])"
    )
    seconds, *modules = min((run(code) for _ in range(3)), key=lambda words: float(words[0]))
    assert float(seconds) < 0.15
    tops = {".".join(name.split(".")[:2]) for name in modules}
    assert tops == {"ecumene._version", "ecumene.api", "ecumene.engine", "ecumene.worlds"}


def test_families_are_imported_when_looked_at():
    assert run("import ecumene; print(ecumene.matrix.ChickenMatrix.__name__)") == ["ChickenMatrix"]
    assert {"matrix", "make", "__version__"} <= set(dir(ecumene))
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        ecumene.chess  # noqa: B018


def test_a_module_before_the_id_is_imported_and_registers_the_world(tmp_path, monkeypatch):
    (tmp_path / "their_worlds.py").write_text(
        "import ecumene\n"
        "from ecumene.matrix import ChickenSimulation\n"
        'ecumene.register("theirs/chicken-v0", ChickenSimulation, max_moves=3)\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    env = ecumene.make("their_worlds:theirs/chicken-v0")
    env.reset(seed=0)
    steps = 0
    while env.agents:
        env.step(dict.fromkeys(env.agents, 0))
        steps += 1
    assert steps == 3
    assert "theirs/chicken-v0" in ecumene.registry


def test_a_module_that_cannot_be_imported_is_named():
    with pytest.raises(EnvironmentNotFound, match="the module `no_such_module`"):
        ecumene.make("no_such_module:theirs/chicken-v0")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (CHICKEN, matrix.ChickenMatrix),
        ("matrix/game-v0", matrix.MatrixGame),
        ("gridworlds/pursuit-v0", gridworlds.Pursuit),
        ("survival/gathering-v0", survival.SurvivalEnv),
        ("foundation/uniform-v0", ParallelEnv),
    ],
)
def test_worlds_are_made_of_their_own_class(name, kind):
    env = ecumene.make(name, labels=True)
    assert type(env) is kind
    _, infos = env.reset(seed=1)
    assert all("labels" in info for info in infos.values())
    assert pickle.loads(pickle.dumps(env)).state_hash() == env.state_hash()


def test_a_made_world_has_the_documented_interface():
    env = ecumene.make("matrix/congestion-v0", num_agents=3)
    env.reset(seed=1)
    env.step(dict.fromkeys(env.agents, 2))
    before = env.get_state()
    env.step(dict.fromkeys(env.agents, 0))
    env.set_state(before)
    assert env.get_state()[:-1] == before[:-1]
    assert env.n_agents == 3
    assert env.action_names(2) == "detour"
