"""`tsuji topology`: figures and picture of a network, without a simulation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tsuji.cli.figures import number
from tsuji.cli.progress import Searches
from tsuji.cli.run import ConfigFile

if TYPE_CHECKING:
    from sim.topology.base import Topology

Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a key, such as topology.kind=dragonfly; repeatable."),
]


def topology(
    config: ConfigFile,
    overrides: Overrides = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the network: .svg, .pdf or .png; up to 1,000 switches.")
    ] = None,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write keys and figures as JSON.")] = None,
) -> None:
    """Print the figures of a network, and draw it, without simulating it.

    Only the section [topology] is read. docs/topologies.md has the families, their keys and closed forms.

    [bold]Examples[/]

      tsuji topology examples/dragonfly.toml --picture dragonfly.svg

    Lengths of cables, with the switches of a folded torus 1.2 m apart:

      tsuji topology examples/torus8x8.toml --set topology.spacing=1.2

      tsuji topology examples/fat_tree.toml --set topology.levels=4 --set 'topology.latencies=[]'
    """
    from importlib.metadata import version

    from sim.config import load_family
    from sim.result import write_json

    family = load_family(config, overrides or [])
    network = family.build()
    with Searches(Console(stderr=True)) as searches:
        figures = _figures(network, searches)
    Console(width=80).print(_table(network.name, figures))
    if json:
        keys = {"kind": family.kind, **family.model_dump(mode="json")}
        write_json({"topology": keys, "version": version("tsuji"), "name": network.name, **figures}, json)
    if picture:
        from sim.plot.topology import draw

        draw(network, picture)


def _figures(network: Topology, searches: Searches) -> dict[str, Any]:
    """Return the figures by name."""
    from sim.topology.cables import cable_ends, cable_lengths
    from sim.topology.halves import narrow_cut

    found = network.find_figures(searches.update)
    lengths = cable_lengths(network)._asdict() if network.positions is not None else None
    return {
        "switches": network.switches,
        "ports": network.ports,
        "nodes": network.nodes,
        "cables": len(cable_ends(network)),
        **found._asdict(),
        "narrow_cut": narrow_cut(network) if found.bisection_channels is None else found.bisection_channels,
        "cable_lengths": lengths,
    }


def _table(name: str, figures: dict[str, Any]) -> Table:
    """Return a row a figure."""
    table = Table(title=name, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    table.add_row("switches", f"{figures['switches']:,}", f"of {figures['ports']} ports")
    table.add_row("nodes", f"{figures['nodes']:,}", "")
    table.add_row("cables", f"{figures['cables']:,}", "between switches, two channels each")
    table.add_row("degree", f"{figures['degree']:,}", "most cables of a switch")
    table.add_row("diameter", f"{figures['diameter']:,}", "cables")
    table.add_row("mean distance", number(figures["mean_distance"], 3), "cables, over pairs of nodes")
    exact, cut = figures["bisection_channels"], figures["narrow_cut"]
    note = "channels" if exact is not None else "channels at most: the narrowest cut found" if cut else "no closed form"
    table.add_row("bisection", "–" if cut is None else f"{cut:,}", note)
    lengths = figures["cable_lengths"]
    if lengths is None:
        table.add_row("cable length", "–", "set topology.spacing, in metres")
    else:
        for which in ("mean", "longest", "total"):
            table.add_row(f"cable length, {which}", number(lengths[which], 1), "m")
    return table
