"""BookSim2's measurement of a network of ours: its phases, criteria and figures.

Sample periods of warm-up are followed by sample periods of measurement until its figures settle. With sim_type latency,
traffic then goes on until the measured packets have left (trafficmanager.cpp of https://github.com/booksim/booksim2).
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

import numpy as np

from sim.booksim.class_figures import ClassFigures
from sim.booksim.class_stream import ClassStream
from sim.booksim.mapping import Plan
from sim.booksim.router_mapping import RouterPlan
from sim.booksim.router_network import RouterNetwork
from sim.booksim.tally import ByNode, Spread, Times
from sim.booksim.traffic_keys import Procedure
from sim.lib.clock import cpu_s
from sim.lib.progress import LOADING
from sim.measure.open_loop import Progress

SETTLED = 3  # sample periods in a row without change that end a measurement
PIECE = 8192  # packets that are offered together
DRAIN_STEP = 100  # cycles between checks that the measured packets have left
DRAIN_CHECK = 10  # steps between checks of the latency


@dataclass(frozen=True)
class Outcome:
    """Result of a measurement.

    Attributes
    ----------
    figures : dict
        BookSim2's figures by the names that it prints; of further classes of traffic with their number: "Class 1: …".
    unstable : str
        Why BookSim2 would have aborted; empty if it would not.
    cycles, flit_hops : int
        Cycles simulated; flits sent over links between switches.
    cpu_s : float
        CPU time, seconds, traffic included, start-up excluded.
    """

    figures: dict[str, Spread]
    unstable: str
    cycles: int
    flit_hops: int
    cpu_s: float


def measure(plan: Plan | RouterPlan, progress: Progress | None = None) -> Outcome:
    """Run the simulations of a plan and return their averaged figures, as BookSim2 does.

    Parameters
    ----------
    plan : Plan or RouterPlan
        Network, traffic, procedure.
    progress : callable or None
        Called with the progress after every sample period.
    """
    found: list[Outcome] = []
    for seed in np.random.SeedSequence(plan.seed).generate_state(plan.classes[0].procedure.sim_count, np.uint64):
        found.append(_Simulation(plan, int(seed), progress).run())
        if found[-1].unstable:
            return found[-1]
    return Outcome(
        figures={name: _mean([each.figures[name] for each in found]) for name in found[0].figures},
        unstable="",
        cycles=sum(each.cycles for each in found),
        flit_hops=sum(each.flit_hops for each in found),
        cpu_s=sum(each.cpu_s for each in found),
    )


def _mean(spreads: list[Spread]) -> Spread:
    columns = ([getattr(each, name) for each in spreads] for name in ("average", "minimum", "maximum"))
    return Spread(*(None if None in column else fmean(column) for column in columns))


class _Simulation:
    """One simulation from cycle 0."""

    def __init__(self, plan: Plan | RouterPlan, seed: int, progress: Progress | None) -> None:
        self._procedure: Procedure = plan.classes[0].procedure
        self._progress = progress
        self._network = plan.network(seed)
        nodes = self._network.nodes
        self._streams = [ClassStream(each, nodes, seed + number) for number, each in enumerate(plan.classes)]
        rate = sum(each.load / each.sizes.mean for each in plan.classes)
        self._piece = max(1, round(PIECE / max(rate, 1e-9) / nodes))  # cycles
        self._figures = [ClassFigures(each, nodes) for each in plan.classes]
        self._measured = [each for each in self._figures if each.measured]
        self._begin: int | None = None  # of the measurement
        self._end: int | None = None

    def run(self) -> Outcome:
        """Run all phases."""
        self._tell(LOADING, 0)
        nobody = self._network.advance(0)[0]  # compiles it; the next two lines compile the tallies
        Times().add(nobody, 0)
        ByNode(self._network.nodes).add(nobody.source, nobody)
        started = cpu_s()
        unstable = self._sample()
        if self._begin is None and not unstable:
            unstable = f"not warmed up within max_samples = {self._procedure.max_samples} sample periods"
        if not unstable and self._procedure.latency:
            unstable = self._drain()
        if unstable or not self._procedure.latency:
            # Packets in flight leave and are counted as injected.
            self._advance(self._procedure.sample_period, recorded=not unstable)
        end = self._network.cycle if self._end is None else self._end
        figures = {
            name if not number else f"Class {number}: {name}": spread
            for number, each in enumerate(self._figures)
            for name, spread in each.figures(end).items()
        }
        spent = cpu_s() - started
        return Outcome(figures, unstable, self._network.cycle, self._network.flit_hops, spent)

    def _sample(self) -> str:
        """Run sample periods until the figures settle; return the reason if they do not."""
        todo = self._procedure
        settled, clear = 0, False
        for number in range(todo.max_samples):
            if clear or (self._begin is None and number % 2 == 0):
                for each in self._figures:
                    each.clear(self._network.cycle)
            clear = False
            self._advance(todo.sample_period)
            self._tell("warming up" if self._begin is None else "measuring", number + 1)
            changes = [each.settle(self._network.cycle) for each in self._measured]
            reason = self._reason_to_abort() if todo.latency else ""
            if reason:
                self._end = self._network.cycle
                return reason
            warming_up = self._begin is None
            steady = all(
                each.is_steady(change, warming_up) for each, change in zip(self._measured, changes, strict=True)
            )
            if not warming_up:
                settled = settled + 1 if steady else 0
                if settled == SETTLED:
                    break
            elif number + 1 >= todo.warmup_periods if todo.warmup_periods else steady:
                self._begin, clear = self._network.cycle, True
                for each in self._figures:
                    each.record_anew()
        self._end = self._network.cycle
        return ""

    def _drain(self) -> str:
        """Simulate until the packets born before the end have left; return the reason if they do not."""
        step = 0
        while self._is_outstanding():
            self._advance(DRAIN_STEP)
            step += 1
            if step % DRAIN_CHECK == 0:
                self._tell("draining", None)
                reason = self._reason_to_abort()
                if reason:
                    return reason
        return ""

    def _is_outstanding(self) -> bool:
        """Return whether a measured packet is under way; a node answers a request in any class that is answered."""
        answered = [each for each in self._figures if each.is_answered]
        if any(each.measured for each in answered) and sum(each.outstanding for each in answered) > 0:
            return True
        return any(each.outstanding > 0 for each in self._measured if not each.is_answered)

    def _reason_to_abort(self) -> str:
        """Return why BookSim2 would give up now; empty: it would not."""
        for number, each in enumerate(self._figures):
            if not each.measured:
                continue
            under_way = each.under_way
            if isinstance(self._network, RouterNetwork) and each.is_answered:
                under_way = self._network.requests_under_way(number)
            reason = each.reason_to_abort(self._network.cycle, under_way)
            if reason:
                return reason if len(self._figures) == 1 else f"class {number}: {reason}"
        return ""

    def _advance(self, cycles: int, recorded: bool = True) -> None:
        """Simulate in pieces: packets offered long before they are sent take up memory."""
        end = self._network.cycle + cycles
        while self._network.cycle < end:
            self._advance_piece(min(self._piece, end - self._network.cycle), recorded)

    def _advance_piece(self, cycles: int, recorded: bool) -> None:
        for number, (figures, stream) in enumerate(zip(self._figures, self._streams, strict=True)):
            packets, kinds = stream.until(self._network.cycle + cycles)
            self._network.offer(packets, number, kinds)
            figures.add_offered(packets, self._end is not None)
        gone = self._network.advance(cycles)
        for figures, each in zip(self._figures, gone, strict=True):
            figures.add_gone(each, self._begin, self._end, self._network.cycle, recorded)

    def _tell(self, phase: str, periods: int | None) -> None:
        """Report progress after `periods` sample periods; None: only the drain is left."""
        period, cycle = self._procedure.sample_period, self._network.cycle
        likely = min(self._procedure.max_samples, max(1, self._procedure.warmup_periods) + SETTLED + 1)
        left = 0 if periods is None else max(1, likely - periods)
        self._network.expect(cycle + left * period)
        if self._progress is not None:
            self._progress(phase, cycle, max(1, cycle + left * period))
