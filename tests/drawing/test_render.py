"""C56: every world draws itself without a display, a window, or a random number."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import ecumene
from ecumene.drawing import window
from ecumene.engine import InvalidParameter, MissingExtra, ResetNeeded

WITHOUT_LIBRARIES = """
import sys
for name in ("pygame", "PIL"):
    sys.modules[name] = None
import ecumene
env = ecumene.make(sys.argv[1], render_mode="rgb_array")
env.reset(seed=0)
print(*env.render().shape, "pygame" in sys.modules and sys.modules["pygame"] is not None)
"""


@pytest.fixture
def drawn(world_id, short):
    """Return a world that draws itself; worlds that do not are left out."""

    def make(mode):
        return ecumene.make(world_id, render_mode=mode, **short(world_id))

    modes = ecumene.make(world_id, **short(world_id)).metadata["render_modes"]
    if not modes:
        pytest.skip(f"{world_id} does not draw itself")
    assert {"rgb_array", "ansi", "human"} == set(modes)
    return make


def play_to_the_end(env, sample, infos):
    while env.agents:
        infos = env.step(sample(env, infos))[4]
        yield


def test_c56_pictures_have_one_size_and_change_nothing(drawn, sample):
    env, twin = drawn("rgb_array"), drawn("rgb_array")
    for each in (env, twin):
        for i, name in enumerate(each.possible_agents):
            each.action_space(name).seed(i)
    infos = env.reset(seed=1)[1]
    twin.reset(seed=1)
    shapes = {env.render().shape}
    stepped = play_to_the_end(twin, sample, infos)
    for _ in play_to_the_end(env, sample, infos):
        picture = env.render()
        next(stepped)
        assert picture.dtype == np.uint8
        shapes.add(picture.shape)
        assert env.state_hash() == twin.state_hash()
    assert env.agents == []
    shapes.add(env.render().shape)  # after the end
    assert len(shapes) == 1
    assert next(iter(shapes))[2] == 3
    env.close()
    env.close()


def test_c56_pictures_are_fresh_and_show_the_copy(drawn, world_id, short):
    env = drawn("rgb_array")
    env.reset(seed=0)
    picture = env.render()
    picture[:] = 0
    assert env.render().any()
    batch = ecumene.make_simulation(world_id, 3, **short(world_id))
    batch.reset(seed=[5, 6, 0])
    assert np.array_equal(batch.frame(2), env.render())


def test_text_is_coloured(drawn):
    env = drawn("ansi")
    env.reset(seed=0)
    text = env.render()
    assert isinstance(text, str)
    assert "\x1b[" in text
    assert len(text.splitlines()) > 2


def test_c56_render_mode_none_says_what_to_do(drawn):
    env = drawn(None)
    env.reset(seed=0)
    with pytest.raises(InvalidParameter, match='make the world with render_mode="rgb_array"'):
        env.render()
    with pytest.raises(InvalidParameter, match="render_mode is 'rgb_array', .* not 'pdf'"):
        drawn("pdf")
    with pytest.raises(ResetNeeded):
        drawn("rgb_array").render()


def test_c56_no_window_library_is_needed_to_draw():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("DISPLAY", None)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LIBRARIES, "gridworlds/pursuit-v0"],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    height, width, channels, loaded = done.stdout.split()
    assert (int(height) > 100, int(width) > 100, channels, loaded) == (True, True, "3", "False")


def test_c56_a_missing_window_library_is_named(monkeypatch):
    monkeypatch.setattr(window, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r'pip install "ecumene\[window\]"'):
        ecumene.make("gridworlds/pursuit-v0", render_mode="human")


@pytest.fixture
def screen(monkeypatch):
    """Let pygame draw to nowhere."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield pygame
    pygame.display.quit()


def shown(pygame):
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


def test_a_window_follows_resets_and_steps(screen):
    env = ecumene.make("gridworlds/pursuit-v0", render_mode="human")
    assert not screen.display.get_init()
    env.reset(seed=0)
    first = shown(screen)
    assert np.array_equal(first, env.simulation.frame(0))
    env.step({"player_0": 0, "player_1": 3})
    assert np.array_equal(shown(screen), env.simulation.frame(0))
    assert not np.array_equal(shown(screen), first)
    assert env.render() is None
    env.close()
    env.close()
    assert not screen.display.get_init()


def test_small_pictures_are_shown_larger(screen):
    opened = window.Window("small")
    opened.show(np.full((10, 20, 3), 7, np.uint8))
    assert shown(screen).shape == (160, 320, 3)
    opened.close()


def test_a_world_with_a_window_can_be_copied(screen):
    env = ecumene.make("gridworlds/pursuit-v0", render_mode="human")
    env.reset(seed=0)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.state_hash() == env.state_hash()
        twin.step({"player_0": 0, "player_1": 3})
        twin.close()
    env.close()
