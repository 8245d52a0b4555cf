"""Runs a program once per rank: a function of a communicator, or a script written for mpi4py."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from models.errors import TsujiError
from sim.mpi.comm import Comm
from sim.mpi.errors import ProgramError
from sim.mpi.module import imported, mpi_module
from sim.mpi.world import Told, World

Program: TypeAlias = "str | Path | Callable[[Comm], Any]"


def run_program(world: World, program: Program, arguments: Sequence[str] = (), told: Told | None = None) -> list[Any]:
    """Run a program on all ranks of a world; return each rank's result, None for a script.

    Parameters
    ----------
    world : World
    program : path or callable
        A script, whose instances have their own variables but share imported modules; or a function of the communicator
        of all ranks.
    arguments : sequence of str
        `sys.argv` after the script's name.
    told : callable or None
        Called with the progress.

    Raises
    ------
    ProgramError
        If the program fails, or violates the rules of MPI.
    DeadlockError
        If it waits for ever.
    """
    ranks = world.executor.ranks
    comm = Comm(world, range(ranks), 0)
    with imported(mpi_module(world, comm)):
        if callable(program):
            function = program
            values = world.run([lambda: function(comm)] * ranks, told)
        else:
            path = Path(program)
            code = _compiled(path)
            with _as_script(path, arguments):
                values = world.run([lambda: _execute(code, path)] * ranks, told)
    if world.recorder is not None:
        world.recorder.close()
    if lost := world.executor.unreceived():
        shown = lost[:8] + ([f"and {len(lost) - 8} more"] if len(lost) > 8 else [])
        raise ProgramError("messages were sent that no rank received:\n  " + "\n  ".join(shown))
    return values


def _compiled(path: Path) -> Any:
    try:
        return compile(path.read_bytes(), str(path), "exec")
    except FileNotFoundError:
        raise TsujiError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise TsujiError(f"{path}: cannot be read ({error}); expected a program in Python") from error
    except SyntaxError as error:
        raise ProgramError(f"{path}:{error.lineno}: {error.msg}") from error


def _execute(code: Any, path: Path) -> None:
    exec(code, {"__name__": "__main__", "__file__": str(path), "__builtins__": __builtins__})


@contextmanager
def _as_script(path: Path, arguments: Sequence[str]) -> Iterator[None]:
    """Set arguments and imports as if Python had been started with a script."""
    argv = sys.argv
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        yield
    finally:
        sys.argv = argv
        sys.path.remove(str(path.parent.resolve()))
