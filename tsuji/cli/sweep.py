"""`tsuji sweep`: many simulations side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tsuji.cli.figures import sweep_table
from tsuji.cli.output import PICTURES, one_of, text_console
from tsuji.cli.points import CPUS, Kept, PointsJson, PointsTable, Workers, kept_in, write_points
from tsuji.cli.power_options import Power
from tsuji.cli.run import ConfigFile, Overrides
from tsuji.progress import Points


def sweep(
    config: ConfigFile,
    over: Annotated[
        list[str],
        typer.Option(
            metavar="KEY=VALUES",
            help="start:stop:step (both ends included) or a,b,c; given several times, every combination is run.",
        ),
    ],
    overrides: Overrides = None,
    workers: Workers = CPUS,
    directory: Kept = None,
    json: PointsJson = None,
    csv: PointsTable = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=one_of(*PICTURES),
            help="Draw latency against accepted traffic (PNG, SVG, PDF).",
        ),
    ] = None,
    power: Power = False,
) -> None:
    """Simulate a network at many values of its keys; print a table, draw the curve.

    Each finished point is kept: after Ctrl-C, a crash or a kill the same command runs only what is missing.

    [bold]Examples[/]

    The curve, start:stop:step with both ends:

      tsuji sweep examples/torus8x8.toml --over traffic.load=0.1:0.6:0.1

    and its picture: [bold]--plot latency.png[/]

    A curve for each of several cache sizes, from a list:

      tsuji sweep examples/torus8x8.toml --over cache.entries=16,64,256 --over traffic.load=0.1:0.6:0.1

    Anything else, the same for all points:

      tsuji sweep examples/mesh2x3.toml --over switch.vcs=1:4:1 --set run.seed=7

    Links that go to sleep sooner or later; then, energy against time: tsuji power sweep.json --pareto pareto.png

      tsuji sweep examples/torus8x8_computed.toml --power --over power.t_lt_ns=off,0,1000,2000 --json sweep.json
    """
    from sim.sweep.axes import parse
    from sim.sweep.sweep import points, run

    console = text_console(json, csv, width=80)
    axes = [parse(text) for text in over]
    todo = points(config, overrides or [], axes, power=power)
    values = [point.values for point in todo]
    directory = kept_in(directory, "sweep", config)
    with Points(Console(stderr=True), len(todo), directory) as progress:
        results = run(todo, directory, workers, lambda number: progress.finished(values[number]))
    console.print(sweep_table(values, results))
    write_points({axis.key: list(axis.values) for axis in axes}, results, json, csv)
    if plot:
        from sim.plot.latency import plot as draw

        draw(values, results, plot)
        console.print(f"plot: {plot}", markup=False, soft_wrap=True)
