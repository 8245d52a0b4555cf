"""Graph metrics of two hypercubes on the same nodes (paper D, sections 2.3, 3.2 and 3.3).

Both planes are Cayley graphs of GF(2)^n, and a packet's path depends only on source ⊕ destination. So all switches are
equivalent, and a sum over differences is a sum over all pairs. Differences include 0, a node's own switch, as in the
paper: the mean distance of a hypercube is n / 2.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.params.planes import MAX_ADDRESS_BITS, PlaneParams
from sim.topology.bases.layout import (
    CABLE_NS_PER_M,
    CABLE_PRICES,
    END_NS,
    INTERFACE_PRICE,
    NODES_A_SWITCH,
    PORT_PRICE,
    SWITCH_NS,
    generator_mean,
)
from sim.topology.hypercube import hypercube

Generators = tuple[int, ...]


class GraphFigures(NamedTuple):
    """Graph metrics of two planes.

    Attributes
    ----------
    mean_distance : float
        Mean number of links on the shorter path, over all differences.
    traffic : float
        All-to-all maximum traffic with one node per switch: packets that a node sends ÷ packets on the most loaded
        link, when each node sends two packets to every node, both in the plane with the shorter path, or one in each if
        paths are equal.
    loads : numpy.ndarray
        Packets on a link, by plane and generator [2, links per switch].
    """

    mean_distance: float
    traffic: float
    loads: NDArray[np.int64]


class CostFigures(NamedTuple):
    """Cables and costs, per node with four nodes per switch.

    Attributes
    ----------
    cable_m : float
        Mean length of the cables between switches.
    cable_price, node_cable_price, switch_price, interface_price, price : float
        US$ per node: cables between switches, cables to nodes, switch ports, interfaces; and the total.
    """

    cable_m: float
    cable_price: float
    node_cable_price: float
    switch_price: float
    interface_price: float
    price: float


def unit_basis(bits: int) -> Generators:
    """Return 1, 2, 4, …, the generators of an ordinary hypercube."""
    return tuple(1 << bit for bit in range(bits))


def with_fold(basis: Generators, folded: bool) -> Generators:
    """Return a basis, with the XOR of all its vectors appended if `folded`."""
    return (*basis, int(np.bitwise_xor.reduce(np.array(basis)))) if folded else tuple(basis)


def graph_figures(bits: int, second: Generators) -> GraphFigures:
    """Return the metrics of an ordinary hypercube, folded if the second is, and a second one with these generators.

    Parameters
    ----------
    bits : int
        Dimensions n.
    second : tuple of int
        n generators that are a basis of GF(2)^n, or one more.

    Raises
    ------
    ValueError
        If they are neither.
    """
    first = with_fold(unit_basis(bits), len(second) > bits)
    ways = np.stack([_ways(bits, first), _ways(bits, second)])  # [2, 2^n] route values
    hops = popcounts(ways)
    shorter = hops[0] - hops[1]
    packets = np.stack([1 - np.sign(shorter), 1 + np.sign(shorter)])  # two packets, one or none in each plane
    links = ways[:, :, None] >> np.arange(len(second)) & 1
    loads = (packets[:, :, None] * links).sum(axis=1)
    return GraphFigures(float(hops.min(axis=0).mean()), float(2 * ways.shape[1] / loads.max()), loads)


def cost_figures(bits: int, second: Generators) -> CostFigures:
    """Return cables and costs of the two planes, laid out in racks (`layout`)."""
    first = with_fold(unit_basis(bits), len(second) > bits)
    metres, prices = np.array([generator_mean(bits, generator) for generator in (*first, *second)]).T
    # A cable is shared by its two switches, a switch by its four nodes.
    cables = float(prices.sum()) / 2 / NODES_A_SWITCH
    node_cables = 2 * float(CABLE_PRICES[0])
    ports = 2 * (len(second) + NODES_A_SWITCH)
    switches = ports * PORT_PRICE / NODES_A_SWITCH
    total = cables + node_cables + switches + INTERFACE_PRICE
    return CostFigures(float(metres.mean()), cables, node_cables, switches, INTERFACE_PRICE, total)


def mean_latency(mean_distance: float, cable_m: float) -> float:
    """Return the minimum mean latency, ns: one switch and one cable per link, plus both ends (section 3.2.1)."""
    return (cable_m * CABLE_NS_PER_M + SWITCH_NS) * mean_distance + END_NS


@lru_cache(maxsize=64)
def _ways(bits: int, generators: Generators) -> NDArray[np.int64]:
    PlaneParams(bits=bits, planes=(generators,))  # raises if they are no basis
    return hypercube(bits, generators).route_values


def popcounts(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of 1 bits of each value, of up to `MAX_ADDRESS_BITS` + 1 bits."""
    ones: NDArray[np.int64] = (values[..., None] >> np.arange(MAX_ADDRESS_BITS + 1) & 1).sum(axis=-1)
    return ones
