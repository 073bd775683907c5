"""Split work over threads by copies, and only where that pays."""

import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from ecumene.engine import check

# Handing work to another thread and waiting for it costs about 50 us.
WORTH_SPLITTING_SECONDS = 200e-6


class Runner:
    """Runs ``work(lo, hi)`` over ranges of copies that together cover all of them.

    Parameters
    ----------
    num_threads
        Most threads to use. None: `ECUMENE_NUM_THREADS`, else the processors this process may
        use.
    """

    def __init__(self, num_threads: int | None = None) -> None:
        self.num_threads = _resolve(num_threads)
        self._seconds_per_copy: dict[str, float] = {}
        self._pool: ThreadPoolExecutor | None = None
        self._pool_owner = 0

    def run(
        self,
        kind: str,
        work: Callable[[int, int], object],
        copies: int,
        busy: int | None = None,
    ) -> None:
        """Run the work.

        Parameters
        ----------
        kind
            Names the work, so that its cost is remembered.
        work
            Called as ``work(lo, hi)``; touches the copies ``lo:hi`` alone.
        copies
            Number of copies.
        busy
            How many of them there is something to do for (default: all).
        """
        if self.num_threads == 1 or copies == 1:
            work(0, copies)
            return
        busy = copies if busy is None else max(busy, 1)
        expected = self._seconds_per_copy.get(kind, 0.0) * busy
        parts = min(self.num_threads, copies, int(expected / WORTH_SPLITTING_SECONDS) + 1)
        others = self._hand_over(work, copies, parts) if parts > 1 else ()
        start = time.perf_counter()
        try:
            work(0, copies // parts)
        finally:
            if others:
                wait(others)
        for other in others:
            other.result()
        self._remember(kind, (time.perf_counter() - start) * parts / busy)

    def _hand_over(
        self, work: Callable[[int, int], object], copies: int, parts: int
    ) -> list[Future[object]]:
        """Let other threads begin with all parts but the first."""
        bounds = [copies * part // parts for part in range(parts + 1)]
        return [self._threads().submit(work, bounds[i], bounds[i + 1]) for i in range(1, parts)]

    def _remember(self, kind: str, seconds: float) -> None:
        # The first call compiles and any call may be interrupted, so a lower figure counts at
        # once; a higher one only bit by bit, for worlds whose steps grow dearer.
        known = self._seconds_per_copy.get(kind, seconds)
        self._seconds_per_copy[kind] = min(seconds, known * 1.05)

    def _threads(self) -> ThreadPoolExecutor:
        # Threads do not survive a fork: a child makes its own.
        if self._pool is None or self._pool_owner != os.getpid():
            self._pool = ThreadPoolExecutor(self.num_threads - 1, "ecumene")
            self._pool_owner = os.getpid()
        return self._pool

    def close(self) -> None:
        """Let the threads go; a later run starts new ones."""
        if self._pool is not None and self._pool_owner == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_pool": None}


def _resolve(num_threads: int | None) -> int:
    origin = "num_threads"
    if num_threads is None:
        origin = "ECUMENE_NUM_THREADS"
        text = os.environ.get(origin, "")
        if not text:
            return _available_processors()
        num_threads = int(text) if text.isdecimal() else text  # type: ignore[assignment]
    return check.integer(origin, num_threads, least=1)


def _available_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
