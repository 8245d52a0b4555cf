"""A network in cycles of its links: BookSim2 counts these, where a switch whose crossbar is faster counts its own."""

from __future__ import annotations

from dataclasses import replace

from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.packets import Delivered, Packets
from sim.topology.base import Topology


class LinkClock:
    """A network and its clock, divided.

    Parameters
    ----------
    network : Network or PlaneNetwork
        In cycles of its switches.
    divisor : int
        Cycles of a switch in one of its links: its speed-up.
    """

    def __init__(self, network: Network | PlaneNetwork, divisor: int) -> None:
        self._network, self._divisor = network, divisor

    @property
    def topology(self) -> Topology:
        """The network's."""
        return self._network.topology

    @property
    def cycle(self) -> int:
        """Next cycle to simulate, of links."""
        return self._network.cycle // self._divisor

    @property
    def flit_hops(self) -> int:
        """Flits sent over links between switches so far."""
        return self._network.flit_hops

    def offer(self, packets: Packets) -> None:
        """Add packets, as `Network.offer`; births are in cycles of links."""
        self._network.offer(packets if self._divisor == 1 else replace(packets, birth=packets.birth * self._divisor))

    def advance(self, cycles: int) -> Delivered:
        """Simulate cycles of links; return the packets whose tail was ejected, with times in such cycles.

        What happens between two of them counts as happening in the later one.
        """
        gone = self._network.advance(cycles * self._divisor)
        if self._divisor == 1:
            return gone
        times = {name: -(-getattr(gone, name) // self._divisor) for name in ("birth", "enter", "eject", "origin")}
        return replace(gone, **times)
