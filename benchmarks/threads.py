"""One network advanced by several threads (`run.threads`) beside one thread.

    python -m benchmarks.threads [--threads 2] [--times 5] [--generic] [RUN ...]

Wall-clock seconds of `Network.advance` under uniform traffic of 4-flit packets, after as many cycles again. Runs with
one thread and with several take turns; the fastest of each is shown. Each must deliver the same packets.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import tsuji
from sim.config import Config, load
from sim.simulation import build
from sim.traffic.stream import Stream

Run = Callable[[int], tuple[float, Any]]


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


def _advanced(network: Network, threads: int, generic: bool) -> tuple[float, tuple[int, ...]]:
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


def least_seconds(run: Run, threads: int, times: int) -> tuple[float, float]:
    """Return the least seconds with one thread and with several, which take turns.

    Parameters
    ----------
    run : callable
        Given the number of threads, returns its seconds, and what must be the same with any number.
    threads, times : int
        Threads; runs with one thread, and with several.

    Raises
    ------
    RuntimeError
        If the runs are not the same.
    """
    found: dict[int, list[float]] = {1: [], threads: []}
    first = None
    for _ in range(times):
        for count, seconds in found.items():
            took, outcome = run(count)
            seconds.append(took)
            first = outcome if first is None else first
            if outcome != first:
                raise RuntimeError(f"with 1 and {threads} threads: {first} and {outcome}")
    return min(found[1]), min(found[threads])


def options(
    program: str, about: str | None, runs: Collection[str], times: int, flags: Mapping[str, str] = MappingProxyType({})
) -> argparse.Namespace:
    """Return what the command line says to a program that compares runs with one thread and with several.

    `flags` are further options, with their help.
    """
    arguments = argparse.ArgumentParser(prog=f"python -m {program}", description=about)
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--times", type=int, default=times, help="runs of each; the fastest is shown")
    arguments.add_argument("runs", nargs="*", metavar="RUN", help=", ".join(runs))
    for flag, text in flags.items():
        arguments.add_argument(flag, action="store_true", help=text)
    given = arguments.parse_args()
    if unknown := [name for name in given.runs if name not in runs]:
        arguments.error(f"no run {', '.join(unknown)}; there are {', '.join(runs)}")
    return given


def compare(runs: Mapping[str, Run], threads: int, times: int) -> None:
    """Measure runs with one thread and with several, and print a table."""
    print(f"tsuji {tsuji.__version__}, {os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f} before")
    print("run            one thread  threads  seconds  times as fast")
    for name, run in runs.items():
        one, several = least_seconds(run, threads, times)
        print(f"{name:14}  {one:9.2f}s  {threads:7}  {several:6.2f}s  {one / several:13.2f}")
    print(f"load average {os.getloadavg()[0]:.1f} after")


def main() -> None:
    """Measure and print."""
    flags = {"--generic": "the generic engine instead of a specialised one"}
    given = options("benchmarks.threads", __doc__, NETWORKS, 5, flags)
    runs = {name: partial(_advanced, NETWORKS[name], generic=given.generic) for name in given.runs or NETWORKS}
    compare(runs, given.threads, given.times)


if __name__ == "__main__":
    main()
