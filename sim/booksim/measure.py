"""BookSim2's measurement of a network of ours: its phases, criteria and figures.

Sample periods of warm-up are followed by sample periods of measurement until its figures settle. With sim_type latency,
traffic then goes on until the measured packets have left (trafficmanager.cpp of https://github.com/booksim/booksim2).
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

import numpy as np

from models.state.registers import NEVER
from sim.booksim.link_clock import LinkClock
from sim.booksim.mapping import Plan, Procedure
from sim.booksim.tally import ByNode, Spread, Times
from sim.lib.clock import cpu_s
from sim.lib.progress import LOADING
from sim.measure.open_loop import Progress
from sim.packets import Delivered
from sim.traffic.stream import Stream

TERMINAL_LINKS = 2  # BookSim2's injection and ejection channels take a cycle each; nodes here sit at their switch
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
        BookSim2's figures by the names that it prints.
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


def measure(plan: Plan, progress: Progress | None = None) -> Outcome:
    """Run the simulations of a plan and return their averaged figures, as BookSim2 does.

    Parameters
    ----------
    plan : Plan
        Network, traffic, procedure.
    progress : callable or None
        Called with the progress after every sample period.
    """
    found: list[Outcome] = []
    for seed in np.random.SeedSequence(plan.seed).generate_state(plan.procedure.sim_count, np.uint64):
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

    def __init__(self, plan: Plan, seed: int, progress: Progress | None) -> None:
        self._procedure: Procedure = plan.procedure
        self._progress = progress
        self._network = LinkClock(plan.build(), plan.config.switch.speedup)
        self._nodes = self._network.topology.nodes
        self._stream = Stream(self._network.topology, plan.pattern, plan.arrivals, plan.sizes, plan.load, seed)
        self._piece = max(1, round(PIECE * plan.sizes.mean / max(plan.load, 1e-9) / self._nodes))  # cycles
        self._single = max(plan.sizes.all) == 1
        self._clear()
        self._begin: int | None = None  # of the measurement
        self._end: int | None = None
        self._flits = self._moments = 0  # of the packets under way: their flits, and births times flits
        self._born = self._left = 0

    def run(self) -> Outcome:
        """Run all phases."""
        self._tell(LOADING, 0)
        nobody = self._network.advance(0)  # compiles it; the next two lines compile the tallies
        Times().add(nobody, 0)
        ByNode(self._nodes).add(nobody.source, nobody)
        started = cpu_s()
        unstable = self._sample()
        if self._begin is None and not unstable:
            unstable = f"not warmed up within max_samples = {self._procedure.max_samples} sample periods"
        if not unstable and self._procedure.latency:
            unstable = self._drain()
        if unstable or not self._procedure.latency:
            # Packets in flight leave and are counted as injected.
            self._advance(self._procedure.sample_period, recorded=not unstable)
        figures = self._figures()
        spent = cpu_s() - started
        return Outcome(figures, unstable, self._network.cycle, self._network.flit_hops, spent)

    def _sample(self) -> str:
        """Run sample periods until the figures settle; return the reason if they do not."""
        todo = self._procedure
        settled, last, clear = 0, (0.0, 0.0), False
        for number in range(todo.max_samples):
            if clear or (self._begin is None and number % 2 == 0):
                self._clear()
            clear = False
            self._advance(todo.sample_period)
            self._tell("warming up" if self._begin is None else "measuring", number + 1)
            now = self._times.latencies.mean, self._accepted_rate()
            changes = [abs(new - old) / new if new else 0.0 for new, old in zip(now, last, strict=True)]
            last = now
            if todo.latency and self._too_slow():
                self._end = self._network.cycle
                return self._gave_up
            if self._begin is None:
                thresholds = todo.warmup_thres, todo.acc_warmup_thres
                if number + 1 >= todo.warmup_periods if todo.warmup_periods else self._steady(changes, thresholds):
                    self._begin, clear = self._network.cycle, True
                    self._record_anew()
            else:
                steady = self._steady(changes, (todo.stopping_thres, todo.acc_stopping_thres))
                settled = settled + 1 if steady else 0
                if settled == SETTLED:
                    break
        self._end = self._network.cycle
        return ""

    def _steady(self, changes: list[float], thresholds: tuple[float, float]) -> bool:
        """Return whether accepted traffic and, with sim_type latency, latency settled; a limit below 0 always holds."""
        latency, accepted = (limit < 0 or change <= limit for change, limit in zip(changes, thresholds, strict=True))
        return accepted and (latency or not self._procedure.latency)

    def _drain(self) -> str:
        """Simulate until the packets born before the end have left; return the reason if they do not."""
        born, step = self._born, 0
        while self._left < born:
            self._advance(DRAIN_STEP)
            step += 1
            if step % DRAIN_CHECK == 0:
                self._tell("draining", None)
                if self._too_slow():
                    return self._gave_up
        return ""

    def _advance(self, cycles: int, recorded: bool = True) -> None:
        """Simulate in pieces: packets offered long before they are sent take up memory."""
        end = self._network.cycle + cycles
        while self._network.cycle < end:
            self._advance_piece(min(self._piece, end - self._network.cycle), recorded)

    def _advance_piece(self, cycles: int, recorded: bool) -> None:
        packets = self._stream.until(self._network.cycle + cycles)
        self._network.offer(packets)
        gone = self._network.advance(cycles)
        if self._end is None:
            self._accepted.add(gone.destination, gone)
        self._injected.add(gone.source, gone, self._reset, NEVER if self._end is None else self._end)
        if recorded:
            self._record(gone)
        self._flits += packets.flits - gone.flits
        self._moments += int(packets.size @ packets.birth) - int(gone.size @ gone.birth)
        if self._end is None:
            self._born += len(packets)
            self._left += len(gone)
        else:
            self._left += int((gone.birth < self._end).sum())

    def _clear(self) -> None:
        """Reset all figures."""
        self._injected, self._accepted = ByNode(self._nodes), ByNode(self._nodes)
        self._reset = self._network.cycle
        self._record_anew()

    def _record_anew(self) -> None:
        """Reset the figures of the packets that count."""
        self._times = Times()

    def _record(self, packets: Delivered) -> None:
        """Record latencies; in the measurement only those of packets that reached the front of their queue in it.

        BookSim2 creates a packet when its predecessor has been sent, so a packet with an earlier birth may count.
        """
        if self._begin is None:
            self._times.add(packets, TERMINAL_LINKS)
        else:
            end = self._network.cycle if self._end is None else self._end
            self._times.add(packets, TERMINAL_LINKS, self._begin, end)

    def _accepted_rate(self) -> float:
        return int(self._accepted.flits.sum()) / (self._network.cycle - self._reset) / self._nodes

    def _too_slow(self) -> bool:
        """Return whether the mean latency, including the age of the flits in flight, exceeds the threshold."""
        limit = self._procedure.latency_thres
        count = self._times.latencies.count + self._flits
        ages = self._flits * self._network.cycle - self._moments
        total = self._times.latencies.total + ages
        return limit >= 0 and count > 0 and total / count > limit

    @property
    def _gave_up(self) -> str:
        return f"mean latency exceeded latency_thres = {self._procedure.latency_thres:g} cycles"

    def _figures(self) -> dict[str, Spread]:
        end = self._network.cycle if self._end is None else self._end
        injected, accepted = (each.rates(end - self._reset) for each in (self._injected, self._accepted))
        network, unknown = self._times.in_network.spread, Spread(None)
        return {
            "Packet latency": self._times.latencies.spread,
            "Network latency": network,
            "Flit latency": network if self._single else unknown,
            "Fragmentation": Spread(0.0, 0.0, 0.0) if self._single else unknown,
            "Injected packet rate": injected[0],
            "Accepted packet rate": accepted[0],
            "Injected flit rate": injected[1],
            "Accepted flit rate": accepted[1],
            "Injected packet size": self._injected.packet_size,
            "Accepted packet size": self._accepted.packet_size,
            "Hops": Spread(self._times.hops.mean if self._times.hops.count else None),
        }

    def _tell(self, phase: str, periods: int | None) -> None:
        """Report progress after `periods` sample periods; None: only the drain is left."""
        period, cycle = self._procedure.sample_period, self._network.cycle
        likely = min(self._procedure.max_samples, max(1, self._procedure.warmup_periods) + SETTLED + 1)
        left = 0 if periods is None else max(1, likely - periods)
        self._network.expect(cycle + left * period)
        if self._progress is not None:
            self._progress(phase, cycle, max(1, cycle + left * period))
