"""VC buffer: pushes under credits, pops in any order of VCs; front flit and register `nonempty` in every cycle.

Corner cases: a full queue that is emptied, push and pop of one queue in one cycle (also of its only flit), wrapping
pointers, resets with flits inside. The front of an empty queue, and its bit of `tails`, are undefined, and not
compared.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.lockstep import Bench, Expected, Partly, Values
from models.buffer.vc_buffer import pop, push, whole
from models.params import SwitchParams
from models.reset import reset
from models.state.vc_set import vcs_within


class VcBuffer:
    """Model: queues of input port 0; the handle of a flit is its data."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = power_up(params)
        self._data: list[int] = []

    def __call__(self, inputs: Values) -> dict[str, Expected]:
        """One cycle."""
        st = self._state
        v = inputs["pop_vc"]
        nonempty = int(vcs_within(st, st.filled, 0, 0))
        vcs = range(self._params.vcs)
        complete = sum(int(whole(st, 0, 0, vc)) << vc for vc in vcs)
        several = sum(int(st.vc[0, 0, vc].count > 1) << vc for vc in vcs)
        firsts = [int(st.flits[0, 0, vc, st.vc[0, 0, vc].read]) for vc in vcs]
        tails = Partly(sum((flit & 1) << vc for vc, flit in enumerate(firsts)), nonempty)
        front = None
        if nonempty >> v & 1:
            flit = firsts[v]
            front = self._data[flit >> 1] << 1 | flit & 1  # the fields of a flit but `vc`
        if inputs["rst"]:
            reset(st, 0, 0)
        else:
            if inputs["pop_valid"]:
                pop(st, 0, 0, v)
            if inputs["flit_valid"]:
                incoming = Flit.read(self._params, inputs["flit_payload"])
                push(st, 0, 0, incoming.vc, len(self._data) << 1 | incoming.tail)
                self._data.append(incoming.data)
        outputs = {"nonempty": nonempty, "front": front, "tails": tails}
        return outputs | ({"whole": complete, "several": several} if self._params.buffering == "static" else {})


@cocotb.test()
async def queues(dut: Any) -> None:
    """Phases of filling, of emptying, and of both at full rate."""
    bench = Bench(dut, "queues")
    params = SwitchParams(**bench.parameters["switch"])
    draw = bench.random
    counts = [0] * params.vcs
    phase = 64 + 2 * params.vcs * params.depth
    cover = bench.coverage
    cover.require(["all queues full", "empty", "last flit leaves", "pop and push", "reset with flits inside"])
    cover.require(["last flit leaves as another comes"] if params.depth > 1 else [])

    def stimulus(cycle: int, seen: Values) -> Values:
        pushing, popping = ((0.9, 0.2), (0.2, 0.9), (0.8, 0.8))[cycle // phase % 3]
        cover.hit("all queues full", min(counts) == params.depth)
        cover.hit("empty", max(counts) == 0)
        inputs = {"pop_vc": draw.randrange(params.vcs)}
        room = [vc for vc, count in enumerate(counts) if count < params.depth]
        held = [vc for vc, count in enumerate(counts) if count]
        into = out = None
        if held and draw.random() < popping:
            out = inputs["pop_vc"] = draw.choice(held)
            inputs["pop_valid"] = 1
        if room and draw.random() < pushing:
            into = out if out in room and draw.random() < 0.3 else draw.choice(room)
            flit = Flit(into, draw.getrandbits(1), draw.getrandbits(params.data_width))
            inputs |= {"flit_valid": 1, "flit_payload": flit.word(params)}
        if out is not None:
            cover.hit("last flit leaves", counts[out] == 1 and into != out)
            cover.hit("pop and push", into is not None)
            if params.depth > 1:
                cover.hit("last flit leaves as another comes", counts[out] == 1 and into == out)
            counts[out] -= 1
        if into is not None:
            counts[into] += 1
        if draw.random() < 0.005:
            inputs["rst"] = 1
            cover.hit("reset with flits inside", any(counts))
            counts[:] = [0] * params.vcs
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, VcBuffer(params))
