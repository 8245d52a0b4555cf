"""`tsuji demo`: a demonstration of every part."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tsuji.cli.points import CPUS, Workers


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for all output.")] = Path(
        "build/run"
    ),
    workers: Workers = None,
) -> None:
    """Demonstrate every part: the default switch's Verilog, synthesis, comparison with the model, a sweep of a torus.

    Takes a few minutes. The report, with tables and the latency curves of an 8×8 torus with and without route cache, is
    written to the output folder; its path is printed at the end.

    [bold]Example[/]

      tsuji demo -o build/run
    """
    from tsuji.cli.demonstration import Demonstration

    console = Console(highlight=False)
    demonstration = Demonstration(output, console, workers or CPUS)
    demonstration.run()
    console.print(f"report: {demonstration.report}", markup=False)
    if demonstration.differences:
        raise typer.Exit(1)
