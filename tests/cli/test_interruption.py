"""Ctrl-C in a long run: the log so far is kept and readable, the summary is printed."""

import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest

from ecumene.record import replay

TIMEOUT_SECONDS = 60


def start(folder, *arguments):
    """Start ``ecumene run`` in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "ecumene.cli", "run", "matrix/chicken-v0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        # A test run in the background may ignore Ctrl-C, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for(process, condition):
    """Wait until something holds while the process runs."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_long_run_is_stopped_in_good_order(tmp_path, number, code):
    log, again = tmp_path / "run.parquet", tmp_path / "run.replay"
    flags = ["--copies", "64", "--episodes", "1000000", "--log", log, "--replay", again]
    with start(tmp_path, *map(str, flags)) as process:
        try:
            wait_for(process, lambda: log.exists() and log.stat().st_size > 100_000)
            process.send_signal(number)
            out, err = process.communicate(timeout=TIMEOUT_SECONDS)
        finally:
            process.kill()
    assert (process.returncode, err) == (code, "")
    assert "Interrupted" in out
    assert "return player_1" in out
    table = pq.read_table(log)
    assert f"{log}: {table.num_rows:,} rows" in out
    # Every step is there whole, up to the last one.
    assert table.num_rows % (64 * 2) == 0
    first = table.slice(0, 64 * 2 * 200).column("step").to_pylist()
    assert first == [step for step in range(200) for _ in range(64 * 2)]
    episodes = replay(again).episodes
    assert sum(episode.steps for episode in episodes) == table.num_rows // (64 * 2)
    assert all(episode.complete for episode in episodes[:-1])


def test_a_second_ctrl_c_stops_a_policy_that_hangs(tmp_path):
    (tmp_path / "slow.py").write_text(
        "import pathlib, time\n"
        "calls = []\n"
        "def act(observations, masks, generator):\n"
        "    calls.append(1)\n"
        "    if len(calls) == 3:\n"
        "        pathlib.Path('hanging').touch()\n"
        "        time.sleep(1000)\n"
        "    return {'players': [[0, 0]]}\n"
    )
    with start(tmp_path, "--policy", "slow:act", "--log", "run.parquet") as process:
        try:
            wait_for(process, (tmp_path / "hanging").exists)
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=TIMEOUT_SECONDS)
        finally:
            process.kill()
    assert (process.returncode, err) == (130, "")
    assert pq.read_table(tmp_path / "run.parquet").num_rows == 2 * 2
