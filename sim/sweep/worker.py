"""What a worker process of a sweep does before its first point."""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing import connection, parent_process


def prepare() -> None:
    """End this process at once on Ctrl-C, and when the process that started it has gone."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
