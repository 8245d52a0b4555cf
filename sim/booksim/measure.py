"""BookSim2's measurement: its phases, its criteria, its figures, of a network of ours.

Sample periods of warm-up, then of measurement until its figures hardly change, then, with sim_type latency, traffic
goes on until the packets measured have left (trafficmanager.cpp of https://github.com/booksim/booksim2).
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from time import process_time

import numpy as np

from sim.booksim.mapping import Plan, Procedure
from sim.measure import Progress
from sim.packets import Delivered, Int64
from sim.simulation import build
from sim.traffic.stream import Stream

TERMINAL_LINKS = 2  # BookSim2's injection and ejection channels take a cycle each; nodes here sit at their switch
SETTLED = 3  # sample periods in a row without change that end a measurement
DRAIN_STEP = 100  # cycles between two looks whether the measured packets have left
DRAIN_CHECK = 10  # steps between two looks at the latency


@dataclass(frozen=True)
class Spread:
    """A figure: of packets, or of nodes. None where it is not known here.

    Attributes
    ----------
    average, minimum, maximum : float or None
        Cycles, or packets or flits a node a cycle.
    """

    average: float | None
    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What a measurement found.

    Attributes
    ----------
    figures : dict
        BookSim2's figures by the names it prints.
    unstable : str
        Why BookSim2 would have given up; empty when it would not.
    cycles, flit_hops : int
        Simulated; flits sent over links between switches.
    cpu_s : float
        Seconds of CPU time, traffic included, without start-up.
    """

    figures: dict[str, Spread]
    unstable: str
    cycles: int
    flit_hops: int
    cpu_s: float


def measure(plan: Plan, progress: Progress | None = None) -> Outcome:
    """Run the simulations that a plan asks for; figures are averaged over them, as BookSim2 does.

    Parameters
    ----------
    plan : Plan
        Network, traffic, procedure.
    progress : callable or None
        Told after every sample period how far it is.
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


@dataclass
class _Sum:
    """Numbers, as far as their mean needs them."""

    count: int = 0
    total: int = 0

    def add(self, values: Int64) -> None:
        self.count += len(values)
        self.total += int(values.sum())

    @property
    def mean(self) -> float:
        """Their mean; 0 of none."""
        return self.total / self.count if self.count else 0.0


class _Simulation:
    """One simulation from cycle 0."""

    def __init__(self, plan: Plan, seed: int, progress: Progress | None) -> None:
        self._procedure: Procedure = plan.procedure
        self._progress = progress
        self._network = build(plan.config)
        self._nodes = self._network.topology.nodes
        self._stream = Stream(self._network.topology, plan.pattern, plan.arrivals, plan.sizes, plan.load, seed)
        self._single = max(plan.sizes.all) == 1
        self._delivered: list[Delivered] = []  # since the last reset of the figures
        self._recorded: list[Delivered] = []  # those of them whose latencies count
        self._latencies = _Sum()
        self._accepted: list[Delivered] = []  # the same as the first, before the drain
        self._reset = 0
        self._begin: int | None = None  # of the measurement
        self._end: int | None = None
        self._flits = self._moments = 0  # of the packets under way: their flits, and births times flits
        self._born = self._left = 0

    def run(self) -> Outcome:
        """Run all phases."""
        self._tell("loading the engine", 0)
        self._network.advance(0)  # compiles it
        started = process_time()
        unstable = self._sample()
        if self._begin is None and not unstable:
            unstable = f"not warmed up within max_samples = {self._procedure.max_samples} sample periods"
        if not unstable and self._procedure.latency:
            unstable = self._drain()
        recorded = len(self._recorded)
        if unstable or not self._procedure.latency:
            # What is under way leaves and is counted as injected.
            self._advance(self._procedure.sample_period)
            recorded = recorded if unstable else len(self._recorded)
        packets = Delivered.join(self._recorded[:recorded])
        spent = process_time() - started
        return Outcome(self._figures(packets), unstable, self._network.cycle, self._network.flit_hops, spent)

    def _sample(self) -> str:
        """Run sample periods until the figures settle; return why not."""
        todo = self._procedure
        settled, last, clear = 0, (0.0, 0.0), False
        for number in range(todo.max_samples):
            if clear or (self._begin is None and number % 2 == 0):
                self._clear()
            clear = False
            self._advance(todo.sample_period)
            self._accepted = list(self._delivered)
            self._tell("warming up" if self._begin is None else "measuring", number + 1)
            now = self._latencies.mean, self._accepted_rate()
            changes = [abs(new - old) / new if new else 0.0 for new, old in zip(now, last, strict=True)]
            last = now
            if todo.latency and self._too_slow():
                self._end = self._network.cycle
                return self._gave_up
            if self._begin is None:
                thresholds = todo.warmup_thres, todo.acc_warmup_thres
                if number + 1 >= todo.warmup_periods if todo.warmup_periods else self._steady(changes, thresholds):
                    self._begin, clear = self._network.cycle, True
                    self._recorded, self._latencies = [], _Sum()
            else:
                steady = self._steady(changes, (todo.stopping_thres, todo.acc_stopping_thres))
                settled = settled + 1 if steady else 0
                if settled == SETTLED:
                    break
        self._end = self._network.cycle
        return ""

    def _steady(self, changes: list[float], thresholds: tuple[float, float]) -> bool:
        """Return whether accepted traffic and, with sim_type latency, latency hardly changed; below 0: do not ask."""
        latency, accepted = (limit < 0 or change <= limit for change, limit in zip(changes, thresholds, strict=True))
        return accepted and (latency or not self._procedure.latency)

    def _drain(self) -> str:
        """Go on until the packets born before the end have left; return why not."""
        born, step = self._born, 0
        while self._left < born:
            self._advance(DRAIN_STEP)
            step += 1
            if step % DRAIN_CHECK == 0:
                self._tell("draining", None)
                if self._too_slow():
                    return self._gave_up
        return ""

    def _advance(self, cycles: int) -> None:
        packets = self._stream.until(self._network.cycle + cycles)
        self._network.offer(packets)
        gone = self._network.advance(cycles)
        self._delivered.append(gone)
        self._record(gone)
        self._flits += packets.flits - gone.flits
        self._moments += int(packets.size @ packets.birth) - int(gone.size @ gone.birth)
        if self._end is None:
            self._born += len(packets)
            self._left += len(gone)
        else:
            self._left += int((gone.birth < self._end).sum())

    def _clear(self) -> None:
        self._delivered, self._recorded, self._latencies = [], [], _Sum()
        self._reset = self._network.cycle

    def _record(self, packets: Delivered) -> None:
        """Note latencies that count: in the measurement of packets that came to the front of their queue in it.

        BookSim2 makes a packet when its predecessor has been sent, so that one counts that was born earlier.
        """
        if self._begin is not None:
            end = self._network.cycle if self._end is None else self._end
            fresh = (packets.birth >= self._begin) | (packets.enter - 1 >= self._begin)
            packets = packets[fresh & (packets.birth < end)]
        self._recorded.append(packets)
        self._latencies.add(packets.eject - packets.birth + TERMINAL_LINKS)

    def _accepted_rate(self) -> float:
        return sum(each.flits for each in self._accepted) / (self._network.cycle - self._reset) / self._nodes

    def _too_slow(self) -> bool:
        """Return whether the mean latency, with the age of the flits under way, exceeds the threshold."""
        limit = self._procedure.latency_thres
        count = self._latencies.count + self._flits
        ages = self._flits * self._network.cycle - self._moments
        total = self._latencies.total + ages
        return limit >= 0 and count > 0 and total / count > limit

    @property
    def _gave_up(self) -> str:
        return f"mean latency exceeded latency_thres = {self._procedure.latency_thres:g} cycles"

    def _figures(self, packets: Delivered) -> dict[str, Spread]:
        """Return the figures; latencies and hops are those of `packets`."""
        everything = Delivered.join(self._delivered)
        end = self._network.cycle if self._end is None else self._end
        sent = everything[(everything.enter - 1 >= self._reset) & (everything.enter - 1 < end)]
        got = Delivered.join(self._accepted)
        cycles = end - self._reset
        network = _spread(packets.eject - packets.enter + 1 + TERMINAL_LINKS)
        unknown = Spread(None)
        return {
            "Packet latency": _spread(packets.eject - packets.birth + TERMINAL_LINKS),
            "Network latency": network,
            "Flit latency": network if self._single else unknown,
            "Fragmentation": Spread(0.0, 0.0, 0.0) if self._single else unknown,
            "Injected packet rate": self._rates(sent.source, None, cycles),
            "Accepted packet rate": self._rates(got.destination, None, cycles),
            "Injected flit rate": self._rates(sent.source, sent.size, cycles),
            "Accepted flit rate": self._rates(got.destination, got.size, cycles),
            "Injected packet size": Spread(sent.flits / len(sent) if len(sent) else None),
            "Accepted packet size": Spread(got.flits / len(got) if len(got) else None),
            "Hops": Spread(float(packets.hops.mean()) if len(packets) else None),
        }

    def _rates(self, nodes: Int64, weights: Int64 | None, cycles: int) -> Spread:
        """Return what nodes sent or got a cycle."""
        return _spread(np.bincount(nodes, weights, self._nodes) / cycles)

    def _tell(self, phase: str, periods: int | None) -> None:
        """Report progress after so many sample periods; None: nothing is left but the drain."""
        if self._progress is None:
            return
        period, cycle = self._procedure.sample_period, self._network.cycle
        likely = min(self._procedure.max_samples, max(1, self._procedure.warmup_periods) + SETTLED + 1)
        left = 0 if periods is None else max(1, likely - periods)
        self._progress(phase, cycle, max(1, cycle + left * period))


def _spread(values: np.ndarray) -> Spread:
    if not len(values):
        return Spread(None)
    return Spread(float(values.mean()), float(values.min()), float(values.max()))
