"""The runner: every copy once, threads only where they pay, forks and exceptions survived."""

import os
import pickle
import threading
import time

import numpy as np
import pytest

from ecumene.engine import InvalidParameter, Runner, runner


def slow(lo, hi):
    time.sleep(0.001 * (hi - lo))


def test_small_work_stays_on_the_callers_thread():
    threads = set()
    with_many = Runner(4)
    for _ in range(5):
        with_many.run("tiny", lambda lo, hi: threads.add(threading.get_ident()), 1000)
    assert threads == {threading.get_ident()}


def test_large_work_is_split_and_every_copy_is_treated_once():
    counts = np.zeros(20, int)
    threads = set()

    def work(lo, hi):
        slow(lo, hi)
        counts[lo:hi] += 1
        threads.add(threading.get_ident())

    with_many = Runner(4)
    with_many.run("large", work, 20)
    assert len(threads) == 1  # the cost is not known yet
    with_many.run("large", work, 20)
    assert counts.tolist() == [2] * 20
    assert len(threads) > 1
    with_many.close()


def test_one_thread_is_one_thread():
    threads = set()
    with_one = Runner(1)
    for _ in range(2):
        with_one.run("large", lambda lo, hi: (slow(lo, hi), threads.add(threading.get_ident())), 5)
    assert threads == {threading.get_ident()}


def test_a_few_busy_copies_do_not_hide_what_all_of_them_cost():
    parts = []

    def work(lo, hi):
        parts.append((lo, hi))
        time.sleep(0.0005 if len(parts) == 1 else 0)

    with_many = Runner(2)
    with_many.run("begin", work, 100, busy=1)
    with_many.run("begin", work, 100)
    assert sorted(parts[1:]) == [(0, 50), (50, 100)]
    with_many.close()


@pytest.mark.parametrize("bad", [0, 7])
def test_an_exception_reaches_the_caller_after_all_parts_are_done(bad):
    done = []

    def work(lo, hi):
        slow(lo, hi)
        if lo <= bad < hi and hi - lo < 8:
            raise ZeroDivisionError(bad)
        done.append((lo, hi))

    with_many = Runner(2)
    with_many.run("work", work, 8)
    with pytest.raises(ZeroDivisionError):
        with_many.run("work", work, 8)
    assert len(done) == 2
    with_many.run("work", slow, 8)  # still usable
    with_many.close()


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_makes_threads_of_its_own():
    with_many = Runner(2)
    for _ in range(2):
        with_many.run("work", slow, 8)
    child = os.fork()
    if child == 0:
        try:
            threads = set()
            with_many.run("work", lambda lo, hi: threads.add(threading.get_ident()), 8)
            os._exit(0 if len(threads) == 2 else 1)
        finally:
            os._exit(2)
    deadline = time.monotonic() + 20
    ended, status = os.waitpid(child, os.WNOHANG)
    while not ended and time.monotonic() < deadline:
        time.sleep(0.05)
        ended, status = os.waitpid(child, os.WNOHANG)
    if not ended:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert ended
    assert os.waitstatus_to_exitcode(status) == 0
    with_many.close()


def test_a_runner_is_pickled_without_its_threads():
    with_many = Runner(2)
    for _ in range(2):
        with_many.run("work", slow, 8)
    twin = pickle.loads(pickle.dumps(with_many))
    twin.run("work", slow, 8)
    twin.close()
    twin.close()
    with_many.close()
    with_many.run("work", slow, 8)
    with_many.close()


@pytest.mark.parametrize("value", [0, -1, 1.0, True, "2"])
def test_num_threads_is_checked(value):
    with pytest.raises(InvalidParameter, match="num_threads is"):
        Runner(value)


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5"])
def test_the_environment_variable_is_checked(monkeypatch, text):
    monkeypatch.setenv("ECUMENE_NUM_THREADS", text)
    with pytest.raises(InvalidParameter, match="ECUMENE_NUM_THREADS is"):
        Runner()
    assert Runner(3).num_threads == 3  # the argument wins


def test_the_environment_variable_counts(monkeypatch):
    monkeypatch.setenv("ECUMENE_NUM_THREADS", "3")
    assert Runner().num_threads == 3
    monkeypatch.setenv("ECUMENE_NUM_THREADS", "")
    assert Runner().num_threads >= 1


def test_threads_never_change_results(monkeypatch, make_vec_short, world_id, equal):
    monkeypatch.setattr(runner, "WORTH_SPLITTING_SECONDS", 1e-9)
    one, three = (make_vec_short(world_id, 7, num_threads=threads) for threads in (1, 3))
    assert equal(one.reset(seed=3), three.reset(seed=3))
    generator = np.random.default_rng(0)
    for _ in range(16):
        actions = one.sample_actions(generator)
        assert equal(one.step(actions), three.step(actions))
    assert [one.state_hash(k) for k in range(7)] == [three.state_hash(k) for k in range(7)]
    three.close()
