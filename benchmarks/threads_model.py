"""A model of one network on more cores than there are here, from what can be measured on two.

    python -m benchmarks.threads_model [--cores 16 64] [--bandwidth GB/s] [--cycles 2000] [NETWORK ...]

A window of W cycles takes, with a network cut into N parts, W · t · i · m + b:

- t, seconds per cycle of a part: of a torus with as many switches as a part, in one thread, per flit-hop. It contains
  what smaller parts gain by caches.
- i, imbalance: in each window, the flit-hops of the busiest part over the mean; the mean over windows of one thread's
  run, by the cut into N parts.
- m, memory: at least 1; the bytes per second that N such parts move, over those that memory can. A part moves what a
  process that copies memory beside it on another core loses.
- b, barrier: of one thread and of two, by a line through both: arrivals are operations on one cache line, one after
  the other.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.synchronize import Event
from typing import Any, NamedTuple

import numpy as np

import tsuji
from benchmarks.threads import NETWORKS, TORUS, Network
from models.jit.compiled import unlocked_entry_point
from sim.config import load
from sim.engine import network as engine
from sim.engine.threads.barrier import pass_barriers
from sim.engine.threads.cut import cut_network
from sim.engine.threads.parts import no_part
from sim.engine.threads.team import Team
from sim.simulation import build
from sim.topology.link_times import LinkTimes
from sim.traffic.stream import Stream

MODELLED = ("torus32", "torus32-long")
BARRIERS = 200_000
COPIED = 1 << 26  # bytes, more than caches hold
TIMES = 5  # of which the fastest is taken


class Run(NamedTuple):
    """A run in one thread: seconds, flit-hops, and flits sent in each window by each switch."""

    seconds: float
    flit_hops: int
    of_windows: np.ndarray


def barrier_s(threads: int) -> float:
    """Return the seconds of a barrier of threads, each with a processor of its own."""
    team, best = Team(threads), float("inf")
    for _ in range(TIMES):
        part = no_part()._replace(parts=threads, spins=1 << 30)
        enter = [unlocked_entry_point(pass_barriers, part, 0) for _ in range(threads)]
        began = time.perf_counter()
        team.run([partial(each, part, BARRIERS) for each in enter], lambda: None)
        best = min(best, time.perf_counter() - began)
    return best / BARRIERS


def run(network: Network, settings: tuple[str, ...], cycles: int, window: int = 0) -> Run:
    """Advance a network in one thread, after as many cycles again; `window`: cycles of each window that is noted."""
    config = load(None, (*network.settings, *settings, "traffic.packet_size=4", "run.specialise=true"))
    built = build(config)
    assert isinstance(built, engine.Network)
    stream = Stream(built.topology, config.pattern, config.arrivals, config.sizes, network.load, 1)
    built.offer(stream.until(cycles))
    built.advance(cycles)
    built.offer(stream.until(2 * cycles))
    if window:
        sent = [built.flits_sent().sum(axis=(1, 2))]
        for _ in range(cycles // window):
            built.advance(window)
            sent.append(built.flits_sent().sum(axis=(1, 2)))
        return Run(0, 0, np.diff(sent, axis=0))
    hops, began = built.flit_hops, time.perf_counter()
    built.advance(cycles)
    return Run(time.perf_counter() - began, built.flit_hops - hops, np.empty(0))


def imbalance(network: Network, parts: int, cycles: int) -> tuple[float, int]:
    """Return the mean over windows of the busiest part's flits over the mean part's, and the cycles of a window."""
    config = load(None, network.settings)
    topology = config.networks.topologies()[0]
    times = LinkTimes.of(config.switch, config.link, topology)
    cut = cut_network(config.switch, topology, times, config.loop, parts, False)
    assert cut is not None
    of_part = [np.bincount(cut.owner, each, parts) for each in run(network, (), cycles, cut.window).of_windows]
    return float(np.mean([each.max() / each.mean() for each in of_part if each.any()])), cut.window


def _copy(copied: Any, stop: Event) -> None:
    """Copy memory until told to stop; count the bytes that are read and written."""
    source, target = np.ones(COPIED, np.uint8), np.empty(COPIED, np.uint8)
    while not stop.is_set():
        np.copyto(target, source)
        copied.value += 2 * COPIED


class Copier:
    """A process that copies memory; `rate` is what it moves between two looks, bytes per second."""

    def __init__(self, copied: Any) -> None:
        self._copied = copied
        self._began, self._at = time.perf_counter(), copied.value

    def rate(self) -> float:
        """Return the bytes per second since the last look."""
        now, at = time.perf_counter(), self._copied.value
        rate: float = (at - self._at) / (now - self._began)
        self._began, self._at = now, at
        return rate


@contextmanager
def copying() -> Iterator[Copier]:
    """Copy memory in another process during the `with` block."""
    fork = multiprocessing.get_context("fork")
    copied, stop = fork.Value("q", 0, lock=False), fork.Event()
    process = fork.Process(target=_copy, args=(copied, stop))
    process.start()
    try:
        time.sleep(0.5)
        yield Copier(copied)
    finally:
        stop.set()
        process.join()


def bandwidth() -> tuple[float, float]:
    """Return the bytes per second that one core copies, and two together."""
    with copying() as one:
        time.sleep(1)
        alone = one.rate()
        with copying() as other:
            one.rate()
            time.sleep(1)
            both = one.rate() + other.rate()
    return alone, both


def torus_of(switches: int) -> tuple[str, ...]:
    """Return the settings of a torus with about as many switches; at least 4×2."""
    rows = max(2, 1 << (switches.bit_length() - 1) // 2)
    return (f"topology.radix=[{max(4, switches // rows)},{rows}]",)


def main() -> None:
    """Measure, and print what the model says."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.threads_model", description=__doc__)
    arguments.add_argument("--cores", type=int, nargs="+", default=[16, 64])
    arguments.add_argument("--bandwidth", type=float, help="GB/s of the memory of those cores; default: as here")
    arguments.add_argument("--cycles", type=int, default=2000)
    arguments.add_argument("networks", nargs="*", metavar="NETWORK", help=", ".join(MODELLED))
    given = arguments.parse_args()
    names = given.networks or list(MODELLED)
    if unknown := [name for name in names if NETWORKS.get(name, Network((), 0, 0)).settings[: len(TORUS)] != TORUS]:
        arguments.error(f"no torus {', '.join(unknown)}")
    print(f"tsuji {tsuji.__version__}, {os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f} before")
    one, two = barrier_s(1), barrier_s(2)
    print(f"barrier: {one * 1e6:.3f} µs of one thread, {two * 1e6:.3f} µs of two")
    alone, both = bandwidth()
    memory = both if given.bandwidth is None else given.bandwidth * 1e9
    print(
        f"memory: one core copies {alone / 1e9:.1f} GB/s, two {both / 1e9:.1f} GB/s; modelled {memory / 1e9:.1f} GB/s"
    )
    print("network       cores  part, ns/flit-hop  whole  imbalance  barrier, µs  memory, GB/s  window  times as fast")
    for name in names:
        network = NETWORKS[name]
        switches = build(load(None, network.settings)).topology.switches
        whole = min((run(network, (), given.cycles) for _ in range(TIMES)), key=lambda each: each.seconds)
        for cores in given.cores:
            uneven, window = imbalance(network, cores, given.cycles)
            small = torus_of(switches // cores)
            part = min((run(network, small, 8 * given.cycles) for _ in range(TIMES)), key=lambda each: each.seconds)
            with copying() as copier:
                copier.rate()
                run(network, small, 8 * given.cycles)
                moved = max(0.0, alone - copier.rate())
            per_hop, per_hop_whole = part.seconds / part.flit_hops, whole.seconds / whole.flit_hops
            hops = whole.flit_hops / given.cycles  # per cycle, of all parts
            barrier = one + (cores - 1) * (two - one)
            short = max(1.0, cores * moved / memory)
            took = window * hops / cores * per_hop * uneven * short + barrier
            print(
                f"{name:13} {cores:5}  {per_hop * 1e9:17.1f}  {per_hop_whole * 1e9:5.1f}  {uneven:9.2f}  "
                f"{barrier * 1e6:11.2f}  {cores * moved / 1e9:12.1f}  {window:6}  "
                f"{window * hops * per_hop_whole / took:13.1f}"
            )
    print(f"load average {os.getloadavg()[0]:.1f} after")


if __name__ == "__main__":
    main()
