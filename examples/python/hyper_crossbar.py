"""Hyper-crossbar: a 4×4 one by fixed routes, and adaptive with the crossbars' look-ahead (paper E)."""

import tsuji

crossbars = {
    "topology": {"kind": "hyper_crossbar", "radix": [4, 4]},
    "switch": {"routing": "hyper_crossbar", "buffering": "flexible", "depth": 8},
}
for adaptive in ({}, {"adaptive": {"kind": "step", "lookahead": True}}):
    curve = tsuji.sweep(crossbars | adaptive, {"traffic.load": [0.1, 0.4]})
    print(curve[["traffic.load", "accepted_traffic", "packet_latency.mean"]])
