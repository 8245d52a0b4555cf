"""Spreading: the choice among equally good outputs of each route, so that links are evenly used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.lib.progress import steps
from sim.lib.splitmix import splitmix64
from sim.topology.base import NOBODY, Int64, Topology

ROUNDS = 3
DEAR = np.iinfo(np.int64).max

Spread = Literal["balanced", "hash", "lowest"]


class Ways(NamedTuple):
    """Equally good paths to one switch.

    Attributes
    ----------
    left : array of int64 [S]
        Links left from each switch; -1 if there is no path. A switch's outputs lead to switches with one link less.
    outputs : array of bool [S, P]
        Outputs on such paths.
    """

    left: Int64
    outputs: NDArray[np.bool_]


def spread(topology: Topology, ways: Callable[[int], Ways], how: Spread) -> tuple[Int64, NDArray[np.bool_]]:
    """Choose an output for every switch and node.

    Parameters
    ----------
    topology : Topology
        S switches of P ports, N nodes.
    ways : callable
        Called with a switch, returns the paths to it.
    how : {"balanced", "hash", "lowest"}
        "balanced": one node after the other takes the paths whose links carry the fewest pairs of nodes so far, in sum;
        then, twice, each node gives up its paths and chooses again (Hoefler, Schneider and Lumsdaine, "Optimized
        routing for large-scale InfiniBand networks", HOTI 2009, here on the paths given). "hash": by a hash of switch
        and node, as ECMP. "lowest": the lowest port.

    Returns
    -------
    array of int64 [S, N], array of bool [S, N]
        Outputs; whether there is a path.

    Raises
    ------
    TsujiError
        If some node cannot reach another.
    """
    out = np.zeros((topology.switches, topology.nodes), np.int64)
    found = np.zeros(out.shape, np.bool_)
    by_end = {int(end): ways(int(end)) for end in steps("ways", np.unique(topology.node_switch))}
    for end, (left, outputs) in by_end.items():
        cut = np.flatnonzero(left[topology.node_switch] == NOBODY)
        if len(cut):
            raise TsujiError(f"{topology.name}: no way from node {cut[0]} to the nodes of switch {end}")
        nodes = np.flatnonzero(topology.node_switch == end)
        found[:, nodes] = (left != NOBODY)[:, None]
        for node in nodes:
            out[:, node] = _hashed(outputs, int(node)) if how == "hash" else outputs.argmax(axis=1)
    if how == "balanced":
        _balance(topology, by_end, out)
    out[topology.node_switch, np.arange(topology.nodes)] = topology.node_port
    return out, found


def _balance(topology: Topology, by_end: dict[int, Ways], out: Int64) -> None:
    """Write to `out` [S, N] outputs that spread the pairs of nodes over links."""
    every = np.arange(topology.switches)
    turn = np.arange(topology.ports)
    population = np.bincount(topology.node_switch, minlength=topology.switches)
    load = np.zeros((topology.switches, topology.ports), np.int64)
    taken = np.zeros((topology.nodes, topology.switches), np.int32)
    stages = {end: _stages(way.left) for end, way in by_end.items()}
    turns = list(enumerate(topology.node_switch.tolist())) * ROUNDS
    for node, end in steps("balancing routes", turns):
        load[every, out[:, node]] -= taken[node]
        # Nodes start with different ones of equally good paths.
        price = load * (topology.ports * topology.switches) + (turn - node) % topology.ports
        cost = np.zeros(topology.switches, np.int64)
        for here in stages[end]:
            total = np.where(by_end[end].outputs[here], price[here] + cost[topology.peer_switch[here]], DEAR)
            out[here, node] = total.argmin(axis=1)
            cost[here] = total.min(axis=1)
        pairs = population.copy()
        pairs[by_end[end].left == NOBODY] = 0
        for here in reversed(stages[end]):
            np.add.at(pairs, topology.peer_switch[here, out[here, node]], pairs[here])
        pairs[end] = 0
        taken[node] = pairs
        load[every, out[:, node]] += taken[node]


def _stages(left: Int64) -> list[Int64]:
    """Return the switches with 1, 2, … links left."""
    order = np.argsort(left, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(left[order])) + 1)
    return [part for part in parts if left[part[0]] > 0]


def _hashed(outputs: NDArray[np.bool_], node: int) -> Int64:
    """Return one output [S] of each switch by a hash of its number and the node's."""
    count = outputs.sum(axis=1)
    value = splitmix64(np.arange(len(outputs), dtype=np.uint64) << np.uint64(32) | np.uint64(node))
    wanted = (value % np.maximum(count, 1).astype(np.uint64)).astype(np.int64)
    found: Int64 = (outputs & (outputs.cumsum(axis=1) == (wanted + 1)[:, None])).argmax(axis=1)
    return found
