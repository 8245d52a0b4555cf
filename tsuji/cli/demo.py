"""`tsuji demo`: all of it on something real."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tsuji.cli.points import CPUS, Workers


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where everything is left.")] = Path(
        "build/run"
    ),
    workers: Workers = CPUS,
) -> None:
    """Show everything once: the default switch's Verilog, its synthesis, its comparison with the model, a torus swept.

    Takes a few minutes. The report, with tables and the latency curves of an 8×8 torus with and without route cache, is
    left in the output folder; its path is printed at the end.

    [bold]Example[/]

      tsuji demo -o build/run
    """
    from tsuji.cli.demonstration import Demonstration

    console = Console(highlight=False)
    demonstration = Demonstration(output, console, workers)
    demonstration.run()
    console.print(f"report: {demonstration.report}", markup=False)
    if demonstration.differences:
        raise typer.Exit(1)
