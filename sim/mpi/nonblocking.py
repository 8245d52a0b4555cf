"""A communicator's nonblocking and persistent collectives: the blocking ones, in the background.

A collective in the background goes to its next round as soon as the messages of the round before have ended, whatever
the rank's program waits for. While the program calculates, the CPU is busy, and the overheads of messages wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from sim.mpi.message import MatchedProbes
from sim.mpi.persistent import Prequest
from sim.mpi.rank import Background
from sim.mpi.request import Request

P = ParamSpec("P")
Blocking = Callable[Concatenate[Any, P], Any]

# The names are MPI's, as in mpi4py.


def nonblocking(blocking: Blocking[P]) -> Callable[Concatenate[Any, P], Request]:
    """Return the method that starts what a method does, and returns a request."""
    call = f"I{blocking.__name__.lower()}"

    def method(self: Any, /, *arguments: P.args, **named: P.kwargs) -> Request:
        return begun(self, call, lambda: blocking(self, *arguments, **named))

    method.__name__ = f"I{blocking.__name__.lower()}"
    method.__doc__ = f"Start `{blocking.__name__}`; return the request."
    return method


def persistent(blocking: Blocking[P]) -> Callable[Concatenate[Any, P], Prequest]:
    """Return the method that returns a persistent request for what a method does."""
    call = f"{blocking.__name__}_init"

    def method(self: Any, /, *arguments: P.args, **named: P.kwargs) -> Prequest:
        return Prequest(lambda: begun(self, call, lambda: blocking(self, *arguments, **named)))

    method.__name__ = f"{blocking.__name__}_init"
    method.__doc__ = f"Return a persistent request for `{blocking.__name__}`."
    return method


def begun(comm: Any, call: str, body: Callable[[], Any]) -> Request:
    """Start a function in the background; return the request for its end."""
    thread = comm.world.begin(call, body)
    return Request(comm, thread.ended, call, lambda _: _outcome(thread))


def _outcome(thread: Background) -> Any:
    if thread.error is not None:
        raise thread.error
    return thread.value


class Nonblocking(MatchedProbes):
    """Nonblocking and persistent collectives."""

    Isendrecv = nonblocking(MatchedProbes.Sendrecv)
    Isendrecv_replace = nonblocking(MatchedProbes.Sendrecv_replace)
    Ibarrier = nonblocking(MatchedProbes.Barrier)
    Ibcast = nonblocking(MatchedProbes.Bcast)
    Igather = nonblocking(MatchedProbes.Gather)
    Igatherv = nonblocking(MatchedProbes.Gatherv)
    Iscatter = nonblocking(MatchedProbes.Scatter)
    Iscatterv = nonblocking(MatchedProbes.Scatterv)
    Iallgather = nonblocking(MatchedProbes.Allgather)
    Iallgatherv = nonblocking(MatchedProbes.Allgatherv)
    Ialltoall = nonblocking(MatchedProbes.Alltoall)
    Ialltoallv = nonblocking(MatchedProbes.Alltoallv)
    Ialltoallw = nonblocking(MatchedProbes.Alltoallw)
    Ireduce = nonblocking(MatchedProbes.Reduce)
    Iallreduce = nonblocking(MatchedProbes.Allreduce)
    Ireduce_scatter = nonblocking(MatchedProbes.Reduce_scatter)
    Ireduce_scatter_block = nonblocking(MatchedProbes.Reduce_scatter_block)
    Iscan = nonblocking(MatchedProbes.Scan)
    Iexscan = nonblocking(MatchedProbes.Exscan)

    Barrier_init = persistent(MatchedProbes.Barrier)
    Bcast_init = persistent(MatchedProbes.Bcast)
    Gather_init = persistent(MatchedProbes.Gather)
    Gatherv_init = persistent(MatchedProbes.Gatherv)
    Scatter_init = persistent(MatchedProbes.Scatter)
    Scatterv_init = persistent(MatchedProbes.Scatterv)
    Allgather_init = persistent(MatchedProbes.Allgather)
    Allgatherv_init = persistent(MatchedProbes.Allgatherv)
    Alltoall_init = persistent(MatchedProbes.Alltoall)
    Alltoallv_init = persistent(MatchedProbes.Alltoallv)
    Alltoallw_init = persistent(MatchedProbes.Alltoallw)
    Reduce_init = persistent(MatchedProbes.Reduce)
    Allreduce_init = persistent(MatchedProbes.Allreduce)
    Reduce_scatter_init = persistent(MatchedProbes.Reduce_scatter)
    Reduce_scatter_block_init = persistent(MatchedProbes.Reduce_scatter_block)
    Scan_init = persistent(MatchedProbes.Scan)
    Exscan_init = persistent(MatchedProbes.Exscan)
