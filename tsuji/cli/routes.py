"""`tsuji routes`: the routing tables of a network as a file, and their check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tsuji.cli.figures import number
from tsuji.cli.network_options import NetworkOptions
from tsuji.cli.option_groups import with_option_groups
from tsuji.cli.output import TABLES, one_of, text_console
from tsuji.progress import Stages

if TYPE_CHECKING:
    from sim.routing.base import Tables
    from sim.topology.base import Topology


@with_option_groups
def routes(
    network: NetworkOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", callback=one_of(*TABLES), help="Write the routes, CSV or Parquet."
        ),
    ] = None,
) -> None:
    """Compute the routes of a network, check them, and write them as a table.

    Rows are switch, destination (a node), port, first and last VC. The check finds routes that lose packets or lead
    them round in circles, and a cycle of the channel dependency graph, which can deadlock. With routing.kind = "file"
    it checks the routes of another program. docs/how_to/bring_your_own_network.md describes the columns.

    [bold]Examples[/]

      tsuji routes examples/dragonfly.toml -o routes.csv

      tsuji routes examples/dragonfly.toml --set 'routing={kind="file", file="routes.csv"}'

    Routes around three failed cables:

      tsuji routes examples/torus8x8.toml --set faults.random=3 -o routes.parquet
    """
    from sim.config import load
    from sim.files.table_file import write_frame
    from sim.routing.file import route_rows
    from sim.simulation import checked_routes

    console = text_console(output, width=80)
    with Stages(Console(stderr=True)):
        topology, tables = checked_routes(load(network.config, network.settings))
        rows = route_rows(tables) if output else None
    if output and rows is not None:
        write_frame(rows, output)
    console.print(_table(topology, tables))


def _table(topology: Topology, tables: Tables) -> Table:
    """Return the figures of routes."""
    from sim.routing.paths import hops

    links = hops(topology, tables)[topology.node_switch] - 1
    pairs = max(1, topology.nodes * (topology.nodes - 1))
    found = Table(title=escape(topology.name), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    found.show_header = False
    found.add_column()
    found.add_column(justify="right")
    found.add_column()
    found.add_row("routes", f"{int(tables.found.sum()):,}", f"of {topology.switches:,} switches")
    found.add_row("longest path", f"{int(links.max()):,}", "cables between switches")
    found.add_row("mean path", number(float(links.sum()) / pairs, 3), "cables, over pairs of nodes")
    found.add_row("VCs", f"{int(tables.vc_last[tables.found].max()) + 1:,}", "")
    found.add_row("deadlock", "none", "the channel dependency graph has no cycle")
    return found
