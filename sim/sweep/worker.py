"""Worker processes of a sweep: how they start, and their set-up."""

from __future__ import annotations

import os
import signal
import sys
import threading
from multiprocessing import connection, parent_process

from sim.lib.interruption import ENDING
from sim.lib.progress import silence


def start_method() -> str:
    """Return how workers start: forked, they have all that this process has imported, loaded and compiled.

    Elsewhere than on Linux, system libraries do not survive a fork.
    """
    return "fork" if sys.platform == "linux" else "spawn"


def prepare() -> None:
    """Make this process end on Ctrl-C, and when its parent process ends; it shows no progress."""
    for each in (signal.SIGINT, *ENDING):
        signal.signal(each, signal.SIG_DFL)
    silence()
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
