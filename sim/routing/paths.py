"""Walks along tables: which switches a packet meets on its way, and whether it arrives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.routing.base import Tables
from sim.topology.base import NOBODY, Int64, Topology


def next_switch(topology: Topology, tables: Tables) -> Int64:
    """Return the switch after each switch on the way to each node [S, N]; -1 at the last switch and without route.

    Raises
    ------
    TsujiError
        If a route leads to a port that has neither a switch nor the right node.
    """
    rows = np.arange(topology.switches)[:, None]
    outs = np.where(tables.found, tables.out, 0)
    following = np.where(tables.found, topology.peer_switch[rows, outs], NOBODY)
    lost = tables.found & (following == NOBODY) & (topology.port_node[rows, outs] != np.arange(topology.nodes))
    if lost.any():
        switch, node = np.argwhere(lost)[0]
        raise TsujiError(
            f"{topology.name}: the route at switch {switch} to node {node} leaves through port "
            f"{tables.out[switch, node]}, where neither a switch nor that node is"
        )
    return following


def used(topology: Topology, tables: Tables) -> NDArray[np.bool_]:
    """Return which routes [S, N] packets from any node can meet."""
    following = next_switch(topology, tables)
    met = np.zeros(following.shape, np.bool_)
    met[topology.node_switch] = True
    fresh = met.copy()
    while fresh.any():
        switches, nodes = np.nonzero(fresh & (following != NOBODY))
        fresh = np.zeros_like(met)
        fresh[following[switches, nodes], nodes] = True
        fresh &= ~met
        met |= fresh
    return met & tables.found


def hops(topology: Topology, tables: Tables) -> Int64:
    """Return the switches a packet traverses from each switch to each node [S, N]; 0 where there is no route.

    Raises
    ------
    TsujiError
        If a packet would go round in circles.
    """
    following = next_switch(topology, tables)
    nodes = np.arange(topology.nodes)
    count = np.zeros(following.shape, np.int64)
    at = np.where(tables.found, np.arange(topology.switches)[:, None], NOBODY)
    for _ in range(topology.switches):
        moving = at != NOBODY
        if not moving.any():
            return count
        count += moving
        at = np.where(moving, following[at, nodes], NOBODY)
    if (at != NOBODY).any():
        switch, node = np.argwhere(at != NOBODY)[0]
        raise TsujiError(f"{topology.name}: a packet from switch {switch} to node {node} goes round in circles")
    return count
