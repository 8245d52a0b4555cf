"""Figures of one class of traffic in a simulation, and what they say about the phases of its measurement."""

from __future__ import annotations

from models.state.registers import NEVER
from sim.booksim.tally import ByNode, Spread, Times
from sim.booksim.traffic_keys import BookSimClass
from sim.packets import Delivered, Packets

TERMINAL_LINKS = 2  # BookSim2's injection and ejection channels take a cycle each; nodes here sit at their switch


class ClassFigures:
    """Packets of a class that were offered and that arrived.

    Parameters
    ----------
    traffic : BookSimClass
        The class.
    nodes : int
        Nodes of the network.
    """

    def __init__(self, traffic: BookSimClass, nodes: int) -> None:
        self.measured, self.is_answered = traffic.measured, traffic.requests is not None
        self._procedure, self._nodes = traffic.procedure, nodes
        self._answers = 2 if traffic.requests else 1  # packets for each one that is offered
        self._single = max(traffic.requests.flits if traffic.requests else traffic.sizes.all) == 1
        self._last = 0.0, 0.0
        self._flits = self._moments = 0  # of the packets under way: their flits, and births times flits
        self._born = self._left = 0
        self.clear(0)

    def clear(self, cycle: int) -> None:
        """Reset all figures."""
        self._injected, self._accepted = ByNode(self._nodes), ByNode(self._nodes)
        self._reset = cycle
        self.record_anew()

    def record_anew(self) -> None:
        """Reset the figures of the packets that count."""
        self._times = Times()

    def add_offered(self, packets: Packets, ended: bool) -> None:
        """Add packets that were offered, before or after the measurement ended."""
        self._flits += packets.flits
        self._moments += int(packets.size @ packets.birth)
        if not ended:
            self._born += self._answers * len(packets)

    def add_gone(self, gone: Delivered, begin: int | None, end: int | None, cycle: int, recorded: bool) -> None:
        """Add packets that arrived by `cycle`; `begin` and `end` of the measurement, if they are known.

        In the measurement, those packets count that reached the front of their queue in it: BookSim2 creates a packet
        when its predecessor has been sent, so a packet with an earlier birth may count.
        """
        if end is None:
            self._accepted.add(gone.destination, gone)
            self._left += len(gone)
        else:
            self._left += int((gone.origin < end).sum())
        self._injected.add(gone.source, gone, self._reset, NEVER if end is None else end)
        self._flits -= gone.flits
        self._moments -= int(gone.size @ gone.birth)
        if recorded and begin is None:
            self._times.add(gone, TERMINAL_LINKS)
        elif recorded:
            self._times.add(gone, TERMINAL_LINKS, begin or 0, cycle if end is None else end)

    @property
    def outstanding(self) -> int:
        """Packets born before the end, replies to them included, that have not left."""
        return self._born - self._left

    def settle(self, cycle: int) -> tuple[float, float]:
        """Return how much mean latency and accepted traffic have changed since the last call, relatively."""
        now = self._times.latencies.mean, int(self._accepted.flits.sum()) / (cycle - self._reset) / self._nodes
        changes = [abs(new - old) / new if new else 0.0 for new, old in zip(now, self._last, strict=True)]
        self._last = now
        return changes[0], changes[1]

    def is_steady(self, changes: tuple[float, float], warming_up: bool) -> bool:
        """Return whether accepted traffic and, with sim_type latency, latency settled; a limit below 0 always holds."""
        todo = self._procedure
        limits = (
            (todo.warmup_thres, todo.acc_warmup_thres) if warming_up else (todo.stopping_thres, todo.acc_stopping_thres)
        )
        latency, accepted = (limit < 0 or change <= limit for change, limit in zip(changes, limits, strict=True))
        return accepted and (latency or not todo.latency)

    @property
    def under_way(self) -> tuple[int, int]:
        """Flits of the packets that were offered and have not arrived, and the sum of their births."""
        return self._flits, self._moments

    def reason_to_abort(self, cycle: int, under_way: tuple[int, int]) -> str:
        """Return why BookSim2 would give up: the mean latency with the age of flits under way; empty: it would not."""
        limit, (flits, moments) = self._procedure.latency_thres, under_way
        count = self._times.latencies.count + flits
        total = self._times.latencies.total + flits * cycle - moments
        if limit < 0 or count <= 0 or total / count <= limit:
            return ""
        return f"mean latency exceeded latency_thres = {limit:g} cycles"

    def figures(self, end: int) -> dict[str, Spread]:
        """Return BookSim2's figures by their names."""
        injected, accepted = (each.rates(end - self._reset) for each in (self._injected, self._accepted))
        network, unknown = self._times.in_network.spread, Spread(None)
        return {
            "Packet latency": self._times.latencies.spread,
            "Network latency": network,
            "Flit latency": network if self._single else unknown,
            "Fragmentation": Spread(0.0, 0.0, 0.0) if self._single else unknown,
            "Injected packet rate": injected[0],
            "Accepted packet rate": accepted[0],
            "Injected flit rate": injected[1],
            "Accepted flit rate": accepted[1],
            "Injected packet size": self._injected.packet_size,
            "Accepted packet size": self._accepted.packet_size,
            "Hops": Spread(self._times.hops.mean if self._times.hops.count else None),
        }
