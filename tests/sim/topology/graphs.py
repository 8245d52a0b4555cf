"""Networks made of graphs, for tests of routing: any graph, and k-ary n-trees."""

from itertools import product

import networkx as nx
import numpy as np

from sim.topology.base import Topology


def network_of(graph, local_ports=1, ends=None):
    """Return a network whose switches are the vertices of a graph, with nodes on `ends` (all of them by default)."""
    graph = nx.convert_node_labels_to_integers(graph, ordering="sorted")
    switches = len(graph)
    ends = range(switches) if ends is None else ends
    degree = max(dict(graph.degree).values())
    peer = np.full((2, switches, degree + local_ports), -1)
    wired = [0] * switches
    for pair in sorted(graph.edges):
        ports = [wired[switch] for switch in pair]
        for here, there in ((0, 1), (1, 0)):
            peer[:, pair[here], ports[here]] = pair[there], ports[there]
            wired[pair[here]] += 1
    return Topology(
        name=f"graph of {switches}",
        peer_switch=peer[0],
        peer_port=peer[1],
        node_switch=np.repeat(ends, local_ports),
        node_port=np.tile(degree + np.arange(local_ports), len(ends)),
        addresses=np.arange(len(ends) * local_ports),
        coordinates=np.arange(switches)[:, None],
    )


def tree(k, n):
    """Return a k-ary n-tree (Petrini and Vanneschi, 1997): k^n nodes, n levels of k^(n-1) switches, leaves first."""
    words = list(product(range(k), repeat=n - 1))
    graph = nx.Graph()
    graph.add_nodes_from((level, word) for level in range(n) for word in words)
    for level, word, digit in product(range(n - 1), words, range(k)):
        graph.add_edge((level, word), (level + 1, (*word[:level], digit, *word[level + 1 :])))
    return network_of(graph, k, range(len(words)))


def random_regular(seed, degree=4, switches=16, local_ports=1):
    """Return a connected random regular network."""
    graph = nx.random_regular_graph(degree, switches, seed)
    while not nx.is_connected(graph):
        seed += 1000
        graph = nx.random_regular_graph(degree, switches, seed)
    return network_of(graph, local_ports)


def link_load(topology, tables):
    """Return the number of pairs of different nodes that use each port to a switch [S, P]; -1 at other ports."""
    load = np.where(topology.peer_switch >= 0, 0, -1)
    for column in range(tables.out.shape[1]):
        at = np.delete(topology.node_switch, column // tables.paths)
        while len(at):
            out = tables.out[at, column]
            following = topology.peer_switch[at, out]
            moving = following >= 0
            np.add.at(load, (at[moving], out[moving]), 1)
            at = following[moving]
    return load
