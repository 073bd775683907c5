"""`ecumene run --replay FILE` and `ecumene replay FILE`."""

import json

import pytest

TOY = "toy/countdown-v0"


@pytest.fixture
def file(cli, tmp_path):
    """Return the replay of two episodes of copy 0."""
    path = tmp_path / "run.replay"
    result = cli("run", TOY, "--copies", 2, "--episodes", 2, "--policy", "noop", "--replay", path)
    assert result.code == 0, result.err
    assert f"{path}: 6 steps of copy 0; `ecumene replay FILE` plays them again" in result.out
    return path


def test_a_run_is_played_again(cli, file):
    result = cli("replay", file)
    assert (result.code, result.err) == (0, "")
    lines = [line.split() for line in result.out.splitlines()]
    assert lines[0][0] == TOY
    assert "6 steps in 2 episodes played again: every state is the recorded one." in result.out
    assert lines[3:] == [["0", "3", "0", "0", "0"], ["1", "3", "0", "0", "0"]]


def test_a_step_that_differs_is_named_and_the_exit_code_is_1(cli, file):
    lines = file.read_text().splitlines()
    step = json.loads(lines[3])
    assert step["step"] == 1
    lines[3] = json.dumps({**step, "hash": "0" * 32})
    file.write_text("\n".join(lines) + "\n")
    result = cli("replay", file)
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        f"ecumene: {file}: episode 0, step 1: the state differs from the recorded one.\n"
    )


def test_an_unfinished_episode_is_marked(cli, file):
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:4]))
    result = cli("replay", file)
    assert result.code == 0
    assert "2 steps in 1 episode played again" in result.out
    assert result.out.splitlines()[-1].split() == ["0", "2", "0", "0", "0", "interrupted"]


@pytest.mark.parametrize("walkers", [2, 20])
def test_many_agents_and_episodes_stay_readable(cli, tmp_path, walkers):
    path = tmp_path / "it"
    cli("run", TOY, "-p", f"walkers={walkers}", "--episodes", 25, "--replay", path)
    out = cli("replay", path).out
    assert "75 steps in 25 episodes" in out
    assert "Another 5 episodes went as recorded, too." in out
    assert ("mean return of 21" in out) == (walkers == 20)
    assert max(map(len, out.splitlines()[1:])) <= 100


def test_what_is_no_replay_is_refused(cli, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello\n")
    result = cli("replay", path)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"ecumene: {path}:1: the line is not JSON.\n"
    assert cli("replay", tmp_path / "nowhere").code == 2
