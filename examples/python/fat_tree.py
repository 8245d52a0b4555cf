"""Fat tree: a 4-ary 2-tree, paths up spread evenly or by a hash."""

import tsuji

tree = {"topology": {"kind": "fat_tree", "arity": 4, "levels": 2}, "routing": {"kind": "up_down"}}
table = tsuji.sweep(tree, {"routing.spread": ["balanced", "hash", "lowest"]}, {"traffic.load": 0.3})
print(table[["routing.spread", "accepted_traffic", "packet_latency.mean"]])
