"""A stream of packets drawn by the hash that a board's nodes have in hardware (`models.node.traffic_hash`)."""

from __future__ import annotations

import numpy as np

from models.errors import TsujiError
from models.jit.compiled import compiled
from models.node.traffic_hash import (
    MOST_NODES,
    SEED_BITS,
    draw_destination,
    draws_packet,
    packet_threshold,
    traffic_hash,
)
from sim.packets import Packets
from sim.topology.base import Int64, Topology
from sim.traffic.arrivals import Arrivals
from sim.traffic.pattern import PATTERNS, Pattern
from sim.traffic.sizes import PacketSizes
from sim.traffic.stream import BLOCK, packet_rate

HASH = 'traffic.draws = "hash"'


class HashStream:
    """Endless packets of every node of a network, the same as a board's nodes with this seed create.

    Parameters
    ----------
    topology, pattern, arrivals, sizes, load, seed
        As of `sim.traffic.stream.Stream`.

    Raises
    ------
    TsujiError
        If the hash does not draw such traffic.
    """

    def __init__(
        self, topology: Topology, pattern: Pattern, arrivals: Arrivals, sizes: PacketSizes, load: float, seed: int
    ) -> None:
        _check(topology, pattern, arrivals, sizes, seed)
        rate = packet_rate(arrivals, sizes, load)
        self._threshold = packet_threshold(min(rate, 1.0))
        if not self._threshold:
            raise TsujiError(f"traffic.load = {load:g}: with {HASH} a node creates at least a packet in 2^25 cycles")
        self._seed, self._size, self._nodes = seed, sizes.all[0], topology.nodes
        self._fixed = fixed_destinations(pattern, topology)
        self._drawn = 0  # cycles

    def until(self, cycle: int) -> Packets:
        """Return the packets born before `cycle` that were not returned yet."""
        parts = []
        while self._drawn < cycle:
            end = min(cycle, self._drawn + BLOCK)
            parts.append(self._block(end))
            self._drawn = end
        return Packets.join(parts)

    def _block(self, end: int) -> Packets:
        """Return the packets born from the cycle reached to before `end`."""
        columns = np.empty((3, self._nodes * (end - self._drawn)), np.int64)
        count = _draw(self._seed, self._threshold, self._nodes, self._fixed, self._drawn, end, *columns)
        birth, source, destination = columns[:, :count].copy()
        return Packets(birth, source, destination, np.full(count, self._size, np.int64))


def fixed_destinations(pattern: Pattern, topology: Topology) -> Int64:
    """Return the destination of each node under a permutation [N]; empty if each packet's is drawn."""
    if not pattern.fixed:
        return np.empty(0, np.int64)
    return pattern.chooser(topology)(np.random.default_rng(0), np.arange(topology.nodes)).astype(np.int64)


def _check(topology: Topology, pattern: Pattern, arrivals: Arrivals, sizes: PacketSizes, seed: int) -> None:
    """Refuse traffic that the hash does not draw."""
    if arrivals.kind != "bernoulli":
        raise TsujiError(f'traffic.arrivals = "{arrivals.kind}": {HASH} draws "bernoulli" arrivals')
    if not pattern.fixed and pattern.kind != "uniform":
        names = ", ".join(f'"{name}"' for name in PATTERNS.names() if PATTERNS.get(name).fixed)
        raise TsujiError(f'traffic.pattern = "{pattern.kind}": {HASH} draws "uniform" and the permutations {names}')
    if len(sizes.all) > 1:
        raise TsujiError(f"traffic.{sizes.key} = {list(sizes.all)}: {HASH} draws no sizes; use traffic.packet_size")
    if seed >> SEED_BITS:
        raise TsujiError(f"run.seed = {seed}: {HASH} takes 0 to 2^{SEED_BITS} − 1")
    if not 2 <= topology.nodes <= MOST_NODES:
        raise TsujiError(f"{HASH}: {topology.name} has {topology.nodes} nodes; must be 2 to {MOST_NODES}")


@compiled
def _draw(
    seed: int,
    threshold: int,
    nodes: int,
    fixed: Int64,
    begin: int,
    end: int,
    birth: Int64,
    source: Int64,
    destination: Int64,
) -> int:
    """Write the packets born in cycles `begin` to `end` − 1, by cycle, then source; return their number."""
    count = 0
    for cycle in range(begin, end):
        for node in range(nodes):
            first, second = traffic_hash(seed, node, cycle)
            if not draws_packet(first, threshold):
                continue
            to = fixed[node] if len(fixed) else draw_destination(second, node, nodes)
            if to != node:
                birth[count] = cycle
                source[count] = node
                destination[count] = to
                count += 1
    return count
