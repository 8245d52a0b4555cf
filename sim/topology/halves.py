"""A narrow cut into halves, for networks without a closed form: an upper bound of the bisection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.lib.progress import steps
from sim.topology.base import Topology
from sim.topology.cables import cable_ends

if TYPE_CHECKING:
    import networkx as nx

MOST = 512  # most switches; the search takes seconds above


def narrow_cut(topology: Topology, trials: int = 5, seed: int = 1) -> int | None:
    """Return the fewest one-way channels found between two equal halves of the switches.

    Halves are improved by the method of Kernighan and Lin (Bell System Technical Journal, 1970), from random ones.

    Parameters
    ----------
    topology : Topology
        The network; the result is None if its switches have different numbers of nodes, are odd in number, or more than
        512.
    trials : int
        Number of random starts.
    seed : int
        Seed of the random starts.
    """
    import networkx as nx

    population = np.bincount(topology.node_switch, minlength=topology.switches)
    if population.min() != population.max() or topology.switches % 2 or topology.switches > MOST:
        return None
    ends, copies = np.unique(cable_ends(topology), axis=0, return_counts=True)
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(topology.switches))
    graph.add_weighted_edges_from(np.column_stack((ends, copies)).tolist())
    cuts = []
    for trial in steps("narrow cut", range(trials)):
        half, _ = nx.community.kernighan_lin_bisection(graph, seed=seed + trial)
        inside = np.isin(ends, list(half))
        cuts.append(int(copies[inside[:, 0] != inside[:, 1]].sum()))
    return 2 * min(cuts)
