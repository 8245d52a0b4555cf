"""Command line: one command a file; errors of the user's end with one message and exit code 2."""

from __future__ import annotations

import sys

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from models.errors import TsujiError
from tsuji.cli.booksim import booksim
from tsuji.cli.cosim import cosim
from tsuji.cli.demo import demo
from tsuji.cli.run import run
from tsuji.cli.sweep import sweep
from tsuji.cli.synth import synth
from tsuji.cli.verilog import verilog

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
app.command()(booksim)
app.command()(synth)
app.command()(demo)


def main() -> None:
    """Run the command line."""
    try:
        app()
    except (TsujiError, ValidationError) as error:
        Console(stderr=True, highlight=False).print(f"[bold red]error:[/] {escape(str(error))}", soft_wrap=True)
        sys.exit(2)
