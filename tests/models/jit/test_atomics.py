"""Atomic operations, compiled and as plain Python, from several threads."""

import threading
import time

import numpy as np
import pytest

from models.jit.atomics import atomic_add, atomic_load, give_way, pause, sleep_while, wake
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


@compiled
def _sleep(numbers: np.ndarray, least: int) -> int:
    looks = 0
    while atomic_load(numbers, 0) < least:
        looks += 1
        sleep_while(numbers, 0, least - 1)
    return looks


@compiled
def _wake(numbers: np.ndarray) -> None:
    atomic_add(numbers, 0, 1)
    wake(numbers, 0)


def test_a_thread_sleeps_until_it_is_woken():
    """It looks once in 10 ms; a loop that only gives way looks a million times a second."""
    numbers = np.full(2, 6, np.int64)
    sleep, rouse = unlocked_entry_point(_sleep, numbers, 7), unlocked_entry_point(_wake, numbers)
    seen: list[int] = []
    thread = threading.Thread(target=lambda: seen.append(sleep(numbers, 7)))
    thread.start()
    time.sleep(0.2)
    rouse(numbers)
    thread.join(timeout=60)
    assert len(seen) == 1
    assert 1 <= seen[0] < 1000
    assert sleep(numbers, 7) == 0  # it has changed


def test_as_plain_python_it_gives_way():
    numbers = np.full(2, 6, np.int64)
    plain = [getattr(function, "py_func", function) for function in (_sleep, _wake)]
    thread = threading.Thread(target=plain[0], args=(numbers, 7))
    thread.start()
    plain[1](numbers)
    thread.join(timeout=60)
    assert not thread.is_alive()
