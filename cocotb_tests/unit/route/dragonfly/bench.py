"""Dragonfly: random tags at random switches, often of their own group.

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
    """Random pairs, half of them in one group, some at one switch."""
    bench = Bench(dut, "tags")
    params = SwitchParams(**bench.parameters)
    draw = bench.random
    switches, groups = params.radix

    def pair() -> tuple[tuple[int, ...], int]:
        here = draw.randrange(switches), draw.randrange(groups)
        if draw.random() < 0.2:
            return here, draw.getrandbits(params.address_bits)
        there = draw.choice([here[0], draw.randrange(switches)]), draw.choice([here[1], draw.randrange(groups)])
        return here, encode(there, draw.randrange(params.local_ports), params.coordinate_bits)

    invalid = names_no_node(switches, groups, params.local_ports)
    await compare(dut, params, bench, pair, invalid=invalid, several=False)
