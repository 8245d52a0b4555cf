"""Accepted traffic of a ring past saturation, node by node: the figure of docs/explanation/past_saturation.md.

    python -m benchmarks.past_saturation

Tornado traffic sends all packets in one direction, three hops on a ring of eight, so that each switch merges passing
traffic with that of its node. The rows are printed, and `docs/past_saturation.svg` is drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import NDArray

import tsuji
from sim.plot.picture import write

PICTURE = Path("docs/past_saturation.svg")
LOADS = (0.05, 0.1, 0.15, 0.2, 0.22, 0.25, 0.3, 0.4, 0.6, 0.8, 1.0)
CLASSES = ("dateline", "fixed")


def configuration(radix: list[int], ring_classes: str = "dateline") -> dict[str, Any]:
    """Return a torus under tornado traffic."""
    return {
        "topology": {"kind": "torus", "radix": radix},
        "switch": {"routing": "dimension_order", "vcs": 4, "depth": 8, "ring_classes": ring_classes},
        "traffic": {"pattern": "tornado"},
    }


def sent(radix: list[int], load: float, **switch: str) -> NDArray[np.float64]:
    """Return the accepted traffic of each node at a load, flits/cycle."""
    config = configuration(radix)
    config["switch"] |= switch
    config["traffic"]["load"] = load
    figures = tsuji.run(config).figures
    return np.array(figures.nodes.sent) / figures.phases.measure


def main() -> None:
    """Measure, print and draw."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    for ring_classes in CLASSES:
        found = [sent([8, 8], load, ring_classes=ring_classes) for load in LOADS]
        for load, each in zip(LOADS, found, strict=True):
            print(f"8×8, {ring_classes:<8}  load {load:<5} mean {each.mean():.4f}  least {each.min():.4f}")
        (line,) = left.plot(LOADS, [each.mean() for each in found], "o-", ms=3, label=f"{ring_classes}, mean")
        left.plot(LOADS, [each.min() for each in found], ":", color=line.get_color(), label=f"{ring_classes}, least")
    left.set(xlabel="offered, flits/node/cycle", ylabel="accepted, flits/node/cycle", title="8×8 torus, tornado")
    places = np.arange(8)
    for n, load in enumerate((0.25, 0.3, 1.0)):
        each = sent([8], load)
        print(f"ring of 8, load {load:<5} by node", " ".join(f"{x:.4f}" for x in each))
        right.bar(places + 0.27 * (n - 1), each, 0.25, label=f"load {load}")
    right.set(xlabel="node", ylabel="sent, flits/cycle", title="ring of 8, tornado: who gets in", xticks=places)
    for axes in (left, right):
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    write(figure, PICTURE)
    print(PICTURE)


if __name__ == "__main__":
    main()
