"""Packets of several message classes as one stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sim.packets import Packets
from sim.topology.base import Topology
from sim.traffic.traffic_class import TrafficClass


class ClassStreams:
    """Endless packets of every class, in order of birth; those of one cycle by class.

    Parameters
    ----------
    topology : Topology
        Topology of the network.
    classes : sequence of TrafficClass
        The classes.
    scale : float
        Factor of their loads.
    seed : int
        The same seed gives the same packets; those of a class do not depend on the classes behind it.

    Raises
    ------
    TsujiError
        If a class does not fit the topology, or its load is beyond its arrivals; the message names the class.
    """

    def __init__(self, topology: Topology, classes: Sequence[TrafficClass], scale: float, seed: int) -> None:
        seeds = [
            np.random.SeedSequence((seed, number)).generate_state(1, np.uint64)[0] for number in range(len(classes))
        ]
        self._streams = [each.stream(topology, int(own), scale) for each, own in zip(classes, seeds, strict=True)]

    def until(self, cycle: int) -> Packets:
        """Return the packets born before `cycle` that were not returned yet."""
        parts = [
            replace(packets, message_class=np.full(len(packets), number))
            for number, packets in enumerate(stream.until(cycle) for stream in self._streams)
        ]
        joined = Packets.join(parts)
        return joined[np.argsort(joined.birth, kind="stable")]
