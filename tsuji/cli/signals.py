"""What ends the program from outside, Ctrl-C, SIGTERM or a closed terminal, ends all that it has started, too."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

GRACE_S = 3.0  # between asking a process to end and ending it


@contextmanager
def children_end_too() -> Iterator[None]:
    """Have SIGTERM and SIGHUP unwind the program as Ctrl-C does; whatever way it leaves the block, no child stays.

    The exit code of a program that such a signal ended is 128 plus the signal's number, as shells count.
    """
    found: set[psutil.Process] = set()

    def leave(number: int, frame: FrameType | None) -> None:
        # Before anything unwinds: what a tool has started is no descendant any more once the tool has ended.
        found.update(_descendants())
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        _end(found | _descendants())
        for number, handler in before.items():
            signal.signal(number, handler)


def _descendants() -> set[psutil.Process]:
    """Return all processes that this one has started, and those that they have."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # there is none: nothing need be imported to find that out
        return set()
    import psutil

    return set(psutil.Process().children(recursive=True))


def _end(processes: set[psutil.Process]) -> None:
    """Ask processes to end, and end those that do not."""
    if not processes:
        return
    import psutil

    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.terminate()
    for process in psutil.wait_procs(processes, timeout=GRACE_S)[1]:
        with suppress(psutil.NoSuchProcess):
            process.kill()
