"""A simulated board against the simulator: packets one by one, counters and histograms as read over the UART."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from models.formats import COUNTERS
from sim.measure.histogram import histogram
from synth.boards.latency_bin import BINS, bin_start
from synth.boards.node_words import Word
from synth.boards.packet_format import PacketFormat
from tsuji.board.design import Plan
from tsuji.board.device import Device
from tsuji.board.host import opened
from tsuji.board.measured import Readings, run
from tsuji.board.packet_table import COLUMNS, Expected, counter_names, simulated, table_of_flits
from tsuji.board.verilated import DIVISOR, VerilatedBoard

ANSWER_S = 60.0
"""Seconds without a byte after which a simulated board counts as silent: it is slow, and loses nothing."""


class Comparison(NamedTuple):
    """Numbers compared, numbers that differ, and the differences in words.

    Attributes
    ----------
    packets, words, bins, counters : (int, int)
        Compared and different: rows of the table of packets, words of nodes, bins of histograms, counters.
    differences : list of str
        One line each, the first few of a kind.
    readings : Readings
        What the host read.
    """

    packets: tuple[int, int]
    words: tuple[int, int]
    bins: tuple[int, int]
    counters: tuple[int, int]
    differences: list[str]
    readings: Readings

    @property
    def different(self) -> int:
        """Number of differences."""
        return sum(wrong for _, wrong in (self.packets, self.words, self.bins, self.counters))


def compare(plan: Plan, measure: int, stop: int, tell: Callable[[str], None], verilog: str | None = None) -> Comparison:
    """Run a board on Verilator and the simulator, and compare them.

    Parameters
    ----------
    plan : Plan
        What to run.
    measure, stop : int
        As of `tsuji.board.measured.run`.
    tell : callable
        Called with what is being done.
    verilog : str or None
        Verilog to use instead of the plan's own, with a fault in it.
    """
    tell("Verilog")
    text = verilog or plan.verilog(DIVISOR)
    tell("Verilator")
    board = VerilatedBoard(text, plan.topology.nodes)
    with board, opened(board.port, 115200, ANSWER_S) as host:
        readings = run(Device(host, plan), plan, measure, stop, tell, ANSWER_S)
        flits = board.flits()
    tell("simulator")
    expected = simulated(plan, measure, stop)
    return compared(plan, readings, flits, expected)


def compared(plan: Plan, readings: Readings, flits: np.ndarray, expected: Expected) -> Comparison:
    """Return the differences between a board's run and the simulator's."""
    form = PacketFormat(plan.design.switch, plan.topology.nodes, plan.design.packet_size)
    differences: list[str] = []
    packets = _packets(table_of_flits(form, flits), expected.packets, differences)
    words = _words(readings, expected, differences)
    bins = _bins(readings, expected, differences)
    counters = _counters(readings, expected, plan.design.switch.counter_width, differences)
    return Comparison(packets, words, bins, counters, differences, readings)


def _packets(got: np.ndarray, wanted: np.ndarray, differences: list[str]) -> tuple[int, int]:
    """Compare tables of packets."""
    rows = [{tuple(map(int, row)) for row in table} for table in (got, wanted)]
    for name, only in (("board", rows[0] - rows[1]), ("simulator", rows[1] - rows[0])):
        for row in sorted(only, key=lambda row: row[2:])[:5]:
            told = ", ".join(f"{column} {value}" for column, value in zip(COLUMNS, row, strict=True))
            differences.append(f"packet, {name} only: {told}")
    return len(rows[1]), max(len(rows[0] - rows[1]), len(rows[1] - rows[0]), abs(len(got) - len(wanted)))


def _words(readings: Readings, expected: Expected, differences: list[str]) -> tuple[int, int]:
    """Compare the words of the nodes."""
    wrong = 0
    for word, wanted in expected.words.items():
        got = readings.word(word)
        for node in np.flatnonzero(got != wanted):
            wrong += 1
            differences.append(f"node {node}: {word.name.lower()} is {got[node]}, of the simulator {wanted[node]}")
    return readings.word(Word.PACKETS_OUT).size * len(expected.words), wrong


def _bins(readings: Readings, expected: Expected, differences: list[str]) -> tuple[int, int]:
    """Compare the histograms of the nodes."""
    places = {bin_start(number): number for number in range(BINS)}
    delivered = expected.delivered[expected.delivered.birth >= readings.measure]
    wanted = np.zeros_like(readings.histogram)
    for node in range(len(wanted)):
        mine = delivered[delivered.destination == node]
        shape = histogram(mine.eject - mine.birth)
        for start, count in zip(shape.start, shape.packets, strict=True):
            wanted[node, places.get(start, BINS)] += count
    differs = np.argwhere(wanted != readings.histogram)
    for node, number in differs[:5]:
        told = f"{readings.histogram[node, number]}, of the simulator {wanted[node, number]}"
        differences.append(f"node {node}: packets in bin {number} of the latencies are {told}")
    return wanted.size, len(differs)


def _counters(readings: Readings, expected: Expected, width: int, differences: list[str]) -> tuple[int, int]:
    """Compare the counters of the switches."""
    if not readings.counters.size:
        return 0, 0
    wanted = expected.counters(readings.stamps) & ((1 << min(width, 32)) - 1)
    differs = wanted != readings.counters
    for s, p, number in np.argwhere(differs)[:5]:
        told = f"{readings.counters[s, p, number]}, of the simulator {wanted[s, p, number]}"
        differences.append(f"switch {s}, port {p}: counter {number} of {COUNTERS} is {told}")
    if differs.any():
        differences.append(f"counters that differ: {', '.join(counter_names(differs))}")
    return wanted.size, int(differs.sum())
