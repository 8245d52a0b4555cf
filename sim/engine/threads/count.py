"""How many threads advance a network: as many as asked for, or as many as pay."""

from __future__ import annotations

import os
from multiprocessing import parent_process
from typing import Literal

from models.errors import TsujiError
from models.params import SwitchParams
from sim.engine.threads.cut import MOST_WINDOW, lookahead, units_of
from sim.topology.base import NOBODY, Topology
from sim.topology.link_times import LinkTimes

Threads = int | Literal["auto"]
PAYS_FROM = 512  # switches per thread
MOST_THREADS = 64


def cpus() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count(
    wanted: Threads, params: SwitchParams, topology: Topology, times: LinkTimes, log: int, batched: bool
) -> int:
    """Return the number of threads for a network.

    Parameters
    ----------
    wanted : int or "auto"
        Number of threads. "auto": one per 512 switches, at most one per processor; 1 in a process that another one
        started, such as a worker of a sweep, and for networks that only one thread can advance.
    params : SwitchParams
        Parameters of every switch.
    topology : Topology
        Switches and links.
    times : LinkTimes
        Latencies of the links.
    log : int
        Number of events at the nodes' ports to keep.
    batched : bool
        Whether switches are advanced 64 at a time.

    Raises
    ------
    TsujiError
        If `wanted` is no such number, or several threads cannot advance this network.
    """
    if isinstance(wanted, bool) or not (wanted == "auto" or (isinstance(wanted, int) and 1 <= wanted <= MOST_THREADS)):
        raise TsujiError(f'run.threads = {wanted!r}: must be a number from 1 to {MOST_THREADS}, or "auto"')
    if wanted == 1:
        return 1
    units, alone = most_parts(params, topology, times, log, batched)
    if wanted == "auto":
        if alone or parent_process() is not None:
            return 1
        return max(1, min(cpus(), topology.switches // PAYS_FROM, units, MOST_THREADS))
    if alone:
        raise TsujiError(f'run.threads = {wanted}: one thread only with {alone}; use 1 or "auto"')
    if wanted > units:
        raise TsujiError(f"run.threads = {wanted}: {units_text(topology, batched)}; at most {units}")
    return wanted


def most_parts(params: SwitchParams, topology: Topology, times: LinkTimes, log: int, batched: bool) -> tuple[int, str]:
    """Return the most parts that a network can be cut into, and which of its features allows no cut; "" if none does.

    Parameters as of `thread_count`.
    """
    units = int(units_of(topology.switches, batched)[-1]) + 1
    least = int(times.delay[topology.peer_switch != NOBODY].min(initial=MOST_WINDOW + abs(times.credit_lag)))
    at_once = lookahead(params, times, least) < 1
    features = {
        "links of latency 0 (link.latency) between switches with caches and predictors": at_once,
        "a log of events at nodes": log,
    }
    return units, next((name for name, used in features.items() if used), "")


def units_text(topology: Topology, batched: bool) -> str:
    """Return what limits the number of parts, for messages."""
    each = ", advanced in batches of 64 of which none is divided (run.simd)" if batched else ""
    return f"{topology.name} has {topology.switches} switches{each}"
