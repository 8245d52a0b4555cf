"""Hypercube: random tags at random switches, often close or far ones.

Compared: the whole route, unless it is dropped.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Bench, Expected, Values
from models.params import SwitchParams
from models.route.route_unit import route_at_once


class Hypercube:
    """Model of the route computation as a component."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = golden.power_up(params)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        params, st = self._params, self._state
        st.position[0] = [inputs["position"] >> d & 1 for d in range(len(params.radix))]
        return {"route": golden.if_followed(params, int(route_at_once(st, 0, inputs["tag"], False)))}


@cocotb.test()
async def tags(dut: Any) -> None:
    """Random pairs, many of which differ in few dimensions, or in almost all of the fold's."""
    bench = Bench(dut, "tags")
    params = SwitchParams(**bench.parameters)
    draw, cover = bench.random, bench.coverage
    dimensions = len(params.radix)
    cover.require(f"leaves by port {port}" for port in range(params.first_local, params.ports, params.node_ports))
    cover.require(f"leaves by port {port}" for port in range(params.first_local))
    names_no_node = params.local_ports & (params.local_ports - 1)
    cover.require(["no such node"] if names_no_node else [])
    cover.require(["several choices"] if params.selects and dimensions > 1 else [])
    model = Hypercube(params)

    def stimulus(cycle: int, seen: Values) -> Values:
        here = draw.getrandbits(dimensions)
        there = draw.getrandbits(dimensions)
        kind = draw.random()
        if kind < 0.6:
            there = here ^ (draw.getrandbits(dimensions) & draw.getrandbits(dimensions))
            there ^= params.fold or 0 if kind < 0.3 else 0
        there = here if draw.random() < 0.2 else there
        inputs = {"tag": there | draw.getrandbits(params.local_bits) << dimensions, "position": here}
        expected = model(inputs)["route"]
        if names_no_node:
            cover.hit("no such node", not isinstance(expected, int))
        if isinstance(expected, int):
            route = golden.fields(params, golden.word(params, expected))
            cover.hit(f"leaves by port {route['out']}")
            if params.selects:
                cover.hit("several choices", route["choices"] & (route["choices"] - 1))
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, model)
