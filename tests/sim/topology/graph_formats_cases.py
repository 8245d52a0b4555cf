"""One small network in every format: a ring of three switches, as texts."""

GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="edge" attr.name="latency" attr.type="double"/>
  <graph edgedefault="undirected">
    <node id="a"/>
    <node id="b"/>
    <node id="c"/>
    <edge source="a" target="b"><data key="d0">2.0</data></edge>
    <edge source="b" target="c"/>
    <edge source="c" target="a"/>
  </graph>
</graphml>
"""
GML = """graph [
  label "three"
  node [ id 0 label "a" ]
  node [ id 1 label "b" ]
  node [ id 2 label "c" ]
  edge [ source 0 target 1 latency 2.0 ]
  edge [ source 1 target 2 ]
  edge [ source 2 target 0 ]
]
"""
NODE_LINK = """{
 "directed": false, "multigraph": false, "graph": {},
 "nodes": [{"id": "a"}, {"id": "b"},
           {"id": "c"}],
 "links": [
  {"source": "a", "target": "b", "latency": 2.0},
  {"source": "b", "target": "c"},
  {"source": "c", "target": "a"}
 ]
}
"""
NS3 = """6 3 6
3 4 5
0 3 100Gbps 10ns 0
1 4 100Gbps 10ns 0
2 5 100Gbps 10ns 0
3 4 400Gbps 2ns 0
4 5 400Gbps 0ns 0
5 3 400Gbps 0ns 0
"""
IBNETDISCOVER = """#
# Topology file: generated on Tue Jun  5 14:15:10 2007
#
vendid=0x2c9
switchguid=0x1(1)
Switch\t36 "S-0000000000000001"\t\t# "one" base port 0 lid 1 lmc 0
[1]\t"H-0000000000000011"[1](11) \t\t# "node1 HCA-1" lid 4 4xEDR
[2]\t"S-0000000000000002"[2]\t\t# "two" lid 2 4xEDR
[3]\t"S-0000000000000003"[3]\t\t# "three" lid 3 2xEDR

Switch\t36 "S-0000000000000002"\t\t# "two" base port 0 lid 2 lmc 0
[1]\t"H-0000000000000012"[1](12) \t\t# "node2 HCA-1" lid 5 4xEDR
[2]\t"S-0000000000000001"[2]\t\t# "one" lid 1 4xEDR
[3]\t"S-0000000000000003"[2]\t\t# "three" lid 3 4xEDR

Switch\t36 "S-0000000000000003"\t\t# "three" base port 0 lid 3 lmc 0
[1]\t"H-0000000000000013"[1](13) \t\t# "node3 HCA-1" lid 6 4xEDR
[2]\t"S-0000000000000002"[3]\t\t# "two" lid 2 4xEDR
[3]\t"S-0000000000000001"[3]\t\t# "one" lid 1 2xEDR

caguid=0x11
Ca\t1 "H-0000000000000011"\t\t# "node1 HCA-1"
[1](11) \t"S-0000000000000001"[1]\t\t# lid 4 lmc 0 "one" lid 1 4xEDR
"""
TEXTS = {
    "cables": "a b 2\nb c\nc a\n",
    "edge_list": "a b {'latency': 2.0}\nb c\nc a {}\n",
    "adjacency_list": "# of networkx\na b c\nb c\nc a b\n",
    "csv": "source,target,latency\na,b,2\nb,c,\nc,a,\n",
    "graphml": GRAPHML,
    "gml": GML,
    "node_link": NODE_LINK,
    "ns3": NS3,
    "rocketfuel": "a,+WA b,+IL 2\nb,+IL a,+WA 2\nb,+IL c,+NY 1.5\nc,+NY a,+WA 1\n",
    "ibnetdiscover": IBNETDISCOVER,
}
