"""Channel load: flits/cycle on each link when every node offers 1 flit/cycle (Dally and Towles, 2004, 3.3).

The most loaded link bounds throughput: routing by these tables accepts at most the inverse of its load. UGAL and
adaptive routing choose paths at run time, so they have no channel loads here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.config import Config
from sim.engine.plane_choice import PlaneChooser, plane_addresses
from sim.lib.progress import report
from sim.routing.base import Tables
from sim.routing.paths import next_switch
from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.link_capacity import link_capacity
from sim.topology.side_by_side import side_by_side
from sim.traffic.uniform import uniform_demand

Float = NDArray[np.float64]

MOST_ROUTES = 1 << 24  # most routes of a configuration: followed in a minute and a few GB


class ThroughputBound(NamedTuple):
    """Throughput bound of a set of routes.

    Attributes
    ----------
    load : float
        Greatest load of every node that the network can accept, flits/node/cycle.
    switch, port : int
        Output port of the most loaded channel, a link or the port of a node.
    """

    load: float
    switch: int
    port: int


def channel_loads(topology: Topology, tables: Tables, demand: Float | None = None) -> Float:
    """Return the load of every output port [S, P], those to nodes included; ports of one node share its load equally.

    Parameters
    ----------
    topology : Topology
        S switches, N nodes.
    tables : Tables
        Routes; a node with several addresses receives an equal share of its traffic at each.
    demand : array [N, N] or None
        Flits/cycle from each node (row) to each node (column) for a load of 1; None: uniform.

    Raises
    ------
    TsujiError
        If routes are chosen at run time, a route is missing, or a route contains a loop.
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
        report("channel loads", int(demand.sum() - flow.sum()), int(demand.sum()))
        switch, column = np.nonzero(flow)
        if not len(switch):
            ends = topology.local_ends
            loads[ends] = np.repeat(loads[ends].reshape(-1, topology.node_ports).mean(axis=1), topology.node_ports)
            return loads
        moving = flow[switch, column]
        loads += _sums(switch, tables.out[switch, column], moving, loads.shape)
        after = following[switch, column]
        goes = after != NOBODY
        flow = _sums(after[goes], column[goes], moving[goes], flow.shape)
    raise TsujiError(f"{topology.name}: packets go round in circles")


def _sums(row: Int64, column: NDArray[np.integer], values: Float, shape: tuple[int, ...]) -> Float:
    """Return an array of this shape in which each element is the sum of its values."""
    sums = np.bincount(row * shape[1] + column, values, shape[0] * shape[1])
    return np.asarray(sums, np.float64).reshape(shape)


def configured_loads(config: Config) -> tuple[Topology, Float]:
    """Return a configuration's network and the channel loads of its traffic, as `channel_loads`.

    Several planes are returned side by side; they share the traffic as the nodes' selectors divide it.

    Raises
    ------
    TsujiError
        If heads choose among outputs, or there are more routes than can be followed.
    """
    if config.switch.selects:
        raise TsujiError("[adaptive]: heads choose among outputs, and channel loads need routes; leave it out")
    if not config.planes:
        topology = config.networks.topologies()[0].with_node_ports(config.switch.node_ports)
        return topology, _routed_loads(config, topology, _demands(config, config.networks.for_traffic()), 1)
    planes = [plane.with_node_ports(config.switch.node_ports) for plane in config.networks.topologies()]
    params = config.planes.params(config.topology, planes[0].nodes)
    demands = _demands(config, config.topology.build())
    shares = PlaneChooser(params, plane_addresses(params, planes)).shares()
    loads = [
        _routed_loads(config, plane, [demand * share for demand in demands], len(planes))
        for plane, share in zip(planes, shares, strict=True)
    ]
    return side_by_side(planes), np.concatenate(
        [np.pad(each, ((0, 0), (0, max(plane.ports for plane in planes) - each.shape[1]))) for each in loads]
    )


def _demands(config: Config, topology: Topology) -> list[Float]:
    """Return the demand of each class of traffic, for a load of 1 of all together."""
    return [each.demand(topology) / config.load.load for each in config.traffic]


def _routed_loads(config: Config, topology: Topology, demands: list[Float], planes: int) -> Float:
    """Return the loads of one plane."""
    routes = planes * topology.switches * topology.nodes * config.routes.addresses_per_node(topology)
    if routes > MOST_ROUTES:
        raise TsujiError(
            f"[topology]: {topology.name} has {routes:,} routes; channel loads follow at most {MOST_ROUTES:,}, take a "
            "smaller network of the family"
        )
    tables = config.routes.tables(topology, config.switch.escape_vcs)
    return sum(
        (channel_loads(topology, tables.of_class(number), demand) for number, demand in enumerate(demands)),
        np.zeros((topology.switches, topology.ports)),
    )


def throughput_bound(topology: Topology, loads: Float, speedup: int = 1, interval: int = 1) -> ThroughputBound:
    """Return the throughput bound set by the most loaded channel, given the bandwidth of each link.

    Parameters
    ----------
    topology : Topology
        S switches, P ports.
    loads : array [S, P]
        As `channel_loads` returns.
    speedup, interval : int
        `switch.speedup` and `link.interval`.
    """
    busy = loads / link_capacity(topology, speedup, interval)
    switch, port = np.unravel_index(int(busy.argmax()), busy.shape)
    return ThroughputBound(float(1 / busy[switch, port]), int(switch), int(port))
