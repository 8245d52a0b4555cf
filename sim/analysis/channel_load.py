"""Channel load: flits a cycle on each link for each flit a cycle that every node offers (Dally and Towles, 2004, 3.3).

The most loaded link bounds throughput: no routing by these tables accepts more than its inverse. UGAL and adaptive
routing choose other ways than tables say, so nothing is said of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.routing.base import Tables
from sim.routing.paths import next_switch
from sim.topology.base import NOBODY, Topology

Float = NDArray[np.float64]


class ThroughputBound(NamedTuple):
    """What the routes allow.

    Attributes
    ----------
    load : float
        Most that every node can offer and the network accept, flits/node/cycle.
    switch, port : int
        The most loaded channel, a link or the way to a node.
    """

    load: float
    switch: int
    port: int


def uniform_demand(nodes: int) -> Float:
    """Return the shares of a node's traffic that go to each node [N, N]: any other node alike."""
    return (1 - np.eye(nodes)) / max(1, nodes - 1)


def channel_loads(topology: Topology, tables: Tables, demand: Float | None = None) -> Float:
    """Return the load of every port of every switch [S, P], those to nodes too.

    Parameters
    ----------
    topology : Topology
        S switches, N nodes.
    tables : Tables
        Routes; of several addresses of a node each gets the same share of its traffic.
    demand : array [N, N] or None
        Flits a cycle from each node (row) to each node for a load of 1; None: uniform.

    Raises
    ------
    TsujiError
        If routes are chosen on the way or at the source, a route is missing, or packets go round in circles.
    """
    if tables.choices is not None or tables.threshold is not None:
        raise TsujiError(f"{topology.name}: channel loads need routes without choices: no adaptive routing, no UGAL")
    demand = uniform_demand(topology.nodes) if demand is None else np.asarray(demand, np.float64)
    if demand.shape != (topology.nodes, topology.nodes):
        raise TsujiError(f"{topology.name}: demand of shape {demand.shape}; must be {(topology.nodes, topology.nodes)}")
    following = next_switch(topology, tables)
    flow = np.zeros(following.shape)
    np.add.at(flow, topology.node_switch, np.repeat(demand, tables.paths, axis=1) / tables.paths)
    if (missing := (flow > 0) & ~tables.found).any():
        switch, column = np.argwhere(missing)[0]
        raise TsujiError(f"{topology.name}: switch {switch} has no route to node {tables.nodes[column]}")
    loads = np.zeros(topology.peer_switch.shape)
    for _ in range(topology.switches + 1):
        switch, column = np.nonzero(flow)
        if not len(switch):
            return loads
        moving = flow[switch, column]
        np.add.at(loads, (switch, tables.out[switch, column]), moving)
        after = following[switch, column]
        goes = after != NOBODY
        flow = np.zeros_like(flow)
        np.add.at(flow, (after[goes], column[goes]), moving[goes])
    raise TsujiError(f"{topology.name}: packets go round in circles")


def throughput_bound(topology: Topology, loads: Float) -> ThroughputBound:
    """Return what the most loaded channel allows, as fast as each link is.

    Parameters
    ----------
    topology : Topology
        S switches, P ports.
    loads : array [S, P]
        As `channel_loads` returns.
    """
    busy = loads * topology.link_interval
    switch, port = np.unravel_index(int(busy.argmax()), busy.shape)
    return ThroughputBound(float(1 / busy[switch, port]), int(switch), int(port))
