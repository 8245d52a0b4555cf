"""Ranks on the nodes of a simulated network: the same operations as on the ideal one, their messages in packets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.engine.interfaces import new_ranks
from sim.engine.network import Network
from sim.workload.executor import Executor, Int64
from sim.workload.params import WorkloadParams

CHUNK = 100_000  # cycles between two looks at whether the network stands still


class NetworkExecutor(Executor):
    """Ranks on a network, in cycles.

    Parameters
    ----------
    network : Network
        At reset, without packets.
    params : WorkloadParams
        What messages cost.
    nodes : array [ranks]
        Node of each rank.
    cpus, nics : int
        That operations name, a rank.

    Raises
    ------
    TsujiError
        If a rank is on a node that is not there.
    """

    def __init__(self, network: Network, params: WorkloadParams, nodes: Int64, cpus: int = 1, nics: int = 1) -> None:
        nodes = np.asarray(nodes, np.int64)
        for rank in np.flatnonzero((nodes < 0) | (nodes >= network.topology.nodes))[:1]:
            raise TsujiError(f"rank {rank} on node {nodes[rank]}: must be 0 to {network.topology.nodes - 1}")
        super().__init__(len(nodes), params.costs(), cpus, nics)
        self.network = network
        self._params = params
        flit_bytes = network.params.data_width // 8
        network.carry(
            new_ranks(self._x, nodes, network.topology.nodes, params.interfaces, flit_bytes, params.packet_bytes)
        )

    def _advance(self, until: int) -> None:
        network, clock = self.network, self._x.clock[0]
        while True:
            begin = network.cycle
            if network.idle() and clock.events:
                begin = max(begin, int(self._x.events[0].at))
            end = min(until, begin + CHUNK)
            network.advance_messages(self._x, end)
            clock.now = network.cycle
            asked = clock.reports or clock.hungry or not clock.free_messages
            if asked or network.cycle >= until or network.cycle < end:
                return

    def time_of(self, ns: float | NDArray[np.float64]) -> Int64:
        """Return nanoseconds in cycles, rounded; those of calculations, scaled."""
        return np.rint(np.asarray(ns) * (self._params.compute_scale / self._params.cycle_ns)).astype(np.int64)

    def ns(self, time: int) -> float:
        """Return cycles in nanoseconds."""
        return time * self._params.cycle_ns
