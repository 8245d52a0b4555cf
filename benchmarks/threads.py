"""One network advanced by several threads (`run.threads`) beside one thread.

    python -m benchmarks.threads [--threads 2] [--times 5] [--generic] [NETWORK ...]

Wall-clock seconds of `Network.advance` under uniform traffic of 4-flit packets, after as many cycles again. Runs with
one thread and with several take turns; the fastest of each is shown. Each must deliver the same packets.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import NamedTuple

import numpy as np

import tsuji
from sim.config import Config, load
from sim.simulation import build
from sim.traffic.stream import Stream


class Network(NamedTuple):
    """A network to advance: its configuration, its load, flits/node/cycle, and the cycles that are timed."""

    settings: tuple[str, ...]
    load: float
    cycles: int


TORUS = ('topology.kind="torus"', 'switch.routing="dimension_order"', "switch.vcs=4", "switch.depth=8")
CUBE = ('topology.kind="hypercube"', 'switch.routing="hypercube"', "switch.vcs=2")
# The 32×32 torus accepts up to 0.17 flits/node/cycle, with long links 0.06: four tenths of this, and a tenth.
NETWORKS = {
    "torus32": Network((*TORUS, "topology.radix=[32,32]"), 0.07, 4000),
    "torus32-light": Network((*TORUS, "topology.radix=[32,32]"), 0.017, 8000),
    "torus32-long": Network((*TORUS, "topology.radix=[32,32]", "link.latency=19"), 0.025, 10000),
    "torus64": Network((*TORUS, "topology.radix=[64,64]"), 0.05, 1000),
    "cube14": Network((*CUBE, "topology.dimensions=14", "planes.count=2"), 0.4, 200),
}


def _config(network: Network, threads: int, generic: bool) -> Config:
    specialise = "false" if generic else "true"
    more = ("traffic.packet_size=4", f"run.specialise={specialise}", f"run.threads={threads}")
    return load(None, (*network.settings, *more))


def _seconds(network: Network, threads: int, generic: bool) -> tuple[float, tuple[int, ...]]:
    """Return the seconds of a run, and sums that any other run must have as well."""
    config = _config(network, threads, generic)
    built = build(config)
    stream = Stream(built.topology, config.pattern, config.arrivals, config.sizes, network.load, 1)
    built.offer(stream.until(network.cycles))
    built.advance(network.cycles)
    built.offer(stream.until(2 * network.cycles))
    began = time.perf_counter()
    gone = built.advance(network.cycles)
    seconds = time.perf_counter() - began
    times = np.uint64(31) * gone.eject.astype(np.uint64) + gone.enter.astype(np.uint64)
    mixed = (times * (gone.source * 65_537 + gone.destination).astype(np.uint64)).sum()
    return seconds, (len(gone), int(gone.hops.sum()), int(mixed), built.flit_hops)


def measure(name: str, threads: int, times: int, generic: bool) -> tuple[float, float]:
    """Return the least seconds with one thread and with several.

    Raises
    ------
    RuntimeError
        If they do not deliver the same packets in the same cycles.
    """
    found: dict[int, list[float]] = {1: [], threads: []}
    sums = set()
    for _ in range(times):
        for count, seconds in found.items():
            took, each = _seconds(NETWORKS[name], count, generic)
            seconds.append(took)
            sums.add(each)
    if len(sums) > 1:
        raise RuntimeError(f"{name}: {sums} differ")
    return min(found[1]), min(found[threads])


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.threads", description=__doc__)
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--times", type=int, default=5, help="runs of each; the fastest is shown")
    arguments.add_argument("--generic", action="store_true", help="the generic engine instead of a specialised one")
    arguments.add_argument("networks", nargs="*", metavar="NETWORK", help=", ".join(NETWORKS))
    given = arguments.parse_args()
    names = given.networks or list(NETWORKS)
    if unknown := [name for name in names if name not in NETWORKS]:
        arguments.error(f"no network {', '.join(unknown)}; there are {', '.join(NETWORKS)}")
    print(f"tsuji {tsuji.__version__}, {os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f} before")
    print("network         switches  one thread  threads  seconds  times as fast")
    for name in names:
        one, several = measure(name, given.threads, given.times, given.generic)
        switches = build(_config(NETWORKS[name], 1, given.generic)).topology.switches
        print(f"{name:15} {switches:8,}  {one:9.2f}s  {given.threads:7}  {several:6.2f}s  {one / several:13.2f}")
    print(f"load average {os.getloadavg()[0]:.1f} after")


if __name__ == "__main__":
    main()
