"""Progress of preparations: long computations report their progress, and a listener shows it.

Routes, their check and distances are computed deep inside functions that have no other use for a listener. So the
listener is a context variable, not an argument of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from models.jit import watching

Listener = Callable[[str, int, int], None]
"""Called with the stage, the steps done and the total steps; 0 of 0 if the total is unknown."""

LOADING = "loading the engine"  # the phase of a simulation before its cycles
COMPILING = "compiling"  # prefix of the stage in which a function is compiled

T = TypeVar("T")

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Make `listener` receive the progress reports of the `with` block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(stage: str, done: int = 0, total: int = 0) -> None:
    """Report a stage to the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(stage, done, total)


def silence() -> None:
    """Report to nobody any more: the listener belongs to the process from which this one was forked."""
    _listener.set(None)


def steps(stage: str, items: Collection[T]) -> Iterator[T]:
    """Yield the items, each reported as one step of the stage."""
    for done, item in enumerate(items):
        report(stage, done, len(items))
        yield item


def _compiles(name: str, done: int, total: int) -> None:
    report(f"{COMPILING} {name} and the functions it calls, once for this version", done, total)


watching.listen(_compiles)
