"""Random regular graphs (Jellyfish): distances and latency of three seeds beside the torus of as many links."""

import tsuji

random = {"kind": "random_regular", "switches": 36, "degree": 4}
for topology in [random | {"seed": seed} for seed in (1, 2, 3)] + [{"kind": "torus", "radix": [6, 6]}]:
    network = {"topology": topology, "routing": {"kind": "up_down"}, "switch": {"vcs": 4}}
    figures = tsuji.run(network).figures
    print(topology["kind"], tsuji.topology(network).figures.mean_distance, figures.packet_latency.mean)
