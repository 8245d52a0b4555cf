"""Mesh: what patterns of traffic do to an 8×8 one."""

import tsuji

mesh = {"topology": {"kind": "mesh", "radix": [8, 8]}, "switch": {"routing": "dimension_order"}}
table = tsuji.sweep(mesh, {"traffic.pattern": ["uniform", "transpose", "bit_complement"]}, {"traffic.load": 0.1})
print(table[["traffic.pattern", "accepted_traffic", "packet_latency.mean", "hops"]])
