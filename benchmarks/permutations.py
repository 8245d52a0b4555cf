"""Agreement with BookSim2 under permutations on tori, where ties on even rings decide which links are loaded.

Every pattern is run at a share of its throughput bound (most loaded channel), one flit per packet, by both simulators
with several seeds; the ratio is that of the mean latencies.

`python -m benchmarks.permutations PATH` prints the table; PATH is a BookSim2 executable.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from sim.analysis.channel_load import channel_loads, throughput_bound
from sim.booksim import mapping, parser, settings
from sim.booksim.mapping import Plan
from sim.booksim.measure import measure
from sim.booksim.peer import run
from sim.routing.dimension_order import DimensionOrder

FILE = Path(__file__).parents[1] / "examples" / "booksim" / "torus88.cfg"
TORI = {"4×4": ("k=4", "n=2"), "8×8": ("k=8", "n=2"), "4×4×4": ("k=4", "n=3")}
PATTERNS = ("transpose", "bitcomp", "tornado", "bitrev", "shuffle", "neighbor")
GIVEN = ("packet_size=1", "num_vcs=16", "sample_period=3000")
SHARE = 0.6  # share of the throughput bound
SEEDS = (1, 2, 3)


def plan(overrides: tuple[str, ...]) -> Plan:
    """Return the plan of BookSim2's configuration."""
    return mapping.on_our_switches(settings.settings(parser.read(FILE, overrides)))


def injection_rate(overrides: tuple[str, ...]) -> float:
    """Return the injection rate: a share of the throughput bound."""
    planned = plan((*overrides, "injection_rate=0.01"))
    topology = planned.config.topology.build()
    sources = np.arange(topology.nodes)
    demand = np.zeros((topology.nodes, topology.nodes))
    demand[sources, planned.pattern.chooser(topology)(np.random.default_rng(1), sources)] = 1
    loads = channel_loads(topology, DimensionOrder(ties="random").tables(topology, 2), demand)
    return round(SHARE * throughput_bound(topology, loads).load, 2)


def compare(overrides: tuple[str, ...], peer: Path) -> tuple[list[float], list[float]]:
    """Return the packet latency of each seed, ours and BookSim2's; infinite if a network was not stable."""
    ours: list[float] = []
    theirs: list[float] = []
    for seed in SEEDS:
        given = (*overrides, f"seed={seed}")
        planned = plan(given)
        nodes = planned.config.topology.build().nodes
        for found, outcome in ((ours, measure(planned)), (theirs, run(peer, FILE, given, nodes))):
            latency = outcome.figures["Packet latency"].average
            found.append(np.inf if outcome.unstable or latency is None else latency)
    return ours, theirs


def main(peer: Path) -> None:
    """Print the table."""
    print("| torus | traffic | injected | cycles: tsuji | BookSim2 | ratio |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for name, size in TORI.items():
        for pattern in PATTERNS:
            overrides = (*GIVEN, *size, f"traffic={pattern}")
            rate = injection_rate(overrides)
            ours, theirs = (np.mean(each) for each in compare((*overrides, f"injection_rate={rate}"), peer))
            print(f"| {name} | {pattern} | {rate} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.3f} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
