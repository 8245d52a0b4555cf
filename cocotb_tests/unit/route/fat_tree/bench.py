"""Fat tree: random tags at random switches, often above the node in the tag, or nearly so.

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
    """Random pairs; the digits of the switch are those of the node, but for few."""
    bench = Bench(dut, "tags")
    params = SwitchParams(**bench.parameters)
    draw = bench.random
    arity, levels = params.radix[0], len(params.radix)

    def pair() -> tuple[tuple[int, ...], int]:
        node = tuple(draw.randrange(arity) for _ in range(levels))
        likely = draw.choice([0.5, 0.9, 1.0])
        digits = (x if draw.random() < likely else draw.randrange(arity) for x in node[1:])
        here = draw.randrange(levels), *digits
        if draw.random() < 0.1:
            return here, draw.getrandbits(params.address_bits)
        return here, encode(node, 0, params.coordinate_bits)

    several = params.selects and levels > 1
    await compare(dut, params, bench, pair, invalid=names_no_node(arity), several=several)
