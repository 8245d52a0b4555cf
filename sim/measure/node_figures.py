"""Traffic sent and received by each node, and fairness among nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sim.measure.period import Period
from sim.packets import Int64


class NodeFigures(NamedTuple):
    """Flits of packets whose tail left in the measurement [N], by source node and by destination node."""

    sent: list[int]
    received: list[int]


class FairnessFigures(NamedTuple):
    """Accepted traffic of single nodes, flits/cycle, over the nodes that had packets to send or to receive.

    `..._ratio` is the least ÷ the greatest. `..._jain` is Jain's index, (Σx)² ÷ (n·Σx²): 1 if all are served equally,
    1/n if one gets everything (Jain, Chiu and Hawe, DEC-TR-301, 1984). None if no packet was born.
    """

    source_min: float | None
    source_max: float | None
    source_ratio: float | None
    source_jain: float | None
    destination_min: float | None
    destination_max: float | None
    destination_ratio: float | None
    destination_jain: float | None


def node_figures(periods: Sequence[Period], nodes: int) -> NodeFigures:
    """Return the flits that left in `periods`, by node."""

    def total(name: str) -> Int64:
        flits = np.zeros(nodes, np.int64)
        for period in periods:
            np.add.at(flits, getattr(period.delivered, name), period.delivered.size)
        return flits

    return NodeFigures(total("source").tolist(), total("destination").tolist())


def fairness_figures(periods: Sequence[Period], served: NodeFigures, cycles: int) -> FairnessFigures:
    """Return how equally the nodes were served in a window of `cycles` cycles."""
    sources = sum(period.born_at for period in periods) > 0
    destinations = sum(period.born_for for period in periods) > 0
    return FairnessFigures(
        *_alike(np.array(served.sent)[sources] / cycles),
        *_alike(np.array(served.received)[destinations] / cycles),
    )


def _alike(rates: np.ndarray) -> tuple[float | None, float | None, float | None, float | None]:
    """Return the least, the greatest, their ratio, and Jain's index."""
    if not len(rates):
        return None, None, None, None
    least, most = float(rates.min()), float(rates.max())
    if not most:
        return least, most, None, None
    return least, most, least / most, float(rates.sum() ** 2 / (len(rates) * (rates**2).sum()))
