"""Warm-up of route caches before jobs begin: an all-to-all of least size (Hirasawa et al., 2020: paper A, section 6).

It runs on a network of its own, which is then given up; only the contents of its caches are kept. So time 0 of the jobs
is cycle 0 of a network at reset, and no message, packet, lookup, time or energy of the warm-up is in any figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.config.workload import WorkloadParams
from sim.engine.network import Network
from sim.lib.progress import report
from sim.packets import Int64
from sim.schedule.job import Job
from sim.schedule.operations import RECV, SEND, Operations
from sim.workload.network_executor import NetworkExecutor
from sim.workload.run_jobs import run_jobs

_STEPS = 32  # messages per block and direction


class LeastAllToAll:
    """An all-to-all of one byte per message: each rank sends to rank + 1, rank + 2, … and waits for none.

    Parameters
    ----------
    ranks : int
        Number of ranks.
    """

    whole = False
    cpus = nics = 1
    size = read = 0
    source = "warm-up"

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.total: int | None = 2 * ranks * (ranks - 1)

    def blocks(self, rank: int) -> Iterator[Operations]:
        """Yield the operations of a rank."""
        for begin in range(1, self.ranks, _STEPS):
            steps = range(begin, min(begin + _STEPS, self.ranks))
            receives = [(RECV, (rank - step) % self.ranks, 1, 0, ()) for step in steps]
            yield Operations.build([*receives, *((SEND, (rank + step) % self.ranks, 1, 0, ()) for step in steps)])


def warm_up(network: Network, params: WorkloadParams, ranks: Sequence[int], nodes: Int64) -> None:
    """Fill the route caches of a network by an all-to-all of least size among the ranks of each job.

    Parameters
    ----------
    network : Network
        Network at reset.
    params : WorkloadParams
        Parameters of the ranks. CPUs take no time here.
    ranks : sequence of int
        Number of ranks of each job.
    nodes : array
        Node of each rank, of all jobs one after the other.
    """
    report("warming caches up")
    free = {"send_overhead": 0.0, "receive_overhead": 0.0, "copy_cost": 0.0, "eager_bytes": 1}
    executor = NetworkExecutor(network, params.model_copy(update=free), nodes)
    run_jobs(executor, [Job(LeastAllToAll(count)) for count in ranks])
