"""Open-loop measurement of a network: fill caches, warm up, measure, drain.

Traffic is offered regardless of the network's state. Figures are those of the packets born in the measurement window,
which are followed until they leave, while traffic goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil

import numpy as np

from models.formats import Counter
from models.params import LinkParams, SwitchParams
from sim.analysis.zero_load import lone_latency
from sim.config.measure import MeasureParams
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.lib.clock import wall_s
from sim.lib.interruption import end_of_run, note_end
from sim.lib.progress import LOADING
from sim.measure.batch_figures import BatchFigures
from sim.measure.cache_figures import cache_figures
from sim.measure.class_figures import class_figures
from sim.measure.figures import Figures, Phases
from sim.measure.histogram import histogram
from sim.measure.link_power_figures import link_figures
from sim.measure.node_figures import fairness_figures, node_figures
from sim.measure.period import Period, born_in, latencies_of_born_in, left_of
from sim.measure.prediction_figures import prediction_figures
from sim.measure.saturation import backlog_grows, is_drain_saturated, is_saturated
from sim.measure.statistics import half_width, summarise
from sim.measure.utilisation import Utilisation, UtilisationRecorder, utilisation_figures
from sim.measure.warm_up import is_settled
from sim.packets import Delivered, Int64
from sim.power.recorder import PowerRecorder
from sim.traffic.closed_loop import OPEN_LOOP, ClosedLoop
from sim.traffic.stream import PacketStream

LEAST_FILL_PERIOD = 1000  # cycles
MOST_FILL_NOISE = 0.01  # greatest standard error of a hit rate that is compared

Progress = Callable[[str, int, int], None]
"""Called with the phase, the cycles simulated, and the expected total of cycles."""


@dataclass(eq=False)
class Measurement:
    """One measurement of one network.

    Parameters
    ----------
    network : Network or PlaneNetwork
        Network at reset.
    stream, fill : PacketStream
        Measured traffic, and the traffic that fills caches.
    switch, link : SwitchParams, LinkParams
        Parameters of the network, for its zero-load latency and the capacity of its links.
    params : MeasureParams
        Phases and criteria.
    progress : Progress or None
        Called after every sample period.
    loop : ClosedLoop
        Closed loop of the network.
    watch_power : callable or None
        Called when the measurement window begins; returns the recorder of energy.
    class_names : tuple of str
        Names of the message classes; empty: there are none.

    Attributes
    ----------
    utilisation : Utilisation or None
        Utilisation of every link over the measurement window; None before it, and with `utilisation_interval` = 0.
    """

    network: Network | PlaneNetwork
    stream: PacketStream
    fill: PacketStream
    switch: SwitchParams
    link: LinkParams
    params: MeasureParams
    progress: Progress | None = None
    loop: ClosedLoop = OPEN_LOOP
    watch_power: Callable[[], PowerRecorder] | None = None
    class_names: tuple[str, ...] = ()
    saturated: bool = field(default=False, init=False)
    converged: bool = field(default=True, init=False)
    filled: bool = field(default=True, init=False)
    utilisation: Utilisation | None = field(default=None, init=False)
    _recorder: UtilisationRecorder | None = field(default=None, init=False)  # in the measurement window
    _advance: Callable[[int], Delivered] = field(init=False)
    _power: PowerRecorder | None = field(default=None, init=False)  # from then on
    _growing: int = field(default=0, init=False)
    _shift: int = field(default=0, init=False)  # network cycle at which the traffic's clock started
    _clock: int = field(default=0, init=False)  # cycles of the filling traffic offered so far

    def __post_init__(self) -> None:
        self._advance = self.network.advance  # of a sample period

    def run(self) -> Figures:
        """Run all phases and return the figures."""
        network, params = self.network, self.params
        self._tell(LOADING, params.warmup_periods + params.measure_periods)
        network.advance(0)  # compiles the loop; the next line compiles the reading of counters
        network.counters()
        started = wall_s()
        first = network.cycle
        self._fill()
        self._shift = network.cycle
        filled = network.cycle
        self._warm_up()
        self.saturated, self._growing = False, 0
        begin = network.cycle
        before, sent, busy = network.counters(), network.flits_sent(), network.busy_cycles()
        periods = self._record()
        end = network.cycle
        after, sent, busy = network.counters(), network.flits_sent() - sent, network.busy_cycles() - busy
        packets = self._drain(periods, begin, end)
        wall = wall_s() - started
        lasted = self._lasted(packets, begin, end)
        window = lasted * network.topology.nodes
        offered = sum(period.offered for period in periods)
        counted = self._counted(before, after)
        total = counted.sum(axis=(0, 1))
        replies = packets[packets.is_reply]
        packet_latency, network_latency = packets.eject - packets.birth, packets.eject - packets.enter
        nodes = node_figures(periods, network.topology.nodes)
        return Figures(
            packet_latency=summarise(packet_latency, params.batches),
            network_latency=summarise(network_latency, params.batches),
            request_latency=summarise(self._requests(packets), params.batches),
            reply_latency=summarise(replies.eject - replies.birth, params.batches),
            round_trip=summarise(replies.eject - replies.origin, params.batches),
            zero_load_latency=self._zero_load(packets) if len(packets) and self._steady else None,
            accepted_traffic=sum(period.delivered.flits for period in periods) / window,
            offered_traffic=sum(period.offered_flits for period in periods) / window,
            hops=float(packets.hops.mean()) if len(packets) else None,
            fairness=fairness_figures(periods, nodes, lasted),
            utilisation=utilisation_figures(network.topology, busy, sent, lasted),
            cache=cache_figures(self.switch, total),
            links=link_figures(self.switch, network.topology, counted),
            prediction=prediction_figures(self.switch, network.topology, counted),
            batch=self._completion(packets, begin),
            classes=class_figures(self.class_names, periods, packets, window, params.batches),
            power=self._power.figures if self._power else None,
            saturated=self.saturated,
            converged=self.converged and self.filled and not self.saturated,
            packets=offered,
            unfinished=offered - len(packets),
            dropped=network.dropped,
            phases=Phases(filled - first, begin - filled, end - begin, network.cycle - end),
            cycles=network.cycle,
            flit_hops=network.flit_hops,
            wall_s=wall,
            threads=network.threads,
            processes=network.processes,
            packet_histogram=histogram(packet_latency),
            network_histogram=histogram(network_latency),
            nodes=nodes,
        )

    def break_off(self, error: BaseException) -> None:
        """Keep what is recorded of a run that `error` ends before its end, and add a note to it that says when."""
        why = f"{end_of_run(error)} at cycle {self.network.cycle:,}"
        files = []
        if self._power is not None and self._power.figures is None:
            why += f", {self._power.cycles:,} cycles after the measurement began"
            files = self._power.break_off(self.network, why)
        note_end(error, why, files)

    def _fill(self) -> None:
        """Run traffic, which pauses while too much of it is in flight, until the hit rate settles.

        The time that takes depends on the caches: short sample periods do not shorten it.
        """
        network, params = self.network, self.params
        if not (self.switch.has_cache and self.switch.counter_width and params.fill_periods):
            return
        before = network.counters()
        last, settled = 0.0, 0
        lasts = max(params.period, LEAST_FILL_PERIOD)
        for _ in range(params.fill_periods):
            end = network.cycle + lasts
            while network.cycle < end:
                step = min(lasts // 10, end - network.cycle)
                if network.in_flight <= params.fill_backlog * network.topology.nodes:
                    self._clock += step
                    packets = self.fill.until(self._clock)
                    network.offer(replace(packets, birth=np.full(len(packets), network.cycle, np.int64)))
                network.advance(step)
            after = network.counters()
            counted = self._counted(before, after).sum(axis=(0, 1))
            lookups = int(counted[Counter.CACHE_HITS] + counted[Counter.CACHE_MISSES])
            rate = counted[Counter.CACHE_HITS] / max(1, lookups)
            noise = 2 * float(np.sqrt(2 * rate * (1 - rate) / max(1, lookups)))
            self._tell("filling caches", params.warmup_periods + params.measure_periods)
            if noise > MOST_FILL_NOISE:
                continue  # too few lookups to tell whether the rate still rises: average over more periods
            settled = settled + 1 if abs(rate - last) <= max(params.fill_tolerance, noise) else 0
            before, last = after, rate
            if settled == 2:
                break
        self.filled = settled == 2
        while not network.idle() and network.cycle < end + lasts:
            network.advance(lasts // 10)

    def _warm_up(self) -> None:
        """Offer traffic until latency and throughput have settled."""
        params = self.params
        last, stable = self._period(), 0
        self._tell("warming up", params.warmup_periods - 1 + params.measure_periods)
        for done in range(2, params.max_warmup_periods + 1):
            period = self._period()
            stable = stable + 1 if is_settled(last, period, self.params) else 0
            last = period
            self._tell("warming up", max(1, params.warmup_periods - done) + params.measure_periods)
            if done >= params.warmup_periods and (stable >= params.stable_periods or self.saturated):
                return
        self.converged = params.max_warmup_periods == 1

    def _record(self) -> list[Period]:
        """Measure; record power and utilisation of links if requested."""
        if self.watch_power is None:
            return self._record_utilisation()
        self._power = self.watch_power()
        self._advance = partial(self._power.advance, self.network.advance)
        periods = self._record_utilisation()
        self._power.finish(self.network)
        self._advance = self.network.advance
        return periods

    def _record_utilisation(self) -> list[Period]:
        """Measure; record the utilisation of links if requested."""
        if not self.params.utilisation_interval:
            return self._measure()
        network, interval = self.network, self.params.utilisation_interval
        self._recorder = recorder = UtilisationRecorder(network.flits_sent, network.busy_cycles, interval)
        periods = self._measure()
        self.utilisation, self._recorder = recorder.finish(network.topology), None
        return periods

    def _measure(self) -> list[Period]:
        """Offer traffic until the mean latency is known to `precision`; return the periods of the window."""
        params = self.params
        periods: list[Period] = []
        begin = self.network.cycle
        while len(periods) < params.max_measure_periods:
            periods.append(self._period())
            if len(periods) < params.measure_periods:
                self._tell("measuring", params.measure_periods - len(periods))
                continue
            latency = latencies_of_born_in(periods, begin, self.network.cycle)
            width = half_width(latency, params.batches)
            missing = (width / (params.precision * latency.mean())) ** 2 if width is not None else 2.0
            if self.saturated or missing <= 1:
                return periods
            needed = min(len(periods) * missing, params.max_measure_periods)  # width ∝ 1/√time
            self._tell("measuring", max(1, ceil(needed - len(periods))))
        self.converged = False
        return periods

    def _drain(self, periods: list[Period], begin: int, end: int) -> Delivered:
        """Offer traffic until the packets born in the window have left; return them by birth, then source."""
        periods = list(periods)
        born = sum(period.offered for period in periods)
        limit = 1 if self.saturated else self.params.max_drain_periods
        left = sum(left_of(period, begin, end) for period in periods)
        step = max(1, self.params.period // 10)
        while left < born and self.network.cycle < end + limit * self.params.period:
            periods.append(self._period(step, judge=False))
            left += left_of(periods[-1], begin, end)
            self._tell("draining", 1)
        self.saturated |= is_drain_saturated(born, left)
        return born_in(periods, begin, end)

    def _period(self, cycles: int | None = None, *, judge: bool = True) -> Period:
        """Simulate a sample period with traffic; judge whether the network is saturated."""
        network, params = self.network, self.params
        cycles = cycles or params.period
        before = network.in_flight
        packets = self.stream.until(network.cycle + cycles - self._shift)
        network.offer(replace(packets, birth=packets.birth + self._shift))
        delivered = self._recorder.advance(self._advance, cycles) if self._recorder else self._advance(cycles)
        nodes = network.topology.nodes
        by_class = np.zeros(max(1, len(self.class_names)), np.int64)
        np.add.at(by_class, packets.message_class, packets.size)
        born_at = np.bincount(packets.source, minlength=nodes)
        born_for = np.bincount(packets.destination, minlength=nodes)
        flits = packets.flits
        if self.loop.reply_size:
            born_at = born_for = born_at + born_for
            flits += len(packets) * self.loop.reply_size
        period = Period(delivered, born_at, born_for, flits, network.in_flight, by_class)
        if judge:
            grows = backlog_grows(before, period.backlog, period.offered, params)
            self._growing = self._growing + 1 if grows else 0
            latency, zero_load = 0.0, 0.0
            if len(period.delivered):
                latency, zero_load = float(period.latency.mean()), self._zero_load(period.delivered)
            self.saturated |= is_saturated(latency, zero_load, self._growing, params)
        return period

    @property
    def _steady(self) -> bool:
        """Whether a lone packet's latency per hop is constant: independent of predictions and sleeping links."""
        return not self._sleeps and self.switch.prediction is None

    @property
    def _sleeps(self) -> bool:
        return self.switch.lpi is not None and self.switch.lpi.sleeps

    def _zero_load(self, packets: Delivered) -> float:
        """Return an upper bound of the mean latency that the packets had had alone, with warm caches, cycles."""
        latency = lone_latency(self.switch, packets)
        if self.switch.lpi and self._sleeps:
            # Waiting for links that sleep is not congestion.
            latency = latency + packets.hops * (self.switch.lpi.sleep + self.switch.lpi.wake)
        return 1 + float(latency.mean())

    def _requests(self, packets: Delivered) -> Int64:
        """Return the latencies of packets that ask for replies."""
        requests = packets[~packets.is_reply] if self.loop.reply_size else Delivered.none()
        return requests.eject - requests.birth

    def _lasted(self, packets: Delivered, begin: int, end: int) -> int:
        """Return the cycles over which the measured traffic left."""
        return end - begin

    def _completion(self, packets: Delivered, begin: int) -> BatchFigures:
        """Return the completion times of the batch; None without one."""
        return BatchFigures(None, None, None, [])

    def _counted(self, before: np.ndarray, after: np.ndarray) -> Int64:
        """Return the increment of each counter in the measurement window [switches, ports, Counter]."""
        counted: Int64 = (after - before) & ((1 << min(self.switch.counter_width, 63)) - 1)
        return counted

    def _tell(self, phase: str, left: int) -> None:
        """Report progress; `left` is the expected number of remaining periods."""
        end = self.network.cycle + left * self.params.period
        self.network.expect(end)
        if self.progress is not None:
            self.progress(phase, self.network.cycle, end)
