"""Threads of Python that run compiled code at the same time, one of them the caller's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait


class Team:
    """Threads that live as long as this object.

    Parameters
    ----------
    count : int
        Number of threads, the caller's included.
    fail : callable
        Called when a thread fails, so that the others need not wait for it.
    """

    def __init__(self, count: int, fail: Callable[[], None]) -> None:
        self._pool = ThreadPoolExecutor(count - 1, thread_name_prefix="tsuji")
        self._fail = fail

    def run(self, work: Sequence[Callable[[], None]]) -> None:
        """Call functions at the same time, the first one in the caller's thread; return when all have ended.

        Raises
        ------
        BaseException
            What any of them raises; KeyboardInterrupt after they have ended.
        """
        others = [self._pool.submit(self._guarded, each) for each in work[1:]]
        interruption: KeyboardInterrupt | None = None
        try:
            self._guarded(work[0])
        finally:
            while not all(each.done() for each in others):
                try:
                    wait(others)
                except KeyboardInterrupt as error:  # the others end by themselves, and the state is then complete
                    interruption = error
        for each in others:
            each.result()
        if interruption is not None:
            raise interruption

    def _guarded(self, work: Callable[[], None]) -> None:
        """Call a function; if it fails, tell the other threads."""
        try:
            work()
        except BaseException:
            self._fail()
            raise
