"""Ranks on the nodes of a simulated network: the same operations as on the ideal one, with messages in packets."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.config.workload import WorkloadParams, flit_bytes
from sim.engine.interfaces import new_ranks
from sim.engine.network import Network
from sim.lib.interruption import end_of_run, note_end
from sim.workload.executor import EVENTS, FREE_MESSAGES, HUNGRY, NOW, READY, Executor, Int64

CHUNK = 100_000  # cycles between checks for a stalled network


class Recorder(Protocol):
    """Reads the network at intervals.

    Attributes
    ----------
    chunk : int
        Interval in cycles; it looks at multiples of it.
    every_chunk : bool
        Whether it also looks at the end of chunks in which nothing moves.
    """

    chunk: int
    every_chunk: bool

    def look(self, network: Network) -> None:
        """Look at the beginning of a cycle; if chunks were skipped, nothing moved in them."""

    def finish(self, network: Network, end: int) -> None:
        """Look for the last time; the last rank is done at cycle `end`, and nothing moves until then."""

    def break_off(self, network: Network, why: str) -> list[Path]:
        """Keep what is recorded of a run that does not reach its end; return the files that have it."""


class NetworkExecutor(Executor):
    """Ranks on a network, in cycles.

    Parameters
    ----------
    network : Network
        Network at reset, without packets.
    params : WorkloadParams
        Costs of messages.
    nodes : array [ranks]
        Node of each rank.
    cpus, nics : int
        CPUs and interfaces per rank that operations may name.

    Raises
    ------
    TsujiError
        If a rank is on a node that does not exist.
    """

    def __init__(
        self,
        network: Network,
        params: WorkloadParams,
        nodes: Int64,
        cpus: int = 1,
        nics: int = 1,
    ) -> None:
        nodes = np.asarray(nodes, np.int64)
        for rank in np.flatnonzero((nodes < 0) | (nodes >= network.topology.nodes))[:1]:
            raise TsujiError(f"rank {rank} on node {nodes[rank]}: must be 0 to {network.topology.nodes - 1}")
        super().__init__(len(nodes), params.costs(), cpus, nics)
        self.network = network
        self._params = params
        self._recorders: tuple[Recorder, ...] = ()
        self._chunks = [CHUNK]
        self._every_chunk = False
        carried = flit_bytes(network.params.data_width)
        network.carry(
            new_ranks(
                self._x, nodes, network.topology.nodes, params.interfaces, nics == 1, carried, params.packet_bytes
            )
        )

    def record(self, recorders: tuple[Recorder, ...]) -> None:
        """Let recorders read the network while it runs."""
        self._recorders = recorders
        self._chunks = sorted({CHUNK, *(each.chunk for each in recorders)})
        self._every_chunk = any(each.every_chunk for each in recorders)

    def _advance(self, until: int) -> None:
        network, clock, chunks = self.network, self._clock, self._chunks
        while True:
            begin = network.cycle
            jumps = not self._every_chunk and all(begin % chunk == 0 for chunk in chunks)
            if jumps and clock[EVENTS] and network.idle():
                begin = max(begin, int(self._x.events[0].at))  # nothing moves until then
            network.advance_messages(self._x, min(until, *((begin // chunk + 1) * chunk for chunk in chunks)))
            clock[NOW] = network.cycle
            for each in self._recorders:
                each.look(network)
            quiet = not clock[EVENTS] and network.idle()
            if quiet or clock[READY] or clock[HUNGRY] or not clock[FREE_MESSAGES] or network.cycle >= until:
                return
            self._tell()

    def finish(self) -> None:
        """Let recorders look for the last time."""
        end = int(self._x.ranks.end.max())
        for each in self._recorders:
            each.finish(self.network, end)

    def break_off(self, error: BaseException) -> None:
        """Keep what recorders have of a run that `error` ends before its end, and add a note to it that says when."""
        cycle = self.network.cycle
        why = f"{end_of_run(error)} at {self.ns(cycle):,.0f} ns (cycle {cycle:,})"
        note_end(error, why, [path for each in self._recorders for path in each.break_off(self.network, why)])

    def time_of(self, ns: float | NDArray[np.float64]) -> Int64:
        """Return the duration of a calculation, nanoseconds, in cycles, scaled and rounded."""
        return np.rint(np.asarray(ns) * (self._params.compute_scale / self._params.cycle_ns)).astype(np.int64)

    def start_of(self, ns: float) -> int:
        """Return a time since the beginning in cycles, rounded."""
        return round(ns / self._params.cycle_ns)

    def ns(self, time: int) -> float:
        """Return cycles in nanoseconds."""
        return time * self._params.cycle_ns
