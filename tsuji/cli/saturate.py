"""`tsuji saturate`: the saturation point."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

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
        str, typer.Option(metavar="LOAD", help="Resolution of the load, flits/node/cycle; loads are multiples of it.")
    ] = "0.01",
    shortfall: Annotated[
        float, typer.Option(help="Share of the offered traffic that may be missing from the accepted traffic, 0 to 1.")
    ] = 0.05,
    seeds: Annotated[
        int, typer.Option(help="Simulations per load; a load is carried if more than half of them carry it.")
    ] = 1,
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
    from sim.sweep.saturation import SaturationSearch

    axes = over.axes
    console = files.console(width=80)
    found = kept.search("saturate", network, axes, lambda base: SaturationSearch(base, tolerance, shortfall, seeds))
    table = point_table([values for values, _ in found], ("carried", "not", "accepted", "latency", "most accepted"))
    digits = max(0, -int(found[0][1].step.as_tuple().exponent))
    for values, search in found:
        point = search.point
        table.add_row(
            *map(escape, values.values()),
            number(point.load, digits),
            number(point.above, digits),
            number(point.accepted, 4),
            number(point.latency),
            number(point.most, 4),
        )
    console.print(table)
    console.print(" carried, not: offered loads; accepted and latency are those of the load carried")
    console.print(" loads and traffic in flits/node/cycle")
    results = [result for _, search in found for load in sorted(search.results) for result in search.results[load]]
    points = [{"values": values, **search.point._asdict()} for values, search in found]
    files.write(axes, results, {"saturation": points})
