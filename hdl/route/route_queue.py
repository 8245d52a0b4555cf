"""Route queue of one input port: one queue of routes per VC, in packet order (microarchitecture.md, section 4)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.logic import one_hot, ring, ring_next, select_bit, select_hot, select_index, successor
from models.params import SwitchParams, index_width


class RouteQueue(wiring.Component):
    """One queue per VC: entries claimed and released in packet order, written in any order.

    Parameters
    ----------
    params : SwitchParams
    shape : data.StructLayout
        Layout of a route.

    Ports
    -----
    claim_valid, claim_vc : In(1), In(vc_bits)
        A header of this VC is complete: its packet claims the next entry of the VC.
    claim_slot : Out(slot_bits)
        Number of that entry, vc · depth + position, in the same cycle.
    write_valid, write_slot, write_route : In(1), In(slot_bits), In(shape)
        Write a claimed entry, or the one that is claimed in this cycle. With computed routes every entry is written in
        the cycle in which it is claimed.
    ready : Out(vcs)
        Per VC: the first entry is written.
    front : Out(shape).array(vcs)
        Per VC: the first entry; undefined while not ready.
    releases : In(vcs)
        Release the first entries of these VCs. With prediction an entry that is not written yet may be released if it
        is the VC's last one and is never written later.
    """

    def __init__(self, params: SwitchParams, shape: data.StructLayout) -> None:
        self._params = params
        self._shape = shape
        members = {
            "claim_valid": In(1),
            "claim_vc": In(params.vc_bits),
            "claim_slot": Out(params.slot_bits),
            "write_valid": In(1),
            "write_slot": In(params.slot_bits),
            "write_route": In(shape),
            "ready": Out(params.vcs),
            "front": Out(shape).array(params.vcs),
            "releases": In(params.vcs),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Build the queue of each VC in a memory of its own."""
        m = Module()
        in_order = self._params.at_once
        slots = []
        for vc in range(self._params.vcs):
            claim = Signal(name=f"claim_{vc}")
            release = Signal(name=f"release_{vc}")
            m.d.comb += claim.eq(self.claim_valid & (self.claim_vc == vc))
            m.d.comb += release.eq(self.releases[vc])
            slots.append((self._in_order if in_order else self._out_of_order)(m, vc, claim, release))
        m.d.comb += self.claim_slot.eq(select_index(self.claim_vc, slots))
        return m

    def _memory(self, m: Module, vc: int) -> tuple[memory.WritePort, memory.ReadPort]:
        routes = memory.Memory(shape=self._shape, depth=1 << index_width(self._params.depth), init=[])
        m.submodules[f"routes_{vc}"] = routes
        write, read = routes.write_port(), routes.read_port(domain="comb")
        m.d.comb += write.data.eq(self.write_route)
        return write, read

    def _in_order(self, m: Module, vc: int, claim: Value, release: Value) -> Value:
        """Build a queue whose entries are written when claimed; return the slot of the next claim.

        The front is kept in a register: the path from the front to the crossbar is the critical path of the switch.
        """
        depth = self._params.depth
        bits = index_width(depth)
        tail = Signal(bits, name=f"tail_{vc}")
        behind = Signal(bits, init=ring(depth)[1 % depth], name=f"behind_{vc}")
        more = Signal(name=f"more_{vc}")
        front = Signal(self._shape, name=f"front_{vc}", reset_less=True)
        m.d.comb += more.eq(self.ready[vc] & (behind != tail))
        with m.If(claim):
            m.d.sync += tail.eq(ring_next(tail, depth))
        with m.If(release):
            m.d.sync += behind.eq(ring_next(behind, depth))
        m.d.sync += self.ready[vc].eq((self.ready[vc] & ~release) | claim | more)

        write, read = self._memory(m, vc)
        m.d.comb += write.en.eq(claim)
        m.d.comb += write.addr.eq(tail)
        m.d.comb += read.addr.eq(behind)
        with m.If(~self.ready[vc] | release):
            m.d.sync += front.eq(Mux(more, read.data, self.write_route))
        m.d.comb += self.front[vc].eq(front)
        if ring(depth) == list(range(depth)):
            return self._slot(vc, tail)
        codes = enumerate(ring(depth))
        slots = ((tail == code, C(vc * depth + position, self._params.slot_bits)) for position, code in codes)
        return select_hot(*zip(*slots, strict=True))

    def _out_of_order(self, m: Module, vc: int, claim: Value, release: Value) -> Value:
        """Build a queue whose entries are written in any order; return the slot of the next claim.

        The front is kept in a register, the entries behind it in the memory.
        """
        depth = self._params.depth
        bits = index_width(depth)
        tail = Signal(bits, name=f"tail_{vc}")
        head = Signal(bits, name=f"head_{vc}")
        behind = Signal(bits, init=1 % depth, name=f"behind_{vc}")
        position = Signal(bits, name=f"position_{vc}")
        written = Signal(depth, name=f"written_{vc}")
        to_front = Signal(name=f"to_front_{vc}")
        more = Signal(name=f"more_{vc}")
        front = Signal(self._shape, name=f"front_{vc}", reset_less=True)
        write, read = self._memory(m, vc)
        chosen, at = self._locate(vc)
        m.d.comb += write.en.eq(self.write_valid & chosen)
        m.d.comb += write.addr.eq(position)
        m.d.comb += read.addr.eq(behind)
        m.d.comb += position.eq(at)
        with m.If(claim):
            m.d.sync += tail.eq(successor(tail, depth))
        with m.If(release):
            m.d.sync += head.eq(successor(head, depth))
            m.d.sync += behind.eq(successor(behind, depth))
        set_ = one_hot(position, depth) & write.en.replicate(depth)
        cleared = one_hot(head, depth) & release.replicate(depth)
        m.d.sync += written.eq((written & ~cleared) | set_)

        # Write the front register if the front is still awaited, or if the next entry is written while the front may
        # leave.
        m.d.comb += to_front.eq(write.en & (position == Mux(self.ready[vc], behind, head)))
        m.d.comb += more.eq(select_bit(behind, written) if depth > 1 else 0)
        m.d.sync += self.ready[vc].eq(Mux(self.ready[vc], ~release | more | to_front, to_front))
        with m.If(~self.ready[vc] | release):
            m.d.sync += front.eq(Mux(to_front, self.write_route, read.data))
        m.d.comb += self.front[vc].eq(front)
        return self._slot(vc, tail)

    def _slot(self, vc: int, position: Value) -> Value:
        """Return the slot of a position in the queue of a VC."""
        depth, bits = self._params.depth, self._params.slot_bits
        if depth & depth - 1 == 0:
            # At depth 1 a position has no bits, but its signal has one.
            return Cat(position[: depth.bit_length() - 1], C(vc, self._params.vc_bits))
        return (C(vc * depth, bits) + position)[:bits]

    def _locate(self, vc: int) -> tuple[Value, Value]:
        """Return whether the slot to write belongs to VC `vc`, and its position there."""
        depth, slot = self._params.depth, self.write_slot
        if self._params.vcs == 1:
            return C(1, 1), slot
        if depth & depth - 1 == 0:
            # At depth 1 a position has no bits, but its signal has one.
            used = depth.bit_length() - 1
            return slot[used:] == vc, slot[:used]
        return (slot >= vc * depth) & (slot < (vc + 1) * depth), (slot - vc * depth)[: index_width(depth)]
