"""Whole switch: random traffic, stalls, resets, programming and flushes; all outputs in every cycle.

The neighbours react to the RTL's outputs. Invalid payloads are not compared.
"""

from __future__ import annotations

import random
from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.bfm.surroundings import Surroundings
from cocotb_tests.cases.shared import Case, position_word
from cocotb_tests.switch.model import TopModel
from cocotb_tests.switch.watch import Watch
from hdl.route.lookahead import ahead_ports
from models import formats
from models.params import SwitchParams, hint_hops
from models.state.registers import IDLE, WALK

FLUSH_PERIOD = 1000  # cycles


class FlushInFlight:
    """Adds flushes during a lookup: once in a while, if random flushes have not hit one.

    Parameters
    ----------
    model : TopModel
        The switch before the cycle.
    """

    def __init__(self, model: TopModel) -> None:
        self._model = model
        self._due = FLUSH_PERIOD

    def __call__(self, cycle: int, inputs: Values) -> Values:
        """Return the inputs of a cycle, with a flush if one is due."""
        if not self._model.params.has_cache or inputs.get("rst") or cycle < self._due:
            return inputs
        phases = self._model.top.state.miss["phase"]
        if not ((phases != IDLE) & (phases != WALK)).any():
            return inputs
        self._due = cycle + FLUSH_PERIOD
        return inputs | {"flush": 1}


def _reservations(params: SwitchParams, draw: random.Random) -> Values:
    """Return answers to an exchanger, requested or not, or requests to a crossbar, followed by heads or not."""
    inputs: Values = {}
    if not params.reserves:
        return inputs
    kind, ports = ("answer", len(params.radix)) if params.selects else ("reserve", params.ports)
    for p in range(ports):
        inputs[f"{kind}_{p}_valid"] = int(draw.random() < 0.25)
        other = int(draw.random() < 0.7) if params.selects else draw.randrange(params.ports)
        inputs[f"{kind}_{p}_payload"] = draw.randrange(params.vcs) | other << params.vc_bits
    return inputs


def _hints(params: SwitchParams, draw: random.Random) -> Values:
    """Return wake hints on the channels from other switches, to any address."""
    inputs: Values = {}
    for p in range(params.first_local if hint_hops(params.lpi) else 0):
        fields = {"hops": draw.randrange(hint_hops(params.lpi)), "destination": draw.getrandbits(params.address_bits)}
        layout = formats.wake_hint(params)
        inputs[f"hint_in_{p}_valid"] = int(draw.random() < 0.1)
        inputs[f"hint_in_{p}_payload"] = formats.pack(layout, {field.name: fields[field.name] for field in layout})
    return inputs


@cocotb.test()
async def traffic(dut: Any) -> None:
    """Random traffic: everything that neighbours and operator may do."""
    bench = Bench(dut, "traffic")
    case = Case(SwitchParams(**bench.parameters["switch"]), tuple(bench.parameters["position"]))
    place = {"position": position_word(case)} if case.position else {}
    surroundings = Surroundings(case.params, bench.random)
    model = TopModel(case.params, case.position)
    flushes = FlushInFlight(model)
    wires = ahead_ports(case.params) if case.params.lookahead and case.params.selects else {}

    def stimulus(cycle: int, seen: Values) -> Values:
        # 1,000 cycles in which all outputs ahead are free, then 1,000 in which they change.
        free = cycle // 1000 % 2 == 0
        ahead = {name: (1 << width) - 1 if free else bench.random.getrandbits(width) for name, width in wires.items()}
        beside = _reservations(case.params, bench.random) | _hints(case.params, bench.random)
        return flushes(cycle, surroundings.drive(seen)) | place | ahead | beside

    await bench.start()
    await bench.random_traffic(stimulus, Watch(model, bench.coverage))
