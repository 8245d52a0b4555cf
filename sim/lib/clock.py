"""Clocks that stop during compilation, so that a simulation's reported speed excludes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, process_time

_stopped = {perf_counter: 0.0, process_time: 0.0}


def wall_s() -> float:
    """Return the wall-clock time, seconds, compilation excluded."""
    return perf_counter() - _stopped[perf_counter]


def cpu_s() -> float:
    """Return the CPU time of this process, seconds, compilation excluded."""
    return process_time() - _stopped[process_time]


@contextmanager
def excluded_from_timing() -> Iterator[None]:
    """Stop both clocks within the `with` block."""
    started = {clock: clock() for clock in _stopped}
    try:
        yield
    finally:
        for clock, begin in started.items():
            _stopped[clock] += clock() - begin
