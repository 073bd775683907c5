"""Saving and loading episode logs."""

import json
import sys

import lz4.frame
import pytest

from ecumene import foundation
from ecumene.engine.errors import EcumeneError, MissingExtra
from ecumene.foundation.utils import load_episode_log, save_episode_log


@pytest.fixture
def env(make_uniform, play):
    env = make_uniform(components=[("TestMint", {}), ("Build", {}), ("Gather", {})])
    play(env, seed=3, force_dense_logging=True)
    return env


def test_where_they_are_found():
    assert foundation.utils.save_episode_log is save_episode_log
    assert foundation.utils.load_episode_log is load_episode_log


@pytest.mark.parametrize("as_text", [True, False])
def test_round_trip(env, tmp_path, as_text):
    path = tmp_path / "episode.lz4"
    save_episode_log(env, str(path) if as_text else path)
    log = load_episode_log(str(path) if as_text else path)
    assert log == env.previous_episode_dense_log
    assert len(log["states"]) == 13
    assert {"Mint", "Gather", "Build"} <= set(log)


def test_the_file_is_a_frame_of_json(env, tmp_path):
    path = tmp_path / "episode.lz4"
    save_episode_log(env, path)
    assert json.loads(lz4.frame.decompress(path.read_bytes())) == env.previous_episode_dense_log
    other = tmp_path / "other.lz4"
    other.write_bytes(lz4.frame.compress(json.dumps(env.previous_episode_dense_log).encode()))
    assert load_episode_log(other) == env.previous_episode_dense_log


def test_a_later_unlogged_episode_does_not_matter(env, play, tmp_path):
    log = env.previous_episode_dense_log
    play(env, seed=4)
    save_episode_log(env, tmp_path / "episode.lz4")
    assert load_episode_log(tmp_path / "episode.lz4") == log


def test_before_any_episode(make_uniform, tmp_path):
    save_episode_log(make_uniform(), tmp_path / "nothing.lz4")
    nothing = {"world": [], "states": [], "actions": [], "rewards": []}
    assert load_episode_log(tmp_path / "nothing.lz4") == nothing


def test_levels_are_clamped(env, tmp_path):
    sizes = {}
    for level in (-5, 0, 3, 16, 99):
        path = tmp_path / f"{level}.lz4"
        save_episode_log(env, path, compression_level=level)
        assert load_episode_log(path) == env.previous_episode_dense_log
        sizes[level] = path.stat().st_size
    assert sizes[-5] == sizes[0]
    assert sizes[99] == sizes[16] < sizes[0]
    save_episode_log(env, tmp_path / "default.lz4")
    assert (tmp_path / "default.lz4").stat().st_size == sizes[16]


@pytest.mark.parametrize("level", ["16", 2.5, None, True])
def test_levels_are_integers(env, tmp_path, level):
    with pytest.raises(AssertionError, match=r"compression_level is an integer in 0\.\.16"):
        save_episode_log(env, tmp_path / "episode.lz4", level)
    assert not list(tmp_path.iterdir())


def test_unwritable(env, tmp_path):
    for path in (tmp_path / "no" / "such" / "folder.lz4", tmp_path):
        with pytest.raises(EcumeneError, match="cannot write"):
            save_episode_log(env, path)


def test_unreadable(tmp_path):
    for path in (tmp_path / "missing.lz4", tmp_path):
        with pytest.raises(EcumeneError, match="cannot read"):
            load_episode_log(path)


def test_damaged(env, tmp_path):
    path = tmp_path / "episode.lz4"
    save_episode_log(env, path)
    whole = path.read_bytes()
    texts = [b'{"world": [', b"[]", b"3", b'{"world": [], "states": []}', b"\xff\xfe"]
    damaged = [
        b"",
        whole[: len(whole) // 2],
        b"no frame at all",
        whole[:20] + b"\0\0\0\0\0" + whole[25:],
        *map(lz4.frame.compress, texts),
    ]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(EcumeneError, match=r"episode\.lz4 is no episode log"):
            load_episode_log(path)


def test_without_lz4(env, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "lz4", None)
    monkeypatch.setitem(sys.modules, "lz4.frame", None)
    for call in (
        lambda: save_episode_log(env, tmp_path / "x.lz4"),
        lambda: load_episode_log(tmp_path / "x.lz4"),
    ):
        with pytest.raises(MissingExtra, match=r'needs lz4: pip install "ecumene\[logs\]"'):
            call()
    assert not list(tmp_path.iterdir())
