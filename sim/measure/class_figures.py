"""Figures of each message class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sim.measure.period import Period
from sim.measure.statistics import summarise
from sim.packets import Delivered


class ClassFigures(NamedTuple):
    """Figures of a message class.

    Attributes
    ----------
    packets : int
        Measured packets that left.
    latency_mean, latency_p99, latency_ci95 : float or None
        Packet latency, cycles: mean, 99th percentile, half-width of the 95 % confidence interval of the mean.
    network_latency_mean : float or None
        Mean network latency, cycles.
    offered_traffic, accepted_traffic : float
        Flits/node/cycle.
    """

    packets: int
    latency_mean: float | None
    latency_p99: float | None
    latency_ci95: float | None
    network_latency_mean: float | None
    offered_traffic: float
    accepted_traffic: float

    def main(self, name: str) -> list[tuple[str, str, str]]:
        """Return the main figures of the class of this name: name, value, unit."""
        if self.latency_mean is None:
            return []
        error = "" if self.latency_ci95 is None else f" ± {self.latency_ci95:.2f}"
        return [
            (f"class {name}", f"{self.latency_mean:,.2f}{error}", "cycles, packet latency"),
            ("", f"{self.accepted_traffic:.4f}", "flits/node/cycle accepted"),
        ]


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
        latency = summarise(own.eject - own.birth, batches)
        found[name] = ClassFigures(
            len(own),
            latency.mean,
            latency.p99,
            latency.ci95,
            summarise(own.eject - own.enter, batches).mean,
            float(offered[number] / window),
            float(accepted[number] / window),
        )
    return found
