"""Signals: Ctrl-C, SIGTERM or a closed terminal end the program and all processes that it has started."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

from sim.lib.interruption import ENDING, Terminated

if TYPE_CHECKING:
    import psutil

GRACE_S = 3.0  # seconds between asking a process to end and killing it


@contextmanager
def children_end_too() -> Iterator[None]:
    """Make SIGTERM and SIGHUP unwind the program as Ctrl-C does; when the block is left, no child process remains.

    The exit code of a program that such a signal ended is 128 plus the signal's number, as shells count.
    """
    found: set[psutil.Process] = set()

    def leave(number: int, frame: FrameType | None) -> None:
        # Listed before anything unwinds: the children of a tool are no descendants any more once the tool has ended.
        found.update(_descendants())
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)

    before = {number: signal.signal(number, leave) for number in ENDING}
    try:
        yield
    finally:
        _end(found | _descendants())
        for number, handler in before.items():
            signal.signal(number, handler)


def _descendants() -> set[psutil.Process]:
    """Return all descendants of this process."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # there is none: saves an import
        return set()
    import psutil

    return set(psutil.Process().children(recursive=True))


def _end(processes: set[psutil.Process]) -> None:
    """Ask processes to end, and kill those that do not."""
    if not processes:
        return
    from multiprocessing import active_children

    import psutil

    # Of its own processes multiprocessing must learn the end itself: a pool waits for ever for one that another reaped.
    workers = active_children()
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join(GRACE_S)
        if worker.is_alive():
            worker.kill()
            worker.join()
    ended = {worker.pid for worker in workers}
    processes = {process for process in processes if process.pid not in ended}
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.terminate()
    for process in psutil.wait_procs(processes, timeout=GRACE_S)[1]:
        with suppress(psutil.NoSuchProcess):
            process.kill()
