"""Clocks that stand still while the engine is compiled: what is told of a simulation's speed leaves that out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, process_time

_stopped = {perf_counter: 0.0, process_time: 0.0}


def wall_s() -> float:
    """Return the seconds that have passed."""
    return perf_counter() - _stopped[perf_counter]


def cpu_s() -> float:
    """Return the seconds of CPU time that this process has had."""
    return process_time() - _stopped[process_time]


@contextmanager
def excluded_from_timing() -> Iterator[None]:
    """Stop both clocks."""
    started = {clock: clock() for clock in _stopped}
    try:
        yield
    finally:
        for clock, begin in started.items():
            _stopped[clock] += clock() - begin
