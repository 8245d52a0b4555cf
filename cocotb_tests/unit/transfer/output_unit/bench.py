"""Output unit: flits sent under credits, credits returned; ownership, credits and VC pointer in every cycle.

Corner cases: all credits spent, credits for a body flit but not for a head (virtual cut-through), a credit and a flit
of one VC in one cycle, single-flit packets, VCs owned at a reset. The flit on the link is compared only while it is
valid.
"""

from __future__ import annotations

from typing import Any

import cocotb

from cocotb_tests.bfm.golden import power_up
from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.lockstep import Bench, Values
from cocotb_tests.bfm.moves import carry
from models.params import SwitchParams
from models.reset import reset
from models.transfer.output_unit import claimable, output_credit


class OutputUnit:
    """Model: output port 0; flits for its VC w come from VC w of input port 1."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = power_up(params)
        self._sent: int | None = None

    def __call__(self, inputs: Values) -> dict[str, int | None]:
        """One cycle."""
        st = self._state
        output = st.output[0, 0]
        seen: dict[str, int | None] = {
            "has_credit": int(output.credited),
            "available": int(claimable(st, 0, 0)),
            "link_flit_valid": int(self._sent is not None),
            "link_flit_payload": self._sent,
        }
        if self._params.claims_full:
            seen["unowned"] = int(output.free)
        if not self._params.vc_stage:
            seen["pointer"] = int(output.vc_pointer)
        if self._params.selects:
            seen |= {f"credits_{w}": int(n) for w, n in enumerate(st.credits[0, 0])}
        self._sent = None
        if inputs["rst"]:
            reset(st, 0, 0)
            return seen
        # A head that speculates claims its VC and is sent in the same cycle.
        output.free &= ~inputs.get("claimed", 0)
        if inputs["send"]:
            self._sent = inputs["flit"]
            flit = Flit.read(self._params, inputs["flit"])
            carry(st, 1, flit.vc, 0, flit.vc, flit.tail)
        if inputs["link_credit_valid"]:
            output_credit(st, 0, 0, inputs["link_credit_payload"])
        return seen


@cocotb.test()
async def packets(dut: Any) -> None:
    """Flits faster than credits return, slower, and at the same rate."""
    bench = Bench(dut, "packets")
    params = SwitchParams(**bench.parameters["switch"])
    depth, vcs = params.depth, params.vcs
    needs = [params.head_need(w) for w in range(vcs)]
    draw = bench.random
    credits = [depth] * vcs
    left = [0] * vcs  # remaining flits of the packet that owns the VC
    claimed = [False] * vcs  # with a VC stage: claimed by a packet whose head is still to be sent
    cover = bench.coverage
    cover.require(["no credit", "all credits back", "head", "single flit", "body waits for a credit"])
    cover.require(["reset with VCs owned", "credits left at a tail"] if depth > 1 else [])
    cover.require(["credit and flit of one VC"] if depth > 1 else [])
    cover.require(["claimed as another VC sends"] if params.vc_stage else [])
    cover.require(["claimed and sent", "claimed and sent with its tail"] if params.speculates else [])
    cover.require(["free, but too few credits"] if max(needs) > 1 else [])

    def stimulus(cycle: int, seen: Values) -> Values:
        sending, returning = ((0.9, 0.2), (0.3, 0.9), (0.9, 0.9))[cycle // (64 + 2 * vcs * depth) % 3]
        cover.hit("no credit", min(credits) == 0)
        cover.hit("all credits back", min(credits) == depth)
        cover.hit("body waits for a credit", any(left[w] and not credits[w] for w in range(vcs)))
        if max(needs) > 1:
            cover.hit("free, but too few credits", any(not left[w] and 0 < credits[w] < needs[w] for w in range(vcs)))
        inputs: Values = {}
        enough = [count >= need for count, need in zip(credits, needs, strict=True)]
        may_begin = claimed if params.vc_stage else enough
        if params.speculates:
            may_begin = [one or other for one, other in zip(claimed, enough, strict=True)]
        ready = [w for w in range(vcs) if credits[w] and (left[w] or may_begin[w])]
        back = [w for w in range(vcs) if credits[w] < depth]
        sent = None
        if ready and draw.random() < sending:
            sent = draw.choice(ready)
            head = not left[sent]
            if head:
                left[sent] = draw.choice((1, 1, 2, 3, draw.randint(1, 2 * depth)))
            left[sent] -= 1
            if params.speculates and head and not claimed[sent]:
                inputs["claimed"] = 1 << sent
                cover.hit("claimed and sent")
                cover.hit("claimed and sent with its tail", not left[sent])
            claimed[sent] = False
            flit = Flit(sent, int(not left[sent]), draw.getrandbits(params.data_width))
            inputs |= {"send": 1, "flit": flit.word(params)}
            cover.hit("head", head)
            cover.hit("single flit", head and flit.tail)
            if depth > 1:
                cover.hit("credits left at a tail", flit.tail and credits[sent] > 1)
        if back and draw.random() < returning:
            vc = sent if sent in back and draw.random() < 0.3 else draw.choice(back)
            inputs |= {"link_credit_valid": 1, "link_credit_payload": vc}
            if depth > 1:
                cover.hit("credit and flit of one VC", vc == sent)
            credits[vc] += 1
        if params.vc_stage and draw.random() < 0.5:
            free = [
                w
                for w in range(vcs)
                if not left[w] and not claimed[w] and (credits[w] >= needs[w] or params.claims_full) and w != sent
            ]
            if free:
                claims = draw.choice(free)
                inputs["claimed"] = inputs.get("claimed", 0) | 1 << claims
                claimed[claims] = True
                cover.hit("claimed as another VC sends", sent is not None)
        if sent is not None:
            credits[sent] -= 1
        if draw.random() < 0.005:
            inputs["rst"] = 1
            if depth > 1:
                cover.hit("reset with VCs owned", any(left))
            credits[:] = [depth] * vcs
            left[:] = [0] * vcs
            claimed[:] = [False] * vcs
        return inputs

    await bench.start()
    await bench.random_traffic(stimulus, OutputUnit(params))
