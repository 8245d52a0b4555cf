"""`tsuji curve`: the whole latency–throughput curve."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tsuji.cli.figures import sweep_table
from tsuji.cli.network_options import NetworkOptions
from tsuji.cli.option_groups import with_option_groups
from tsuji.cli.output import PICTURES, output_file
from tsuji.cli.points import AxisOptions, PointFiles, PointOptions


@dataclass(frozen=True)
class CurveFiles(PointFiles):
    """Files of a curve: also --plot."""

    plot: Annotated[
        Path | None,
        output_file(
            "Draw latency against accepted traffic (PNG, SVG, PDF).",
            *PICTURES,
            show_default="latency.png in the folder of points",
        ),
    ] = None


@with_option_groups
def curve(
    network: NetworkOptions,
    over: AxisOptions,
    kept: PointOptions,
    files: CurveFiles,
    count: Annotated[
        int,
        typer.Option("--points", help="Simulations per curve, 6 to 1000.", rich_help_panel=PointOptions.panel),
    ] = 20,
) -> None:
    """Find and draw the whole latency–throughput curve, from nearly zero load to past saturation.

    Loads are chosen from the results so far: first where the network saturates, then where the curve bends.

    Finished points are kept: after an interruption, the same command runs only the missing ones.

    [bold]Examples[/]

      tsuji curve examples/torus8x8.toml

    One curve per pattern, in one picture:

      tsuji curve examples/torus8x8.toml --over traffic.pattern=uniform,tornado --plot patterns.png

    Fewer points, also as a table:

      tsuji curve examples/mesh2x3.toml --points 12 --set measure.precision=0.05 --csv curve.csv
    """
    from sim.plot.latency import plot as draw
    from sim.sweep.axes import LOAD
    from sim.sweep.curve import CurveSearch
    from sim.sweep.search import text

    axes = over.axes
    console = files.console(width=80)
    curves = kept.search("curve", network, axes, lambda base: CurveSearch(base, count))
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
        console.print(f" {name}{where} flits/node/cycle offered", highlight=False, markup=False, soft_wrap=True)
    files.write(axes, results, {"saturation": brackets})
    picture = files.plot or kept.kept_in("curve", network.config.stem) / "latency.png"
    draw(values, results, picture)
    console.print(f" plot: {picture}", highlight=False, markup=False, soft_wrap=True)
