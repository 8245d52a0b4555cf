"""Sample periods: what was seen of a network between two looks at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.packets import Delivered, Int64


@dataclass(frozen=True, eq=False)
class Period:
    """What one sample period saw.

    Attributes
    ----------
    delivered : Delivered
        Packets that left in it.
    born_at, born_for : array [N]
        Packets born in it, with the replies that they ask for, by source node and by destination node.
    offered_flits : int
        Their flits.
    backlog : int
        Packets in flight at its end.
    """

    delivered: Delivered
    born_at: Int64
    born_for: Int64
    offered_flits: int
    backlog: int

    @property
    def offered(self) -> int:
        """Packets born in it, with the replies that they ask for."""
        return int(self.born_at.sum())

    @property
    def latency(self) -> Int64:
        """Packet latencies [n], cycles."""
        return self.delivered.eject - self.delivered.birth


def born_in(periods: Sequence[Period], begin: int, end: int) -> Delivered:
    """Return the packets born in [begin, end) that left in the periods, and replies to such, in order of birth."""
    packets = Delivered.join([period.delivered for period in periods])
    packets = packets[(packets.origin >= begin) & (packets.origin < end)]
    return packets[np.argsort(packets.birth, kind="stable")]
