"""Operations by which threads wait for one another, on memory that they share (`models.jit.compiler.atomics`)."""

from __future__ import annotations

import time
from threading import Lock

import numpy as np

_LOCK = Lock()


def atomic_add(numbers: np.ndarray, n: int, more: int) -> int:
    """Add `more` to element `n` of an array of int64, as one operation; return the sum.

    What a thread wrote before is visible to each thread that has read the sum with `atomic_load`.
    """
    with _LOCK:
        numbers[n] += more
        return int(numbers[n])


def atomic_load(numbers: np.ndarray, n: int) -> int:
    """Return element `n` of an array of int64, as other threads last wrote it with `atomic_add`."""
    with _LOCK:
        return int(numbers[n])


def pause() -> None:
    """Wait for some cycles of the processor, in a loop that reads memory until another thread changes it."""


def give_way() -> None:
    """Let the operating system run another thread on this processor."""
    time.sleep(0)


def sleep_while(numbers: np.ndarray, n: int, seen: int) -> None:
    """Sleep until another thread calls `wake` for element `n`, for 10 ms at most, unless the element is not `seen`.

    It may return earlier. Where the operating system has no such call, this is `give_way`.
    """
    time.sleep(0)


def wake(numbers: np.ndarray, n: int) -> None:
    """Wake all threads that sleep until element `n` of an array changes."""
