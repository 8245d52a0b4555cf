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
from models.allocate.arbiter import pointer_of
from models.params import SwitchParams
from models.reset import reset
from models.state.registers import IN_QUEUE
from models.transfer.crossbar import send_queued
from models.transfer.output_queue import choose_queued, leaving
from models.transfer.output_unit import claimable, output_credit


class OutputUnit:
    """Model: output port 0; flits for its VC w come from VC w of input port 1."""

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._state = power_up(params)
        self._sent: int | None = None
        self._cycle = 0
        self._queues: list[list[int]] = [[] for _ in range(params.vcs)]

    @property
    def credits(self) -> list[int]:
        """Credits of each VC."""
        return [int(count) for count in self._state.credits[0, 0]]

    def can_send(self, vc: int) -> bool:
        """Return whether a flit may be sent on a VC: it has a credit or, with queues, room in its queue."""
        return bool(int(self._state.output[0, 0].credited) >> vc & 1)

    def can_begin(self, vc: int) -> bool:
        """Return whether a head may claim a VC if no packet owns it."""
        need, queue = self._params.head_need(vc), self._queues[vc]
        enough = self.credits[vc] >= need and not queue
        return self.can_send(vc) and (enough or (self._params.output_queues and need == 1))

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
            seen["pointer"] = int(pointer_of(int(output.vc_order), self._params.vcs))
        if self._params.selects:
            seen |= {f"credits_{w}": count for w, count in enumerate(self.credits)}
        if self._params.output_queues:
            seen["waiting"] = int(any(self._queues))
            choose_queued(st, 0, self._cycle)
        self._sent = None
        self._cycle += 1
        if inputs["rst"]:
            reset(st, 0, 0)
            self._queues = [[] for _ in self._queues]
            return seen
        # A head that speculates claims its VC and is sent in the same cycle.
        output.free &= ~inputs.get("claimed", 0)
        if inputs["send"]:
            flit = Flit.read(self._params, inputs["flit"])
            if carry(st, 1, flit.vc, 0, flit.vc, flit.tail).out == IN_QUEUE:
                self._queues[flit.vc].append(inputs["flit"])
            else:
                self._sent = inputs["flit"]
        if leaving(st, 0):
            self._sent = self._queues[send_queued(st, 0, 0, 0).out_vc].pop(0)
        if inputs["link_credit_valid"]:
            output_credit(st, 0, 0, inputs["link_credit_payload"])
        return seen


class Traffic:
    """Stimulus: flits sent under credits, credits returned, VCs claimed, resets.

    Parameters
    ----------
    bench : Bench
        Whose random numbers are drawn, and whose coverage is told.
    params : SwitchParams
    unit : OutputUnit
        The model, whose registers say what may be sent.
    """

    def __init__(self, bench: Bench, params: SwitchParams, unit: OutputUnit) -> None:
        self._params, self._unit = params, unit
        self._draw = bench.random
        self._cover = bench.coverage
        self._vcs = range(params.vcs)
        self._needs = [params.head_need(w) for w in self._vcs]
        self._restart()
        self._require()

    def _restart(self) -> None:
        """Be as after a reset."""
        self._left = [0] * self._params.vcs  # flits to come of the packet that owns the VC
        self._claimed = [False] * self._params.vcs  # with a VC stage: by a packet whose head is to come

    def _require(self) -> None:
        """Say which corners are to be met."""
        params, cover = self._params, self._cover
        deep = params.depth > 1
        cover.require(["no credit", "all credits back", "head", "single flit", "body waits for a credit"])
        cover.require(["reset with VCs owned", "credits left at a tail", "credit and flit of one VC"] if deep else [])
        cover.require(["claimed as another VC sends"] if params.vc_stage else [])
        cover.require(["claimed and sent", "claimed and sent with its tail"] if params.speculates else [])
        cover.require(["free, but too few credits"] if max(self._needs) > 1 else [])

    def __call__(self, cycle: int, seen: Values) -> Values:
        """Return the inputs of a cycle."""
        params, draw = self._params, self._draw
        # Faster than credits return, slower, and at the same rate.
        odds = (0.9, 0.2), (0.3, 0.9), (0.9, 0.9)
        sending, returning = odds[cycle // (64 + 2 * params.vcs * params.depth) % 3]
        self._credits = self._unit.credits
        self._observe_credits()
        inputs: Values = {}
        ready = self._ready()
        back = [w for w in self._vcs if self._credits[w] < params.depth]
        sent = None
        if ready and draw.random() < sending:
            sent = draw.choice(ready)
            self._send(sent, inputs)
        if back and draw.random() < returning:
            vc = sent if sent in back and draw.random() < 0.3 else draw.choice(back)
            inputs |= {"link_credit_valid": 1, "link_credit_payload": vc}
            if params.depth > 1:
                self._cover.hit("credit and flit of one VC", vc == sent)
        if params.vc_stage and draw.random() < 0.5:
            self._claim(sent, inputs)
        if draw.random() < 0.005:
            inputs["rst"] = 1
            if params.depth > 1:
                self._cover.hit("reset with VCs owned", any(self._left))
            self._restart()
        return inputs

    def _observe_credits(self) -> None:
        """Tell the coverage which corners the credits are in."""
        credits, left = self._credits, self._left
        self._cover.hit("no credit", min(credits) == 0)
        self._cover.hit("all credits back", min(credits) == self._params.depth)
        self._cover.hit("body waits for a credit", any(left[w] and not credits[w] for w in self._vcs))
        if max(self._needs) > 1:
            few = [not left[w] and 0 < credits[w] < self._needs[w] for w in self._vcs]
            self._cover.hit("free, but too few credits", any(few))

    def _ready(self) -> list[int]:
        """Return the VCs on which a flit may be sent."""
        enough = [self._unit.can_begin(w) for w in self._vcs]
        may_begin = self._claimed if self._params.vc_stage else enough
        if self._params.speculates:
            may_begin = [one or other for one, other in zip(self._claimed, enough, strict=True)]
        return [w for w in self._vcs if self._unit.can_send(w) and (self._left[w] or may_begin[w])]

    def _send(self, vc: int, inputs: Values) -> None:
        """Send the next flit of a VC, the head of a packet if it has none."""
        params, draw, cover = self._params, self._draw, self._cover
        head = not self._left[vc]
        if head:
            self._left[vc] = draw.choice((1, 1, 2, 3, draw.randint(1, 2 * params.depth)))
        self._left[vc] -= 1
        if params.speculates and head and not self._claimed[vc]:
            inputs["claimed"] = 1 << vc
            cover.hit("claimed and sent")
            cover.hit("claimed and sent with its tail", not self._left[vc])
        self._claimed[vc] = False
        flit = Flit(vc, int(not self._left[vc]), draw.getrandbits(params.data_width))
        inputs |= {"send": 1, "flit": flit.word(params)}
        cover.hit("head", head)
        cover.hit("single flit", head and flit.tail)
        if params.depth > 1:
            cover.hit("credits left at a tail", flit.tail and self._credits[vc] > 1)

    def _claim(self, sent: int | None, inputs: Values) -> None:
        """Claim a free VC, if there is one, for a packet whose head is to come."""
        free = [w for w in self._vcs if w != sent and not self._left[w] and not self._claimed[w] and self._claimable(w)]
        if free:
            claims = self._draw.choice(free)
            inputs["claimed"] = inputs.get("claimed", 0) | 1 << claims
            self._claimed[claims] = True
            self._cover.hit("claimed as another VC sends", sent is not None)

    def _claimable(self, vc: int) -> bool:
        """Return whether a VC that is free has the credits that a claim needs."""
        return self._params.claims_full or self._unit.can_begin(vc)


@cocotb.test()
async def packets(dut: Any) -> None:
    """Flits faster than credits return, slower, and at the same rate."""
    bench = Bench(dut, "packets")
    params = SwitchParams(**bench.parameters["switch"])
    unit = OutputUnit(params)
    stimulus = Traffic(bench, params, unit)
    await bench.start()
    await bench.random_traffic(stimulus, unit)
