"""Hypercube: one 5-cube, two equal ones, and two with different coordinates (paper D), on the same nodes."""

import tsuji

cube = {"topology": {"kind": "hypercube", "dimensions": 5}, "traffic": {"load": 0.3}}
for planes in ({"count": 1}, {"count": 2}, {"generators": [[], [7, 11, 13, 14, 31]]}):
    table = tsuji.frame(tsuji.run(cube | {"planes": planes}))
    print(table[["planes.count", "planes.generators", "packet_latency.mean", "hops"]].to_string())
