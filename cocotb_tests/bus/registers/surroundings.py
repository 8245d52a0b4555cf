"""The switch and the streams around registers, and what they see of them."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from models.formats import COUNTERS, Counter
from models.params import SwitchParams
from models.register_map import STREAM_COUNT_BITS

STREAM_COUNTERS = ("partial_words", "long_packets")


class Surroundings:
    """Answers reads of counters, one cycle later; drops flits; tells of errors of streams; keeps what is commanded.

    Attributes
    ----------
    counters : dict
        Values, by port and counter.
    stream_counters : dict
        Values of the counters of errors of streams, by name and stream.
    programmed, times : list of int
        Payloads that were valid, in their order.
    flushes : int
        Cycles in which `flush` was 1.
    interrupted : bool
        Whether `irq` was 1 in the last cycle.
    """

    def __init__(self, dut: Any, params: SwitchParams, source: random.Random, *, streams: int) -> None:
        self._dut, self._params, self._streams = dut, params, streams
        width, ports = params.counter_width, range(params.ports)
        self.counters = {(p, n): source.getrandbits(width) for p in ports for n in range(COUNTERS)} if width else {}
        for port in ports:  # as after reset
            self.counters[port, int(Counter.FLITS_DROPPED)] = 0
        count = range(streams)
        self.stream_counters = {
            name: [source.getrandbits(STREAM_COUNT_BITS) for _ in count] for name in STREAM_COUNTERS
        }
        self.programmed: list[int] = []
        self.times: list[int] = []
        self.flushes = 0
        self.interrupted = False
        self._pulses = 0

    def drop(self, port: int) -> None:
        """Drop a flit that came in at a port."""
        key = port, int(Counter.FLITS_DROPPED)
        self.counters[key] = (self.counters[key] + 1) % (1 << self._params.counter_width)

    def fail(self, stream: int) -> None:
        """Tell of an error of a stream."""
        self._pulses |= 1 << stream

    def start(self) -> None:
        """Begin to answer."""
        if self._streams:
            for name, counts in self.stream_counters.items():
                for stream, count in enumerate(counts):
                    if hasattr(self._dut, f"{name}_{stream}"):
                        getattr(self._dut, f"{name}_{stream}").value = count
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut, params = self._dut, self._params
        has_program = hasattr(dut, "program_valid")
        while True:
            await FallingEdge(dut.clk)
            answer = 0
            if params.counter_width:
                answer = self.counters.get((int(dut.counter_port.value), int(dut.counter_number.value)), 0)
            if has_program and int(dut.program_valid.value):
                self.programmed.append(int(dut.program_payload.value))
            if params.lpi and int(dut.lpi_time_valid.value):
                self.times.append(int(dut.lpi_time_payload.value))
            if params.has_cache:
                self.flushes += int(dut.flush.value)
            if hasattr(dut, "irq"):
                self.interrupted = bool(int(dut.irq.value))
            await RisingEdge(dut.clk)
            if params.counter_width:
                dut.counter_data.value = answer
            if self._streams:
                dut.stream_error.value = self._pulses
                self._pulses = 0
