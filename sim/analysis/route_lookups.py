"""Route lookups of a schedule's messages at the input ports of a torus, counted without simulation.

Each message takes its dimension-order route and is looked up at every input port on it. Round k takes the k-th message
of every rank, in order of ranks, which is not the order of a simulation. Without conflicts in the cache the order does
not matter: each destination misses once at each port.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from models.params import CacheParams
from models.route.dimension_order import BY_PARITY, dimension_order_route
from sim.analysis.cache_conflicts import stream
from sim.schedule.operations import SEND, Schedule
from sim.topology.torus import grid

Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Messages:
    """Messages between ranks, in order.

    Attributes
    ----------
    source, destination, size : array
        Ranks and bytes.
    """

    source: Int64
    destination: Int64
    size: Int64


def messages_of(schedule: Schedule) -> Messages:
    """Return the messages of a schedule between different ranks, in rounds."""
    columns = []
    for rank in range(schedule.ranks):
        blocks = [
            (block.peer[sends], block.size[sends]) for block in schedule.blocks(rank) for sends in [block.kind == SEND]
        ]
        peers = np.concatenate([peer for peer, _ in blocks]) if blocks else np.empty(0, np.int64)
        sizes = np.concatenate([size for _, size in blocks]) if blocks else np.empty(0, np.int64)
        others = peers != rank
        count = int(others.sum())
        columns.append(np.stack([np.arange(count), np.full(count, rank), peers[others], sizes[others]]))
    joined = np.concatenate(columns, axis=1)
    order = np.lexsort((joined[1], joined[0]))
    return Messages(*(column[order] for column in joined[1:]))


@dataclass(frozen=True)
class Lookups:
    """Lookups and hits of route caches.

    Attributes
    ----------
    lookups, hits : int
        With one lookup per message.
    packets, packet_hits : int
        With one lookup per packet; all packets of a message except the first hit.
    compulsory : int
        Sum over all ports of each port's distinct destinations: the compulsory misses.
    evictions : int
        Routes evicted.
    ports : int
        Input ports that saw a message.
    """

    lookups: int
    hits: int
    packets: int
    packet_hits: int
    compulsory: int
    evictions: int
    ports: int


@cache
def ways_through(radix: tuple[int, ...]) -> tuple[list[list[Int64]], int]:
    """Return the (switch, input port) passed after the first switch, per pair of switches of a torus, and the ports."""
    torus = grid(radix, wrap=True)
    position = torus.coordinates
    size = np.array(radix, np.int64)
    rings = (1 << len(radix)) - 1
    found: list[list[Int64]] = []
    for source in range(torus.switches):
        row = []
        for destination in range(torus.switches):
            at, passed = source, []
            while at != destination:
                route = dimension_order_route(position[destination], 0, position[at], size, rings, False, 2, BY_PARITY)
                port = int(route[0])
                passed.append((int(torus.peer_switch[at, port]), int(torus.peer_port[at, port])))
                at = passed[-1][0]
            row.append(np.array(passed, np.int64).reshape(-1, 2))
        found.append(row)
    return found, 2 * len(radix)


def look_up(
    messages: Messages, radix: tuple[int, ...], ranks_per_node: int, cache: CacheParams, tags: Int64, packet_bytes: int
) -> Lookups:
    """Return lookups and hits of `messages` in the caches of a torus with one node per switch.

    Ranks are on nodes in order. Messages between ranks of one node do not enter the network.

    Parameters
    ----------
    messages : Messages
    radix : tuple of int
        Of the torus.
    ranks_per_node : int
        Consecutive ranks on each node.
    cache : CacheParams
        Cache of every input port.
    tags : array [nodes]
        Address of each node.
    packet_bytes : int
        Largest payload of a packet, bytes.
    """
    ways, network_ports = ways_through(radix)
    every = (messages.source // ranks_per_node, messages.destination // ranks_per_node)
    leaves = every[0] != every[1]
    home, goal, size = every[0][leaves], every[1][leaves], messages.size[leaves]
    pair = home * len(ways) + goal
    flat = [way for row in ways for way in row]
    hops = np.array([len(way) for way in flat])
    first = np.concatenate(([0], np.cumsum(hops)))
    steps = np.concatenate(flat)
    # All lookups in order: each message's local port, then the input ports on its route.
    count = 1 + hops[pair]
    message = np.repeat(np.arange(len(pair)), count)
    step = np.arange(len(message)) - np.repeat(np.cumsum(count) - count, count)
    local = np.stack([home, np.full(len(home), network_ports)], axis=1)
    along = steps[np.minimum(first[pair][message] + step - 1, len(steps) - 1)]
    place = np.where((step == 0)[:, None], local[message], along)
    tag = tags[goal][message]
    packets = np.maximum(1, -(-size // packet_bytes))[message]
    hits, evictions, compulsory, ports = np.zeros(len(tag), np.int64), 0, 0, 0
    for switch in range(len(ways)):
        mine = np.flatnonzero(place[:, 0] == switch)
        if len(mine):
            one = stream(tag[mine], cache, place[mine, 1], network_ports + 1)
            hits[mine] = one.hits
            evictions += one.evictions
            seen = np.zeros((network_ports + 1, len(ways)), bool)  # by port and destination
            seen[place[mine, 1], goal[message[mine]]] = True
            compulsory += int(seen.sum())
            ports += int(seen.any(axis=1).sum())
    return Lookups(
        len(tag), int(hits.sum()), int(packets.sum()), int((packets - 1 + hits).sum()), compulsory, evictions, ports
    )
