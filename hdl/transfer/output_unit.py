"""Output unit of one port: credits, free VCs, flit register (Dally and Towles, chapter 16; microarchitecture.md, 8)."""

from __future__ import annotations

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.logic import successor
from hdl.transfer.output_buffer import OutputBuffer
from hdl.transfer.output_queue import OutputQueue
from models.params import SwitchParams, index_width

# Up to this depth credits are counted in thermometer code, one LUT per level without decoder; above, in binary.
_THERMOMETER = 6


def credit_bits(params: SwitchParams) -> int:
    """Return the width in bits of a VC's credit counter."""
    return index_width(params.depth + 1)


class OutputUnit(wiring.Component):
    """Tracks which VCs of the downstream buffer can be claimed, and which can take a flit.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    send : In(1)
    flit : In(flit)
        A flit is sent; the flit, with its output VC.
    forward_speculatively, confirmed : In(1), In(1)
        Only with prediction of cached routes: `flit` is sent speculatively; the one of the cycle before is right.
    link : Out(LinkSignature)
        Its flit is a register: the flit sent in the cycle before, or the output of the output buffer or queues. A flit
        that was sent speculatively is valid if `confirmed`.
    full, waiting, clear : Out(1), Out(1), Out(1)
        Only with an output buffer; from registers: nothing can be sent (FIFO only); a flit waits for the link; a flit
        sent now goes straight to the link (only with prediction; with queues per VC, Out(vcs)).
    has_credit : Out(vcs)
        Register, per VC: it has a credit; with queues, room for a flit.
    available : Out(vcs)
        From registers, per VC: no packet owns it, and it has the credits that a head needs.
    unowned : Out(vcs)
        Only if a head may claim a VC without credits; register, per VC: no packet owns it.
    credits : Out.array(vcs)
        Only with adaptive routing; per VC: its credits, a register or the count of a thermometer code.
    pointer : Out(vc_bits)
        Only without a VC stage; register: VC at which the search for a VC starts.
    claimed : In(vcs)
        Only with a VC stage: VCs that are allocated to heads. Without, a head claims its VC when it is sent.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._forwards_speculatively = params.prediction is not None and params.has_cache
        members = {
            "send": In(1),
            "flit": In(formats.flit(params)),
            "link": Out(formats.LinkSignature(params)),
            "has_credit": Out(params.vcs),
            "available": Out(params.vcs),
        }
        members |= {"claimed": In(params.vcs)} if params.vc_stage else {"pointer": Out(params.vc_bits)}
        if params.claims_full:
            members["unowned"] = Out(params.vcs)
        if params.selects:
            members["credits"] = Out(credit_bits(params)).array(params.vcs)
        if self._forwards_speculatively:
            members |= {"forward_speculatively": In(1), "confirmed": In(1)}
        if params.output_fifo:
            members["full"] = Out(1)
        if params.output_flits:
            members["waiting"] = Out(1)
        if params.output_flits and params.prediction:
            members["clear"] = Out(params.vcs if params.output_queues else 1)
        super().__init__(members)

    def straight_conditions(self) -> list[Value]:
        """Return the conditions for a flit sent now to go straight to the link, one bit per VC; none without buffer."""
        if self._params.output_queues:
            return [self.clear]
        return [self.clear.replicate(self._params.vcs)] if self._params.output_fifo else []

    def elaborate(self, platform: object) -> Module:
        """Build the credit counter and the free bit of each VC."""
        m = Module()
        params = self._params
        free = Signal(params.vcs, init=(1 << params.vcs) - 1)
        output = Signal(formats.flit(params), reset_less=True)
        forwarded_speculatively = Signal()
        queue = OutputQueue(params) if params.output_queues else None
        if params.output_flits:
            shown = self._elaborate_queue(m, output, queue) if queue else self._elaborate_buffer(m, output)
            m.d.comb += self.link.flit.valid.eq(shown | self.confirmed if self._forwards_speculatively else shown)
        elif self._forwards_speculatively:
            sent = Signal()
            m.d.sync += sent.eq(self.send)
            m.d.comb += self.link.flit.valid.eq(sent | self.confirmed)
        else:
            m.d.sync += self.link.flit.valid.eq(self.send)
        if self._forwards_speculatively:
            m.d.sync += forwarded_speculatively.eq(self.forward_speculatively)
        if not params.output_flits:
            m.d.sync += output.eq(self.flit)
        m.d.comb += self.link.flit.payload.eq(output)

        for vc in range(params.vcs):
            back = Signal(name=f"back_{vc}")
            spent = Signal(name=f"spent_{vc}")
            m.d.comb += back.eq(self.link.credit.valid & (self.link.credit.payload.vc == vc))
            m.d.comb += spent.eq(self.send & (self.flit.vc == vc))
            # A head that is sent speculatively claims its VC at once; in the cycle after, the VC is kept or freed.
            resolved = forwarded_speculatively & (output.vc == vc)
            leaves = queue.loads[vc] if queue else spent
            paid = leaves | (resolved & self.confirmed) if self._forwards_speculatively else leaves
            has_credit, has_need = self._credits(m, vc, back, paid)
            if queue:
                has_credit, has_need = self._of_queue(m, vc, queue, has_credit, has_need)
            m.d.comb += self.has_credit[vc].eq(has_credit)
            m.d.comb += self.available[vc].eq(free[vc] & has_need)
            if params.vc_stage:
                with m.If(self.claimed[vc]):
                    m.d.sync += free[vc].eq(0)
            # A head claims the VC unless it is the tail, too; for a body flit the VC is claimed already.
            with m.If(spent):
                m.d.sync += free[vc].eq(self.flit.tail)
            if self._forwards_speculatively:
                with m.If(self.forward_speculatively & (self.flit.vc == vc)):
                    m.d.sync += free[vc].eq(0)
                with m.If(resolved):
                    m.d.sync += free[vc].eq(~self.confirmed | output.tail)

        if params.claims_full:
            m.d.comb += self.unowned.eq(free)
        if params.vc_stage:
            return m
        if params.vcs == 1:
            m.d.comb += self.pointer.eq(0)
        else:
            # Only a head is sent on a free VC.
            sends = self.send | self.forward_speculatively if self._forwards_speculatively else self.send
            with m.If(sends & Array(free)[self.flit.vc]):
                m.d.sync += self.pointer.eq(successor(self.flit.vc, params.vcs))
        return m

    def _elaborate_buffer(self, m: Module, output: Signal) -> Value:
        """Build the output buffer before a link slower than the crossbar; return whether a flit goes to the link."""
        m.submodules.buffer = buffer = OutputBuffer(self._params)
        m.d.comb += buffer.flit.valid.eq(self.send)
        m.d.comb += buffer.flit.payload.eq(self.flit)
        m.d.comb += self.full.eq(buffer.full)
        m.d.comb += self.waiting.eq(buffer.waiting)
        m.d.comb += output.eq(buffer.link.payload)
        if self._params.prediction:
            m.d.comb += self.clear.eq(buffer.clear)
        if self._forwards_speculatively:
            m.d.comb += buffer.forward_speculatively.eq(self.forward_speculatively)
        return buffer.link.valid

    def _elaborate_queue(self, m: Module, output: Signal, queue: OutputQueue) -> Value:
        """Build the queues of VCs before a link as fast as the crossbar; return whether a flit goes to the link."""
        m.submodules.queue = queue
        m.d.comb += queue.flit.valid.eq(self.send)
        m.d.comb += queue.flit.payload.eq(self.flit)
        m.d.comb += self.waiting.eq(queue.nonempty.any())
        m.d.comb += output.eq(queue.link.payload)
        if self._params.prediction:
            m.d.comb += self.clear.eq(queue.has_credit & ~self.waiting.replicate(self._params.vcs))
        return queue.link.valid

    def _of_queue(
        self, m: Module, vc: int, queue: OutputQueue, has_credit: Value, has_need: Value
    ) -> tuple[Value, Value]:
        """Give a queue its VC's credit; return whether it has room for a flit, and whether a head may claim the VC.

        A head that needs more than one credit needs them behind an empty queue.
        """
        m.d.comb += queue.has_credit[vc].eq(has_credit)
        room = queue.room[vc]
        return room, room if self._params.head_need(vc) == 1 else room & has_need & ~queue.nonempty[vc]

    def _credits(self, m: Module, vc: int, back: Value, spent: Value) -> tuple[Value, Value]:
        """Build the credit counter of a VC; return whether it has a credit, and whether it has enough for a head."""
        depth, need = self._params.depth, self._params.head_need(vc)
        if depth <= _THERMOMETER:
            # Bit k: more than k credits.
            level = Signal(depth, init=(1 << depth) - 1, name=f"level_{vc}")
            with m.If(back ^ spent):
                m.d.sync += level.eq(Mux(back, Cat(C(1, 1), level[:-1]), level[1:]))
            if self._params.selects:
                # Number of ones: the bit of weight b is 1 from b to 2b − 1 ones, from 3b to 4b − 1, and so on.
                for bit in range(credit_bits(self._params)):
                    ranges = range(1 << bit, depth + 1, 2 << bit)
                    ones = [
                        level[k - 1] & ~(level[k + (1 << bit) - 1] if k + (1 << bit) <= depth else 0) for k in ranges
                    ]
                    m.d.comb += self.credits[vc][bit].eq(Cat(ones).any())
            return level[0], level[need - 1]

        credits = Signal(credit_bits(self._params), init=depth, name=f"credits_{vc}")
        has_credit = Signal(init=1, name=f"has_credit_{vc}")
        has_need = Signal(init=1, name=f"has_need_{vc}")
        if self._params.selects:
            m.d.comb += self.credits[vc].eq(credits)
        with m.If(back & ~spent):
            m.d.sync += credits.eq(credits + 1)
            m.d.sync += has_credit.eq(1)
            m.d.sync += has_need.eq(credits >= need - 1)
        with m.Elif(spent & ~back):
            m.d.sync += credits.eq(credits - 1)
            m.d.sync += has_credit.eq(credits > 1)
            m.d.sync += has_need.eq(credits > need)
        return has_credit, has_need
