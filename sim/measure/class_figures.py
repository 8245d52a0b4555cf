"""Figures of each message class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sim.measure.period import Period
from sim.measure.statistics import Summary, summarise
from sim.packets import Delivered


class ClassFigures(NamedTuple):
    """Figures of a message class.

    Attributes
    ----------
    packet_latency, network_latency : Summary
        Of its measured packets, cycles.
    offered_traffic, accepted_traffic : float
        Flits/node/cycle.
    packets : int
        Measured packets that left.
    """

    packet_latency: Summary
    network_latency: Summary
    offered_traffic: float
    accepted_traffic: float
    packets: int

    def document(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {
            name: value._asdict() if isinstance(value, Summary) else value for name, value in self._asdict().items()
        }

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> ClassFigures:
        """Return the figures of a `document`."""
        latencies = {name: Summary(**document[name]) for name in ("packet_latency", "network_latency")}
        return cls(**{**document, **latencies})


def class_figures(
    names: Sequence[str], periods: Sequence[Period], packets: Delivered, window: int, batches: int
) -> dict[str, ClassFigures]:
    """Return the figures of each message class by its name.

    Parameters
    ----------
    names : sequence of str
        Names of the classes.
    periods : sequence of Period
        The measurement.
    packets : Delivered
        Packets born in it, by birth.
    window : int
        Cycles · nodes of the measurement.
    batches : int
        Batches for confidence intervals.
    """
    if not names:
        return {}
    offered = np.sum([period.flits_by_class for period in periods if period.flits_by_class is not None], axis=0)
    accepted = np.sum(
        [np.bincount(each.delivered.message_class, each.delivered.size, len(names)) for each in periods], axis=0
    )
    found = {}
    for number, name in enumerate(names):
        own = packets[packets.message_class == number]
        found[name] = ClassFigures(
            summarise(own.eject - own.birth, batches),
            summarise(own.eject - own.enter, batches),
            float(offered[number] / window),
            float(accepted[number] / window),
            len(own),
        )
    return found
