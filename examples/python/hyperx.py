"""HyperX: a 4×4 one where all nodes of a switch send to the next switch: shortest paths, detours, or the better."""

import tsuji

hyperx = {
    "topology": {"kind": "hyperx", "radix": [4, 4], "locals": 4},
    "switch": {"vcs": 4, "depth": 8},
    "cache": {"entries": 512},
    "traffic": {"pattern": "group_shift", "group_size": 4},
}
table = tsuji.sweep(hyperx, {"routing.kind": ["minimal", "valiant", "ugal"], "traffic.load": [0.1, 0.4]})
print(table[["routing.kind", "traffic.load", "accepted_traffic", "packet_latency.mean"]])
