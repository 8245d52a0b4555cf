"""Units of one engine, compiled side by side in processes forked from this one, one per core.

A forked process has the compiler loaded and knows the types already. Each takes the next unit, longest first, from a
pipe that all read. What a process that ended early leaves undone, this one does: on a single core, everything.
"""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from contextvars import copy_context
from multiprocessing import get_all_start_methods, get_context, parent_process
from multiprocessing.connection import Connection
from threading import Thread

from models.errors import CompilationError
from models.jit import watching
from models.jit.callees import closure_of
from models.jit.compiler.units import Unit

Compile = Callable[[Unit], bytes]


def compile_side_by_side(units: Sequence[Unit], compile_unit: Compile) -> list[bytes]:
    """Return the object files of units.

    Parameters
    ----------
    units : sequence of Unit
        The units.
    compile_unit : callable
        Returns the object file of one unit.
    """
    taken, given = os.pipe()
    sizes = [len(closure_of(unit.function)) for unit in units]
    os.write(given, bytes(sorted(range(len(units)), key=sizes.__getitem__, reverse=True)))
    os.close(given)
    helpers = [_Helper(units, compile_unit, taken) for _ in range(min(_cores(), len(units)) - 1)]
    found: dict[int, bytes] = {}
    try:
        found |= {number: compile_unit(units[number]) for number in _take(taken)}
        for helper in helpers:
            found |= helper.join()
    finally:
        os.close(taken)
        for helper in helpers:
            helper.end()
    return [found.get(number) or compile_unit(unit) for number, unit in enumerate(units)]


def _cores() -> int:
    """Return how many processes may work at a time; 1 where processes cannot be forked, or this is one of several."""
    if "fork" not in get_all_start_methods() or parent_process() is not None:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _take(pipe: int) -> Iterator[int]:
    """Yield the numbers of units that no other process has taken."""
    while number := os.read(pipe, 1):
        yield number[0]


class _Helper:
    """A process that compiles units.

    Parameters
    ----------
    units, compile_unit
        As in `compile_side_by_side`.
    taken : int
        Pipe with the numbers of units to compile.
    """

    def __init__(self, units: Sequence[Unit], compile_unit: Compile, taken: int) -> None:
        self._found: dict[int, bytes] = {}
        context = get_context("fork")
        self._results, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_help, args=(units, compile_unit, taken, sender))
        with warnings.catch_warnings():
            # The child neither writes to the terminal nor takes a lock that a thread of this process could hold.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        sender.close()
        self._listener = Thread(target=copy_context().run, args=(self._listen, units), daemon=True)
        self._listener.start()

    def _listen(self, units: Sequence[Unit]) -> None:
        """Receive object files, and names of functions that are translated."""
        try:
            while True:
                message = self._results.recv()
                if isinstance(message, str):
                    watching.part_done(message)
                else:
                    number, found = message
                    self._found[number] = found
                    watching.object_done(closure_of(units[number].function))
        except (EOFError, OSError):  # it has ended
            return

    def join(self) -> dict[int, bytes]:
        """Return what the process has compiled, when it is done."""
        self._listener.join()
        self._process.join()
        return self._found

    def end(self) -> None:
        """End the process if it is still running."""
        self._process.terminate()
        self._process.join()
        self._results.close()


def _help(units: Sequence[Unit], compile_unit: Compile, taken: int, sender: Connection) -> None:
    """Compile units, in a forked process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    watching.report_to(sender.send)
    with suppress(CompilationError, OSError):  # the parent process meets the error again, or has ended
        for number in _take(taken):
            sender.send((number, compile_unit(units[number])))
