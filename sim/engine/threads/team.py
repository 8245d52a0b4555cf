"""Threads of Python that run compiled code at the same time, one of them the caller's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait


class Team:
    """Threads that live as long as this object.

    Parameters
    ----------
    count : int
        Number of threads, the caller's included.
    """

    def __init__(self, count: int) -> None:
        self._pool = ThreadPoolExecutor(count - 1, thread_name_prefix="tsuji")

    def run(self, work: Sequence[Callable[[], None]], fail: Callable[[], None]) -> None:
        """Call functions at the same time, the first one in the caller's thread; return when all have ended.

        Parameters
        ----------
        work : sequence of callable
            The functions, one per thread.
        fail : callable
            Called when a thread fails, so that the others need not wait for it. It is not kept: an object that has a
            team and this method would otherwise live, with its threads, until garbage is collected.

        Raises
        ------
        BaseException
            What any of them raises; what ends the program, Ctrl-C or SIGTERM, after they have ended.
        """
        others: list[Future[None]] = []
        interruption: BaseException | None = None
        try:
            for each in work[1:]:
                others.append(self._pool.submit(_guarded, each, fail))  # noqa: PERF401  # kept if it is interrupted
            work[0]()
        except BaseException:
            fail()
            raise
        finally:
            while not all(each.done() for each in others):
                try:
                    wait(others)
                except (KeyboardInterrupt, SystemExit) as error:  # the state is complete when the others have ended
                    interruption = error
        for other in others:
            other.result()
        if interruption is not None:
            raise interruption


def _guarded(work: Callable[[], None], fail: Callable[[], None]) -> None:
    """Call a function; if it fails, tell the other threads."""
    try:
        work()
    except BaseException:
        fail()
        raise
