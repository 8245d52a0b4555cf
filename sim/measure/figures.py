"""Result of a measurement: every figure by name; docs/how_to/simulation.md defines each."""

from __future__ import annotations

from typing import NamedTuple

from sim.measure.batch_figures import BatchFigures
from sim.measure.cache_figures import CacheFigures
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
    packet_histogram: Histogram
    network_histogram: Histogram
    nodes: NodeFigures
