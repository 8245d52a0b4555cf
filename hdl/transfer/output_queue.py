"""Output queues: one queue per VC before a link as fast as the crossbar (paper E, 3.1; microarchitecture.md, 13)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.logic import first_cyclic, ring_next, select_index, successor
from models.params import SwitchParams, index_width


class OutputQueue(wiring.Component):
    """Keeps granted flits, per VC, until their VC has a credit and the link takes them.

    Parameters
    ----------
    params : SwitchParams
        With `output_buffer` and without speed-up.

    Ports
    -----
    flit : In(ValidSignature(flit))
        Flit granted in this cycle; its VC has `room`.
    has_credit : In(vcs)
        Per VC: the buffer behind the link has room. From registers.
    link : Out(ValidSignature(flit))
        Register: the flit on the link.
    loads : Out(vcs)
        One-hot: VC of the flit that goes to the link in this cycle, which spends a credit.
    room, nonempty : Out(vcs), Out(vcs)
        Registers, per VC: its queue can take a flit; holds a flit.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not params.output_queues:
            raise ValueError("output_buffer is not set, or speedup > 1: OutputQueue needs the one without the other")
        self._params = params
        signature = formats.ValidSignature(formats.flit(params))
        every = (1 << params.vcs) - 1
        members = {
            "flit": In(signature),
            "has_credit": In(params.vcs),
            "link": Out(signature),
            "loads": Out(params.vcs),
            "room": Out(params.vcs, init=every),
            "nonempty": Out(params.vcs),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build the queues in one memory, the choice of the VC that goes to the link, and the flit register."""
        m = Module()
        vcs, incoming = self._params.vcs, self.flit.payload
        pointer = Signal(self._params.vc_bits)
        found, chosen = first_cyclic(m, self.nonempty & self.has_credit, pointer, "link")
        with m.If(found):
            m.d.sync += pointer.eq(successor(chosen, vcs))
        # A granted flit that has a credit passes its queue if nothing goes to the link: its queue is then empty.
        passes = Signal()
        m.d.comb += passes.eq(self.flit.valid & ~found & select_index(incoming.vc, list(self.has_credit)))

        first, last = [], []
        for vc in range(vcs):
            push = Signal(name=f"push_{vc}")
            pop = Signal(name=f"pop_{vc}")
            mine = incoming.vc == vc
            m.d.comb += push.eq(self.flit.valid & mine & ~passes)
            m.d.comb += pop.eq(found & (chosen == vc))
            m.d.comb += self.loads[vc].eq(pop | (passes & mine))
            self._count(m, vc, push, pop)
            first.append(self._pointer(m, f"first_{vc}", pop))
            last.append(self._pointer(m, f"last_{vc}", push))

        body = formats.body(self._params)
        rows = vcs << (self._pointer_bits if self._params.output_flits > 1 else 0)
        attrs = {"ram_style": "distributed"}
        m.submodules.flits = store = memory.Memory(shape=body, depth=rows, init=[], attrs=attrs)
        write, read = store.write_port(), store.read_port(domain="comb")
        m.d.comb += write.en.eq(self.flit.valid & ~passes)
        m.d.comb += write.addr.eq(self._address(incoming.vc, last, len(write.addr)))
        m.d.comb += write.data.tail.eq(incoming.tail)
        m.d.comb += write.data.data.eq(incoming.data)
        m.d.comb += read.addr.eq(self._address(chosen, first, len(read.addr)))

        payload = Signal(formats.flit(self._params), reset_less=True)
        m.d.sync += self.link.valid.eq(found | passes)
        m.d.sync += payload.vc.eq(Mux(found, chosen, incoming.vc))
        m.d.sync += payload.tail.eq(Mux(found, read.data.tail, incoming.tail))
        m.d.sync += payload.data.eq(Mux(found, read.data.data, incoming.data))
        m.d.comb += self.link.payload.eq(payload)
        return m

    @property
    def _pointer_bits(self) -> int:
        return index_width(self._params.output_flits)

    def _count(self, m: Module, vc: int, push: Value, pop: Value) -> None:
        """Build the occupancy of a queue: a flit that leaves makes room from the next cycle on."""
        flits = self._params.output_flits
        count = Signal(range(flits + 1), name=f"count_{vc}")
        with m.If(push & ~pop):
            m.d.sync += count.eq(count + 1)
            m.d.sync += self.nonempty[vc].eq(1)
            m.d.sync += self.room[vc].eq(count != flits - 1)
        with m.Elif(pop & ~push):
            m.d.sync += count.eq(count - 1)
            m.d.sync += self.nonempty[vc].eq(count != 1)
            m.d.sync += self.room[vc].eq(1)

    def _pointer(self, m: Module, name: str, steps: Value) -> Signal:
        """Return the place in a queue that follows the last one used; a code of `hdl.lib.logic.ring`."""
        place = Signal(self._pointer_bits, name=name)
        with m.If(steps):
            m.d.sync += place.eq(ring_next(place, self._params.output_flits))
        return place

    def _address(self, vc: Value, places: list[Signal], bits: int) -> Value:
        """Return the row of the memory for a VC: {vc, place}; a queue of one flit has no places."""
        if self._params.output_flits == 1:
            return vc[:bits]
        return Cat(select_index(vc, places), vc)[:bits]
