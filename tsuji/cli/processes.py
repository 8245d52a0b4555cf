"""A command that an MPI launcher starts several times: the processes are one program, and one of them speaks."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from contextvars import ContextVar
from typing import TYPE_CHECKING, NoReturn

from models.errors import TsujiError

if TYPE_CHECKING:
    from sim.engine.processes.launch import Launch
    from sim.engine.processes.processes import Processes

TOGETHER = ("run",)
"""Commands that several processes run together."""

_joined: ContextVar[Processes | None] = ContextVar("processes", default=None)


def joined() -> Processes | None:
    """Return the processes of this program; None if it is one process."""
    return _joined.get()


def writes() -> bool:
    """Return whether this process tells the result and writes files: the first one does."""
    processes = joined()
    return processes is None or processes.rank == 0


def run_together(
    launch: Launch, command: str | None, work: Callable[[], None], tell: Callable[[BaseException], int]
) -> NoReturn:
    """Run a command in one of several processes, and end it with the exit code of all.

    The other processes than the first one are silent. If all end with an error, one tells it; if one ends with an error
    of its own, it tells it and ends the others.

    Parameters
    ----------
    launch : Launch
        What the launcher says.
    command : str or None
        Name of the command; None: none is named.
    work : callable
        Runs it; raises `SystemExit` or an error.
    tell : callable
        Prints an error; returns its exit code.
    """
    printed = io.StringIO()
    processes = None
    ended: BaseException = SystemExit(0)
    with ExitStack() as stack:
        if launch.rank:
            stack.enter_context(redirect_stdout(stack.enter_context(open(os.devnull, "w", encoding="utf-8"))))
            stack.enter_context(redirect_stderr(printed))
        try:
            processes = launch.join()
            _joined.set(processes)
            if command not in (None, *TOGETHER):
                raise TsujiError(
                    f"mpirun -n {launch.size}: `tsuji {command}` runs in one process; start it without mpirun"
                )
            work()
        except BaseException as error:  # an interruption, too, must end the other processes
            ended = error
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            code = tell(ended)

    def speak() -> None:
        if launch.rank and isinstance(ended, SystemExit):
            print(printed.getvalue(), end="", file=sys.stderr)
        tell(ended)

    if processes is not None:
        sys.exit(processes.end(code, speak))
    if launch.rank == 0:
        speak()
    sys.exit(code)
