"""Paper D without simulation: graph metrics, latency with cables, and costs (figures 3, 5, 6, 7 and 8)."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sim.papers.axes import dress, figure, line, paper_points, stacked
from sim.papers.dual_planes import NETWORKS, ORDERS, by_cables, planes
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
from sim.topology.bases.metrics import cost_figures, graph_figures, mean_latency
from sim.topology.bases.store import read_bases

FROM, TO = 2, 12


def metrics(network: str, bits: int, generators: list[int]) -> list[Record]:
    """Return all figures of one network."""
    graph, cost = graph_figures(bits, tuple(generators)), cost_figures(bits, tuple(generators))
    latency = mean_latency(graph.mean_distance, cost.cable_m)
    switches = graph.mean_distance * 90.0
    return [
        {
            "network": network,
            "n": bits,
            "mean_distance": graph.mean_distance,
            "traffic": graph.traffic,
            "traffic_4": graph.traffic / 4,
            "latency_ns": latency,
            "switch_ns": switches,
            "cable_ns": latency - switches - 131.0,
            "end_ns": 131.0,
            **{name: value / 1000 if name != "cable_m" else value for name, value in cost._asdict().items()},
            "generators": " ".join(map(str, generators)),
        }
    ]


def parts(options: Options) -> list[Part]:
    """Return one part per network; graph metrics are fast, so `--quick` has all of them."""
    found = []
    for bits in range(FROM, TO + 1):
        for network in NETWORKS:
            generators = planes(network, bits)
            if generators is not None:
                found.append(Part("graph", metrics, {"network": network, "bits": bits, "generators": list(generators)}))
    return found


def value(frame: pd.DataFrame, network: str, bits: int, column: str) -> float:
    """Return one figure of one network."""
    return float(frame[(frame["network"] == network) & (frame["n"] == bits)][column].iloc[0])


def curves(axes: Any, frame: pd.DataFrame, column: str, networks: list[str]) -> None:
    """Draw a column against n, one curve per network."""
    for number, network in enumerate(networks):
        mine = frame[frame["network"] == network].sort_values("n")
        line(axes, mine["n"], mine[column], number, network, linestyle="--" if network.startswith("D-") else "-")


def _against(frame: pd.DataFrame, quantity: str, unit: str, column: str, said: list[Any], note: str = "") -> list[Row]:
    """Return rows of numbers that the paper prints: (network, n, value)."""
    return [
        compare(f"{quantity}, {network}, n = {bits}{unit}", printed, value(frame, network, bits, column), note)
        for network, bits, printed in said
    ]


def _bases() -> str:
    """Return how the second bases were found."""

    def listed(every: bool, cables: bool) -> str:
        of = {kind[0] for kind, one in read_bases().items() if kind[2] == cables and bool(one.found.bounds) == every}
        return ", ".join(map(str, sorted(of))) or "none"

    return (
        "Second bases: sim/topology/bases/bases.csv (tsuji bases), the greatest product of both improvements. All "
        f"bases were tried for n = {listed(True, False)} (-r: {listed(True, True)}); annealed: n = "
        f"{listed(False, False)} "
        f"(-r: {listed(False, True)})."
    )


DISTANCES = [("D-HC", 8, 4.0), ("DI-HC", 8, 3.13), ("D-FHC", 8, 3.27), ("DI-FHC", 8, 2.71)]
TRAFFIC = [("D-HC", 8, 4.0), ("DI-HC", 8, 5.12), ("D-FHC", 8, 5.51), ("DI-FHC", 8, 6.65)]


def fig3(tables: Tables) -> Findings:
    """Mean distance and traffic against n."""
    frame = tables["graph"]
    rows = _against(frame, "mean distance", "", "mean_distance", DISTANCES)
    rows += _against(frame, "all-to-all maximum traffic", "", "traffic", TRAFFIC)
    for equal, other, distance, traffic in (("D-HC", "DI-HC", 17, 20), ("D-FHC", "DI-FHC", 12, 13)):
        less = 100 * (1 - value(frame, other, 12, "mean_distance") / value(frame, equal, 12, "mean_distance"))
        more = 100 * (value(frame, other, 12, "traffic") / value(frame, equal, 12, "traffic") - 1)
        rows.append(compare(f"{other}, n = 12: mean distance less by, %", distance, less, ANNEALED, "less"))
        rows.append(compare(f"{other}, n = 12: traffic more by, %", traffic, more, ANNEALED, "more"))
    drawn, (left, right) = figure(2, width=5.2)
    names = ["D-HC", "DI-HC", "D-FHC", "DI-FHC"]
    curves(left, frame, "mean_distance", names)
    curves(right, frame, "traffic", names)
    for axes, said in ((left, DISTANCES), (right, TRAFFIC)):
        paper_points(axes, [n for _, n, _ in said], [v for *_, v in said])
    dress(left, "(a) mean distance", "n", "links")
    dress(right, "(b) all-to-all maximum traffic", "n", "per node, of a link's bandwidth")
    return Findings(rows, drawn, _bases() + " Distances and traffic count a node's own switch, as the paper's do.")


ANNEALED = (
    "n = 12 is annealed, by us and by the paper (partial search). Tried: annealing among all bases, which ends short "
    "in both figures, and among those that a rotation of coordinates takes to themselves."
)
ANNEALED_CABLES = (
    "n = 12 is annealed, by us and by the paper (partial search). Tried: annealing among all bases and among symmetric "
    "ones in turn, and all that differ from the kept bases in their cables alone."
)
LATENCY = [
    ("D-HC", 8, 601.0),
    ("DI-HC", 8, 524.0),
    ("DI-HC-r", 8, 513.0),
    ("D-FHC", 8, 535.0),
    ("DI-FHC", 8, 500.0),
    ("DI-FHC-r", 8, 488.0),
    ("D-HC", 12, 1006.0),
    ("DI-HC", 12, 1087.0),
    ("DI-HC-r", 12, 899.0),
    ("D-FHC", 12, 975.0),
    ("DI-FHC", 12, 1028.0),
    ("DI-FHC-r", 12, 877.0),
]
TRAFFIC_4 = [
    ("D-HC", 8, 1.0),
    ("DI-HC", 8, 1.28),
    ("DI-HC-r", 8, 1.25),
    ("D-FHC", 8, 1.38),
    ("DI-FHC", 8, 1.66),
    ("DI-FHC-r", 8, 1.66),
    ("DI-HC", 12, 1.20),
    ("DI-HC-r", 12, 1.19),
    ("D-FHC", 12, 1.29),
    ("DI-FHC", 12, 1.46),
    ("DI-FHC-r", 12, 1.43),
]
CHANGES = [("DI-HC", -90, 172), ("DI-FHC", -54, 107), ("DI-HC-r", -89, -18), ("DI-FHC-r", -48, -49)]
"""Time in switches and in cables, n = 12, ns."""
LENGTHS = (
    "Without -r, cables do not count, and the paper's basis is another one: ours has the greatest product of both "
    "improvements that was found. Tried, for n ≤ 8: of the planes that differ in their cables alone (order of "
    "coordinates, the inverse basis, another last generator of a folded cube) those of the shortest. Beyond, bases are "
    f"annealed and the order of coordinates says nothing: the median of {ORDERS} random orders."
)


def _in_random_orders(frame: pd.DataFrame, network: str) -> tuple[float, float, float]:
    """Return the latency for n = 12, ns, with random orders of coordinates in the hall: least, median and greatest."""
    mine = frame[(frame["network"] == network) & (frame["n"] == 12)].iloc[0]
    generators = tuple(int(each) for each in str(mine["generators"]).split())
    distance = float(mine["mean_distance"])
    latencies = [mean_latency(distance, metres) for metres, _ in by_cables(12, generators)]
    return latencies[0], latencies[len(latencies) // 2], latencies[-1]


def _shortest(frame: pd.DataFrame, network: str) -> float:
    """Return the latency for n = 12, ns, of the planes with the shortest cables of all that differ in nothing else."""
    mine = frame[(frame["network"] == network) & (frame["n"] == 12)].iloc[0]
    kept = read_bases()[12, NETWORKS[network][0], False]
    return mean_latency(float(mine["mean_distance"]), cost_figures(12, kept.generators).cable_m)


def fig5(tables: Tables) -> Findings:
    """Latency with cables, and traffic with four nodes per switch."""
    frame = tables["graph"]
    rows = []
    for network, bits, printed in LATENCY:
        note = LENGTHS if network in ("DI-HC", "DI-FHC") else ""
        rows.append(
            compare(
                f"minimum mean latency, {network}, n = {bits}, ns",
                printed,
                value(frame, network, bits, "latency_ns"),
                note,
            )
        )
    rows += _against(frame, "traffic, 4 nodes per switch", "", "traffic_4", TRAFFIC_4)
    for network, switches, cables in CHANGES:
        equal = f"D{network.removesuffix('-r')[2:]}"
        for what, column, printed in (("switches", "switch_ns", switches), ("cables", "cable_ns", cables)):
            ours = value(frame, network, 12, column) - value(frame, equal, 12, column)
            annealed = ANNEALED_CABLES if network.endswith("-r") else ANNEALED
            note = LENGTHS if what == "cables" and not network.endswith("-r") else annealed
            rows.append(compare(f"{what}, {network} against {equal}, n = 12, ns", printed, ours, note))
    better = all(
        value(frame, f"{name}-r", 12, "latency_ns") < value(frame, f"D{name[2:]}", 12, "latency_ns")
        for name in ("DI-HC", "DI-FHC")
    )
    rows.append(claim("-r, n = 12", "lowers the latency", "as said" if better else "not so", better))
    both = {
        name: [value(frame, each, 12, "latency_ns") for each in (name, f"D{name[2:]}")] for name in ("DI-HC", "DI-FHC")
    }
    orders = {name: _in_random_orders(frame, name) for name in both}
    rows.append(
        claim(
            f"bases of distance alone, n = 12, ns against two equal planes, in {ORDERS} random orders of coordinates",
            "raise the latency",
            ", ".join(f"{name} {orders[name][1]:,.0f} against {same:,.0f}" for name, (_, same) in both.items()),
            all(orders[name][0] > same for name, (_, same) in both.items()),
            "Medians; the range is "
            + "; ".join(f"{name} {least:,.0f} to {most:,.0f}" for name, (least, _, most) in orders.items())
            + ". Tried: the order of the shortest cables, which a search that ignores cables would not find: "
            + "; ".join(f"{name} {_shortest(frame, name):,.0f}" for name in both)
            + " ns.",
        )
    )
    drawn, (left, right, third) = figure(3, width=4.6)
    names = list(NETWORKS)
    curves(left, frame, "latency_ns", names)
    curves(right, frame, "traffic_4", names)
    paper_points(left, [n for _, n, _ in LATENCY], [v for *_, v in LATENCY])
    paper_points(right, [n for _, n, _ in TRAFFIC_4], [v for *_, v in TRAFFIC_4])
    dress(left, "(a) minimum mean latency", "n", "ns")
    dress(right, "(b) all-to-all maximum traffic", "n", "per node, of a link's bandwidth")
    _breakdown(third, frame, {"switches": "switch_ns", "cables": "cable_ns", "ends": "end_ns"})
    dress(third, "(c) breakdown of the latency, n = 8 | 12", "", "ns")
    return Findings(
        rows,
        drawn,
        _bases() + " 90 ns per switch, 5 ns/m, α = 131 ns, four nodes per switch; floor: sim/topology/bases/layout.py.",
    )


def _breakdown(axes: Any, frame: pd.DataFrame, columns: dict[str, str]) -> None:
    names = [(network, bits) for bits in (8, 12) for network in NETWORKS]
    stacked(
        axes,
        [f"{network} {bits}" for network, bits in names],
        {label: [value(frame, *each, column) for each in names] for label, column in columns.items()},
    )
    axes.tick_params(axis="x", rotation=90, labelsize=7)


TOTAL = [
    ("D-HC", 12, 4.50),
    ("DI-HC", 12, 4.90),
    ("DI-HC-r", 12, 4.52),
    ("D-FHC", 12, 4.96),
    ("DI-FHC", 12, 5.29),
    ("DI-FHC-r", 12, 4.93),
]


def fig6(tables: Tables) -> Findings:
    """Cost per node against n."""
    frame = tables["graph"]
    rows = _against(frame, "cost per node", ", k$", "price", TOTAL)
    drawn, (axes,) = figure()
    curves(axes, frame, "price", list(NETWORKS))
    paper_points(axes, [n for _, n, _ in TOTAL], [v for *_, v in TOTAL])
    dress(axes, "network cost per node", "n", "thousand US$")
    return Findings(rows, drawn, _bases() + " Prices of tables 2 and 3; 310.28 US$ per port.")


CABLE_M = [
    ("D-HC", 8, 5.5),
    ("DI-HC", 8, 7.1),
    ("DI-HC-r", 8, 6.3),
    ("D-FHC", 8, 6.7),
    ("DI-FHC", 8, 9.3),
    ("DI-FHC-r", 8, 8.4),
    ("D-HC", 12, 11.2),
    ("DI-HC", 12, 20.3),
    ("DI-HC-r", 12, 12.7),
    ("D-FHC", 12, 15.5),
    ("DI-FHC", 12, 22.5),
    ("DI-FHC-r", 12, 15.2),
]
CABLE_PRICE = [
    ("D-HC", 8, 0.63),
    ("DI-HC", 8, 0.73),
    ("DI-HC-r", 8, 0.67),
    ("D-FHC", 8, 0.78),
    ("DI-FHC", 8, 0.93),
    ("DI-FHC-r", 8, 0.90),
    ("D-HC", 12, 1.26),
    ("DI-HC", 12, 1.66),
    ("DI-HC-r", 12, 1.28),
    ("D-FHC", 12, 1.57),
    ("DI-FHC", 12, 1.90),
    ("DI-FHC-r", 12, 1.54),
]


def fig7(tables: Tables) -> Findings:
    """Mean length of cables, and their cost per node."""
    frame = tables["graph"]
    rows = []
    for quantity, column, said in (
        ("mean cable, m", "cable_m", CABLE_M),
        ("cables per node, k$", "cable_price", CABLE_PRICE),
    ):
        for network, bits, printed in said:
            note = LENGTHS if network in ("DI-HC", "DI-FHC") else IN_RACK_PRICE if column == "cable_price" else ""
            rows.append(
                compare(f"{quantity}, {network}, n = {bits}", printed, value(frame, network, bits, column), note)
            )
    drawn, (left, right) = figure(2, width=5.2)
    curves(left, frame, "cable_m", list(NETWORKS))
    curves(right, frame, "cable_price", list(NETWORKS))
    paper_points(left, [n for _, n, _ in CABLE_M], [v for *_, v in CABLE_M])
    paper_points(right, [n for _, n, _ in CABLE_PRICE], [v for *_, v in CABLE_PRICE])
    dress(left, "(a) mean length of cables between switches", "n", "m")
    dress(right, "(b) cost of these cables per node", "n", "thousand US$")
    return Findings(rows, drawn, _bases())


IN_RACK_PRICE = (
    "A cable of 1 m is in no price list; ours costs what 2 m do (134 US$). "
    "108 to 118 US$ would give the paper's digits."
)


def fig8(tables: Tables) -> Findings:
    """Breakdown of the cost."""
    frame = tables["graph"]
    rows = []
    for bits, network, share in ((8, "HC", 19), (8, "FHC", 22), (12, "HC", 28), (12, "FHC", 32)):
        equal, second = (
            100
            * value(frame, f"{plane}-{network}", bits, "cable_price")
            / value(frame, f"{plane}-{network}", bits, "price")
            for plane in ("D", "DI")
        )
        quantity = f"switch cables' share of the cost, D-{network}, n = {bits}, %"
        rows.append(compare(quantity, share, equal, f"The paper writes DI-{network} here, see the row below."))
        rows.append(
            found(
                f"switch cables' share of the cost, DI-{network}, n = {bits}, %",
                second,
                f"{share} % in the paper, which is what D-{network} has by the paper's own figures 6 and 7, too.",
            )
        )
    drawn, (axes,) = figure(width=7.5)
    columns = {
        "switch cables": "cable_price",
        "node cables": "node_cable_price",
        "switches": "switch_price",
        "interfaces": "interface_price",
    }
    _breakdown(axes, frame, columns)
    dress(axes, "breakdown of the cost per node, n = 8 | 12", "", "thousand US$")
    return Findings(rows, drawn, _bases())


for name, title, conclude in (
    ("dual.fig3", "mean distance and all-to-all maximum traffic, n = 2…12", fig3),
    ("dual.fig5", "minimum mean latency with cables, and its parts", fig5),
    ("dual.fig6", "network cost per node", fig6),
    ("dual.fig7", "cable length and cost", fig7),
    ("dual.fig8", "parts of the cost", fig8),
):
    CATALOGUE.enter(Study(name, "D", title, parts, conclude))
