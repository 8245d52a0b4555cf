"""Output buffer between a faster crossbar and its link (Dally and Towles, chapter 17; microarchitecture.md, 13)."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.logic import ring_next
from models.params import SwitchParams, index_width


class OutputBuffer(wiring.Component):
    """Takes one flit per cycle while not full, and gives the link one flit every `speedup` cycles.

    Parameters
    ----------
    params : SwitchParams
        With `speedup` > 1.

    Ports
    -----
    flit : In(ValidSignature(flit))
        Flit granted in this cycle.
    link : Out(ValidSignature(flit))
        Register: the flit on the link.
    full : Out(1)
        Register: nothing can be granted.
    waiting : Out(1)
        Register: a flit waits for the link.
    forward_speculatively : In(1)
        Only with prediction of cached routes: the payload is put on the link, which must be `clear`, without being
        valid.
    clear : Out(1)
        Only with prediction, from registers: a flit granted in this cycle goes straight to the link.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not params.output_fifo:
            raise ValueError(f"speedup = {params.speedup}: OutputBuffer needs more")
        self._params = params
        signature = formats.ValidSignature(formats.flit(params))
        members = {"flit": In(signature), "link": Out(signature), "full": Out(1), "waiting": Out(1)}
        if params.prediction:
            members["clear"] = Out(1)
        self._forwards_speculatively = params.prediction is not None and params.has_cache
        super().__init__(members | ({"forward_speculatively": In(1)} if self._forwards_speculatively else {}))

    def elaborate(self, platform: object) -> Module:
        """Build the circular buffer of flits, its occupancy, and the countdown until the link is free."""
        m = Module()
        speedup, flits = self._params.speedup, self._params.output_flits
        pace = Signal(range(speedup))
        count = Signal(range(flits + 1))
        first = Signal(index_width(flits))
        last = Signal(index_width(flits))
        loads = Signal()
        push = Signal()
        pop = Signal()
        # The link loads the first flit that waits or, if none waits, the flit that is granted.
        m.d.comb += loads.eq((pace == 0) & (self.waiting | self.flit.valid))
        m.d.comb += pop.eq(loads & self.waiting)
        m.d.comb += push.eq(self.flit.valid & ~(loads & ~self.waiting))
        if self._params.prediction:
            m.d.comb += self.clear.eq((pace == 0) & ~self.waiting)
        # A flit that is sent speculatively occupies the link, whether or not it turns out to be right.
        with m.If(loads | self.forward_speculatively if self._forwards_speculatively else loads):
            m.d.sync += pace.eq(speedup - 1)
        with m.Elif(pace != 0):
            m.d.sync += pace.eq(pace - 1)

        with m.If(push):
            m.d.sync += last.eq(ring_next(last, flits))
        with m.If(pop):
            m.d.sync += first.eq(ring_next(first, flits))
        with m.If(push & ~pop):
            m.d.sync += count.eq(count + 1)
            m.d.sync += self.waiting.eq(1)
            m.d.sync += self.full.eq(count == flits - 1)
        with m.Elif(pop & ~push):
            m.d.sync += count.eq(count - 1)
            m.d.sync += self.waiting.eq(count != 1)
            m.d.sync += self.full.eq(0)

        shape = formats.flit(self._params)
        # For lengths that are no power of two the codes of the ring are not the lowest numbers.
        places = 1 << index_width(flits)
        store = memory.Memory(shape=shape, depth=places, init=[], attrs={"ram_style": "distributed"})
        m.submodules.flits = store
        write, read = store.write_port(), store.read_port(domain="comb")
        m.d.comb += write.en.eq(push)
        m.d.comb += write.addr.eq(last)
        m.d.comb += write.data.eq(self.flit.payload)
        m.d.comb += read.addr.eq(first)

        payload = Signal(shape, reset_less=True)
        m.d.sync += self.link.valid.eq(loads)
        m.d.sync += payload.eq(Mux(self.waiting, read.data, self.flit.payload))
        m.d.comb += self.link.payload.eq(payload)
        return m
