"""Counters: sparse to dense events on all ports, random reads; wrapping, resets, addresses out of range."""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.lockstep import Bench, Values
from models.counters import count
from models.formats import COUNTERS, Counter
from models.params import SwitchParams, index_width
from models.readout import read
from models.reset import reset

MOST_BITS = 17  # widest counter for which all carries are waited for


class Counters:
    """Model: the counters, and the register behind the read port."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = power_up(params)
        self._data = 0

    def __call__(self, inputs: Values) -> Values:
        """One cycle."""
        st, params = self._state, self._params
        seen = {"data": self._data}
        port, number = inputs["port"], inputs["number"]
        self._data = 0
        if inputs["rst"]:
            reset(st, 0, 0)
            return seen
        if port < params.ports and number < COUNTERS:
            self._data = int(read(st, 0, port, number, 0)) & ((1 << params.counter_width) - 1)
        for p in range(params.ports):
            for counter in Counter:
                if inputs[f"events_{p}"] >> counter & 1:
                    count(st, 0, p, int(counter), 1)
        return seen


@cocotb.test()
async def events(dut: Any) -> None:
    """Many events, events in every cycle (long enough to wrap 8 bits), and few."""
    bench = Bench(dut, "events")
    params = SwitchParams(**bench.parameters["switch"])
    draw = bench.random
    numbers = 1 << index_width(COUNTERS)
    ports = 1 << params.port_bits
    everything = (1 << COUNTERS) - 1
    since = 0
    cover = bench.coverage
    cover.require(f"read {counter.name.lower()}" for counter in Counter)
    cover.require(["no such counter", "reset after events"])
    cover.require(["no such port"] if ports > params.ports else [])
    cover.require(["wrapped"] if params.counter_width == 8 else [])
    address = (0, 0)

    def stimulus(cycle: int, seen: Values) -> Values:
        nonlocal since, address
        if seen.get("data") and address[1] < COUNTERS:
            cover.hit(f"read {Counter(address[1]).name.lower()}")
        address = draw.randrange(ports), draw.randrange(numbers)
        density = cycle // 320 % 3
        inputs = {"port": address[0], "number": address[1], "rst": density != 1 and draw.random() < 0.01}
        cover.hit("no such counter", address[1] >= COUNTERS)
        if ports > params.ports:
            cover.hit("no such port", address[0] >= params.ports)
        for p in range(params.ports):
            some = draw.getrandbits(COUNTERS)
            inputs[f"events_{p}"] = (some, everything, some & draw.getrandbits(COUNTERS))[density]
        since += density == 1
        if params.counter_width == 8:
            cover.hit("wrapped", since > 1 << params.counter_width)
        if inputs["rst"]:
            cover.hit("reset after events")
            since = 0
        return inputs

    await bench.start()
    await bench.lockstep(bench.cycles, stimulus, Counters(params))


@cocotb.test()
async def carries(dut: Any) -> None:
    """One counter counts in every cycle until each carry but the last has happened."""
    bench = Bench(dut, "carries")
    params = SwitchParams(**bench.parameters["switch"])
    if not 8 < params.counter_width <= MOST_BITS:
        return

    def stimulus(cycle: int, seen: Values) -> Values:
        return {"port": 0, "number": 0, "rst": 0} | {f"events_{p}": int(p == 0) for p in range(params.ports)}

    await bench.start()
    await bench.lockstep((1 << params.counter_width - 1) + 10, stimulus, Counters(params))
