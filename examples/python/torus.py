"""Torus: latency of an 8×8 one against accepted traffic, by fixed and by adaptive routes."""

import tsuji

torus = {"topology": {"kind": "torus", "radix": [8, 8]}, "switch": {"routing": "dimension_order", "vcs": 4}}
for adaptive in ({}, {"adaptive": {"kind": "escape"}}):
    curve = tsuji.sweep(torus | adaptive, {"traffic.load": [0.1, 0.3, 0.5]})
    print(curve[["traffic.load", "accepted_traffic", "packet_latency.mean", "hops"]])
