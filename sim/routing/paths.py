"""Walks along tables: which switches a packet meets on its way, and whether it arrives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.lib.progress import report
from sim.routing.base import Tables
from sim.topology.base import NOBODY, Int64, Topology


def next_switch(topology: Topology, tables: Tables) -> Int64:
    """Return the switch after each switch on the way to each address [S, C]; -1 at the last switch and without route.

    Raises
    ------
    TsujiError
        If a route leads to a port that has neither a switch nor the right node.
    """
    rows = np.arange(topology.switches)[:, None]
    outs = np.where(tables.found, tables.out, 0)
    following = np.where(tables.found, topology.peer_switch[rows, outs], NOBODY)
    lost = tables.found & (following == NOBODY) & (topology.port_node[rows, outs] != tables.nodes)
    if lost.any():
        switch, column = np.argwhere(lost)[0]
        raise TsujiError(
            f"{topology.name}: the route at switch {switch} to {_name(tables, column)} leaves through port "
            f"{tables.out[switch, column]}, where neither a switch nor that node is"
        )
    return following


def used(topology: Topology, tables: Tables) -> NDArray[np.bool_]:
    """Return which routes [S, C] packets from any node can meet."""
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
    """Yield every move from the places `at` [S, C]: switches, columns, switches after [n]; by route, then by each port.

    Parameters
    ----------
    topology, tables
        The network and its routes.
    following : array [S, C]
        `next_switch`.
    at : array of bool [S, C]
        Switches, and the addresses that packets there are sent to.
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
    """Return the switches a packet traverses from each switch to each address [S, C]; 0 where there is no route.

    Raises
    ------
    TsujiError
        If a packet would go round in circles.
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
    """Return what a column of tables leads to, in words."""
    node, path = divmod(int(column), tables.paths)
    return f"node {node}" if tables.paths == 1 else f"node {node} by path {path}"
