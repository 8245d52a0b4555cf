"""VC allocator: all sets of available VCs, ranges and pointers where feasible, else random ones.

Only ranges that a route can have: an empty range, or one beyond the VCs, turns the route into a drop.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench, Values
from models.allocate.arbiter import order_from
from models.allocate.vc_allocator import choose_head_vc
from models.params import SwitchParams
from models.state.route_word import route_vcs, route_word

ALL = 5  # number of VCs up to which all combinations are tested


def model(inputs: Values) -> dict[str, int | None]:
    """Return the candidate."""
    allowed = route_vcs(route_word(0, inputs["first"], inputs["last"], 0))
    vcs = int(choose_head_vc(inputs["available"] & allowed, order_from(inputs["pointer"])))
    return {"any": int(vcs != 0), "vc": vcs.bit_length() - 1 if vcs else None}


@cocotb.test()
async def ranges(dut: Any) -> None:
    """All combinations in turn, or random ones."""
    bench = Bench(dut, "ranges")
    vcs = SwitchParams(**bench.parameters["switch"]).vcs
    draw = bench.random
    limits = [(first, last) for first in range(vcs) for last in range(first, vcs)]
    every = list(product(range(1 << vcs), limits, range(vcs))) if vcs <= ALL else []
    cover = bench.coverage
    cover.require(["found", "none available", "all allowed"])
    cover.require(["available, not allowed", "found below the pointer"] if vcs > 1 else [])

    def stimulus(cycle: int, seen: Values) -> Values:
        if every:
            available, (first, last), pointer = every[cycle % len(every)]
        else:
            first, last = sorted(draw.choices(range(vcs), k=2))
            available = draw.getrandbits(vcs) & draw.getrandbits(vcs) & draw.getrandbits(vcs)
            pointer = draw.randrange(vcs)
        allowed = (2 << last) - (1 << first)
        usable = available & allowed
        cover.hit("found", usable)
        cover.hit("none available", available == 0)
        cover.hit("all allowed", (first, last) == (0, vcs - 1))
        if vcs > 1:
            cover.hit("available, not allowed", available and not usable)
            cover.hit("found below the pointer", usable and not usable >> pointer)
        return {"available": available, "first": first, "last": last, "pointer": pointer}

    await bench.start()
    await bench.lockstep(max(bench.cycles, len(every)), stimulus, model)
