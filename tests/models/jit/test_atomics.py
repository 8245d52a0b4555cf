"""Atomic operations, compiled and as plain Python, from several threads."""

import threading

import numpy as np
import pytest

from models.jit.atomics import atomic_add, atomic_load, give_way, pause
from models.jit.compiled import compiled, unlocked_entry_point


@compiled
def _count(numbers: np.ndarray, place: int, times: int) -> None:
    for _ in range(times):
        atomic_add(numbers, place, 3)


@compiled
def _wait(numbers: np.ndarray, place: int, least: int) -> int:
    while atomic_load(numbers, place) < least:
        pause()
        give_way()
    return atomic_add(numbers, place, 0)


@pytest.mark.parametrize("plain", [False, True])
def test_no_addition_is_lost_and_waiting_ends(plain):
    """One thread waits for the sum that two others reach; compiled, calls must let other threads run meanwhile."""
    numbers, each = np.zeros(3, np.int64), 1000
    count, wait = (getattr(function, "py_func", function) for function in (_count, _wait))
    if not plain:
        count = [unlocked_entry_point(_count, numbers, 1, each) for _ in range(2)]
        wait = unlocked_entry_point(_wait, numbers, 1, 6 * each)
    else:
        count = [count, count]
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(wait(numbers, 1, 6 * each)))]
    threads += [threading.Thread(target=function, args=(numbers, 1, each)) for function in count]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert seen == [6 * each]
    assert numbers.tolist() == [0, 6 * each, 0]
