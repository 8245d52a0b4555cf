"""Result of a measurement: every figure by name; docs/how_to/simulation.md defines each."""

from __future__ import annotations

from typing import NamedTuple

from sim.lib.html_table import html_table
from sim.measure.batch_figures import BatchFigures
from sim.measure.cache_figures import CacheFigures
from sim.measure.class_figures import ClassFigures
from sim.measure.histogram import Histogram
from sim.measure.link_power_figures import LinkFigures
from sim.measure.node_figures import FairnessFigures, NodeFigures
from sim.measure.prediction_figures import PredictionFigures
from sim.measure.statistics import Summary
from sim.measure.utilisation import UtilisationFigures
from sim.power.account import PowerFigures


class Phases(NamedTuple):
    """Cycles spent in each phase."""

    fill: int
    warmup: int
    measure: int
    drain: int


class Figures(NamedTuple):
    """Figures of a measurement; docs/how_to/simulation.md defines each."""

    packet_latency: Summary
    network_latency: Summary
    request_latency: Summary
    reply_latency: Summary
    round_trip: Summary
    zero_load_latency: float | None
    accepted_traffic: float
    offered_traffic: float
    hops: float | None
    fairness: FairnessFigures
    utilisation: UtilisationFigures
    cache: CacheFigures
    links: LinkFigures
    prediction: PredictionFigures
    batch: BatchFigures
    classes: dict[str, ClassFigures]
    power: PowerFigures | None
    saturated: bool
    converged: bool
    packets: int
    unfinished: int
    dropped: int
    phases: Phases
    cycles: int
    flit_hops: int
    wall_s: float
    threads: int
    processes: int
    packet_histogram: Histogram
    network_histogram: Histogram
    nodes: NodeFigures

    def main(self) -> list[tuple[str, str, str]]:
        """Return the main figures: name, value and unit, as text."""
        latency, hit_rate = self.packet_latency, self.cache.hit_rate
        error = "" if latency.ci95 is None else f" ± {latency.ci95:.2f}"
        rows = [
            ("packet latency", _text(latency.mean, 2) + error, "cycles"),
            ("network latency", _text(self.network_latency.mean, 2), "cycles"),
            *(
                (f"latency of {name}", _text(each.packet_latency.mean, 2), "cycles")
                for name, each in self.classes.items()
            ),
            ("offered traffic", _text(self.offered_traffic, 4), "flits/node/cycle"),
            ("accepted traffic", _text(self.accepted_traffic, 4), "flits/node/cycle"),
            ("hops", _text(self.hops, 2), "switches, mean"),
            ("links in use", _text(self.utilisation.mean, 4, 100), "%, mean"),
            ("cache hits", _text(hit_rate, 3, 100), "%"),
            ("power", _text(self.power.mean_w if self.power else None, 1), "W, mean"),
            ("packets", f"{self.packets:,}", "measured"),
            ("saturated", "yes" if self.saturated else "no" if self.converged else "uncertain", ""),
        ]
        return [row for row in rows if row[1] != _NONE]

    def __repr__(self) -> str:
        """Return the main figures on one line."""
        shown = ("packet latency", "accepted traffic", "saturated")
        listed = ", ".join(f"{name} {value} {unit}".strip() for name, value, unit in self.main() if name in shown)
        return f"Figures({listed}, …)"

    def _repr_html_(self) -> str:
        """Return the main figures as a table, for notebooks."""
        return html_table("Figures", self.main())


_NONE = "–"


def _text(value: float | None, digits: int, factor: float = 1.0) -> str:
    """Return a figure as text; a dash for None."""
    return _NONE if value is None else f"{factor * value:,.{digits}f}"
