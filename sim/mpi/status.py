"""The status of a received message: its source, tag and size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.messages.tags import ANY_IN_CONTEXT
from sim.mpi.constants import ANY_SOURCE, ANY_TAG, PROC_NULL, UNDEFINED
from sim.mpi.datatype import DATATYPES, Datatype
from sim.mpi.rank import INTERNAL, Posted
from sim.mpi.refusal import refuse_missing
from sim.schedule.operations import PROBE, RECV

if TYPE_CHECKING:
    from sim.mpi.point_to_point import PointToPoint

BYTE = DATATYPES["BYTE"]

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


@refuse_missing("Status")
class Status:
    """Source, tag and size of a message."""

    source: int
    tag: int
    count: int
    error: int
    cancelled = False
    """Messages cannot be cancelled."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Make the status that of no message."""
        self.source = ANY_SOURCE
        self.tag = ANY_TAG
        self.count = 0
        self.error = 0

    def Get_source(self) -> int:
        """Return the sender's rank."""
        return self.source

    def Set_source(self, source: int) -> None:
        """Set the sender's rank."""
        self.source = source

    def Get_tag(self) -> int:
        """Return the tag."""
        return self.tag

    def Set_tag(self, tag: int) -> None:
        """Set the tag."""
        self.tag = tag

    def Get_count(self, datatype: Datatype = BYTE) -> int:
        """Return the number of elements, `UNDEFINED` if it is not whole; of bytes if no type is given."""
        if not self.count or not datatype.size:
            return 0
        return UNDEFINED if self.count % datatype.size else self.count // datatype.size

    def Get_elements(self, datatype: Datatype) -> int:
        """Return the number of basic elements."""
        return self.count // int(datatype.dtype.itemsize)

    def Get_error(self) -> int:
        """Return the error class of a message that a wait for several ended with."""
        return self.error

    def Set_error(self, error: int) -> None:
        """Set the error class."""
        self.error = error

    def Is_cancelled(self) -> bool:
        """Return False: messages cannot be cancelled."""
        return False


def fill(status: Status, comm: PointToPoint, posted: Posted) -> None:
    """Fill a status from an operation that is done; it is empty unless a message was received or probed."""
    status.clear()
    if posted.kind in (RECV, PROBE):
        status.source = comm.rank_of(posted.peer)
        status.tag = posted.tag & ANY_IN_CONTEXT
        status.count = posted.size
    elif posted.kind == INTERNAL and posted.peer == PROC_NULL:
        status.source = PROC_NULL
