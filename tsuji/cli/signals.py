"""What ends the program from outside, Ctrl-C, SIGTERM or a closed terminal, ends all that it has started, too."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

GRACE_S = 3.0  # between asking a process to end and ending it


@contextmanager
def children_end_too() -> Iterator[None]:
    """Have SIGTERM and SIGHUP unwind the program as Ctrl-C does; whatever way it leaves the block, no child stays.

    The exit code of a program that a signal ended is 128 plus the signal's number, as shells count.
    """
    before = {number: signal.signal(number, _leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        _end_children()
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, frame: Any) -> None:
    raise SystemExit(128 + number)


def _end_children() -> None:
    """End all descendants of this process: what tools and workers have started is among them."""
    if _has_children():
        import psutil

        children = psutil.Process().children(recursive=True)
        for child in children:
            with _gone():
                child.terminate()
        for child in psutil.wait_procs(children, timeout=GRACE_S)[1]:
            with _gone():
                child.kill()


def _has_children() -> bool:
    """Return whether this process has any child, running or not yet waited for, without importing anything."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


@contextmanager
def _gone() -> Iterator[None]:
    """Let pass that a process has ended by itself."""
    import psutil

    with suppress(psutil.NoSuchProcess):
        yield
