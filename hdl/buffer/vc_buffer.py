"""Input buffer: one flit queue per VC in one memory (Dally and Towles, chapter 17; microarchitecture.md, section 3)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.logic import ring_next, select_bit, select_index
from models.params import SwitchParams, index_width


class VcBuffer(wiring.Component):
    """One queue of `depth` flits per VC. A flit visible on the input in cycle c can leave in c + 1.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    flit : In(ValidSignature(flit))
        Flit to append to the queue of its VC. The sender's credits prevent overflow.
    pop_valid : In(1)
        The first flit of VC `pop_vc` leaves.
    pop_vc : In(vc_bits)
        VC to read, whether or not its flit leaves.
    front : Out(body)
        First flit of `pop_vc`, in the same cycle; undefined if that queue is empty.
    tails : Out(vcs)
        Per VC: the first flit is a tail; undefined if that queue is empty.
    nonempty : Out(vcs)
        Register, per VC: the queue holds a flit.
    whole, several : Out(vcs), Out(vcs)
        Only with static buffering; per VC: the first packet is stored as a whole, or fills the queue; the queue holds
        more than one flit.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        members = {
            "flit": In(formats.ValidSignature(formats.flit(params))),
            "pop_valid": In(1),
            "pop_vc": In(params.vc_bits),
            "front": Out(formats.body(params)),
            "tails": Out(params.vcs),
            "nonempty": Out(params.vcs),
        }
        if params.buffering == "static":
            members |= {"whole": Out(params.vcs), "several": Out(params.vcs)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build the memory, addressed by {vc, pointer}, and the pointers of each queue."""
        m = Module()
        vcs, depth = self._params.vcs, self._params.depth
        bits = index_width(depth)
        incoming = self.flit.payload

        # A flit's effect depends on its tail bit, which is read for all VCs in parallel, before the VC is selected.
        write_pointers, read_pointers = [], []
        for vc in range(vcs):
            write_pointer = Signal(bits, name=f"write_pointer_{vc}")
            read_pointer = Signal(bits, name=f"read_pointer_{vc}")
            push = Signal(name=f"push_{vc}")
            pop = Signal(name=f"pop_{vc}")
            after_pop = Signal(bits, name=f"after_pop_{vc}")
            m.d.comb += push.eq(self.flit.valid & (incoming.vc == vc))
            m.d.comb += pop.eq(self.pop_valid & (self.pop_vc == vc))
            m.d.comb += after_pop.eq(ring_next(read_pointer, depth))
            with m.If(push):
                m.d.sync += write_pointer.eq(ring_next(write_pointer, depth))
            with m.If(pop):
                m.d.sync += read_pointer.eq(after_pop)
            # Credits exclude a push to a full queue, so equal pointers after a pop mean an empty queue.
            with m.If(push):
                m.d.sync += self.nonempty[vc].eq(1)
            with m.Elif(pop & (after_pop == write_pointer)):
                m.d.sync += self.nonempty[vc].eq(0)
            # Without the attribute so small a memory would become registers and multiplexers.
            attrs = {"ram_style": "distributed"}
            tail = memory.Memory(shape=1, depth=1 << bits if depth > 1 else 1, init=[], attrs=attrs)
            m.submodules[f"tails_{vc}"] = tail
            tail_write, tail_read = tail.write_port(), tail.read_port(domain="comb")
            m.d.comb += tail_write.en.eq(push)
            m.d.comb += tail_write.addr.eq(write_pointer)
            m.d.comb += tail_write.data.eq(incoming.tail)
            m.d.comb += tail_read.addr.eq(read_pointer)
            m.d.comb += self.tails[vc].eq(tail_read.data)
            if self._params.buffering == "static":
                # Tails in the queue: one more, one less, or both at once.
                stored = Signal(range(depth + 1), name=f"stored_{vc}")
                into, out = push & incoming.tail, pop & tail_read.data
                with m.If(into & ~out):
                    m.d.sync += stored.eq(stored + 1)
                with m.Elif(out & ~into):
                    m.d.sync += stored.eq(stored - 1)
                full = self.nonempty[vc] & (write_pointer == read_pointer)
                m.d.comb += self.whole[vc].eq(stored.any() | full)
                m.d.comb += self.several[vc].eq(self.nonempty[vc] & (after_pop != write_pointer))
            write_pointers.append(write_pointer)
            read_pointers.append(read_pointer)

        rows = vcs if depth == 1 else vcs << bits
        m.submodules.flits = flits = memory.Memory(shape=self._params.data_width, depth=rows, init=[])
        write = flits.write_port()
        read = flits.read_port(domain="comb")

        def address(vc: Value, pointers: list[Signal]) -> Value:
            # With depth 1 there is no pointer. With one VC the VC number has one bit, always 0, that the address lacks.
            if depth == 1:
                return vc[: len(write.addr)]
            return Cat(select_index(vc, pointers), vc)[: len(write.addr)]

        m.d.comb += write.en.eq(self.flit.valid)
        m.d.comb += write.addr.eq(address(incoming.vc, write_pointers))
        m.d.comb += write.data.eq(incoming.data)
        m.d.comb += read.addr.eq(address(self.pop_vc, read_pointers))
        m.d.comb += self.front.tail.eq(select_bit(self.pop_vc, self.tails))
        m.d.comb += self.front.data.eq(read.data)
        return m
