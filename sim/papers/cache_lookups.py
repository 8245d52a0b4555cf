"""Paper A, section 7: power and throughput of table lookups (figure 13, equations 6 and 7)."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from models.formats import Counter
from sim.analysis.cached_zero_load import lookup_power, lookup_throughput
from sim.config import load
from sim.engine.network import Network
from sim.papers.axes import dress, figure, line, paper_points, stacked
from sim.papers.framework.study import (
    CATALOGUE,
    Findings,
    Options,
    Part,
    Record,
    Study,
    Tables,
    claim,
    compare,
    echoed,
    found,
)
from sim.simulation import build
from sim.traffic.stream import Stream

PORTS = 7
PACKET_BYTES = 405


def power(packet_bytes: int) -> list[Record]:
    """Return the power of lookups at three loads, for a conventional switch and two miss rates."""
    rows = []
    for used in (0.0, 0.5, 1.0):
        packets = used * PORTS * 200e9 / (8 * packet_bytes)
        for name, misses in (("conventional", None), ("cache, 1 % misses", 0.01), ("cache, no misses", 0.0)):
            one = lookup_power(packets, misses, PORTS)
            rows.append({"used": used, "switch": name, "bytes": packet_bytes, **one._asdict(), "total": one.total})
    return rows


def fig13_parts(_: Options) -> list[Part]:
    """Return one part per packet size."""
    return [Part("power", power, {"packet_bytes": size}) for size in (64, 256, PACKET_BYTES, 512, 2048)]


def fig13(tables: Tables) -> Findings:
    """Power of table lookups."""
    every = tables["power"]
    frame = every[every["bytes"] == PACKET_BYTES]

    def value(name: str, used: float, column: str) -> float:
        return float(frame[(frame["switch"] == name) & (frame["used"] == used)][column].iloc[0])

    dominates = value("conventional", 1.0, "cam_dynamic") / value("conventional", 1.0, "total")
    static = 100 * value("cache, no misses", 0.5, "cache_static") / value("conventional", 0.5, "total")
    rows = [
        claim(
            "CAM's dynamic energy, share of a conventional switch's lookups at full use",
            "dominates",
            dominates,
            dominates > 0.9,
        ),
        found(
            "static power of the caches ÷ all of the conventional switch's at 50 %, %",
            static,
            f"1 in the paper, to which the packet size is fitted. This ratio is the paper's only "
            f"hint at it: {PACKET_BYTES} B make it 1 % (512 B: 1.3 %, "
            f"256 B: 0.6 %).",
        ),
        found("conventional switch at 50 %, W", value("conventional", 0.5, "total")),
        found("switch with caches at 50 %, 1 % misses, W", value("cache, 1 % misses", 0.5, "total")),
        found("switch with caches at 50 %, no misses, W", value("cache, no misses", 0.5, "total")),
        found(
            "packets at 50 % ÷ packets that the CAM can look up",
            0.5 * PORTS * 200e9 / (8 * PACKET_BYTES) / lookup_throughput(1.0),
            "Equation 6 allows 40 Mpps; a conventional switch could not be used by half with packets of this size.",
        ),
    ]
    drawn, (axes,) = figure(width=7.4)
    groups = [
        f"{name}\n{round(100 * used)} %"
        for used in (0.0, 0.5, 1.0)
        for name in ("conventional", "cache, 1 % misses", "cache, no misses")
    ]
    ordered = [(name.split("\n")[0], float(name.split("\n")[1].rstrip(" %")) / 100) for name in groups]
    labels = {
        "CAM, dynamic": "cam_dynamic",
        "CAM, static": "cam_static",
        "caches, dynamic": "cache_dynamic",
        "caches, static": "cache_static",
    }
    stacked(axes, groups, {label: [value(*each, column) for each in ordered] for label, column in labels.items()})
    axes.tick_params(axis="x", labelsize=7.5, rotation=55)
    dress(axes, f"power of table lookups, packets of {PACKET_BYTES} B", "use of 1,400 Gb/s", "W")
    sizes = ", ".join(
        f"{size} B {float(mine[(mine['switch'] == 'conventional') & (mine['used'] == 1.0)]['total'].iloc[0]):.3g} W"
        for size, mine in every.groupby("bytes")
    )
    text = (
        f"Equation 5 with the paper's energies; packets of {PACKET_BYTES} B, as explained. "
        f"At 100 % the conventional switch takes, by packet size: {sizes}."
    )
    return Findings(rows, drawn, text)


LEAVES = 20  # switches around the measured one, with the cold destinations
COLD = 40  # destinations per leaf
VCS = 4
FILL, MEASURED = 2000, 12000  # cycles


def busy(ports: int, cold: float, entries: int, vcs: int) -> list[Record]:
    """Return the throughput of a switch if `ports` of its nodes always send, and a share of packets misses the cache.

    Packets have one flit. Each source sends to its own destination, which stays in the cache, and a share `cold` of
    packets to one of many others on the switches around it, which do not stay. Two packets in the
    buffers of a port then hardly ever have the same destination, so that few lookups are merged.
    """
    own, cold_nodes = 2 * PORTS, LEAVES * COLD
    weights = np.zeros((own + cold_nodes, own + cold_nodes))
    for source in range(ports):
        weights[source, PORTS + source] = 1 - cold
        weights[source, own:] = cold / cold_nodes
    with TemporaryDirectory() as folder:
        file = Path(folder) / "matrix.csv"
        np.savetxt(file, weights, delimiter=",")
        settings = [
            "topology.kind=graph",
            f"topology.edges={[[0, leaf] for leaf in range(1, LEAVES + 1)]}",
            f"topology.populations={[own, *[COLD] * LEAVES]}",
            "routing.kind=up_down",
            "switch.routing=table",
            f"switch.vcs={vcs}",
            "switch.depth=8",
            f"cache.entries={entries}",
            f"cache.ways={max(1, entries)}",
            "traffic.pattern=matrix",
            f'traffic.matrix="{file}"',
            "traffic.packet_size=1",
            "traffic.load=1.0",
        ]
        config = load(None, settings)
        network = build(config)
        assert isinstance(network, Network)
        load_, seed = config.load.load, config.run.seed
        stream = Stream(network.topology, config.pattern, config.arrivals, config.sizes, load_, seed)
        offered = stream.until(FILL + MEASURED)
    network.offer(offered)
    network.advance(FILL)
    before = network.counters()[0]
    network.advance(MEASURED)
    events = (network.counters()[0] - before).sum(axis=0)
    hits, merged = int(events[Counter.CACHE_HITS]), int(events[Counter.CAM_MERGED])
    lookups = hits + int(events[Counter.CACHE_MISSES])
    misses = 1 - hits / lookups if entries else 1.0
    return [
        {
            "ports": ports,
            "cold": cold,
            "entries": entries,
            "vcs": vcs,
            "misses": misses,
            "merged": merged / max(1, lookups - hits) if entries else 0.0,
            "mpps": 1000 * int(events[Counter.PACKETS_OUT]) / MEASURED,
            "form_mpps": lookup_throughput(min(1.0, misses), ports) / 1e6,
        }
    ]


def throughput_parts(options: Options) -> list[Part]:
    """Return one simulation per share of misses, with one busy port and with seven."""
    shares = (0.0, 0.1) if options.quick else (0.0, 0.005, 0.01, 0.02, 0.04, 0.1, 0.3)
    parts = [
        Part("busy", busy, {"ports": ports, "cold": cold, "entries": 4, "vcs": VCS})
        for ports in (1, PORTS)
        for cold in shares
    ]
    parts += [Part("busy", busy, {"ports": ports, "cold": 1.0, "entries": 0, "vcs": VCS}) for ports in (1, PORTS)]
    tried = [(PORTS, 1.0, 0, 1), (PORTS, 0.1, 4, 1), (1, 0.1, 4, 1), (1, 0.1, 4, 16)]
    return parts + [
        Part("busy", busy, dict(zip(("ports", "cold", "entries", "vcs"), each, strict=True))) for each in tried
    ]


def throughput(tables: Tables) -> Findings:
    """Lookups per second against misses."""
    every = tables["busy"]
    frame = every[every["vcs"] == VCS]

    def others(ports: int, cold: float) -> str:
        """Return what was tried with other numbers of VCs."""
        mine = every[(every["vcs"] != VCS) & (every["ports"] == ports) & (every["cold"] == cold)]
        each = (
            f"{row.vcs} VC{'s' if row.vcs > 1 else ''} {row.mpps:.0f} (equation {row.form_mpps:.0f})"
            for row in mine.itertuples()
        )
        return f" Tried: {', '.join(each)}."

    knee = next(m for m in np.arange(0.0001, 0.2, 0.0001) if lookup_throughput(m) < 1e9)
    seven = next(m for m in np.arange(0.00001, 0.2, 0.00001) if lookup_throughput(m, PORTS) < PORTS * 1e9)
    plain = frame[frame["entries"] == 0]
    cached = frame[frame["entries"] > 0]
    none = cached[(cached["cold"] == 0) & (cached["ports"] == 1)]["mpps"].iloc[0]
    rows = [
        echoed("conventional, Mpps, equation 6", 40, lookup_throughput(1.0) / 1e6),
        echoed("no misses, Mpps, equation 7", 1000, lookup_throughput(0.0) / 1e6),
        echoed("10 % misses, Mpps, equation 7", 400, lookup_throughput(0.1) / 1e6),
        echoed("knee, % misses, equation 7", 4, 100 * knee),
        found("knee with seven busy ports, % misses", 100 * seven, "One CAM for all ports, one cache per port."),
        compare(
            "conventional, seven busy ports, simulated, Mpps",
            40,
            float(plain[plain["ports"] == PORTS]["mpps"].iloc[0]),
            "One lookup per packet. " + others(PORTS, 1.0).strip(),
        ),
        compare("no misses, one busy port, simulated, Mpps", 1000, float(none)),
    ]
    for ports in (1, PORTS):
        mine = cached[(cached["ports"] == ports) & (cached["cold"] == 0.1)]
        rows.append(
            found(
                f"10 % cold destinations, {ports} busy port{'s' if ports > 1 else ''}, simulated ÷ equation 7",
                float(mine["mpps"].iloc[0]) / float(mine["form_mpps"].iloc[0]),
                f"{mine['mpps'].iloc[0]:.0f} of {mine['form_mpps'].iloc[0]:.0f} Mpps at the measured "
                f"{100 * mine['misses'].iloc[0]:.1f} % misses. "
                + (ONE_PORT if ports == 1 else MERGED.format(100 * float(mine["merged"].iloc[0])))
                + others(ports, 0.1),
            )
        )
    drawn, (axes,) = figure()
    misses = np.geomspace(0.001, 1, 200)
    for number, ports in enumerate((1, PORTS)):
        line(
            axes,
            100 * misses,
            [lookup_throughput(m, ports) / 1e6 for m in misses],
            number,
            f"equation 7, {ports} busy",
            marker="",
        )
        mine = cached[cached["ports"] == ports].sort_values("misses")
        axes.plot(
            100 * mine["misses"].clip(lower=0.001),
            mine["mpps"],
            "os"[number],
            color=axes.lines[-1].get_color(),
            label=f"simulated, {ports} busy",
        )
    paper_points(axes, [0.1, 10, 100], [1000, 400, 40])
    axes.set_xscale("log")
    axes.set_yscale("log")
    dress(axes, "lookups of a switch, 1 GHz", "misses, %", "million packets per second")
    text = (
        "Equations 6 and 7, and the cycle-accurate switch with 4 VCs: each source sends to a destination of its own, "
        "and a share "
        f"of packets to one of {LEAVES * COLD} others, which a cache of 4 entries does not hold. Misses are measured."
    )
    return Findings(rows, drawn, text)


ONE_PORT = (
    "Equation 7 is a bound: lookups of cache and CAM overlap perfectly in it. A port has one lookup of the CAM under "
    "way (hdl/route/miss_unit), and packets behind a miss in their VC wait."
)
MERGED = (
    "Seven ports keep the CAM busy, so that the bound is reached. A lookup serves every packet of its port that waits "
    "for the same destination, which the paper has not: {:.0f} % of the misses."
)

for name, title, parts, conclude in (
    ("cache.fig13", "power of table lookups", fig13_parts, fig13),
    ("cache.throughput", "lookups per second, equations 6 and 7", throughput_parts, throughput),
):
    CATALOGUE.enter(Study(name, "A", title, parts, conclude))
