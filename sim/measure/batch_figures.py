"""Figures of a batch: its completion time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.packets import Delivered


class BatchFigures(NamedTuple):
    """Cycles from the birth of the batch to the tail of the last packet, of all nodes and of each.

    A node is done when all its packets are delivered or, with replies, answered. Without a batch, figures are None and
    lists are empty; nodes that send nothing have None.
    """

    makespan: int | None
    first: int | None
    mean: float | None
    completion: list[int | None]


def batch_figures(packets: Delivered, replies: bool, nodes: int, begin: int) -> BatchFigures:
    """Return the figures of all packets of a batch that was born in cycle `begin`."""
    last = packets[packets.is_reply] if replies else packets
    done = np.full(nodes, -1, np.int64)
    np.maximum.at(done, last.destination if replies else last.source, last.eject - begin)
    sent = done[done >= 0]
    if not len(sent):
        return BatchFigures(None, None, None, [None] * nodes)
    completion = [int(cycles) if cycles >= 0 else None for cycles in done]
    return BatchFigures(int(sent.max()), int(sent.min()), float(sent.mean()), completion)
