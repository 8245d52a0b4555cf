"""Hosts of graphs as nodes of switches."""

import networkx as nx
import pytest

from sim.topology.graph import from_networkx


def graph(*hosts, type="host"):
    """Return switches s and t with a cable, and hosts with their cables."""
    made = nx.MultiGraph([("s", "t")])
    for name, ends in hosts:
        made.add_node(name, type=type)
        made.add_edges_from((name, end) for end in ends)
    return made


def test_hosts_are_nodes_of_their_switches():
    network = from_networkx(graph(("h", "t"), ("i", "s"), ("j", "t"), type="Server"), 5)
    assert network.switches == 2
    assert network.node_switch.tolist() == [0, 1, 1]


def test_a_switch_that_says_its_nodes_has_them_besides_its_hosts():
    made = graph(("h", "t"))
    made.nodes["s"]["nodes"] = 2
    assert from_networkx(made).node_switch.tolist() == [0, 0, 1]


def test_hosts_with_several_cables_are_switches():
    with pytest.warns(UserWarning, match="1 hosts have several cables, or one to another host: they are switches"):
        network = from_networkx(graph(("h", "st"), ("i", "s")))
    assert network.switches == 3
    assert network.node_switch.tolist() == [0, 2]


def test_hosts_alone_are_a_direct_network(recwarn):
    made = nx.cycle_graph(4)
    nx.set_node_attributes(made, "host", "type")
    assert from_networkx(made).node_switch.tolist() == [0, 1, 2, 3]
    assert not [each for each in recwarn if each.category is UserWarning]  # sockets of other tests may be collected


def test_hosts_of_one_switch_are_a_star(recwarn):
    made = nx.star_graph(4)
    nx.set_node_attributes(made, dict.fromkeys(range(1, 5), "host"), "type")
    network = from_networkx(made)
    assert (network.switches, network.nodes, network.ports) == (1, 4, 4)
    assert network.figures.diameter == 0


def test_slower_cables_of_nodes_are_named():
    made = graph(("h", "t"))
    made.edges["s", "t", 0]["bandwidth"] = "400G"
    made.edges["h", "t", 0].update(bandwidth="100G", delay="5ns")
    with pytest.warns(UserWarning, match=r"link.node_latency: their bandwidth, delay has no effect"):
        from_networkx(made)
