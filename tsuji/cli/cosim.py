"""`tsuji cosim`: RTL against model."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console

from tsuji.cli.output import output_file, text_console


def cosim(
    only: Annotated[
        str, typer.Option(metavar="NAME", help="Run only benches and parameter sets whose name contains this.")
    ] = "",
    seed: Annotated[int, typer.Option(help="Seed of all random choices.")] = 1,
    waves: Annotated[bool, typer.Option("--waves", help="Write a VCD per bench.")] = False,
    code_coverage: Annotated[
        bool, typer.Option("--code-coverage", help="Measure line coverage of the Verilog.")
    ] = False,
    junit: Annotated[Path | None, output_file("Write results as JUnit XML (-: standard output).")] = None,
    jobs: Annotated[int, typer.Option(help="Benches that run in parallel.", min=1)] = 2,
) -> None:
    """Compare the switch and its components on Verilator with their golden model: every output in every cycle.

    Reports, logs and waves of each bench are written to build/cosim. The exit code is 1 if anything differs.

    [bold]Examples[/]

      tsuji cosim

      tsuji cosim --only route_cache --waves

      tsuji cosim --seed 7 --junit cosim.xml
    """
    from cocotb_tests.runner.summary import regression, summary
    from sim.files.output_file import write_output

    console = text_console(junit)
    with TemporaryDirectory() as folder:
        xml = Path(folder) / "junit.xml" if junit else None
        outcome = regression(only, seed, waves, code_coverage, xml, jobs, Console(stderr=True, highlight=False))
        if junit and xml:
            write_output(junit, xml.read_bytes())
    if not console.is_terminal:
        console.width = 120
    console.print(summary(outcome.reports))
    for name, reason in outcome.failures.items():
        console.print(f"[bold red]{name}[/]")
        console.print(reason, markup=False)
    cycles = sum(report.cycles for report in outcome.reports)
    console.print(
        f"{len(outcome.reports)} benches, {cycles:,} cycles compared, {len(outcome.failures)} failed; seed {seed}"
    )
    if outcome.failures:
        raise typer.Exit(1)
