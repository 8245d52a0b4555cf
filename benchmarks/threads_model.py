"""A model of one network on more cores than there are here, from what can be measured on two.

    python -m benchmarks.threads_model [--cores 16 64] [--bandwidth GB/s] [--cycles 2000] [NETWORK ...]

A window of W cycles takes, with a network cut into N parts, W · t · i · m + b:

- t, seconds per cycle of a part, by the generic engine: of a torus with as many switches as a part, in one thread, per
  flit-hop, at a load that makes it as busy. It contains what smaller parts gain by caches.
- i, imbalance: in each window, the flit-hops of the busiest part over the mean; the mean over windows of one thread's
  run, by the cut into N parts.
- m, memory: at least 1; the bytes per second that a part moves, over its share of what memory can. A part moves what a
  process loses that copies memory beside it on the other core.
- b, barrier: of one thread and of two, by a line through both: arrivals are operations on one cache line, one after
  the other.

Times are CPU times, because other programs may use the processors as well. They use memory, too: what a part moves is
then an upper bound.
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
BARRIERS, SPELLS = 20_000, 50  # in a spell, of which the fastest is taken: both threads must have a processor
COPIED = 1 << 26  # bytes, more than caches hold
MOST_LOAD = 0.6  # of a small torus, which is then not saturated
TIMES = 5  # runs, of which the fastest is taken
# Parts of 16 switches are too small for batches of 64.
ONE_BY_ONE = "traffic.packet_size=4", "run.specialise=false", "run.simd=false"


class Run(NamedTuple):
    """A run in one thread: CPU seconds, flit-hops, and flits sent in each window by each switch."""

    seconds: float
    flit_hops: int
    of_windows: np.ndarray


def barrier_s(threads: int) -> float:
    """Return the seconds of a barrier of one or two threads, each with a processor of its own."""
    team, best = Team(2), float("inf")
    for _ in range(SPELLS):
        part = no_part()._replace(parts=threads, spins=1 << 30)
        parts = [part._replace(own=np.zeros_like(part.own)) for _ in range(threads)]
        work = [partial(unlocked_entry_point(pass_barriers, part, 0), each, BARRIERS) for each in parts]
        began = time.perf_counter()
        team.run(work, lambda: None)
        best = min(best, time.perf_counter() - began)
    return best / BARRIERS


def run(network: Network, settings: tuple[str, ...], cycles: int, window: int = 0) -> Run:
    """Advance a network in one thread, after as many cycles again; `window`: cycles of each window that is noted."""
    config = load(None, (*network.settings, *settings, *ONE_BY_ONE))
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
    hops, began = built.flit_hops, time.thread_time()
    built.advance(cycles)
    return Run(time.thread_time() - began, built.flit_hops - hops, np.empty(0))


def imbalance(network: Network, parts: int, cycles: int) -> tuple[float, int]:
    """Return the mean over windows of the busiest part's flits over the mean part's, and the cycles of a window."""
    config = load(None, network.settings)
    topology = config.networks.topologies()[0]
    times = LinkTimes.of(config.switch, config.link, topology)
    cut = cut_network(config.switch, topology, times, config.loop, parts, False)
    assert cut is not None
    of_part = [np.bincount(cut.owner, each, parts) for each in run(network, (), cycles, cut.window).of_windows]
    return float(np.mean([each.max() / each.mean() for each in of_part if each.any()])), cut.window


def _copy(copied: Any, spent: Any, stop: Event) -> None:
    """Copy memory until told to stop; count the bytes that are read and written, and the CPU time."""
    source, target = np.ones(COPIED, np.uint8), np.empty(COPIED, np.uint8)
    while not stop.is_set():
        np.copyto(target, source)
        copied.value, spent.value = copied.value + 2 * COPIED, time.process_time()


class Copier:
    """A process that copies memory, and the bytes and CPU seconds that it has come to."""

    def __init__(self, copied: Any, spent: Any) -> None:
        self._copied, self._spent = copied, spent
        self._at = copied.value, spent.value

    def rate(self) -> float:
        """Return the bytes per CPU second since the last look."""
        (copied, spent), self._at = self._at, (self._copied.value, self._spent.value)
        rate: float = (self._at[0] - copied) / max(self._at[1] - spent, 1e-3)
        return rate


@contextmanager
def copying() -> Iterator[Copier]:
    """Copy memory in another process during the `with` block."""
    fork = multiprocessing.get_context("fork")
    copied, spent, stop = fork.Value("q", 0, lock=False), fork.Value("d", 0, lock=False), fork.Event()
    process = fork.Process(target=_copy, args=(copied, spent, stop))
    process.start()
    try:
        time.sleep(0.5)
        yield Copier(copied, spent)
    finally:
        stop.set()
        process.join()


def bandwidth() -> tuple[float, float]:
    """Return the bytes per second that one core copies, and two together."""
    alone, both = [], []
    for _ in range(TIMES):
        with copying() as one:
            one.rate()
            time.sleep(0.5)
            alone.append(one.rate())
            with copying() as other:
                one.rate()
                other.rate()
                time.sleep(0.5)
                both.append(one.rate() + other.rate())
    return max(alone), max(both)


def moved(network: Network, settings: tuple[str, ...], cycles: int, alone: float) -> float:
    """Return the bytes per second of a run: what a copier loses that copies `alone` bytes per second by itself."""
    rates = []
    with copying() as copier:
        for _ in range(TIMES):
            copier.rate()
            run(network, settings, cycles)
            rates.append(copier.rate())
    return max(0.0, alone - max(rates))


def torus_of(switches: int) -> tuple[str, ...]:
    """Return the settings of a torus with about as many switches; at least 4×2."""
    rows = max(2, 1 << (switches.bit_length() - 1) // 2)
    return (f"topology.radix=[{max(4, switches // rows)},{rows}]",)


def main() -> None:
    """Measure, and print what the model says."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.threads_model", description=__doc__)
    arguments.add_argument("--cores", type=int, nargs="+", default=[16, 64])
    arguments.add_argument(
        "--bandwidth", type=float, help="GB/s of the memory of those cores; default: per core as here"
    )
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
    print(f"memory: one core copies {alone / 1e9:.1f} GB/s, two {both / 1e9:.1f} GB/s")
    print("               ns per flit-hop of                          GB/s")
    print("network       cores  whole   part  imbalance  barrier, µs  moved  memory  window  times as fast")
    for name in names:
        network = NETWORKS[name]
        switches = build(load(None, network.settings)).topology.switches
        whole = min((run(network, (), given.cycles) for _ in range(TIMES)), key=lambda each: each.seconds)
        for cores in given.cores:
            uneven, window = imbalance(network, cores, given.cycles)
            small, cycles = torus_of(switches // cores), 8 * given.cycles
            hops = whole.flit_hops / given.cycles  # per cycle, of all parts
            as_busy = hops / cores * cycles / run(network, small, cycles).flit_hops  # its routes are shorter
            like_part = network._replace(load=min(MOST_LOAD, network.load * as_busy))
            part = min((run(like_part, small, cycles) for _ in range(TIMES)), key=lambda each: each.seconds)
            bytes_s = cores * moved(like_part, small, cycles, alone)
            memory = cores * both / 2 if given.bandwidth is None else given.bandwidth * 1e9
            per_hop, per_hop_whole = part.seconds / part.flit_hops, whole.seconds / whole.flit_hops
            barrier = one + (cores - 1) * (two - one)
            took = window * hops / cores * per_hop * uneven * max(1.0, bytes_s / memory) + barrier
            print(
                f"{name:13} {cores:5}  {per_hop_whole * 1e9:5.0f}  {per_hop * 1e9:5.0f}  {uneven:9.2f}  "
                f"{barrier * 1e6:11.2f}  {bytes_s / 1e9:5.1f}  {memory / 1e9:6.1f}  {window:6}  "
                f"{window * hops * per_hop_whole / took:13.1f}"
            )
    print(f"load average {os.getloadavg()[0]:.1f} after")


if __name__ == "__main__":
    main()
