"""VC buffer: every VC is a first-in, first-out queue, as long as credits are kept to."""

from __future__ import annotations

from functools import partial

from amaranth.asserts import AnySeq
from amaranth.hdl import C, Cat, Mux, Signal, Value

from hdl import formats
from hdl.logic import ring, select_index
from hdl.vc_buffer import VcBuffer
from models.params import SwitchParams
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
    # The sender's credits, and the input unit, which looks before it takes.
    proof.assume(~push | (held < depth))
    proof.assume(~pop | (held > 0))
    proof.claim(held <= depth)
    proof.claim(buffer.nonempty.bit_select(vc, 1) == (held > 0))

    # Any flit of the VC is marked; it leaves when as many have left as were before it.
    marked = Signal()
    ahead = Signal(range(depth))
    flit = Signal(formats.body(params))
    with m.If(~marked & push & AnySeq(1)):
        m.d.sync += [marked.eq(1), ahead.eq(held - pop), flit.tail.eq(incoming.tail), flit.data.eq(incoming.data)]
    with m.Elif(marked & pop):
        m.d.sync += [marked.eq(ahead > 0), ahead.eq(ahead - 1)]
    with m.If(marked):
        proof.claim(ahead < held)
        with m.If((ahead == 0) & (buffer.pop_vc == vc)):
            proof.claim(buffer.front == flit)

    def code(place: Value) -> Value:
        """Return how a pointer says a place in the ring, counted on from its start."""
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


_CLAIM = (
    "no flit of any VC is lost, doubled or overtaken, and `nonempty` says whether there is one, "
    "if the sender keeps to its credits ({} VCs of {} flits)"
)
_FILE = "hdl/vc_buffer.py"

PROPERTIES = [
    Property(
        "vc_buffer: order, depth 4",
        _CLAIM.format(2, 4),
        partial(_in_order, params=SwitchParams(data_width=16)),
        Fault(_FILE, "with m.Elif(pop & (after_pop == write_pointer)):", "with m.Elif(pop):"),
        fast=False,
    ),
    Property(
        "vc_buffer: order, depth 5",
        _CLAIM.format(3, 5),
        partial(_in_order, params=SwitchParams(data_width=16, vcs=3, depth=5)),
        Fault(
            _FILE, "after_pop.eq(ring_next(read_pointer, depth))", "after_pop.eq(ring_next(read_pointer, depth + 1))"
        ),
    ),
]
