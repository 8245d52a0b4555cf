"""Dragonfly: all nodes of a group send to the next group, over the single cable between them or on UGAL's detours."""

import tsuji

dragonfly = {
    "topology": {"kind": "dragonfly", "group_switches": 4, "global_links": 2, "latencies": [0, 20]},
    "switch": {"vcs": 6, "depth": 32},
    "traffic": {"pattern": "group_shift", "group_size": 8, "load": 0.2},
}
table = tsuji.sweep(dragonfly, {"routing.kind": ["minimal", "ugal"]}, {"measure.max_drain_periods": 3})
print(table[["routing.kind", "accepted_traffic", "packet_latency.mean", "saturated"]])
