"""Packets of one class of traffic: plain ones, or requests to read and to write."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from models.booksim.iq_state import PLAIN, READ_REQUEST, WRITE_REQUEST
from sim.booksim.traffic_keys import BookSimClass
from sim.packets import Int64, Packets
from sim.topology.base import Topology


@dataclass(frozen=True)
class Nodes:
    """All that BookSim2's patterns know of a network: its number of nodes."""

    nodes: int

    @property
    def topology(self) -> Topology:
        """In place of a topology."""
        return cast(Topology, self)


class ClassStream:
    """Endless packets of a class of traffic.

    Parameters
    ----------
    traffic : BookSimClass
        The class.
    nodes : int
        Number of nodes.
    seed : int
        The same seed gives the same packets.
    """

    def __init__(self, traffic: BookSimClass, nodes: int, seed: int) -> None:
        self._stream = traffic.stream(Nodes(nodes).topology, seed)
        self._requests = traffic.requests
        self._rng = np.random.default_rng((seed, 1))

    def until(self, cycle: int) -> tuple[Packets, Int64]:
        """Return the packets born before `cycle` that were not returned yet, and their types."""
        packets = self._stream.until(cycle)
        if self._requests is None:
            return packets, np.full(len(packets), PLAIN)
        writes = self._rng.random(len(packets)) < self._requests.write_fraction
        kinds = np.where(writes, WRITE_REQUEST, READ_REQUEST)
        return replace(packets, size=np.array(self._requests.flits)[kinds]), kinds
