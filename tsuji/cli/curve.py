"""`tsuji curve`: the whole latency–throughput curve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tsuji.cli.figures import sweep_table
from tsuji.cli.output import PICTURES, one_of, text_console
from tsuji.cli.points import CPUS, Kept, Over, PointsJson, PointsTable, Workers, kept_in, write_points
from tsuji.cli.run import ConfigFile, Overrides
from tsuji.progress import Points


def curve(
    config: ConfigFile,
    over: Over = None,
    overrides: Overrides = None,
    count: Annotated[int, typer.Option("--points", help="Simulations a curve, 6 to 1000.")] = 20,
    workers: Workers = CPUS,
    directory: Kept = None,
    json: PointsJson = None,
    csv: PointsTable = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=one_of(*PICTURES),
            help="Where to draw latency against accepted traffic (PNG, SVG, PDF).",
            show_default="latency.png where points are kept",
        ),
    ] = None,
) -> None:
    """Find and draw the whole curve of latency against traffic, from nearly no load to past saturation.

    Loads are chosen by what was found so far: first where the network saturates, then where the curve bends.

    Each finished point is kept: after Ctrl-C, a crash or a kill the same command runs only what is missing.

    [bold]Examples[/]

      tsuji curve examples/torus8x8.toml

    A curve for each pattern, all in one picture:

      tsuji curve examples/torus8x8.toml --over traffic.pattern=uniform,tornado --plot patterns.png

    Faster and coarser, the points as a table:

      tsuji curve examples/mesh2x3.toml --points 12 --set measure.precision=0.05 --csv curve.csv
    """
    from sim.plot.latency import plot as draw
    from sim.sweep.axes import LOAD, parse
    from sim.sweep.curve import CurveSearch
    from sim.sweep.search import explore, text
    from sim.sweep.sweep import Simulations

    axes = [parse(each) for each in over or []]
    directory = kept_in(directory, "curve", config)
    console = text_console(json, csv, width=80)
    with Points(Console(stderr=True), None, directory) as progress, Simulations(directory, workers) as simulations:
        curves = explore(
            config, overrides or [], axes, lambda base: CurveSearch(base, count), simulations, progress.finished
        )
    loads = [(fixed, search, load) for fixed, search in curves for load in sorted(search.results)]
    values = [{**fixed, LOAD: text(load)} for fixed, _, load in loads]
    results = [search.results[load][0] for _, search, load in loads]
    console.print(sweep_table(values, results))
    brackets = []
    for fixed, search in curves:
        below, above = search.saturation
        brackets.append({"values": fixed, "load": float(below), "above": float(above) if above else None})
        name = ", ".join(f"{key} = {value}: " for key, value in fixed.items())
        where = f"saturates between {text(below)} and {text(above)}" if above else f"carries {text(below)}, the most"
        console.print(f" {name}{where} flits/node/cycle", highlight=False, markup=False)
    write_points({axis.key: list(axis.values) for axis in axes}, results, json, csv, {"saturation": brackets})
    picture = plot or directory / "latency.png"
    draw(values, results, picture)
    console.print(f" plot: {picture}", highlight=False, markup=False, soft_wrap=True)
