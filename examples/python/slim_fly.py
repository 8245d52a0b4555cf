"""Slim Fly: 50 switches with diameter 2."""

import tsuji

slim_fly = {"topology": {"kind": "slim_fly", "q": 5}, "routing": {"kind": "minimal"}, "cache": {"entries": 256}}
print(tsuji.topology(slim_fly).figures)
curve = tsuji.sweep(slim_fly, {"traffic.load": [0.1, 0.3]})
print(curve[["traffic.load", "accepted_traffic", "packet_latency.mean", "hops"]])
