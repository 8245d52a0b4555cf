"""Mesh: latency and hops of several traffic patterns on an 8×8 mesh."""

import tsuji

mesh = {"topology": {"kind": "mesh", "radix": [8, 8]}, "switch": {"routing": "dimension_order"}}
table = tsuji.sweep(mesh, {"traffic.pattern": ["uniform", "transpose", "bit_complement"]}, {"traffic.load": 0.1})
print(table[["traffic.pattern", "accepted_traffic", "packet_latency.mean", "hops"]])
