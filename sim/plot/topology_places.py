"""Places of switches in a picture of a network."""

from __future__ import annotations

from math import pi

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sim.topology.base import Topology
from sim.topology.cables import cable_ends
from sim.topology.coordinates import CoordinateTopology
from sim.topology.dragonfly import Dragonfly
from sim.topology.fat_tree import FatTree
from sim.topology.hypercube import Hypercube
from sim.topology.hyperx import HyperX
from sim.topology.torus import Grid

Places = NDArray[np.float64]

# Two dimensions are the axes of the paper; the third leads back to the right, as in a drawing of a cube.
SLANT = np.array([0.37, 0.29])
GAP, SLOPE = 0.8, 0.12  # gap between the copies for later dimensions, and their slant
MOST_SPRINGS = 100  # most switches of a general graph that are placed by springs; more go on a circle


def places(topology: Topology) -> Places:
    """Return the place of each switch [S, 2], no unit.

    Parameters
    ----------
    topology : Topology
        Grids, hypercubes, HyperX and hyper-crossbars are placed by coordinates, trees by level, dragonflies and Slim
        Flies by group, rings on a circle; other networks by their positions if they have any, else by springs if small,
        on a circle if large.
    """
    if isinstance(topology, FatTree):
        return _tree(topology)
    if isinstance(topology, Dragonfly):
        return _groups(topology.coordinates[:, 0])
    if isinstance(topology, Grid | HyperX) and len(topology.radix) == 1:
        straight = isinstance(topology, Grid) and not any(topology.rings)
        return _line(topology.switches) if straight else _circle(topology.switches)
    if isinstance(topology, CoordinateTopology | Hypercube | HyperX):
        return _projection(topology.coordinates)
    if topology.positions is not None:
        return topology.positions[:, :2]
    if topology.coordinates.shape[1] > 1:
        return _groups(np.unique(topology.coordinates[:, :-1], axis=0, return_inverse=True)[1].ravel())
    return _circle(topology.switches) if topology.switches > MOST_SPRINGS else _springs(topology)


def _line(count: int) -> Places:
    return np.column_stack((np.arange(count), np.zeros(count))).astype(np.float64)


def _circle(count: int) -> Places:
    """Return a circle, clockwise from the top."""
    angle = 2 * pi * np.arange(count) / count
    return np.column_stack((np.sin(angle), np.cos(angle)))


def _projection(coordinates: NDArray[np.int64]) -> Places:
    """Return coordinates on the paper; a coordinate of -1 is a place before the first."""
    found = np.zeros((len(coordinates), 2))
    for dimension, values in enumerate(coordinates.T):
        axis = (dimension + (dimension > 2)) % 2
        if dimension == 2:
            step = SLANT
        elif dimension < 2:
            step = np.eye(2)[axis]
        else:
            step = np.full(2, SLOPE)
            step[axis] = np.ptp(found[:, axis]) + GAP
        found += values[:, None] * step
    return found


def _tree(topology: FatTree) -> Places:
    """Return rows, the nodes' switches at the bottom."""
    level = topology.coordinates[:, 0]
    row = topology.switches // topology.levels
    return np.column_stack((np.arange(topology.switches) % row, level * max(1.0, row / 4)))


def _groups(group: NDArray[np.int64]) -> Places:
    """Return a circle of groups, each a small circle of its switches."""
    count = int(group.max()) + 1
    centre = _circle(count)
    largest = int(np.bincount(group).max())
    room = 0.55 * np.sin(pi / count) if count > 1 else 1.0
    member = np.arange(len(group)) - np.searchsorted(group, group)
    places: Places = centre[group] + room * _circle(largest)[member] * (largest > 1)
    return places


def _springs(topology: Topology) -> Places:
    """Return places by Fruchterman and Reingold's springs."""
    graph: nx.Graph[int] = nx.Graph(cable_ends(topology).tolist())
    graph.add_nodes_from(range(topology.switches))  # one switch alone has no cable
    found = nx.spring_layout(graph, iterations=300, seed=2)
    return np.array([found[switch] for switch in range(topology.switches)])
