"""Sizes of packets from a traffic table, by source and destination."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sim.topology.base import Int64
from sim.traffic.pattern import Float


class TableSizes:
    """Sizes of packets of each pair of nodes, used in place of `Sizes`.

    A pair with several sizes draws one for each packet, in proportion to the weights.

    Parameters
    ----------
    nodes : int
        Nodes of the network.
    source, destination, size : array of int64 [n]
        Nodes, and flits of their packets.
    weight : array of float64 [n]
        Relative rates of packets, each above 0.
    """

    key = "matrix"

    def __init__(self, nodes: int, source: Int64, destination: Int64, weight: Float, size: Int64) -> None:
        self._nodes = nodes
        sent = source != destination
        self.all: tuple[int, ...] = tuple(np.unique(size[sent]).tolist())
        self.mean = float(np.average(size[sent], weights=weight[sent]))
        order = np.argsort(source * nodes + destination, kind="stable")
        pair, weight, self._size = (source * nodes + destination)[order], weight[order], size[order]
        begins = np.flatnonzero(np.diff(pair, prepend=-1))
        cumulated = np.cumsum(weight)
        before = np.repeat(cumulated[begins] - weight[begins], np.diff(begins, append=len(pair)))
        total = np.repeat(np.add.reduceat(weight, begins), np.diff(begins, append=len(pair)))
        share = (cumulated - before) / total
        share[np.append(begins[1:], len(pair)) - 1] = 1.0  # without error of rounding
        self._limits = pair + share

    def draw(self, rng: np.random.Generator, source: Int64, destination: Int64) -> Int64:
        """Return the size of a packet of each source and destination, flits."""
        pair = source * self._nodes + destination
        place = np.searchsorted(self._limits, pair + rng.random(len(pair)), side="right")
        last = np.searchsorted(self._limits, pair + 1.0)
        return self._size[np.minimum(np.minimum(place, last), len(self._size) - 1)]

    def model_dump(self, *, mode: Literal["json"]) -> dict[str, Any]:
        """Return no keys: the sizes are in the file of the table."""
        return {}
