"""`ecumene bench` measures what it says it measures."""

import pytest

from ecumene.cli.bench import Subject, measure, written_arrays
from ecumene.matrix import ChickenSimulation


def test_a_line_per_copies_and_threads(cli):
    result = cli(
        "bench", "matrix/chicken-v0", "--copies", "1,8", "--threads", "1,2",
        "--seconds", 0.01, "--runs", 3,
    )  # fmt: skip
    assert result.code == 0, result.err
    heading, columns, *lines = [line.split() for line in result.out.splitlines()]
    assert heading[0] == "matrix/chicken-v0"
    assert columns[:4] == ["copies", "threads", "env-steps/s", "agent-steps/s"]
    assert [line[:2] for line in lines] == [["1", "1"], ["1", "2"], ["8", "1"], ["8", "2"]]
    # 5 bytes of observation and 2 of mask for each of two players.
    assert {line[6] for line in lines} == {"14"}


def test_speeds_hang_together():
    (speed,) = measure("matrix/chicken-v0", {"max_moves": 5}, [4], [1], 0.01, 3)
    assert len(speed.step_seconds) == len(speed.floor_seconds) == 3
    assert speed.agent_steps == pytest.approx(2 * speed.env_steps)
    assert speed.gap > 1
    assert all(0 < share < 1 for share in speed.reset_share)


def test_a_run_longer_than_an_episode_resets():
    simulation = ChickenSimulation(2, 1, max_moves=3)
    Subject(simulation).run(0.01)
    assert simulation.out["players"].alive.all()


def test_nested_observations_are_counted():
    simulation = ChickenSimulation(2)
    out = simulation.out["players"]
    simulation.out["players"] = out._replace(observation={"a": {"b": out.observation}})
    assert sum(array.nbytes for array in written_arrays(simulation)) == 28


@pytest.mark.parametrize("copies", ["", "1,x", "0", "1.5", "-1"])
def test_wrong_lists_are_refused(cli, copies):
    result = cli("bench", "matrix/chicken-v0", f"--copies={copies}")
    assert result.code == 2
    assert "--copies is a list such as 1,64,1024" in result.err
