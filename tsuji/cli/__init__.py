"""Command line: one command per file; errors end with a message and exit code 2, or 1 if a network stalls."""

from __future__ import annotations

import importlib
import sys
import traceback
import warnings
from collections.abc import Sequence
from functools import cache, partial
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from models.errors import TsujiError
from sim.engine.processes.launch import launched
from sim.lib.interruption import notes_of
from tsuji import __version__
from tsuji.cli.processes import run_together
from tsuji.cli.signals import children_end_too

COMMANDS = (
    "verilog",
    "formats",
    "registers",
    "cosim",
    "run",
    "sweep",
    "curve",
    "saturate",
    "topology",
    "routes",
    "replay",
    "mpi",
    "power",
    "view",
    "booksim",
    "bases",
    "papers",
    "synth",
    "board",
    "demo",
    "engines",
)
"""Names of the commands in the order of the help; each is a module of this folder with a function of that name."""


def _show_version(asked: bool) -> None:
    """Print the version and exit, if requested."""
    if asked:
        print(f"tsuji {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Parse the options before a command."""


def command_line(names: Sequence[str] = COMMANDS) -> typer.Typer:
    """Return the command line with the commands of these names; importing all takes 0.2 s.

    Parameters
    ----------
    names : Sequence[str]
        Some of `COMMANDS`.
    """
    line = typer.Typer(
        name="tsuji",
        help="An HPC interconnect switch: generate its Verilog, verify it against its model, simulate networks of it.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    line.callback()(_options)
    for name in names:
        entry = getattr(importlib.import_module(f"tsuji.cli.{name}"), name)
        if isinstance(entry, typer.Typer):
            line.add_typer(entry)
        else:
            line.command()(entry)
    return line


def _say(begin: str, what: object) -> None:
    """Print a message verbatim: brackets and words between colons are not markup."""
    Console(stderr=True, highlight=False, emoji=False).print(f"{begin} {escape(str(what))}", soft_wrap=True)


def _warn(message: Warning | str, *_: Any) -> None:
    """Print a warning in the style of errors, once: a file may be read several times."""
    _warn_once(str(message))


@cache
def _warn_once(text: str) -> None:
    _say("[bold yellow]warning:[/]", text)


def _tell_notes(error: BaseException) -> None:
    """Print how far a run came that ended before its end, and where what it recorded is."""
    for note in dict.fromkeys(notes_of(error)):
        Console(stderr=True, highlight=False, emoji=False).print(note, soft_wrap=True, markup=False)


def _run(asked: str | None) -> None:
    """Run the command line; `asked` is the first word of its arguments."""
    with children_end_too():
        command_line([asked] if asked in COMMANDS else COMMANDS)()


def _tell(error: BaseException) -> int:
    """Print what ended the command line; return the exit code."""
    if isinstance(error, SystemExit):
        if error.code:  # click turns Ctrl-C into an exit
            _tell_notes(error)
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if not isinstance(error, TsujiError | ValidationError):
        traceback.print_exception(error)
        return 1
    _say("[bold red]error:[/]", error)
    _tell_notes(error)
    return error.exit_code if isinstance(error, TsujiError) else TsujiError.exit_code


def main() -> None:
    """Run the command line."""
    asked = sys.argv[1] if len(sys.argv) > 1 else None
    warnings.showwarning = _warn  # type: ignore[assignment]
    launch = launched()
    if launch is not None:
        run_together(launch, asked if asked in COMMANDS else None, partial(_run, asked), _tell)
    try:
        _run(asked)
    except (SystemExit, TsujiError, ValidationError) as error:
        sys.exit(_tell(error))
