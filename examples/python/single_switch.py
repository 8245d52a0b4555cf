"""One switch of 16 nodes: how much of its ports' bandwidth it carries, by the number of VCs."""

import tsuji

switch = {
    "topology": {"kind": "single_switch", "locals": 16},
    "routing": {"kind": "up_down"},
    "switch": {"routing": "linear", "depth": 8},
    "traffic": {"load": 0.9},
}
table = tsuji.sweep(switch, {"switch.vcs": [1, 4]}, {"measure.max_drain_periods": 3})
print(table[["switch.vcs", "accepted_traffic", "packet_latency.mean", "saturated"]])
