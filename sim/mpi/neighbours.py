"""Collectives between neighbours: each rank exchanges messages with its neighbours in a grid or graph only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from sim.mpi.agreement import agree
from sim.mpi.buffer import Buffer, Spec, flat, parts
from sim.mpi.constants import PROC_NULL
from sim.mpi.errors import ValueMisusedError
from sim.mpi.nonblocking import Nonblocking, nonblocking, persistent
from sim.mpi.payload import pack
from sim.mpi.rank import current, nobody
from sim.mpi.request import object_of
from sim.schedule.operations import RECV, SEND

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


class Neighbours(Nonblocking, ABC):
    """Collectives between neighbours; a subclass says which ranks are neighbours."""

    @abstractmethod
    def neighbours(self) -> tuple[list[int], list[int]]:
        """Return the ranks that the calling rank receives from, and those that it sends to."""

    def sending_order(self) -> list[int]:
        """Return the order in which messages are sent: that in which a rank that is two neighbours receives them."""
        return list(range(self.outdegree))

    @property
    def inedges(self) -> list[int]:
        """Ranks that the calling rank receives from."""
        return self.neighbours()[0]

    @property
    def outedges(self) -> list[int]:
        """Ranks that the calling rank sends to."""
        return self.neighbours()[1]

    @property
    def inoutedges(self) -> tuple[list[int], list[int]]:
        """Ranks that the calling rank receives from, and those that it sends to."""
        return self.neighbours()

    @property
    def indegree(self) -> int:
        """Number of neighbours that the calling rank receives from."""
        return len(self.inedges)

    @property
    def outdegree(self) -> int:
        """Number of neighbours that the calling rank sends to."""
        return len(self.outedges)

    @property
    def degrees(self) -> tuple[int, int]:
        """Numbers of neighbours that the calling rank receives from and sends to."""
        return self.indegree, self.outdegree

    def neighbor_allgather(self, sendobj: Any) -> list[Any]:
        """Return the neighbours' objects; None for a neighbour that is no rank."""
        return self._exchange("neighbor_allgather", [sendobj] * self.outdegree)

    def neighbor_alltoall(self, sendobj: Sequence[Any]) -> list[Any]:
        """Return the neighbours' objects for the calling rank."""
        return self._exchange("neighbor_alltoall", sendobj)

    def Neighbor_allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        """Copy the neighbours' buffers to the parts of the buffer."""
        into = parts(recvbuf, self.indegree, "Neighbor_allgather")
        self._into(into, "neighbor_allgather", [flat(sendbuf)] * self.outdegree)

    Neighbor_allgatherv = Neighbor_allgather

    def Neighbor_alltoall(self, sendbuf: Any, recvbuf: Any) -> None:
        """Send each neighbour its part of a buffer; copy the neighbours' messages to the parts of another."""
        into = parts(recvbuf, self.indegree, "Neighbor_alltoall")
        self._into(into, "neighbor_alltoall", parts(sendbuf, self.outdegree, "Neighbor_alltoall"))

    Neighbor_alltoallv = Neighbor_alltoall

    def Neighbor_alltoallw(self, sendbuf: Any, recvbuf: Any) -> None:
        """Do `Neighbor_alltoall` with parts of different sizes and types, displaced by bytes."""
        into = Spec(recvbuf).typed_parts(self.indegree, "Neighbor_alltoallw")
        sent = Spec(sendbuf).typed_parts(self.outdegree, "Neighbor_alltoallw")
        self._into(into, "neighbor_alltoallw", sent)

    Ineighbor_allgather = nonblocking(Neighbor_allgather)
    Ineighbor_allgatherv = nonblocking(Neighbor_allgather)
    Ineighbor_alltoall = nonblocking(Neighbor_alltoall)
    Ineighbor_alltoallv = nonblocking(Neighbor_alltoall)
    Ineighbor_alltoallw = nonblocking(Neighbor_alltoallw)

    Neighbor_allgather_init = persistent(Neighbor_allgather)
    Neighbor_allgatherv_init = persistent(Neighbor_allgather)
    Neighbor_alltoall_init = persistent(Neighbor_alltoall)
    Neighbor_alltoallv_init = persistent(Neighbor_alltoall)
    Neighbor_alltoallw_init = persistent(Neighbor_alltoallw)

    def _into(self, into: list[Buffer], name: str, sent: list[Buffer]) -> None:
        got = self._exchange(name, [part.read() for part in sent])
        for buffer, part in zip(into, got, strict=True):
            buffer.to_write().write(part, name)

    def _exchange(self, name: str, objects: Sequence[Any]) -> list[Any]:
        """Send each neighbour an object; return the objects that neighbours sent, None from `PROC_NULL`."""
        sources, destinations = self.neighbours()
        if len(objects) != len(destinations):
            raise ValueMisusedError(f"{name}: {len(objects)} objects: must be {len(destinations)}, one per neighbour")
        me = current()
        me.calls(name)
        number = me.sequence.get(self.number, 0)
        me.sequence[self.number] = number + 1
        agree(self, self.rank, number, me.prefix + name, {})
        tag = self._round_tag()
        received = [
            nobody()
            if source == PROC_NULL
            else self.world.post(RECV, f"a message of rank {source}", self.members[source], tag=tag)
            for source in sources
        ]
        sent = []
        for number in self.sending_order():
            to = destinations[number]
            if to != PROC_NULL:
                payload = pack(objects[number])
                sent.append(self.world.post(SEND, f"rank {to}", self.members[to], payload.size, tag, payload=payload))
        self.world.wait([*received, *sent])
        return [object_of(each) for each in received]
