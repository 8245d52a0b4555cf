"""`tsuji saturate`: the saturation point."""

from __future__ import annotations

from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tsuji.cli.figures import number
from tsuji.cli.output import text_console
from tsuji.cli.points import CPUS, Kept, Over, PointsJson, PointsTable, Workers, kept_in, write_points
from tsuji.cli.run import ConfigFile, Overrides
from tsuji.progress import Points


def saturate(
    config: ConfigFile,
    over: Over = None,
    overrides: Overrides = None,
    tolerance: Annotated[
        str, typer.Option(metavar="LOAD", help="Resolution of the load, flits/node/cycle; loads are multiples of it.")
    ] = "0.01",
    shortfall: Annotated[
        float, typer.Option(help="Share of the offered traffic that may be missing from the accepted traffic, 0 to 1.")
    ] = 0.05,
    seeds: Annotated[
        int, typer.Option(help="Simulations per load; a load is carried if more than half of them carry it.")
    ] = 1,
    workers: Workers = CPUS,
    directory: Kept = None,
    json: PointsJson = None,
    csv: PointsTable = None,
) -> None:
    """Find the greatest load that a network carries, by bisection.

    A load is carried if the run is not saturated (docs/how_to/simulation.md) and accepts nearly all offered traffic.

    Close to saturation, this depends on the seed; --seeds 3 takes the majority of three.

    Finished points are kept: after an interruption, the same command runs only the missing ones.

    [bold]Examples[/]

      tsuji saturate examples/torus8x8.toml

      tsuji saturate examples/torus8x8_nocache.toml --tolerance 0.001

    One saturation point per value, in parallel:

      tsuji saturate examples/torus8x8.toml --over switch.vcs=2,4,8 --json saturation.json
    """
    from sim.sweep.axes import parse
    from sim.sweep.saturation import SaturationSearch
    from sim.sweep.search import explore
    from sim.sweep.sweep import Simulations

    axes = [parse(each) for each in over or []]
    directory = kept_in(directory, "saturate", config)
    console = text_console(json, csv, width=80)
    with Points(Console(stderr=True), None, directory) as progress, Simulations(directory, workers) as simulations:
        found = explore(
            config,
            overrides or [],
            axes,
            lambda base: SaturationSearch(base, tolerance, shortfall, seeds),
            simulations,
            progress.finished,
        )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for axis in axes:
        table.add_column(axis.key.rpartition(".")[2], overflow="fold")
    for name in ("carried", "not", "accepted", "latency", "most accepted"):
        table.add_column(name, justify="right", no_wrap=True)
    digits = max(0, -int(found[0][1].step.as_tuple().exponent))
    for values, search in found:
        point = search.point
        table.add_row(
            *values.values(),
            number(point.load, digits),
            number(point.above, digits),
            number(point.accepted, 4),
            number(point.latency),
            number(point.most, 4),
        )
    console.print(table)
    console.print(" loads and traffic in flits/node/cycle; accepted and latency are those of the load carried")
    results = [result for _, search in found for load in sorted(search.results) for result in search.results[load]]
    points = [{"values": values, **search.point._asdict()} for values, search in found]
    write_points({axis.key: list(axis.values) for axis in axes}, results, json, csv, {"saturation": points})
