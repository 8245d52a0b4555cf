"""Spreading: the choice among equally good outputs of each route, so that links are evenly used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from models.jit.compiled import compiled_noinline
from sim.lib.progress import steps
from sim.lib.splitmix import splitmix64
from sim.topology.base import NOBODY, Int64, Topology

Int8 = NDArray[np.int8]

ROUNDS = 3
DEAR = int(np.iinfo(np.int64).max)

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


def spread(topology: Topology, ways: Callable[[int], Ways], how: Spread) -> tuple[Int8, NDArray[np.bool_]]:
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
    array of int8 [S, N], array of bool [S, N]
        Outputs; whether there is a path.

    Raises
    ------
    TsujiError
        If some node cannot reach another.
    """
    # One destination after the other: [N, S] in memory.
    out = np.zeros((topology.nodes, topology.switches), np.int8).T
    found = np.zeros((topology.nodes, topology.switches), np.bool_).T
    ends = _ends(topology)
    has_choice = False
    for end, nodes in steps("ways", ends):
        left, outputs = ways(end)
        cut = np.flatnonzero(left[topology.node_switch] == NOBODY)
        if len(cut):
            raise TsujiError(f"{topology.name}: no way from node {cut[0]} to the nodes of switch {end}")
        found[:, nodes] = (left != NOBODY)[:, None]
        lowest = outputs.argmax(axis=1)
        for node in nodes:
            out[:, node] = _hashed(outputs, int(node)) if how == "hash" else lowest
        has_choice = has_choice or bool((np.count_nonzero(outputs, axis=1) > 1).any())
    if how == "balanced" and has_choice:
        _balance(
            topology, [(_listed(topology, ways(end)), nodes) for end, nodes in steps("alternative ways", ends)], out
        )
    out[topology.node_switch, np.arange(topology.nodes)] = topology.node_port
    return out, found


def _ends(topology: Topology) -> list[tuple[int, Int64]]:
    """Return each switch with nodes, and its nodes."""
    order = np.argsort(topology.node_switch, kind="stable")
    ends, begin = np.unique(topology.node_switch[order], return_index=True)
    return list(zip(ends.tolist(), np.split(order, begin[1:]), strict=True))


class _Listed(NamedTuple):
    """Equally good paths to one switch, as lists.

    Attributes
    ----------
    switch : array of int32 [n]
        Switches on paths, those with fewer links left first; the end is none of them.
    begin : array of int32 [n + 1]
        Index of the first output of each, and of the end.
    port : array of int8
        Outputs.
    pairs : array of int32 [S]
        Nodes of each switch from which there is a path.
    """

    switch: NDArray[np.int32]
    begin: NDArray[np.int32]
    port: NDArray[np.int8]
    pairs: NDArray[np.int32]


def _listed(topology: Topology, ways: Ways) -> _Listed:
    left, outputs = ways
    order = np.argsort(left, kind="stable")
    order = order[left[order] > 0]
    place, port = np.nonzero(outputs[order])
    begin = np.searchsorted(place, np.arange(len(order) + 1))
    pairs = np.where(left == NOBODY, 0, np.bincount(topology.node_switch, minlength=topology.switches))
    return _Listed(order.astype(np.int32), begin.astype(np.int32), port.astype(np.int8), pairs.astype(np.int32))


def _balance(topology: Topology, ends: list[tuple[_Listed, Int64]], out: Int8) -> None:
    """Write to `out` [S, N] outputs that spread the pairs of nodes over links."""
    load = np.zeros((topology.switches, topology.ports), np.int64)
    taken = np.zeros((topology.nodes, topology.switches), np.int32)
    scratch = np.zeros((2, topology.switches), np.int64)
    listed = {int(node): ways for ways, nodes in ends for node in nodes}
    for node in steps("balancing routes", list(range(topology.nodes)) * ROUNDS):
        _choose_again(node, topology.peer_switch, *listed[node], load, taken[node], out.T[node], scratch)


@compiled_noinline
def _choose_again(
    node: int,
    peer_switch: np.ndarray,
    switch: np.ndarray,
    begin: np.ndarray,
    port: np.ndarray,
    population: np.ndarray,
    load: np.ndarray,
    taken: np.ndarray,
    out: np.ndarray,
    scratch: np.ndarray,
) -> None:
    """Let a node give up its paths, and take those whose links carry the fewest pairs.

    Parameters
    ----------
    node : int
        Its number.
    peer_switch : array [S, P]
        As in `Topology`.
    switch, begin, port, population : array
        The paths to its switch, as in `_Listed`.
    load : array of int64 [S, P]
        Pairs of nodes on each link.
    taken : array of int32 [S]
        Of these, the pairs with this node as destination, at the output of each switch.
    out : array of int8 [S]
        Output of each switch to this node.
    scratch : array of int64 [2, S]
        Memory for sums.
    """
    ports = load.shape[1]
    for k in range(len(switch)):
        load[switch[k], out[switch[k]]] -= taken[switch[k]]
    cost, pairs = scratch[0], scratch[1]
    cost[:] = 0
    for s in range(len(pairs)):
        pairs[s] = population[s]
    for k in range(len(switch)):
        s = switch[k]
        least = DEAR
        for n in range(begin[k], begin[k + 1]):
            p = port[n]
            # Nodes start with different ones of equally good paths.
            price = load[s, p] * (ports * len(pairs)) + (p - node) % ports + cost[peer_switch[s, p]]
            if price < least:
                least = price
                out[s] = p
        cost[s] = least
    for k in range(len(switch) - 1, -1, -1):
        s = switch[k]
        pairs[peer_switch[s, out[s]]] += pairs[s]
        taken[s] = pairs[s]
        load[s, out[s]] += pairs[s]


def _hashed(outputs: NDArray[np.bool_], node: int) -> Int64:
    """Return one output [S] of each switch by a hash of its number and the node's."""
    count = outputs.sum(axis=1)
    value = splitmix64(np.arange(len(outputs), dtype=np.uint64) << np.uint64(32) | np.uint64(node))
    wanted = (value % np.maximum(count, 1).astype(np.uint64)).astype(np.int64)
    found: Int64 = (outputs & (outputs.cumsum(axis=1) == (wanted + 1)[:, None])).argmax(axis=1)
    return found
