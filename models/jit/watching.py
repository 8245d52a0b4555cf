"""Progress of a compilation, told to listeners: the engine takes half a minute, everything else a second."""

from __future__ import annotations

from collections.abc import Callable, Set
from threading import Lock

Listener = Callable[[str, int, int], None]
"""Called with the function that is compiled, the steps done, and all steps, as far as they are known."""

TRANSLATED, OPTIMISED = 2, 1  # steps per function: to make code of it, and to optimise it within an object file

_listeners: list[Listener] = []
_elsewhere: list[Callable[[str], None]] = []
_lock = Lock()  # processes that help are heard in a thread of its own


class _Steps:
    """Steps of the present compilation.

    Parameters
    ----------
    name : str
        Function that is compiled.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.wanted: set[str] = set()
        self.done: set[str] = set()
        self.to_optimise = self.optimised = 0


_steps = _Steps("")


def listen(listener: Listener) -> None:
    """Register a listener for all further compilations of this process."""
    _listeners.append(listener)


def report_to(send: Callable[[str], None]) -> None:
    """Tell `send` instead of the listeners the functions that are translated: in a process that was just forked."""
    _elsewhere.append(send)


def begin(name: str) -> None:
    """Report that the compilation of function `name` begins."""
    global _steps
    _steps = _Steps(name)
    _tell()


def expect(functions: Set[str]) -> None:
    """Report that an object file of these functions is to be compiled."""
    with _lock:
        _steps.wanted |= functions
        _steps.to_optimise += len(functions)


def part_done(name: str) -> None:
    """Report that function `name`, which others call, is translated."""
    for send in _elsewhere:
        send(name)
        return
    with _lock:
        _steps.done.add(name)
    _tell()


def object_done(functions: Set[str]) -> None:
    """Report that an object file of these functions is compiled."""
    if _elsewhere:
        return
    with _lock:
        _steps.done |= functions
        _steps.optimised += len(functions)
    _tell()


def _tell() -> None:
    steps = _steps
    if not steps.name:
        return
    with _lock:
        done = TRANSLATED * len(steps.done & steps.wanted) + OPTIMISED * steps.optimised
        total = TRANSLATED * len(steps.wanted) + OPTIMISED * steps.to_optimise
        for listener in _listeners:
            listener(steps.name, done, total)
