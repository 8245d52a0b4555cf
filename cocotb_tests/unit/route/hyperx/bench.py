"""HyperX: random tags at random switches, often close ones.

Compared: the whole route, unless it is dropped.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench
from cocotb_tests.unit.route.computed import compare, names_no_node
from models.params import SwitchParams
from models.route.dimension_order import encode


@cocotb.test()
async def tags(dut: Any) -> None:
    """Random pairs, most of which differ in few dimensions."""
    bench = Bench(dut, "tags")
    params = SwitchParams(**bench.parameters)
    draw = bench.random

    def pair() -> tuple[tuple[int, ...], int]:
        here = tuple(draw.randrange(k) for k in params.radix)
        if draw.random() < 0.2:
            return here, draw.getrandbits(params.address_bits)
        there = tuple(draw.choice([x, draw.randrange(k)]) for x, k in zip(here, params.radix, strict=True))
        there = here if draw.random() < 0.2 else there
        return here, encode(there, draw.randrange(params.local_ports), params.coordinate_bits)

    invalid = names_no_node(*params.radix, params.local_ports)
    await compare(dut, params, bench, pair, invalid=invalid, several=params.selects and len(params.radix) > 1)
