"""Who is told how far a compilation is: it takes a minute for the engine, where all else takes a second."""

from __future__ import annotations

from collections.abc import Callable

Listener = Callable[[str, int], None]
"""Told the function that is compiled, and how many functions that it calls are done."""

_listeners: list[Listener] = []
_compiling: list[str] = []  # the entry point, while one is compiled
_done = [0]


def listen(listener: Listener) -> None:
    """Have a listener told of all compilations of this process from now on."""
    _listeners.append(listener)


def begin(name: str) -> None:
    """Tell that a function is being compiled."""
    _compiling[:], _done[0] = [name], 0
    _tell()


def part_done() -> None:
    """Tell that a function is done that it calls."""
    _done[0] += 1
    _tell()


def _tell() -> None:
    for listener in _listeners:
        for name in _compiling:
            listener(name, _done[0])
