"""`tsuji topology`: figures and picture of a network, without a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tsuji.cli.figures import number
from tsuji.cli.network_options import NetworkOptions
from tsuji.cli.option_groups import with_option_groups
from tsuji.cli.output import PICTURES, JsonFile, output_file
from tsuji.progress import Stages

if TYPE_CHECKING:
    from sim.topology.base import Topology


@dataclass(frozen=True)
class TopologyFiles(JsonFile):
    """Files of a network: --json and --picture."""

    picture: Annotated[
        Path | None, output_file("Draw the network: .svg, .pdf or .png; up to 1,000 switches.", *PICTURES)
    ] = None


@with_option_groups
def topology(
    network: NetworkOptions,
    files: TopologyFiles,
    channel_load: Annotated[
        bool,
        typer.Option(
            "--channel-load",
            help="Route the traffic of traffic.pattern and print the most loaded channel, which bounds throughput.",
        ),
    ] = False,
    table_entries: Annotated[
        bool,
        typer.Option(
            "--table-entries",
            help="Print the entries that the routes need in a switch's table, with exact and with ternary match.",
        ),
    ] = False,
) -> None:
    r"""Print the figures of a network, and draw it, without simulation.

    Only the sections \[topology], \[planes] and \[faults] are read, with --channel-load and --table-entries all.
    Several planes have joint figures, with each packet on the plane with the shorter path; cables are listed per plane;
    the first plane is drawn.
    docs/reference/topologies.md describes the families, their keys and closed forms.

    [bold]Examples[/]

      tsuji topology examples/dragonfly.toml --picture dragonfly.svg

    Lengths of cables, with the switches of a folded torus 1.2 m apart:

      tsuji topology examples/torus8x8.toml --set topology.spacing=1.2

      tsuji topology examples/fat_tree.toml --set topology.levels=4 --set 'topology.latencies=[]'

    The throughput bound of its routes:

      tsuji topology examples/dragonfly.toml --channel-load

    The entries of tables with exact and ternary match:

      tsuji topology examples/fat_tree.toml --table-entries
    """
    from importlib.metadata import version

    from sim.config import load_network
    from sim.measure.result import write_json

    console = files.console(width=80)
    sections = load_network(network.config, network.settings)
    planes = sections.planes
    with Stages(Console(stderr=True)):
        networks = sections.topologies()
        first = networks[0]
        figures = _together(networks) if planes else _figures(first)
        if channel_load:
            figures["channel_load"] = _channel_load(network.config, network.settings)
        if table_entries:
            figures["table_entries"] = _table_entries(network.config, network.settings)
    names = " + ".join(dict.fromkeys(each.name for each in networks))
    title = f"{planes.planes} planes: {names}" if planes else names
    console.print(_table(title, figures))
    if files.json:
        keys: dict[str, Any] = {"topology": {"kind": sections.family.kind, **sections.family.model_dump(mode="json")}}
        if planes:
            keys["planes"] = planes.model_dump(mode="json")
        if sections.faults:
            keys["faults"] = sections.faults.model_dump(mode="json")
        write_json({**keys, "version": version("tsuji"), "name": first.name, **figures}, files.json)
    if files.picture:
        from sim.plot.topology import draw

        draw(first, files.picture)


def _figures(network: Topology) -> dict[str, Any]:
    """Return the figures by name."""
    from sim.topology.cables import cable_ends, cable_lengths
    from sim.topology.halves import narrow_cut

    found = network.figures
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


def _together(planes: list[Topology]) -> dict[str, Any]:
    """Return the figures of several planes."""
    from sim.topology.side_by_side import side_by_side

    each = [_figures(plane) for plane in planes]
    whole = side_by_side(planes)
    cuts = [figures["narrow_cut"] for figures in each]
    alike = len({plane.name for plane in planes}) == 1
    totals = {name: sum(figures[name] for figures in each) for name in ("switches", "cables")}
    return {
        **totals,
        "ports": whole.ports,
        "nodes": whole.nodes,
        **whole.figures._asdict(),
        "narrow_cut": sum(cuts) if alike and None not in cuts else None,
        "cable_lengths": _joined([figures["cable_lengths"] for figures in each], totals["cables"]),
        "each": each,
    }


def _joined(lengths: list[dict[str, float] | None], cables: int) -> dict[str, float] | None:
    """Return the lengths of all planes' cables; None if a plane has none."""
    known = [each for each in lengths if each is not None]
    if len(known) < len(lengths):
        return None
    total = sum(each["total"] for each in known)
    return {"total": total, "mean": total / max(1, cables), "longest": max(each["longest"] for each in known)}


def _channel_load(config: Path, overrides: list[str]) -> dict[str, Any]:
    """Return the load of the most loaded channel under the pattern, its place, and its throughput bound."""
    from sim.analysis.channel_load import configured_loads, throughput_bound
    from sim.config import load
    from sim.plot.directions import port_name
    from sim.power.meter import link_directions

    settings = load(config, overrides)
    network, loads = configured_loads(settings)
    bound = throughput_bound(network, loads, settings.switch.speedup, settings.link.interval)
    most = float(loads[bound.switch, bound.port])
    dimension, direction = (int(each[bound.switch, bound.port]) for each in link_directions(network))
    place = {"switch": bound.switch, "port": bound.port, "port_name": port_name(bound.port, dimension, direction)}
    pattern = settings.pattern.kind
    if settings.classes:
        pattern = f"{len(settings.classes)} message classes"
    return {"pattern": pattern, "most": most, **place, "throughput_bound": bound.load}


def _table_entries(config: Path, overrides: list[str]) -> dict[str, Any]:
    """Return the entries that the routes need in a switch's table."""
    from sim.analysis.table_entries import table_entries
    from sim.config import load

    return table_entries(load(config, overrides))._asdict()


def _table(name: str, figures: dict[str, Any]) -> Table:
    """Return a table with one row per figure."""
    table = Table(title=escape(name), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
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
    for plane, each in enumerate(figures.get("each", [])):
        own = each["cable_lengths"]
        cables = "" if own is None else f"; cables of {number(own['mean'], 1)} m"
        note = f"diameter; mean {number(each['mean_distance'], 3)}{cables}"
        table.add_row(f"plane {plane}", f"{each['diameter']:,}", note)
    if load := figures.get("channel_load"):
        table.add_row("channel load", number(load["most"], 3), f"most, switch {load['switch']} {load['port_name']}")
        table.add_row("throughput bound", number(load["throughput_bound"], 3), f"flits/node/cycle, {load['pattern']}")
    if entries := figures.get("table_entries"):
        table.add_row("entries, exact match", f"{entries['exact']:,}", "most of a switch, one per address")
        mean = number(entries["ternary_mean"], 1)
        table.add_row("entries, ternary", f"{entries['ternary']:,}", f"most, switch {entries['switch']}; mean {mean}")
    return table
