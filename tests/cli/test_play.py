"""`ecumene play`: keys in, pictures out, without a terminal."""

import io
import os

import pytest
from rich.console import Console

from ecumene.cli.play import Game, bindings, play, typed_keys
from ecumene.engine import InvalidParameter
from ecumene.gridworlds import Gathering, IceDuel, Pursuit
from ecumene.matrix import ChickenMatrix

LAYOUT = {"layout": "..../...G", "start_positions": [(0, 0), (1, 0)]}


def lines_of(keys, world="gridworlds/pursuit-v0", parameters=None, **options):
    """Play the keys; return what was shown."""
    console = Console(file=io.StringIO(), width=100)
    settings = {"agent": None, "others": "noop", "seed": 0, **options}
    given = LAYOUT if parameters is None else parameters
    assert play(world, given, console=console, keys=iter(keys), **settings) == 0
    return console.file.getvalue().splitlines()


def test_the_first_picture_and_the_keys():
    lines = lines_of("")
    assert lines[0].split() == ["0"]
    assert lines[1].split() == ["1", "G"]
    assert lines[2:5] == [
        "step 0",
        "player_0  total reward 0",
        "a: left  d: right  w: up  s: down  space: stay  q: quit",
    ]


def test_keys_move_the_agent_and_others_do_what_their_policy_does():
    lines = lines_of("dd?s")  # the key in between means nothing
    assert [line for line in lines if line.startswith("step")] == [f"step {i}" for i in range(4)]
    assert lines[-6].split() == ["1", "0", "G"]
    assert "down: reward 0" in lines


def test_any_agent_can_be_played():
    lines = lines_of("d", agent="player_1")
    assert lines[-6].split() == ["1", "G"]
    assert lines[-6].index("1") == 2
    with pytest.raises(InvalidParameter, match="Did you mean `player_1`"):
        lines_of("", agent="playr_1")


def test_rewards_and_labels_are_told():
    parameters = {**LAYOUT, "collision_reward": [-2.0, 1.0]}
    lines = lines_of("ss", parameters=parameters)
    assert "down: reward -2; collision, unsafe, collision_ever" in lines
    assert "player_0  total reward -4" in lines


def test_q_ends_the_game_and_r_begins_another():
    lines = lines_of("ddrdq" + "ddd", parameters={**LAYOUT, "max_moves": 2})
    assert lines[-1] == "1 episodes ended; seed: 0"
    assert "right: reward 0; truncated. r: play again" in lines
    steps = [line for line in lines if line.startswith("step")]
    assert steps == ["step 0", "step 1", "step 2", "step 0", "step 1"]


def test_nothing_but_another_game_follows_the_end():
    lines = lines_of("dddd", parameters={**LAYOUT, "max_moves": 2})
    assert [line for line in lines if line.startswith("step")] == ["step 0", "step 1", "step 2"]


def test_seeds_repeat_a_game():
    first, again, other = (
        lines_of("dwsdd", others="random", parameters={}, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_a_terminal_is_cleared_and_coloured():
    console = Console(file=io.StringIO(), force_terminal=True, color_system="256", width=100)
    play("gridworlds/pursuit-v0", LAYOUT, None, "noop", 0, console, iter("d"))
    shown = console.file.getvalue()
    assert shown.count("\x1b[2J") == 2
    assert "48;5;" in shown


@pytest.mark.parametrize("cls", [Pursuit, IceDuel, Gathering, ChickenMatrix])
def test_every_action_has_a_key(cls):
    group = cls().simulation.spec.groups[0]
    keys = bindings(group)
    assert sorted(keys.values()) == list(range(group.action_sizes[0]))
    assert not {"q", "r"} & set(keys)


def test_what_cannot_be_played_says_why(toy):
    with pytest.raises(InvalidParameter, match="cannot be drawn in characters"):
        Game(toy(), None, "noop", 0, Console())
    with pytest.raises(InvalidParameter, match="several parts"):
        bindings(toy.BLUE)


def test_keys_from_a_file_are_its_characters():
    with typed_keys(io.StringIO("dq\n")) as keys:
        assert list(keys) == ["d", "q", "\n"]


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_keys_from_a_terminal_come_one_by_one():
    import pty
    import termios

    keyboard, terminal = pty.openpty()
    with os.fdopen(terminal) as stream:
        before = termios.tcgetattr(stream)
        with typed_keys(stream) as keys:
            os.write(keyboard, b"d")
            assert next(keys) == "d"  # without waiting for the end of the line
        assert termios.tcgetattr(stream)[3] == before[3]
    os.close(keyboard)


def test_the_command(cli, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("dwq"))
    done = cli("play", "gridworlds/pursuit-v0", "--others", "noop", "--seed", 4)
    assert (done.code, done.err) == (0, "")
    assert "space: stay" in done.out
    assert done.out.splitlines()[-1] == "0 episodes ended; seed: 4"
    refused = cli("play", "gridworlds/pursuit-v1")
    assert refused.code == 2
    assert "v1" in refused.err
