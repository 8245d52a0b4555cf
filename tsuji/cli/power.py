"""`tsuji power`: energy accounts of results, as a table and as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from models.errors import TsujiError
from tsuji.cli.figures import number
from tsuji.cli.output import PICTURES, output_file, text_console

if TYPE_CHECKING:
    from sim.power.read import PowerResult


def power(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT...",
            help="JSON of run, sweep, replay or mpi with --power, or Parquet of their --power-file.",
        ),
    ],
    over_time: Annotated[
        Path | None, output_file("Draw power over time, from Parquet files (PNG, SVG, PDF).", *PICTURES)
    ] = None,
    by_state: Annotated[Path | None, output_file("Draw the links' energy by state.", *PICTURES)] = None,
    pareto: Annotated[Path | None, output_file("Draw energy against time for several results.", *PICTURES)] = None,
) -> None:
    """Compare power, energy and time of results.

    Ratios are relative to the result without low-power idle (T_lt off), else to the first one. Time is the run time or,
    for traffic, which does not end, the mean packet latency. docs/how_to/power.md defines each figure.

    [bold]Examples[/]

      tsuji run examples/torus8x8_computed.toml --power --json a.json --power-file a.parquet

      tsuji power a.json

      tsuji power a.parquet --over-time power.png --by-state states.png
    """
    from sim.power.read import PowerFile, read_results

    found = [each for path in results for each in read_results(path)]
    text_console(width=140).print(power_table(found))
    if over_time:
        files = [path for path in results if path.suffix == ".parquet"]
        if not files:
            raise TsujiError(f"--over-time {over_time}: JSON has no time; give the Parquet file of --power-file")
        from sim.plot.power import plot_over_time

        plot_over_time([(path.stem, PowerFile(path).over_time()) for path in files], over_time)
    if by_state:
        from sim.plot.power import plot_by_state

        plot_by_state(found, by_state)
    if pareto:
        if len({each.time_of for each in found}) > 1:
            raise TsujiError(f"--pareto {pareto}: run times and latencies of packets cannot be compared")
        from sim.plot.power import plot_pareto

        plot_pareto(found, pareto)


def power_table(results: Sequence[PowerResult]) -> Table:
    """Return a table with one row per result."""
    base = next((each for each in results if each.t_lt_ns == "off"), results[0])
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    for name in ("time, µs", "mean W", "peak W", "energy, J", "low power %", "wakes", "waits, µs"):
        table.add_column(name, justify="right", no_wrap=True)
    if len(results) > 1:
        for name in ("time ÷", "power ÷", "energy ÷"):
            table.add_column(name, justify="right", no_wrap=True)
    for each in results:
        figures = each.figures
        table.add_row(
            escape(each.label),
            number(each.time_ns / 1000, 2 if each.time_ns < 1e5 else 0),
            number(figures["mean_w"], 1),
            number(figures["peak_w"], 1),
            f"{figures['energy_j']:.5g}",
            number(100 * figures["share_by_state"]["lpi"]),
            f"{figures['wakes']:,}",
            number(figures["wake_delay_ns"] / 1000, 0),
            *((number(ratio, 4) for ratio in each.ratio_to(base)) if len(results) > 1 else ()),
        )
    return table
