"""Any graph of networkx: the Tutte–Coxeter graph, and with four of its cables ten cycles longer."""

import networkx as nx

import tsuji

graph = nx.LCF_graph(30, [-13, -9, 7, -7, 9, 13], 5)
network = {"topology": graph, "routing": {"kind": "up_down"}, "switch": {"depth": 16}}
print(tsuji.run(network).figures.packet_latency.mean)
for edge in list(graph.edges)[:4]:
    graph.edges[edge]["latency"] = 10
print(tsuji.run(network).figures.packet_latency.mean)
