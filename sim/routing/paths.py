"""Walks along tables: the switches on a packet's path, and whether it arrives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.lib.progress import report
from sim.routing.base import Tables
from sim.topology.base import NOBODY, Int64, Topology


def next_switch(topology: Topology, tables: Tables) -> Int64:
    """Return the next switch on the route to each address [S, C]; -1 at the last switch and without a route.

    Raises
    ------
    TsujiError
        If a route leads to a port with neither a switch nor the right node.
    """
    rows = np.arange(topology.switches)[:, None]
    outs = np.where(tables.found, tables.out, 0)
    following = np.where(tables.found, topology.peer_switch[rows, outs], NOBODY)
    lost = tables.found & (following == NOBODY) & (topology.port_node[rows, outs] != tables.nodes)
    if lost.any():
        refuse_lost(topology, tables, *np.argwhere(lost)[0])
    return following


def refuse_lost(topology: Topology, tables: Tables, switch: int, column: int) -> NoReturn:
    """Refuse a route that leads to a port with neither a switch nor the right node."""
    raise TsujiError(
        f"{topology.name}: the route at switch {switch} to {_name(tables, column)} leaves through port "
        f"{tables.out[switch, column]}, where neither a switch nor that node is"
    )


def used(topology: Topology, tables: Tables) -> NDArray[np.bool_]:
    """Return a mask of the routes [S, C] that packets of any node can use."""
    following = next_switch(topology, tables)
    met = np.zeros(following.shape, np.bool_)
    met[topology.node_switch] = True
    met &= tables.found
    fresh = met
    while fresh.any():
        reached = np.zeros_like(met)
        for _, columns, peers in moves(topology, tables, following, fresh):
            reached[peers, columns] = True
        fresh = reached & ~met & tables.found
        met = met | fresh
    return met


def moves(
    topology: Topology, tables: Tables, following: Int64, at: NDArray[np.bool_]
) -> Iterator[tuple[Int64, Int64, Int64]]:
    """Yield every move from the places `at` [S, C] as switches, columns, next switches [n]: by routes, then by choices.

    Parameters
    ----------
    topology, tables
        The network and its routes.
    following : array [S, C]
        As returned by `next_switch`.
    at : array of bool [S, C]
        Mask of switches, and of the addresses of packets there.
    """
    switches, columns = np.nonzero(at & (following != NOBODY))
    yield switches, columns, following[switches, columns]
    if tables.choices is None:
        return
    for port in range(topology.ports):
        taken = at & (tables.choices >> port & 1 == 1)
        switches, columns = np.nonzero(taken & (topology.peer_switch[:, port] != NOBODY)[:, None])
        yield switches, columns, topology.peer_switch[switches, port]


def hops(topology: Topology, tables: Tables) -> Int64:
    """Return the number of switches from each switch to each address [S, C]; 0 without a route.

    Raises
    ------
    TsujiError
        If a route contains a loop.
    """
    following = next_switch(topology, tables)
    columns = np.arange(following.shape[1])
    count = np.zeros(following.shape, np.int64)
    at = np.where(tables.found, np.arange(topology.switches)[:, None], NOBODY)
    for _ in range(topology.switches):
        moving = at != NOBODY
        if not moving.any():
            return count
        report("lengths of ways", int(np.count_nonzero(~moving)), moving.size)
        count += moving
        at = np.where(moving, following[at, columns], NOBODY)
    if (at != NOBODY).any():
        switch, column = np.argwhere(at != NOBODY)[0]
        name = _name(tables, column)
        raise TsujiError(f"{topology.name}: a packet from switch {switch} to {name} goes round in circles")
    return count


def _name(tables: Tables, column: int) -> str:
    """Return a description of a column's destination."""
    node, path = int(tables.nodes[column]), int(column) % tables.paths
    return f"node {node}" if tables.paths == 1 else f"node {node} by path {path}"
