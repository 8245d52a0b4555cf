"""Large networks: bytes per node, seconds until the first cycle, and speed; `python -m benchmarks.scale`.

Each network is measured in a process of its own, so that memory is that of one network. Load is a fifth of what the
bisection carries with uniform traffic, where that has a closed form.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from itertools import pairwise

from sim.config import load
from sim.engine.network import Network
from sim.lib.progress import listening
from sim.simulation import build
from sim.traffic.stream import Stream

COMPUTED = "switch.routing=dimension_order"
CUBE = ("topology.kind=hypercube", "switch.routing=hypercube")
TREE = ("topology.kind=fat_tree", "routing.kind=up_down", "switch.routing=linear")
DRAGONFLY = ("topology.kind=dragonfly", "routing.kind=dragonfly", "switch.routing=linear")
COMPUTED_TREE = ("topology.kind=fat_tree", "routing.kind=random_up", "routing.paths=1", "switch.routing=fat_tree")
COMPUTED_DRAGONFLY = ("topology.kind=dragonfly", "routing.kind=dragonfly", "switch.routing=dragonfly")
SLIM_FLY = ("topology.kind=slim_fly", "routing.kind=minimal", "switch.routing=linear")
NETWORKS: dict[str, tuple[str, ...]] = {
    "torus 8×8": ("topology.radix=[8,8]", COMPUTED, "traffic.load=0.2"),
    "torus 16×16×4": ("topology.radix=[16,16,4]", COMPUTED, "traffic.load=0.1"),
    "torus 16×16×16": ("topology.radix=[16,16,16]", COMPUTED, "traffic.load=0.1"),
    "torus 32×32×16": ("topology.radix=[32,32,16]", COMPUTED, "traffic.load=0.05"),
    "torus 64×64×32": ("topology.radix=[64,64,32]", COMPUTED, "traffic.load=0.025"),
    "17-cube": (*CUBE, "topology.dimensions=17", "traffic.load=0.05"),
    "dual 17-cube": (*CUBE, "topology.dimensions=17", "planes.count=2", "traffic.load=0.05"),
    "torus 16×16×16, linear tables": ("topology.radix=[16,16,16]", "switch.routing=linear", "traffic.load=0.1"),
    "fat tree 16-ary, 3 levels": (*TREE, "topology.arity=16", "traffic.load=0.2"),
    "fat tree 24-ary, 3 levels": (*TREE, "topology.arity=24", "traffic.load=0.2"),
    "fat tree 19-ary, 4 levels": (*COMPUTED_TREE, "topology.arity=19", "topology.levels=4", "traffic.load=0.2"),
    "dragonfly of 129 groups of 16": (
        *DRAGONFLY, "topology.group_switches=16", "topology.global_links=8", "traffic.load=0.1",
    ),
    "dragonfly of 339 groups of 26": (
        *COMPUTED_DRAGONFLY, "topology.group_switches=26", "topology.global_links=13", "topology.locals=15",
        "traffic.load=0.05",
    ),
    "HyperX 8×8×8×8": (
        "topology.kind=hyperx", "topology.radix=[8,8,8,8]", "topology.locals=32", "switch.routing=hyperx",
        "traffic.load=0.05",
    ),
    "Slim Fly of q = 29": (*SLIM_FLY, "topology.q=29", "topology.locals=19", "traffic.load=0.1"),
}  # fmt: skip
HEAD = "| network | nodes | switches | bytes/node | topology s | routes s | check s | reset s | GB | M flit-hops/s |"
FLIT_HOPS = 3_000_000  # least flit-hops of a measurement
STEP = 25  # cycles whose packets are drawn together


def main() -> None:
    """Print the rows of the table of docs/reference/scale.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="networks whose name contains TEXT")
    parser.add_argument("--here", metavar="NAME", help="one network, in this process")
    given = parser.parse_args()
    if given.here:
        print(_row(given.here), flush=True)
        return
    print(HEAD)
    for name in NETWORKS:
        if given.only in name:
            subprocess.run([sys.executable, "-m", "benchmarks.scale", "--here", name], check=True)


def _row(name: str) -> str:
    """Return the row of a network, of CPU seconds."""
    marks: list[tuple[str, float]] = [("topology", time.process_time())]

    def listen(stage: str, done: int, total: int) -> None:
        phase = _phase(stage)
        if phase != marks[-1][0]:
            marks.append((phase, time.process_time()))

    with listening(listen):
        config = load(None, (*NETWORKS[name], "run.specialise=false"))
        network = build(config)
    marks.append(("", time.process_time()))
    spent = dict.fromkeys(("topology", "routes", "check", "reset"), 0.0)
    for (phase, begin), (_, end) in pairwise(marks):
        spent[phase] += end - begin
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    topology = config.networks.for_traffic()
    stream = Stream(topology, config.pattern, config.arrivals, config.sizes, config.load.load, 1)
    speed = f"{_speed(network, stream) / 1e6:.2f}" if isinstance(network, Network) else ""
    sizes = f"{topology.nodes:,}", f"{topology.switches:,}", f"{gigabytes * 1e9 / topology.nodes:,.0f}"
    seconds = (f"{value:.1f}" for value in spent.values())
    return f"| {' | '.join((name, *sizes, *seconds, f'{gigabytes:.1f}', speed))} |"


def _phase(stage: str) -> str:
    """Return the phase of a stage of `sim.lib.progress`."""
    if stage.startswith("deadlock"):
        return "check"
    return (
        "reset"
        if stage in ("programming tables", "network at reset")
        else "topology"
        if stage == "topology"
        else "routes"
    )


def _speed(network: Network, stream: Stream) -> float:
    """Return flit-hops per CPU second, after as many cycles of warm-up as it takes for a third of them."""
    hops = _advance(network, stream, FLIT_HOPS // 3)[0]
    hops, seconds = _advance(network, stream, max(hops, FLIT_HOPS))
    return hops / seconds


def _advance(network: Network, stream: Stream, flit_hops: int) -> tuple[int, float]:
    """Advance by at least `flit_hops`; return the flit-hops, and the CPU seconds of `Network.advance`."""
    begin, seconds = network.flit_hops, 0.0
    while network.flit_hops - begin < flit_hops:
        network.offer(stream.until(network.cycle + STEP))
        before = time.process_time()
        network.advance(STEP)
        seconds += time.process_time() - before
    return network.flit_hops - begin, seconds


if __name__ == "__main__":
    main()
