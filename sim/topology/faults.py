"""Failed cables and switches: the network that is left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.cables import cable_links

SHOWN = 8  # nodes in a message


def cables_between(topology: Topology, pairs: Sequence[tuple[int, int]]) -> Int64:
    """Return the number of a cable, as of `cable_links`, for each pair of switches; a pair named twice has two.

    Raises
    ------
    TsujiError
        If there is no such cable, or not as many as named.
    """
    ends = np.sort(cable_links(topology)[:, [0, 2]], axis=1)
    found: list[int] = []
    for one, other in pairs:
        between = np.flatnonzero((ends == sorted((one, other))).all(axis=1))
        left = [int(cable) for cable in between if cable not in found]
        if not left:
            most = _counted(len(between), "cable") if len(between) else "no cable"
            raise TsujiError(f"faults.links: [{one}, {other}]: {topology.name} has {most} between these switches")
        found.append(left[0])
    return np.array(found, np.int64)


def with_faults(topology: Topology, cables: Int64, switches: Int64) -> Topology:
    """Return a network without some cables and switches.

    The nodes of a failed switch are gone, and so are switches without nodes that nothing reaches; those left are
    numbered anew, in their order, and keep their coordinates. Ports keep their numbers. The result is of no family.

    Parameters
    ----------
    topology : Topology
        The network.
    cables : array [F]
        Failed cables, numbers of `cable_links`.
    switches : array [G]
        Failed switches.

    Raises
    ------
    TsujiError
        If nodes cannot reach each other any more; the message names pairs of them.
    """
    peer_switch, peer_port = topology.peer_switch.copy(), topology.peer_port.copy()
    switch, port, peer, back = cable_links(topology)[cables].T
    dead = np.zeros(topology.switches, np.bool_)
    dead[switches] = True
    for here, at in ((switch, port), (peer, back)):
        peer_switch[here, at] = NOBODY
    peer_switch[dead] = NOBODY
    peer_switch[(peer_switch != NOBODY) & dead[peer_switch]] = NOBODY
    kept = _connected_part(topology, peer_switch, dead)
    number = np.append(np.cumsum(kept) - 1, NOBODY)  # of NOBODY, the last, NOBODY
    peer_port[peer_switch == NOBODY] = NOBODY
    wired = peer_switch[kept] != NOBODY
    nodes = kept[topology.node_switch]
    return Topology(
        name=f"{topology.name} without {_counted(len(cables), 'cable')} and {_counted(int(dead.sum()), 'switch')}",
        peer_switch=number[peer_switch[kept]],
        peer_port=peer_port[kept],
        node_switch=number[topology.node_switch[nodes]],
        node_port=topology.node_port[nodes],
        addresses=np.arange(int(nodes.sum())),
        coordinates=topology.coordinates[kept],
        positions=None if topology.positions is None else topology.positions[kept],
        node_ports=topology.node_ports,
        link_latency=np.where(wired, topology.link_latency[kept], 0),
        link_interval=np.where(wired, topology.link_interval[kept], 1),
    )


def _connected_part(topology: Topology, peer_switch: Int64, dead: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the switches [S] that are left: those of the part of the network that has all nodes left."""
    alive = topology.node_switch[~dead[topology.node_switch]]
    if not len(alive):
        raise TsujiError(f"faults: all switches of {topology.name} that have nodes failed")
    kept = np.zeros(topology.switches, np.bool_)
    kept[alive[0]] = True
    frontier = alive[:1]
    while len(frontier):
        reached = np.unique(peer_switch[frontier])
        frontier = reached[(reached != NOBODY) & ~kept[reached]]
        kept[frontier] = True
    cut = ~kept[topology.node_switch] & ~dead[topology.node_switch]
    if cut.any():
        here, there = np.flatnonzero(kept[topology.node_switch]), np.flatnonzero(cut)
        raise TsujiError(
            f"faults: {topology.name} is cut: no path between {_listed(there)} and {_listed(here)} "
            f"({len(here) * len(there):,} pairs)"
        )
    return kept


def _listed(nodes: Int64) -> str:
    """Return some nodes in words."""
    numbers = ", ".join(map(str, nodes[:SHOWN].tolist()))
    return f"node{'s' * (len(nodes) > 1)} {numbers}{', …' if len(nodes) > SHOWN else ''}"


def _counted(count: int, what: str) -> str:
    """Return a number with its noun."""
    return f"{count} {what}" if count == 1 else f"{count} {what}{'es' if what.endswith('h') else 's'}"
