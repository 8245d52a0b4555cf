"""Route unit of one input port: packets arrive, get their routes from cache, CAM or coordinates, and leave.

Compared in every cycle: ready fronts and their routes (of a dropped one only the drop), requests to the CAM, and all
events.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.unit.route.route_unit.coverage import Watched
from cocotb_tests.unit.route.route_unit.model import RouteUnit
from cocotb_tests.unit.route.route_unit.traffic import Traffic
from models.params import SwitchParams
from models.state.registers import WAIT


@cocotb.test()
async def packets(dut: Any) -> None:
    """Random packets against a CAM that is fast for a while, then slow; flushes and resets."""
    bench = Bench(dut, "packets")
    params, port = SwitchParams(**bench.parameters["switch"]), bench.parameters["port"]
    model = RouteUnit(params, port)
    draw = bench.random
    traffic = Traffic(params, model, draw)

    def stimulus(cycle: int, seen: Values) -> Values:
        inputs = traffic(cycle)
        # 1,000 cycles without disturbance, in which the cache fills; then 1,000 with.
        trouble = cycle // 1000 % 2 / (20 + 2 * params.cache.sets)
        if params.has_cache:
            under_way = model.phase == WAIT or model.snapshot().looked_up
            inputs["flush"] = int(draw.random() < trouble * (2 if under_way else 0.5))
        if draw.random() < trouble:
            inputs["rst"] = 1
            traffic.reset()
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, Watched(model, bench.coverage, params, port))
