"""Progress of preparations: what takes long tells how far it is, and whoever shows it listens.

Routes, their check and distances are computed deep inside functions that have no other use for a listener. It is
therefore one of the context, and not handed through all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from models.jit import watching

Listener = Callable[[str, int, int], None]
"""Told the stage, the steps done, and the steps in all; 0 of 0 where nobody knows how many there are."""

LOADING = "loading the engine"  # the phase of a simulation before its cycles
COMPILING = "compiling"  # begins the stage in which a function is compiled

T = TypeVar("T")

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have what is done inside the `with` block tell how far it is."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(stage: str, done: int = 0, total: int = 0) -> None:
    """Tell the listener, if there is one, of a stage."""
    listener = _listener.get()
    if listener is not None:
        listener(stage, done, total)


def steps(stage: str, items: Collection[T]) -> Iterator[T]:
    """Yield the items, each a step of the stage."""
    for done, item in enumerate(items):
        report(stage, done, len(items))
        yield item


def _compiles(name: str, done: int) -> None:
    report(f"{COMPILING} {name} and the functions it calls, once for this version", done)


watching.listen(_compiles)
