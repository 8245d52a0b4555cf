"""Zero-load latency of a hop, exact to the cycle, for each kind of routing (microarchitecture.md, section 1)."""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.lockstep import Bench
from cocotb_tests.switch.play import Play, Script
from models.route.dimension_order import encode

TAG, OUT = 5, 1


@cocotb.test()
async def one_hop(dut: Any) -> None:
    """Single packets of several lengths on every VC: each flit passes in the specified cycle."""
    play = Play(Bench(dut, "one_hop"))
    params = play.params
    hops: dict[str, int] = play.bench.parameters["hops"]
    play.bench.coverage.require(hops)
    tag, out = TAG, OUT
    if play.position:
        tag, out = encode(play.position, 0, params.coordinate_bits), params.first_local

    def travel(kind: str, vc: int, flits: int) -> Script:
        """Send one packet, and check in which cycles it leaves."""
        before = len(play.arrived[out]), len(play.sent[0])
        play.send(0, tag, flits, vc)
        yield from play.settled()
        complete = play.sent[0][before[1] :][params.header_flits - 1][0]
        cycles = [cycle for cycle, _ in play.arrived[out][before[0] :]]
        expected = [complete + hops[kind] + j * params.speedup for j in range(flits)]
        assert cycles == expected, f"{kind}, {flits} flits on VC {vc}: {cycles}, not {expected}"
        play.bench.coverage.hit(kind)

    def script() -> Script:
        if params.has_cam:
            yield from play.program(tag, out)
        for vc in range(params.vcs):
            for flits in {params.header_flits, params.depth}:
                if params.has_cache:
                    yield from play.flush()
                    yield from play.settled()
                    yield from travel("miss", vc, flits)
                    yield from travel("hit", vc, flits)
                else:
                    yield from travel("computed" if play.position else "no cache", vc, flits)

    await play.run(script())
