"""Command line: one command a file; errors end with one message and exit code 2, or 1 if a network stands still."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from models.errors import TsujiError
from tsuji import __version__
from tsuji.cli.bases import bases
from tsuji.cli.booksim import booksim
from tsuji.cli.cosim import cosim
from tsuji.cli.curve import curve
from tsuji.cli.demo import demo
from tsuji.cli.mpi import mpi
from tsuji.cli.papers import papers
from tsuji.cli.power import power
from tsuji.cli.replay import replay
from tsuji.cli.run import run
from tsuji.cli.saturate import saturate
from tsuji.cli.signals import children_end_too
from tsuji.cli.sweep import sweep
from tsuji.cli.synth import synth
from tsuji.cli.topology import topology
from tsuji.cli.verilog import verilog
from tsuji.cli.view import view

app = typer.Typer(
    name="tsuji",
    help="An HPC interconnect switch: generate its Verilog, verify it against its model, simulate networks of it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command()(verilog)
app.command()(cosim)
app.command()(run)
app.command()(sweep)
app.command()(curve)
app.command()(saturate)
app.command()(topology)
app.command()(replay)
app.command()(mpi)
app.command()(power)
app.command()(view)
app.command()(booksim)
app.command()(bases)
app.add_typer(papers)
app.command()(synth)
app.command()(demo)


def _show_version(asked: bool) -> None:
    """Print the version and end, if that is asked for."""
    if asked:
        print(f"tsuji {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Take the options that stand before a command."""


def _say(begin: str, what: object) -> None:
    """Print a message as it is: neither brackets nor a word between colons mean anything in it."""
    Console(stderr=True, highlight=False, emoji=False).print(f"{begin} {escape(str(what))}", soft_wrap=True)


def _warn(message: Warning | str, *_: Any) -> None:
    """Print a warning as errors are printed."""
    Console(stderr=True, highlight=False, emoji=False).print(
        f"[bold yellow]warning:[/] {escape(str(message))}", soft_wrap=True
    )


def main() -> None:
    """Run the command line."""
    warnings.showwarning = _warn  # type: ignore[assignment]
    try:
        with children_end_too():
            app()
    except (TsujiError, ValidationError) as error:
        Console(stderr=True, highlight=False, emoji=False).print(
            f"[bold red]error:[/] {escape(str(error))}", soft_wrap=True
        )
        sys.exit(error.exit_code if isinstance(error, TsujiError) else TsujiError.exit_code)
