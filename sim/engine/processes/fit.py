"""Which networks several processes can advance."""

from __future__ import annotations

from models.errors import TsujiError
from models.params import SwitchParams
from sim.engine.threads.count import Threads, most_parts, units_text
from sim.topology.base import Topology
from sim.topology.link_times import LinkTimes


def check_processes(
    size: int, threads: Threads, params: SwitchParams, topology: Topology, times: LinkTimes, log: int, batched: bool
) -> None:
    """Check that processes can advance a network.

    Parameters
    ----------
    size : int
        Number of processes.
    threads : int or "auto"
        Threads asked for.
    params, topology, times, log, batched
        As of `sim.engine.threads.count.thread_count`.

    Raises
    ------
    TsujiError
        If they cannot; the message names the key and what is allowed.
    """
    if threads not in (1, "auto"):
        raise TsujiError(f'run.threads = {threads}: under mpirun, each process has one thread; use 1 or "auto"')
    units, alone = most_parts(params, topology, times, log, batched)
    if alone:
        raise TsujiError(f"mpirun -n {size}: one process only with {alone}; start it without mpirun, or with -n 1")
    if size > units:
        raise TsujiError(f"mpirun -n {size}: {units_text(topology, batched)}; at most -n {units}")
