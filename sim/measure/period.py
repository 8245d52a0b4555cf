"""Sample periods: packets born, delivered and in flight in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.packets import Delivered, Int64


@dataclass(frozen=True, eq=False)
class Period:
    """Packets of one sample period.

    Attributes
    ----------
    delivered : Delivered
        Packets that left in the period.
    born_at, born_for : array [N]
        Packets born in the period, with the replies that they request, by source node and by destination node.
    offered_flits : int
        Flits of these packets.
    backlog : int
        Packets in flight at the end of the period.
    flits_by_class : array or None
        Flits born in the period, without replies, of each message class.
    """

    delivered: Delivered
    born_at: Int64
    born_for: Int64
    offered_flits: int
    backlog: int
    flits_by_class: Int64 | None = None

    @property
    def offered(self) -> int:
        """Packets born in the period, with the replies that they request."""
        return int(self.born_at.sum())

    @property
    def latency(self) -> Int64:
        """Packet latencies [n], cycles."""
        return self.delivered.eject - self.delivered.birth


def _counts(origin: Int64, begin: int, end: int) -> NDArray[np.bool_]:
    """Return a mask of the packets born in [begin, end), and of the replies to such packets."""
    return (origin >= begin) & (origin < end)


def left_of(period: Period, begin: int, end: int) -> int:
    """Return the number of packets of `born_in` that left in a period."""
    return int(_counts(period.delivered.origin, begin, end).sum())


def born_in(periods: Sequence[Period], begin: int, end: int) -> Delivered:
    """Return the packets born in [begin, end) that left in `periods`, with replies to such, by birth, then source.

    Those of one birth and source are in the order in which they left. If they left in one cycle, the order in which the
    network returns them depends on its threads, so entry and origin decide.
    """
    packets = Delivered.join([period.delivered for period in periods])
    rows = np.flatnonzero(_counts(packets.origin, begin, end))
    source = packets.source[rows]
    place = packets.birth[rows] * (source.max(initial=0) + 1) + source  # sorting one key is faster than sorting two
    order = np.argsort(place, kind="stable")
    eject = packets.eject[rows]
    if ((np.diff(place[order]) == 0) & (np.diff(eject[order]) == 0)).any():
        order = np.lexsort((packets.origin[rows], packets.enter[rows], eject, place))
    return packets[rows[order]]


def latencies_of_born_in(periods: Sequence[Period], begin: int, end: int) -> Int64:
    """Return the latencies of the packets that `born_in` returns, in order of birth."""
    origin, birth, eject = (
        np.concatenate([getattr(period.delivered, name) for period in periods]) for name in ("origin", "birth", "eject")
    )
    rows = np.flatnonzero(_counts(origin, begin, end))
    birth = birth[rows]
    latencies: Int64 = (eject[rows] - birth)[np.argsort(birth, kind="stable")]
    return latencies
