"""`tsuji saturate`: the saturation point."""

from __future__ import annotations

from typing import Annotated

import typer

from tsuji.cli.figures import number, point_table
from tsuji.cli.network_options import NetworkOptions
from tsuji.cli.option_groups import with_option_groups
from tsuji.cli.points import AxisOptions, PointFiles, PointOptions


@with_option_groups
def saturate(
    network: NetworkOptions,
    over: AxisOptions,
    kept: PointOptions,
    files: PointFiles,
    tolerance: Annotated[
        str, typer.Option(metavar="LOAD", help="How closely to find it, flits/node/cycle; loads are its multiples.")
    ] = "0.01",
    shortfall: Annotated[
        float, typer.Option(help="Share of the offered traffic that may be missing from the accepted, 0 to 1.")
    ] = 0.05,
    seeds: Annotated[
        int, typer.Option(help="Simulations of each load; it is carried if more than half of them carry it.")
    ] = 1,
) -> None:
    """Find the greatest load that a network carries, by bisection.

    A load is carried if the run is not saturated (docs/how_to/simulation.md) and accepts nearly all that is offered.

    Close to saturation that is a matter of chance; --seeds 3 makes it less so.

    Each finished point is kept: after Ctrl-C, a crash or a kill the same command runs only what is missing.

    [bold]Examples[/]

      tsuji saturate examples/torus8x8.toml

      tsuji saturate examples/torus8x8_nocache.toml --tolerance 0.001

    A saturation point for each of several values, side by side:

      tsuji saturate examples/torus8x8.toml --over switch.vcs=2,4,8 --json saturation.json
    """
    from sim.sweep.saturation import SaturationSearch

    axes = over.axes
    console = files.console(width=80)
    found = kept.search("saturate", network, axes, lambda base: SaturationSearch(base, tolerance, shortfall, seeds))
    table = point_table((axis.key for axis in axes), ("carried", "not", "accepted", "latency", "most accepted"))
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
    files.write(axes, results, {"saturation": points})
