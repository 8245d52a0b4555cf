"""Header: packets of all lengths close to the header's, VCs interleaved flit by flit, resets within packets.

Compared: the cycles in which a header is complete, its VC, whether it is malformed, and otherwise its tag.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import cocotb

from cocotb_tests.bfm import golden
from cocotb_tests.bfm.link import Flit, packet
from cocotb_tests.bfm.lockstep import Bench, Expected, Values
from cocotb_tests.bfm.stall import stalls
from models.params import SwitchParams
from models.reset import reset
from models.route import header


class Header:
    """Model of header assembly as a component."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = golden.power_up(params)

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        kind, vc, tag = header.BODY, inputs["flit_vc"], 0
        if inputs["flit_valid"]:
            data = golden.signed(inputs["flit_data"])
            kind = int(header.header(self._state, 0, 0, vc, inputs["flit_tail"], data))
            tag = golden.unsigned(self._state.vc[0, 0, vc].tag, self._params.tag_width)
        if inputs["rst"]:
            reset(self._state, 0, 0)
        return {
            "valid": int(kind != header.BODY),
            "vc": vc if kind != header.BODY else None,
            "malformed": int(kind == header.MALFORMED) if kind != header.BODY else None,
            "tag": tag if kind == header.COMPLETE else None,
        }


@cocotb.test()
async def packets(dut: Any) -> None:
    """Random packets; a VC may pause anywhere while others continue."""
    bench = Bench(dut, "packets")
    params = SwitchParams(**bench.parameters)
    draw = bench.random
    pausing = stalls("mixed", draw)
    length = params.header_flits
    queues: list[deque[Flit]] = [deque() for _ in range(params.vcs)]
    low_bits = (1 << min(params.data_width, params.tag_width)) - 1

    cover = bench.coverage
    cover.require(["complete with tail", "complete without tail", "first flit after a tail", "body", "idle"])
    cover.require(f"complete on VC {vc}" for vc in range(params.vcs))
    cover.require(f"malformed after {flits}" for flits in range(1, length))
    cover.require(["reset in a header"] if length > 1 else [])
    cover.require(["reset behind a header"])
    cover.require(["another VC's flit within a header"] if length > 1 and params.vcs > 1 else [])
    cover.require(["another VC's flit within a packet"] if params.vcs > 1 else [])
    position = [0] * params.vcs
    last = 0

    def stimulus(cycle: int, seen: Values) -> Values:
        nonlocal last
        if next(pausing):
            cover.hit("idle")
            return {}
        vc = draw.randrange(params.vcs)
        if not queues[vc]:
            flits = draw.choice([1, length, length + 1, draw.randint(1, length), draw.randint(1, length + 6)])
            queues[vc].extend(packet(params, vc, draw.getrandbits(params.tag_width), flits, draw))
        flit = queues[vc].popleft()
        inputs = {"flit_valid": 1, "flit_vc": vc, "flit_tail": flit.tail, "flit_data": flit.data & low_bits}
        observe(vc, flit.tail)
        if draw.random() < (0.03 if max(position) >= length else 0.01):
            cover.hit("reset behind a header", max(position) >= length)
            if length > 1:
                cover.hit("reset in a header", any(0 < at < length for at in position))
            inputs["rst"] = 1
            for number, queue in enumerate(queues):
                queue.clear()
                position[number] = 0
        last = vc
        return inputs

    def observe(vc: int, tail: int) -> None:
        cover.hit("first flit after a tail", position[vc] == 0)
        cover.hit("body", position[vc] >= length)
        if position[vc] == length - 1:
            cover.hit("complete with tail" if tail else "complete without tail")
            cover.hit(f"complete on VC {vc}")
        elif tail and position[vc] < length:
            cover.hit(f"malformed after {position[vc] + 1}")
        if params.vcs > 1 and vc != last:
            cover.hit("another VC's flit within a packet", position[vc])
            if length > 1:
                cover.hit("another VC's flit within a header", 0 < position[vc] < length)
        position[vc] = 0 if tail else position[vc] + 1

    await bench.start()
    await bench.random_traffic(stimulus, Header(params))
