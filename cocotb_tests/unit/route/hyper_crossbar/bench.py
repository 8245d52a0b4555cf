"""Hyper-crossbar: random tags at random exchangers, often close ones, and at the crossbars.

Compared: the whole route, unless it is dropped.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.lockstep import Bench, Expected, Values
from models.params import SwitchParams
from models.route.dimension_order import decode, encode
from models.route.route_unit import route_at_once


class HyperCrossbar:
    """Model of the route computation as a component."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = golden.power_up(params)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        params, st = self._params, self._state
        if params.crossbar is None:
            place = decode(inputs["position"], st.coordinate_bits, 0, st.radix, 1, st.position[0])
            assert place == 0, "the switch is nowhere"
        return {"route": golden.if_followed(params, int(route_at_once(st, 0, inputs["tag"], False)))}


@cocotb.test()
async def tags(dut: Any) -> None:
    """Random pairs, most of which differ in few dimensions."""
    bench = Bench(dut, "tags")
    params = SwitchParams(**bench.parameters)
    draw, cover = bench.random, bench.coverage
    is_crossbar = params.crossbar is not None
    cover.require(f"leaves by port {port}" for port in range(params.ports))
    sizes = [params.radix[params.crossbar]] if params.crossbar is not None else [*params.radix, params.local_ports]
    names_no_node = any(size & (size - 1) for size in sizes)
    cover.require(["no such node"] if names_no_node else [])
    cover.require(["several choices"] if params.selects and len(params.radix) > 1 else [])
    model = HyperCrossbar(params)

    def stimulus(cycle: int, seen: Values) -> Values:
        here = tuple(draw.randrange(k) for k in params.radix)
        tag = draw.getrandbits(params.address_bits)
        if draw.random() < 0.7:
            there = tuple(draw.choice([x, draw.randrange(k)]) for x, k in zip(here, params.radix, strict=True))
            there = here if draw.random() < 0.3 else there
            tag = encode(there, draw.randrange(params.local_ports), params.coordinate_bits)
        inputs = {"tag": tag, "position": encode(here, 0, params.coordinate_bits)}
        expected = model(inputs)["route"]
        if names_no_node:
            cover.hit("no such node", not isinstance(expected, int))
        if isinstance(expected, int):
            route = golden.fields(params, golden.word(params, expected))
            cover.hit(f"leaves by port {route['out']}")
            if params.selects:
                cover.hit("several choices", route["choices"] & (route["choices"] - 1))
        return {"tag": tag} if is_crossbar else inputs

    await bench.start()
    await bench.random_traffic(stimulus, model)
