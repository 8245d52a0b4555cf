"""Running figures of packets that have left the network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.jit.compiled import compiled
from models.state.registers import LONG_AGO, NEVER
from sim.packets import Delivered, Int64

COUNT, TOTAL, LEAST, GREATEST = range(4)


@dataclass(frozen=True)
class Spread:
    """Average, minimum and maximum of a figure over packets or nodes; None where it is unknown.

    Attributes
    ----------
    average, minimum, maximum : float or None
        Cycles, packets/node/cycle or flits/node/cycle.
    """

    average: float | None
    minimum: float | None = None
    maximum: float | None = None

    @classmethod
    def of(cls, values: np.ndarray) -> Spread:
        """Return the spread of some values."""
        return cls(float(values.mean()), float(values.min()), float(values.max()))


class Values:
    """Running count, sum, minimum and maximum of whole numbers.

    Attributes
    ----------
    numbers : array of int64 [4]
        Count, sum, minimum, maximum.
    """

    def __init__(self) -> None:
        self.numbers = np.array([0, 0, NEVER, -NEVER])

    @property
    def count(self) -> int:
        """Number of values."""
        return int(self.numbers[COUNT])

    @property
    def total(self) -> int:
        """Their sum."""
        return int(self.numbers[TOTAL])

    @property
    def mean(self) -> float:
        """Their mean; 0 if there are none."""
        return self.total / self.count if self.count else 0.0

    @property
    def spread(self) -> Spread:
        """Their spread."""
        least, greatest = self.numbers[LEAST:]
        return Spread(self.mean, float(least), float(greatest)) if self.count else Spread(None)


class Times:
    """Latencies and hops of packets that left."""

    def __init__(self) -> None:
        self.latencies, self.in_network, self.hops = Values(), Values(), Values()

    def add(self, packets: Delivered, links: int, begin: int = LONG_AGO, end: int = NEVER) -> None:
        """Add the packets born before `end` that were born, or whose head was sent, in `begin` or later.

        Parameters
        ----------
        packets : Delivered
            Packets that left.
        links : int
            Cycles to add to every latency: BookSim2's injection and ejection links.
        begin, end : int
            Cycles.
        """
        columns = packets.birth, packets.enter, packets.eject, packets.hops
        spreads = self.latencies.numbers, self.in_network.numbers, self.hops.numbers
        _add_times(*columns, links, begin, end, *spreads)


class ByNode:
    """Packets and flits that each node sent or received.

    Parameters
    ----------
    nodes : int
        Number of nodes.
    """

    def __init__(self, nodes: int) -> None:
        self.packets, self.flits = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)

    def add(self, nodes: Int64, packets: Delivered, begin: int = LONG_AGO, end: int = NEVER) -> None:
        """Add the packets whose head was sent in [begin, end), each to its node of `nodes`."""
        _add_packets(nodes, packets.size, packets.enter, begin, end, self.packets, self.flits)

    @property
    def packet_size(self) -> Spread:
        """Mean flits of a packet."""
        packets = int(self.packets.sum())
        return Spread(int(self.flits.sum()) / packets if packets else None)

    def rates(self, cycles: int) -> tuple[Spread, Spread]:
        """Return packets/cycle and flits/cycle of each node."""
        return Spread.of(self.packets / cycles), Spread.of(self.flits / cycles)


@compiled
def _note(numbers: Int64, value: int) -> None:
    """Count a value in the `numbers` of `Values`."""
    numbers[COUNT] += 1
    numbers[TOTAL] += value
    numbers[LEAST] = min(numbers[LEAST], value)
    numbers[GREATEST] = max(numbers[GREATEST], value)


@compiled
def _add_times(
    birth: Int64,
    enter: Int64,
    eject: Int64,
    hops: Int64,
    links: int,
    begin: int,
    end: int,
    latencies: Int64,
    in_network: Int64,
    counted: Int64,
) -> None:
    for k in range(len(birth)):
        if (birth[k] >= begin or enter[k] > begin) and birth[k] < end:
            _note(latencies, eject[k] - birth[k] + links)
            _note(in_network, eject[k] - enter[k] + 1 + links)
            _note(counted, hops[k])


@compiled
def _add_packets(nodes: Int64, sizes: Int64, enter: Int64, begin: int, end: int, packets: Int64, flits: Int64) -> None:
    for k in range(len(nodes)):
        if begin < enter[k] <= end:
            packets[nodes[k]] += 1
            flits[nodes[k]] += sizes[k]
