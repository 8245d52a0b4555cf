"""Paper D in simulation: latency against accepted traffic (figure 9), and a check of graph metrics (section 3.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from sim.config import load
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.measure.open_loop import Measurement
from sim.papers.axes import bars, dress, figure, latency_curves
from sim.papers.dual_planes import NETWORKS, planes
from sim.papers.framework.study import (
    CATALOGUE,
    Findings,
    Options,
    Part,
    Record,
    Row,
    Study,
    Tables,
    claim,
    compare,
    found,
)
from sim.topology.bases.layout import cable_lengths, run_between
from sim.topology.bases.metrics import cost_figures, graph_figures, mean_latency, unit_basis, with_fold
from sim.topology.hypercube import Hypercube, hypercube
from sim.traffic.stream import Stream

CYCLE_NS = 2.56  # crossbar of 200 Gb/s: 64 bytes per cycle; a link takes two cycles for them
FLIT_BYTES = 64
NODES = 4  # per switch
NODE_CABLES_NS = 20.0  # latency of two cables of 2 m, which are not simulated
SWITCH_CYCLES = 35  # 90 ns, R + 1 + S
FLITS = 4  # 256 bytes


def cabled(cube: Hypercube, bits: int) -> Hypercube:
    """Return a hypercube in which each link has the latency of its own cable in the hall, cycles."""
    switch = np.arange(cube.switches)[:, None]
    wired = cube.peer_switch >= 0
    metres = cable_lengths(run_between(bits, switch, np.where(wired, cube.peer_switch, switch)))
    return replace(cube, link_latency=np.where(wired, np.rint(5.0 * metres / CYCLE_NS).astype(np.int64), 0))


def simulated(
    network: str,
    bits: int,
    generators: list[int],
    load_: float,
    vcs: int,
    depth: int,
    period: int,
    periods: int,
    seed: int,
    flits: int = FLITS,
    output_buffer: int | None = None,
) -> list[Record]:
    """Return throughput and latency of two planes at one load, given per node relative to a link's bandwidth.

    The crossbar is twice as fast as the links. Uniform traffic, packets of `flits` flits, computed routes.
    """
    first = list(with_fold(unit_basis(bits), len(generators) > bits))
    settings = [
        "topology.kind=hypercube",
        f"topology.dimensions={bits}",
        f"topology.locals={NODES}",
        f"planes.generators={[first, generators]}",
        "switch.routing=hypercube",
        f"switch.vcs={vcs}",
        f"switch.depth={depth}",
        "switch.speedup=2",
        f"switch.stage_delay={SWITCH_CYCLES - 2}",
        "switch.data_width=512",
        "link.latency=0",
        f"traffic.packet_size={flits}",
        f"traffic.load={load_ / 2}",
        f"measure.period={period}",
        "measure.warmup_periods=2",
        "measure.max_warmup_periods=4",
        f"measure.measure_periods={periods}",
        f"measure.max_measure_periods={periods}",
        "measure.max_drain_periods=2",
        f"run.seed={seed}",
    ]
    if output_buffer is not None:
        settings.append(f"switch.output_buffer={output_buffer}")
    config = load(None, settings)
    assert config.planes is not None
    made = []
    for plane in (tuple(first), tuple(generators)):
        cube = cabled(hypercube(bits, plane, NODES), bits)
        addressed = cube.with_addresses(cube.coordinate_tags)
        made.append(Network(config.switch, config.link, addressed, None, stall_cycles=config.run.stall_cycles))
    both = PlaneNetwork(config.planes.params(config.topology, made[0].topology.nodes), made)
    topology = config.topology.build()
    stream = Stream(topology, config.pattern, config.arrivals, config.sizes, config.load.load, seed)
    figures = Measurement(both, stream, stream, config.switch, config.link, config.measure, None, config.loop).run()
    latency = figures.packet_latency.mean
    return [
        {
            "network": network,
            "n": bits,
            "load": load_,
            "offered": 2 * figures.offered_traffic,
            "accepted": 2 * figures.accepted_traffic,
            "latency_ns": None if latency is None else CYCLE_NS * latency + NODE_CABLES_NS,
            "hops": figures.hops,
            "saturated": figures.saturated,
        }
    ]


def graph(network: str, bits: int, generators: list[int]) -> list[Record]:
    """Return the graph metrics of the same network."""
    of_graph, cost = graph_figures(bits, tuple(generators)), cost_figures(bits, tuple(generators))
    return [
        {
            "network": network,
            "n": bits,
            "traffic": of_graph.traffic / NODES,
            "latency_ns": mean_latency(of_graph.mean_distance, cost.cable_m),
        }
    ]


def sizes(options: Options) -> dict[int, tuple[float, ...]]:
    """Return loads by dimensions, per node relative to a link's bandwidth; the last one saturates all networks.

    The paper's largest network has fewer, to save time.
    """
    if options.quick:
        return {5: (0.05, 0.6, 1.2, 2.0)}
    return {8: (0.02, 0.6, 0.8, 1.0, 1.15, 1.3, 2.0), 12: (0.02, 0.6, 0.8, 1.0, 2.0)}


def parts(options: Options) -> list[Part]:
    """Return one part per network and load, and its graph metrics."""
    made = []
    for bits, loads in sizes(options).items():
        for network in NETWORKS:
            generators = planes(network, bits)
            if generators is None:
                continue
            which: dict[str, Any] = {"network": network, "bits": bits, "generators": list(generators)}
            made.append(Part("graph", graph, which))
            how = {**BUFFERS, "period": {5: 400, 8: 500, 12: 500}[bits], "periods": 4, "seed": 1}
            made += [Part("simulated", simulated, {**which, "load_": each, **how}) for each in loads]
            if network in TRIED_ON and bits < LARGEST:
                most = {**which, "load_": loads[-1], **how}
                made += [Part("tried", simulated, most | tried) for tried in TRIED]
    return made


BUFFERS = {"vcs": 8, "depth": 64}
TRIED: tuple[dict[str, Any], ...] = (
    {"vcs": 16},
    {"depth": 256},
    {"output_buffer": 32},
    {"flits": 1},
    {"vcs": 16, "output_buffer": 32, "flits": 1},
)
TRIED_ON = ("D-HC", "DI-HC")
LARGEST = 12
"""Other buffers and packets to try, because the paper gives none; not on its largest network, to save time."""


PRINTED = {
    8: {"DI-HC": (27, -13), "DI-HC-r": (25, -15), "DI-FHC": (20, -7.3), "DI-FHC-r": (19, -9.5)},
    12: {"DI-HC": (19, 7.4), "DI-HC-r": (18, -11), "DI-FHC": (12, 6.2), "DI-FHC-r": (10, -9.9)},
}


def _best(frame: pd.DataFrame, network: str, bits: int) -> tuple[float, float]:
    """Return most accepted traffic and least latency."""
    mine = frame[(frame["network"] == network) & (frame["n"] == bits)]
    return float(mine["accepted"].max()), float(mine["latency_ns"].min())


def fig9(tables: Tables) -> Findings:
    """Latency against accepted traffic."""
    frame = tables["simulated"]
    every = sorted(frame["n"].unique())
    formed = tables["graph"].set_index(["network", "n"])["latency_ns"]
    rows = []
    for bits in every:
        for network in (name for name in NETWORKS if name.startswith("DI")):
            if not len(frame[(frame["network"] == network) & (frame["n"] == bits)]):
                continue
            equal = "D-FHC" if "FHC" in network else "D-HC"
            (most, least), (most_equal, least_equal) = (_best(frame, name, bits) for name in (network, equal))
            ours = 100 * (most / most_equal - 1), 100 * (least / least_equal - 1)
            said = PRINTED.get(bits, {}).get(network)
            metric = 100 * (float(formed[network, bits]) / float(formed[equal, bits]) - 1)
            notes = {"throughput": BUFFERED, "least latency": f"{CABLED} {metric:.1f} %."}
            for what, index in (("throughput", 0), ("least latency", 1)):
                quantity = f"{what}, {network} against {equal}, n = {bits}, %"
                if said:
                    rows.append(compare(quantity, said[index], ours[index], notes[what], "more"))
                elif index == 0:
                    rows.append(claim(quantity, "more (n = 8: 19 to 27 %)", ours[0], ours[0] > 0))
                else:
                    rows.append(claim(quantity, "less (n = 8: 7 to 15 %)", ours[1], ours[1] < 0))
    rows += _tried(tables["tried"])
    drawn, panels = figure(len(every), width=6.4)
    for axes, bits in zip(panels, every, strict=True):
        mine = frame[frame["n"] == bits]
        dashed = {network: {"linestyle": "--"} for network in NETWORKS if network.startswith("D-")}
        each = {network: mine[mine["network"] == network] for network in NETWORKS}
        latency_curves(axes, each, "latency_ns", headroom=3.0, styles=dashed)
        dress(
            axes,
            f"n = {bits}, {NODES << bits:,} nodes",
            "accepted traffic per node, of a link's bandwidth",
            "mean latency, ns",
        )
    return Findings(rows, drawn, TEXT)


def _tried(frame: pd.DataFrame) -> list[Row]:
    """Return results with other buffers; parts are in the order of `parts`."""
    rows: list[Row] = []
    for tried, mine in zip(TRIED, _by_buffers(frame), strict=True):
        one, two = mine["accepted"]
        quantity = f"throughput, DI-HC against D-HC, n = {mine['n'].iloc[0]}, {_buffers(tried)}, %"
        rows.append(found(quantity, 100 * (two / one - 1)))
    return rows


def _by_buffers(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """Return results with each of the other buffers, one row per network of `TRIED_ON`."""
    networks = [frame[frame["network"] == network] for network in TRIED_ON]
    return [pd.concat([mine.iloc[number : number + 1] for mine in networks]) for number in range(len(TRIED))]


def _buffers(tried: dict[str, Any]) -> str:
    buffers = BUFFERS | tried
    said = [f"{buffers['vcs']} VCs of {buffers['depth']} flits"]
    if "output_buffer" in tried:
        said.append(f"output buffers of {tried['output_buffer']}")
    if "flits" in tried:
        said.append(f"packets of {tried['flits']} flit")
    return ", ".join(said)


BUFFERED = (
    "Buffers and packets are not given in the paper. Ours: 8 VCs of 64 flits, packets of 256 B. The basis is ours, "
    "too, and its traffic another one (dual.fig3, dual.fig5). Tried with n = 8: other buffers and packets, see below."
)
CABLED = (
    "Cables by their own length each, rounded to cycles of 2.56 ns; the paper's bases are others, with other cables "
    "(dual.fig7). Tried: the graph metric of the same bases, without simulation:"
)
TEXT = (
    "Crossbars of 200 Gb/s, links of 100 Gb/s, a cycle of 2.56 ns; 90 ns (35 cycles) per switch; each link as long as "
    "its cable; packets of 256 B: with them α = 131 ns is a switch (90), two node cables (20) and a packet's length "
    "(20.5). Open in the paper, so chosen: 8 VCs of 64 flits of 64 B. Throughput is the most accepted traffic, latency "
    "the least, as in the paper. Bases of distance alone for n = 12 have the order of coordinates of the median cable "
    "of random ones, as in dual.fig5."
)


def check(tables: Tables) -> Findings:
    """Graph metrics against simulation."""
    frame, graphs = tables["simulated"], tables["graph"]
    rows, names = [], []
    traffic: dict[str, list[float]] = {"graph metric": [], "simulated": []}
    latency: dict[str, list[float]] = {"graph metric": [], "simulated": []}
    apart: dict[str, list[float]] = {"traffic": [], "latency": []}
    for row in graphs.itertuples():
        most, least = _best(frame, str(row.network), int(row.n))
        names.append(f"{row.network}\n{row.n}")
        for kept, formed, ours in ((traffic, row.traffic, most), (latency, row.latency_ns, least)):
            kept["graph metric"].append(float(formed))
            kept["simulated"].append(ours)
        apart["traffic"].append(100 * abs(most / float(row.traffic) - 1))
        apart["latency"].append(100 * abs(least / float(row.latency_ns) - 1))
    others, bits = [], tables["tried"]["n"].iloc[0]
    for tried, mine in zip(TRIED, _by_buffers(tables["tried"]), strict=True):
        formed = graphs[graphs["n"] == bits].set_index("network")["traffic"]
        most = max(abs(row.accepted / formed[row.network] - 1) for row in mine.itertuples())
        others.append(f"{_buffers(tried)} {100 * most:.1f} %")
    more = f"{CHECK} Tried, {' and '.join(TRIED_ON)}, n = {bits}: {', '.join(others)}."
    for what, said, mean in (("traffic", 3.82, 2.75), ("latency", 1.1, 0.48)):
        ours = max(apart[what])
        rows.append(
            claim(
                f"{what}: greatest difference of metric and simulation, %",
                f"≤ {said}",
                ours,
                ours <= said,
                f"Mean {float(np.mean(apart[what])):.2f} %, of the paper {mean} %. "
                + (more if what == "traffic" else LATENCY),
            )
        )
    drawn, (left, right) = figure(2, width=5.6)
    bars(left, names, traffic)
    bars(right, names, latency)
    for axes, title, unit in ((left, "(a) traffic", "per node, of a link's bandwidth"), (right, "(b) latency", "ns")):
        axes.tick_params(axis="x", labelsize=7)
        dress(axes, title, "", unit)
    return Findings(rows, drawn, TEXT)


CHECK = (
    "The metric assumes a fully used link; a switch with finite buffers does not reach that under random traffic. 8 "
    "VCs of 64 flits, packets of 4. What decides is the switch, not the network: packets of one flit and deeper output "
    "buffers, with which links idle less between packets, close most of the gap; deeper input queues do not."
)
LATENCY = "Ours is measured at a load of a few per cent, where some packets wait already."

CATALOGUE.enter(Study("dual.fig9", "D", "latency against accepted traffic, simulated", parts, fig9))
CATALOGUE.enter(Study("dual.check", "D", "graph metrics against simulation", parts, check))
