"""Progress of a compilation, told to listeners: the engine takes a minute, everything else a second."""

from __future__ import annotations

from collections.abc import Callable

Listener = Callable[[str, int], None]
"""Called with the function that is compiled, and the number of its callees that are done."""

_listeners: list[Listener] = []
_compiling: list[str] = []  # the entry point that is being compiled, if any
_done = [0]


def listen(listener: Listener) -> None:
    """Register a listener for all further compilations of this process."""
    _listeners.append(listener)


def begin(name: str) -> None:
    """Report that the compilation of function `name` begins."""
    _compiling[:], _done[0] = [name], 0
    _tell()


def part_done() -> None:
    """Report that a callee of the function is compiled."""
    _done[0] += 1
    _tell()


def _tell() -> None:
    for listener in _listeners:
        for name in _compiling:
            listener(name, _done[0])
