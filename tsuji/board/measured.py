"""A run of a board: routes, start, end, and what is read then."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from models.errors import TsujiError
from models.formats import Counter
from models.node.traffic_hash import packet_threshold
from sim.measure.histogram import Histogram
from sim.packets import Int64
from sim.traffic.stream import packet_rate
from synth.boards.latency_bin import BINS, bin_start
from synth.boards.node import COUNT_BITS
from synth.boards.node_words import Table, Word, number_of
from synth.boards.packet_format import BIRTH_BITS
from tsuji.board.design import Plan
from tsuji.board.device import Device

MOST_PACKETS = (1 << COUNT_BITS) - 1
PATIENCE_S = 10.0
"""Seconds in which a run must get on."""


class Readings(NamedTuple):
    """What was read of a board after a run.

    Attributes
    ----------
    words : array [nodes, Word]
        Words of the nodes.
    histogram : array [nodes, bins]
        Measured packets by latency, per destination; the last bin: all longer ones.
    counters, stamps : array [switches, ports, Counter]
        Counters, and the cycle before whose events each was read; empty if the switches have none.
    measure, stop : int
        First cycle whose packets count for latencies; first cycle in which no packet was created.
    """

    words: Int64
    histogram: Int64
    counters: Int64
    stamps: Int64
    measure: int
    stop: int

    def word(self, word: Word) -> Int64:
        """Return a word of all nodes [nodes]."""
        return self.words[:, word]


def run(
    device: Device, plan: Plan, measure: int, stop: int, tell: Callable[[str], None], patience_s: float = PATIENCE_S
) -> Readings:
    """Run a board and read it.

    Parameters
    ----------
    device : Device
        The board.
    plan : Plan
        What is on it.
    measure, stop : int
        First cycle whose packets count for latencies; first cycle in which no packet is created.
    tell : callable
        Called with what is being done.
    patience_s : float
        Seconds after which a run that does not get on is given up.

    Raises
    ------
    TsujiError
        If the board stands still, or counts less than such a run needs.
    """
    config = plan.config
    seed, _ = config.draws.seeds(config.run.seed)
    rate = packet_rate(config.arrivals, config.sizes, config.load.load)
    if stop * rate > MOST_PACKETS:
        raise TsujiError(
            f"{stop:,} cycles with {rate:g} packets/node/cycle: the histograms of a board's nodes count up to "
            f"{MOST_PACKETS:,} packets; use at most {int(MOST_PACKETS / rate):,} cycles"
        )
    tell("programming routes")
    device.prepare(seed, packet_threshold(min(rate, 1.0)), measure, stop)
    tell(f"running {stop:,} cycles")
    device.start()
    device.wait_until(stop, patience_s)
    _drain(device, plan, tell, patience_s)
    tell("reading counters and histograms")
    nodes = range(plan.topology.nodes)
    words = np.array([device.node_words(node, len(Word)) for node in nodes], np.int64)
    bins = np.array([device.node_words(node, BINS + 1, number_of(Table.HISTOGRAM, 0)) for node in nodes], np.int64)
    counted = plan.design.switch.counter_width > 0
    counters, stamps = device.counters() if counted else (np.zeros((0, 0, 0), np.int64),) * 2
    return Readings(words, bins, counters, stamps, measure, stop)


def _drain(device: Device, plan: Plan, tell: Callable[[str], None], patience_s: float) -> None:
    """Wait until every packet has arrived, or none has for `patience_s` seconds: what is missing is a fault."""
    tell("waiting for the last packets")
    last, since = -1, time.monotonic()
    while True:
        words = np.array([device.node_words(node, len(Word)) for node in range(plan.topology.nodes)], np.int64)
        sent, got = words[:, Word.PACKETS_OUT].sum(), words[:, Word.PACKETS_IN].sum()
        if sent == got and device.idle():
            return
        if sent + got != last:
            last, since = int(sent + got), time.monotonic()
        elif time.monotonic() - since > patience_s:
            return


def faults(plan: Plan, readings: Readings) -> list[str]:
    """Return what the checkers of the nodes found wrong, one line each; none if the run was good."""
    found = []
    sent, got = (int(readings.word(word).sum()) for word in (Word.PACKETS_OUT, Word.PACKETS_IN))
    if sent != got:
        found.append(f"{sent:,} packets were sent and {got:,} arrived")
    kinds = {
        Word.LOST_BIRTHS: "packets found the queue of their node full: the load is above what the network carries",
        Word.WRONG_SIZE: "packets arrived with another number of flits",
        Word.WRONG_CRC: "packets arrived with a changed bit",
        Word.WRONG_DESTINATION: "packets arrived at a node to which they were not sent",
    }
    if plan.design.switch.vcs == 1:
        kinds[Word.WRONG_SEQUENCE] = "packets arrived out of order"
    for word, text in kinds.items():
        count = readings.word(word)
        if count.any():
            nodes = ", ".join(map(str, np.flatnonzero(count)[:8]))
            found.append(f"{int(count.sum()):,} {text}; node {nodes}")
    births = (int(readings.word(word).sum()) % (1 << BIRTH_BITS) for word in (Word.BIRTHS_OUT, Word.BIRTHS_IN))
    if not found and len(set(births)) > 1:
        found.append("a packet was lost and another one arrived twice: the sums of births differ")
    return found


def histogram(readings: Readings) -> Histogram:
    """Return the histogram of all nodes.

    Raises
    ------
    TsujiError
        If latencies were too long for its bins.
    """
    packets = readings.histogram.sum(axis=0)
    if packets[BINS]:
        raise TsujiError(f"{packets[BINS]:,} packets took longer than the histogram's bins reach; use less load")
    used = np.flatnonzero(packets[:BINS])
    starts = [bin_start(int(number)) for number in used]
    widths = [bin_start(int(number) + 1) - bin_start(int(number)) for number in used]
    return Histogram(starts, widths, packets[used].tolist())


def document(plan: Plan, readings: Readings) -> dict[str, Any]:
    """Return configuration and figures, named as those of a simulation, as plain values."""
    measured = int(readings.histogram.sum())
    total = int(readings.word(Word.LATENCY_LOW).sum() + (readings.word(Word.LATENCY_HIGH).sum() << 32))
    shape = histogram(readings)
    cells = plan.topology.nodes * readings.stop
    size = plan.design.packet_size
    figures: dict[str, Any] = {
        "packet_latency": {"mean": total / measured if measured else None, **_percentiles(shape)},
        "offered_traffic": int(readings.word(Word.PACKETS_OUT).sum()) * size / cells,
        "accepted_traffic": int(readings.word(Word.PACKETS_IN).sum()) * size / cells,
        "packets": measured,
        "cycles": readings.stop,
        "packet_histogram": shape._asdict(),
    }
    if readings.counters.size:
        figures["counters"] = {counter.name.lower(): int(readings.counters[..., counter].sum()) for counter in Counter}
    return {"config": plan.config.document(), "version": version("tsuji"), **figures, "faults": faults(plan, readings)}


def _percentiles(shape: Histogram) -> dict[str, float | None]:
    """Return percentiles, each the middle of its bin, and the largest latency's bin."""
    names = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999, "max": 1.0}
    if not shape.packets:
        return dict.fromkeys(names)
    below = np.cumsum(shape.packets)
    middles = np.array(shape.start) + (np.array(shape.width) - 1) / 2
    return {name: float(middles[int(np.searchsorted(below, part * below[-1]))]) for name, part in names.items()}
