"""Deadlock freedom: the channel dependency graph of tables must have no cycle (Dally and Seitz, 1987).

A channel is a link with a class of VCs. A packet that holds one channel while it waits for the next creates a
dependency between them; if dependencies have no cycle, some packet can always move. VC classes are the coarsest
partition from which the VC ranges of all routes can be composed. Channels to nodes always drain and cannot be part of a
cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product, starmap
from typing import NamedTuple

import numpy as np

from models.errors import TsujiError
from sim.lib.progress import report
from sim.routing.base import Tables
from sim.routing.deadlock.dependency_marks import marks
from sim.routing.deadlock.directed_cycle import directed_cycle
from sim.routing.paths import next_switch, used
from sim.topology.base import NOBODY, Int64, Topology

ADVICE = " (run.force = true simulates them all the same)"


class Channel(NamedTuple):
    """A channel: the output port of a link, and a class of VCs."""

    switch: int
    port: int
    vc_first: int
    vc_last: int


class DeadlockError(TsujiError):
    """Routes can deadlock, because their channel dependency graph has a cycle, or they lose packets."""


@dataclass(frozen=True, eq=False)
class Hops:
    """The links of routes, and the VCs that packets may take on them.

    Attributes
    ----------
    following : array of int64 [S, C]
        Next switch after each switch on the route to each address; -1 where no packet goes on.
    number : array of int64 [S, C]
        Number of the link with its range of VCs; -1 where no packet goes on.
    channels : list of list of Channel
        Channels that each of these numbers stands for.
    """

    following: Int64
    number: Int64
    channels: list[list[Channel]]


def all_hops(topology: Topology, tables: Tables) -> Hops:
    """Return the links and VCs that routes of packets between nodes take."""
    following, channel = _links(topology, tables)
    forwards = following != NOBODY
    keys, numbers = np.unique(channel[forwards], return_inverse=True)
    number = np.full(forwards.shape, NOBODY, np.int64)
    number[forwards] = numbers
    return Hops(following, number, _channels(topology, keys))


def _links(topology: Topology, tables: Tables) -> tuple[Int64, Int64]:
    """Return `following` of `Hops`, and keys of switch, port, first and last VC; -1 where no packet goes on."""
    following = next_switch(topology, tables)
    following[~used(topology, tables)] = NOBODY
    forwards = following != NOBODY
    switch, _ = np.nonzero(forwards)
    key = switch * topology.ports + tables.out[forwards]
    for field in (tables.vc_first, tables.vc_last):
        key = key << 8 | field[forwards]
    channel = np.full(forwards.shape, NOBODY, np.int64)
    channel[forwards] = key
    return following, channel


def _channels(topology: Topology, keys: Int64) -> list[list[Channel]]:
    """Return the channels that the keys of `_links` stand for."""
    bounds = np.unique(np.concatenate((keys >> 8 & 255, (keys & 255) + 1))).tolist()
    classes = [(first, end - 1) for first, end in pairwise(bounds)]

    def channels(key: int) -> list[Channel]:
        link, first, last = key >> 16, key >> 8 & 255, key & 255
        place = divmod(link, topology.ports)
        return [Channel(*place, *part) for part in classes if first <= part[0] and part[1] <= last]

    return [channels(key) for key in keys.tolist()]


def dependencies(topology: Topology, tables: Tables) -> tuple[list[Channel], Int64]:
    """Return the channel dependency graph of all packets between nodes of the network.

    Parameters
    ----------
    topology : Topology
        S switches.
    tables : Tables
        Routes; a packet may take any VC of its range, or of the range that it keeps. With choices, the graph is that of
        the routes alone, from every switch that choices can lead to.

    Returns
    -------
    list of Channel
        Channels that packets take.
    array of int64 [E, 2]
        Pairs of channels, one held and one waited for, as indices into the list.
    """
    found = marks(topology, tables)
    report("deadlock check: cycles")
    taken = found.ranges[np.flatnonzero(found.held.any(axis=0))]
    bounds = np.unique(np.concatenate((taken[:, 0], taken[:, 1] + 1)))
    # Range r is composed of the classes `begin[r]` to `end[r]` − 1.
    begin, end = np.searchsorted(bounds, found.ranges[:, 0]), np.searchsorted(bounds, found.ranges[:, 1] + 1)
    exists = np.zeros((len(found.held), max(1, len(bounds) - 1)), np.bool_)
    for r, (low, high) in enumerate(zip(begin, end, strict=True)):
        exists[:, low:high] |= found.held[:, r : r + 1] != 0
    number = np.cumsum(exists).reshape(exists.shape) - 1
    edges = [np.empty((0, 2), np.int64)]
    for r, other in product(range(len(begin)), repeat=2):
        link, following = _pairs(topology, found.wanted[:, r, other])
        edges += [
            np.column_stack((number[link, one], number[following, another]))
            for one, another in product(range(begin[r], end[r]), range(begin[other], end[other]))
        ]
    link, part = np.nonzero(exists)
    fields = *np.divmod(link, topology.ports), bounds[part], bounds[part + 1] - 1
    channels = list(starmap(Channel, zip(*(field.tolist() for field in fields), strict=True)))
    return channels, np.concatenate(edges)


def _pairs(topology: Topology, wanted: Int64) -> tuple[Int64, Int64]:
    """Return the links with packets that wait, and the links for which they wait, given ports of the next switch."""
    waiting = np.flatnonzero(wanted)
    place, port = np.nonzero(wanted[waiting, None] >> np.arange(topology.ports) & 1)
    link = waiting[place]
    return link, topology.peer_switch.ravel()[link] * topology.ports + port


def find_cycle(topology: Topology, tables: Tables) -> list[Channel]:
    """Return the channels of a cycle of the channel dependency graph, in order; empty if there is none."""
    channels, edges = dependencies(topology, tables)
    return [channels[number] for number in directed_cycle(edges[:, 0], edges[:, 1], len(channels))]


def check(topology: Topology, tables: Tables) -> None:
    """Refuse tables that can deadlock.

    Raises
    ------
    DeadlockError
        If they can; the message names a cycle of channels, link by link.
    """
    refuse(topology, find_cycle(topology, tables))


def refuse(topology: Topology, cycle: list[Channel]) -> None:
    """Refuse a cycle of channels, unless it is empty.

    Raises
    ------
    DeadlockError
        If there is a cycle; the message names it, link by link.
    """
    if cycle:
        lines = [describe(topology, channel) for channel in cycle]
        waiting = (
            f"{len(cycle)} channels form a cycle in the channel dependency graph"
            if cycle[1:]
            else "a channel can wait for itself"
        )
        raise DeadlockError(
            f"{topology.name}: these routes can deadlock; {waiting}{ADVICE}:\n"
            + "\n".join(f"  {line}" for line in lines)
        )


def describe(topology: Topology, channel: Channel) -> str:
    """Return a channel in words: both switches with their coordinates, ports and VCs."""
    switch, port, first, last = channel
    peer = int(topology.peer_switch[switch, port])
    vcs = f"VC {first}" if first == last else f"VCs {first}-{last}"
    ends = (f"switch {s} ({', '.join(map(str, topology.coordinates[s]))})" for s in (switch, peer))
    return f"{next(ends)} port {port} → {next(ends)} port {topology.peer_port[switch, port]}, {vcs}"
