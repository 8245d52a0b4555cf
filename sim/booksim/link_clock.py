"""A network timed in cycles of its links, as BookSim2 counts; a switch with a faster crossbar counts its own cycles."""

from __future__ import annotations

from dataclasses import replace

from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.packets import Delivered, Int64, Packets


class LinkClock:
    """A network with its clock divided.

    Parameters
    ----------
    network : Network or PlaneNetwork
        The network, in cycles of its switches.
    divisor : int
        Switch cycles per link cycle: the speed-up.
    """

    def __init__(self, network: Network | PlaneNetwork, divisor: int) -> None:
        self._network, self._divisor = network, divisor

    @property
    def nodes(self) -> int:
        """Nodes of the network."""
        return self._network.topology.nodes

    @property
    def cycle(self) -> int:
        """Next cycle to simulate, in link cycles."""
        return self._network.cycle // self._divisor

    @property
    def flit_hops(self) -> int:
        """Flits sent over links between switches so far."""
        return self._network.flit_hops

    def offer(self, packets: Packets, traffic: int = 0, kinds: Int64 | None = None) -> None:
        """Add packets, as `Network.offer`; births are in link cycles. There is one class of plain packets."""
        assert traffic == 0
        self._network.offer(packets if self._divisor == 1 else replace(packets, birth=packets.birth * self._divisor))

    def expect(self, end: int) -> None:
        """Say in which link cycle the run is expected to end, as `Network.expect`."""
        self._network.expect(end * self._divisor)

    def advance(self, cycles: int) -> list[Delivered]:
        """Simulate `cycles` link cycles; return for the one class the packets whose tail was ejected, in link cycles.

        An event between two link cycles counts as one of the later cycle.
        """
        gone = self._network.advance(cycles * self._divisor)
        if self._divisor == 1:
            return [gone]
        times = {name: -(-getattr(gone, name) // self._divisor) for name in ("birth", "enter", "eject", "origin")}
        return [replace(gone, **times)]
