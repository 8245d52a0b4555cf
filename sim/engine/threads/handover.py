"""What passes between the engine of a whole network and those of its parts, before and after each call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from models.state.layout import aligned
from sim.engine.address import SWITCH_SHIFT
from sim.engine.closed_loop import longer_rings
from sim.engine.state import PACKET, Engine
from sim.engine.threads.cut import Cut
from sim.topology.base import Int64

MOST_KEYS = 1 << 62  # of the sort by one key


class Gone(NamedTuple):
    """What happened to the packets of a part in a call.

    Attributes
    ----------
    born : int
        Number of packets born.
    delivered, arrived : array
        Places in the pool of packets that were delivered, and copies of the packets.
    dropped, lost : array
        The same of packets that were dropped.
    """

    born: int
    delivered: Int64
    arrived: np.ndarray
    dropped: Int64
    lost: np.ndarray


class Handover:
    """Hands packets that were offered to the parts of their sources, and collects those that have gone.

    Packets that have gone are put into an order that does not depend on the parts.

    Parameters
    ----------
    cut : Cut
        The parts.
    """

    def __init__(self, cut: Cut) -> None:
        self._owner = cut.owner
        self._whole: Engine | None = None  # the engine that was handed out last
        self._born = 0  # packets of its `arrivals` that were born before these were handed out

    def is_due(self, e: Engine) -> bool:
        """Return whether the engine of the whole network has changed since it was handed out."""
        return e is not self._whole

    def hand_out(self, e: Engine, parts: list[Engine]) -> None:
        """Give parts the packets that wait for their birth, and the arrays of an engine that has changed."""
        self._born = int(e.clock[0].arrival)
        waiting = e.arrivals[self._born :]
        switch_of_node = e.home[:: e.switches.k.node_ports] >> SWITCH_SHIFT
        owner = self._owner[switch_of_node[e.packets.source[waiting]]]
        grown = self._whole is None or e.packets is not self._whole.packets
        for n, each in enumerate(parts):
            fields: dict[str, Any] = {"arrivals": waiting[owner == each.part.number]}
            if grown:
                size = len(e.packets)
                fields |= {"packets": e.packets, "delivered": np.zeros(size, np.int64)}
                fields |= {"arrived": aligned((size,), PACKET), "dropped": np.zeros(size, np.int64)}
                if e.k.closed:
                    later_at, later_what = longer_rings(each, size)
                    fields |= {"reply": e.reply, "later_at": later_at, "later_what": later_what}
            each.clock[0].arrival = 0
            parts[n] = each._replace(**fields)
        self._whole = e

    def gather(self, e: Engine, end: int, parts: list[Engine]) -> None:
        """Note in the engine of the whole network what its parts have done until cycle `end`."""
        self.collect(e, end, [self.take(each) for each in parts])

    def take(self, part: Engine) -> Gone:
        """Return what happened to the packets of a part since the last call."""
        clock = part.clock[0]
        delivered, dropped = part.delivered[: clock.delivered], part.dropped[: clock.dropped]
        arrived, lost = part.arrived[: clock.delivered].view(np.ndarray), part.packets[dropped].view(np.ndarray)
        clock.delivered = clock.dropped = 0
        return Gone(int(clock.arrival), delivered, arrived, dropped, lost)

    def collect(self, e: Engine, end: int, gone: Sequence[Gone]) -> None:
        """Note in the engine of the whole network what its parts, in their order, have done until cycle `end`."""
        clock = e.clock[0]
        clock.cycle = end
        clock.arrival = self._born + sum(each.born for each in gone)
        places = np.concatenate([each.delivered for each in gone])
        rows = np.concatenate([each.arrived for each in gone])
        order = arrival_order(rows)
        # After those of a call that was interrupted before they were taken.
        first, clock.delivered = int(clock.delivered), clock.delivered + len(places)
        e.delivered[first : clock.delivered] = places[order]
        e.arrived[first : clock.delivered] = rows[order]
        dropped = np.concatenate([each.dropped for each in gone])
        rows = np.concatenate([each.lost for each in gone])
        first, clock.dropped = int(clock.dropped), clock.dropped + len(dropped)
        e.dropped[first : clock.dropped] = dropped[np.lexsort((rows["birth"], rows["source"]))]


def arrival_order(rows: np.ndarray) -> np.ndarray:
    """Return the order of packets that have arrived, `PACKET` [n], by cycle, destination, source and birth."""
    cycle, node = rows["eject"], rows["destination"].astype(np.int64)
    if len(rows):
        first, nodes = int(cycle.min()), int(node.max()) + 1
        if (int(cycle.max()) - first + 1) * nodes <= MOST_KEYS:
            # The packets of a part are almost in this order already, which a stable sort by one key makes use of.
            keys = (cycle - first) * nodes + node
            order = np.argsort(keys, kind="stable")
            if (np.diff(keys[order]) > 0).all():
                return order
    return np.lexsort((rows["birth"], rows["source"], node, cycle))
