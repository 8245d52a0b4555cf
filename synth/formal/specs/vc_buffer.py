"""Properties of the VC buffer: each VC is a first-in, first-out queue if the sender keeps to its credits."""

from __future__ import annotations

from functools import partial

from amaranth.asserts import AnySeq
from amaranth.hdl import C, Cat, Mux, Signal, Value

from hdl import formats
from hdl.buffer.vc_buffer import VcBuffer
from hdl.lib.logic import ring, select_index
from models.params import SwitchParams
from synth.formal.inside import Inside
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _in_order(proof: Proof, params: SwitchParams) -> None:
    m, depth = proof.m, params.depth
    inside = proof.inside(VcBuffer(params), memories=["flits", *(f"tails_{vc}" for vc in range(params.vcs))])
    buffer = inside.ports
    incoming = buffer.flit.payload
    vc = proof.any_constant("vc", params.vcs)
    proof.assume((incoming.vc < params.vcs) & (buffer.pop_vc < params.vcs))
    push = buffer.flit.valid & (incoming.vc == vc)
    pop = buffer.pop_valid & (buffer.pop_vc == vc)
    held = Signal(range(depth + 1))
    first = Signal(range(depth))
    m.d.sync += held.eq(held + push - pop)
    with m.If(pop):
        m.d.sync += first.eq(Mux(first == depth - 1, 0, first + 1))
    # The sender keeps to its credits, and the input unit pops only queues that are not empty.
    proof.assume(~push | (held < depth))
    proof.assume(~pop | (held > 0))
    proof.claim(held <= depth)
    proof.claim(buffer.nonempty.bit_select(vc, 1) == (held > 0))

    # Mark any flit of the VC; it leaves when all flits before it have left.
    marked = Signal()
    ahead = Signal(range(depth))
    flit = Signal(formats.body(params))
    with m.If(~marked & push & AnySeq(1)):
        m.d.sync += [marked.eq(1), ahead.eq(held - pop), flit.tail.eq(incoming.tail), flit.data.eq(incoming.data)]
    with m.Elif(marked & pop):
        m.d.sync += [marked.eq(ahead > 0), ahead.eq(ahead - 1)]
    with m.If(marked):
        proof.claim(ahead < held)
        with m.If(ahead == 0):
            proof.claim(buffer.tails.bit_select(vc, 1) == flit.tail)
            with m.If(buffer.pop_vc == vc):
                proof.claim(buffer.front == flit)

    def code(place: Value) -> Value:
        """Return the code of the pointer to the position `place` in the ring, counted from its start."""
        codes = [C(number, len(inside.register("read_pointer_0"))) for number in ring(depth)]
        return select_index(Mux(place < depth, place, place - depth)[: len(first)], codes)

    proof.invariant(first < depth)
    place = code(first + ahead)
    for each in range(params.vcs):
        with m.If(vc == each):
            proof.invariant(inside.register(f"read_pointer_{each}") == code(first))
            proof.invariant(inside.register(f"write_pointer_{each}") == code(first + held))
            with m.If(marked):
                proof.invariant(inside.row(m, f"tails_{each}", place) == flit.tail)
    with m.If(marked):
        proof.invariant(inside.row(m, "flits", Cat(place, vc)) == flit.data)


def _whole(proof: Proof, params: SwitchParams) -> None:
    """Claim when a queue is whole; the proof keeps the tail bits of its flits, first to leave first."""
    m, depth = proof.m, params.depth
    inside = proof.inside(VcBuffer(params), memories=[f"tails_{vc}" for vc in range(params.vcs)], reads=depth)
    buffer = inside.ports
    vc = proof.any_constant("vc", params.vcs)
    proof.assume((buffer.flit.payload.vc < params.vcs) & (buffer.pop_vc < params.vcs))
    push = buffer.flit.valid & (buffer.flit.payload.vc == vc)
    pop = buffer.pop_valid & (buffer.pop_vc == vc)
    held = Signal(range(depth + 1))
    tails = Signal(depth)
    proof.assume(~push | (held < depth))
    proof.assume(~pop | (held > 0))
    m.d.sync += held.eq(held + push - pop)
    left = Signal(depth)
    m.d.comb += left.eq(Mux(pop, tails >> 1, tails))
    m.d.sync += tails.eq(left | Mux(push, buffer.flit.payload.tail << (held - pop)[: len(held)], 0))
    proof.claim(buffer.whole.bit_select(vc, 1) == (tails.any() | (held == depth)))

    proof.invariant((held <= depth) & (tails >> held == 0))
    for each in range(params.vcs):
        with m.If(vc == each):
            _queue(proof, inside, each, held, tails)


def _queue(proof: Proof, inside: Inside, vc: int, held: Value, tails: Value) -> None:
    """State the invariants between the pointers and memory of a VC and the content of its queue."""
    m, depth = proof.m, len(tails)
    codes = ring(depth)
    first, behind = inside.register(f"read_pointer_{vc}"), inside.register(f"write_pointer_{vc}")
    proof.invariant(inside.register("nonempty").bit_select(vc, 1) == (held > 0))
    proof.invariant(inside.register(f"stored_{vc}") == sum(tails, start=C(0, 1)))
    proof.invariant(Cat(first == code for code in codes).any())
    for start in range(depth):
        with m.If(first == codes[start]):
            for ahead in range(depth):
                with m.If(held % depth == ahead):
                    proof.invariant(behind == codes[(start + ahead) % depth])
    # Each row holds a flit, or none.
    for row in range(depth):
        stored = inside.row(m, f"tails_{vc}", C(codes[row], len(first)), row)
        for start in range(depth):
            ahead = (row - start) % depth
            with m.If((first == codes[start]) & (held > ahead)):
                proof.invariant(stored == tails[ahead])


_CLAIM = (
    "no flit of a VC is lost, duplicated or reordered, and `nonempty` tells whether there is one, "
    "if the sender keeps to its credits ({} of {} flits)"
)
_WHOLE = "with static buffering, `whole` is 1 if and only if a queue holds a tail or is full ({} of {} flits)"
_FILE = "hdl/buffer/vc_buffer.py"

PROPERTIES = [
    Property(
        "vc_buffer: order, depth 4",
        _CLAIM.format("2 VCs", 4),
        partial(_in_order, params=SwitchParams(data_width=16)),
        Fault(_FILE, "with m.Elif(pop & (after_pop == write_pointer)):", "with m.Elif(pop):"),
        fast=False,
    ),
    Property(
        "vc_buffer: order, depth 5",
        _CLAIM.format("3 VCs", 5),
        partial(_in_order, params=SwitchParams(data_width=16, vcs=3, depth=5)),
        Fault(
            _FILE, "after_pop.eq(ring_next(read_pointer, depth))", "after_pop.eq(ring_next(read_pointer, depth + 1))"
        ),
    ),
    Property(
        "vc_buffer: order, depth 3",
        _CLAIM.format("1 VC", 3),
        partial(_in_order, params=SwitchParams(data_width=16, vcs=1, depth=3)),
        Fault(
            _FILE,
            "write_pointer.eq(ring_next(write_pointer, depth))",
            "write_pointer.eq(ring_next(read_pointer, depth))",
        ),
        fast=False,
    ),
    Property(
        "vc_buffer: whole, depth 3",
        _WHOLE.format("2 VCs", 3),
        partial(_whole, params=SwitchParams(data_width=16, depth=3, buffering="static", max_packet=2)),
        Fault(_FILE, "with m.If(into & ~out):", "with m.If(into):"),
    ),
    Property(
        "vc_buffer: whole, depth 4",
        _WHOLE.format("1 VC", 4),
        partial(_whole, params=SwitchParams(data_width=16, vcs=1, depth=4, buffering="static", max_packet=4)),
        Fault(_FILE, "self.whole[vc].eq(stored.any() | full)", "self.whole[vc].eq(stored.any())"),
        fast=False,
    ),
]
