"""Set-up of a worker process of a sweep."""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing import connection, parent_process


def prepare() -> None:
    """Make this process end on Ctrl-C, and when its parent process ends."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
