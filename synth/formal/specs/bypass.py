"""Properties of the bypass: at most one input passes, with the next flit of the connected packet or with a head."""

from __future__ import annotations

from functools import partial

from amaranth.asserts import AnySeq
from amaranth.hdl import C, Cat, Mux, Signal, Value

from hdl import formats
from hdl.lib.logic import encode, select_index
from hdl.predict.bypass import Bypass
from models.params import PredictionParams, SwitchParams
from synth.formal.inside import Inside
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _passes(proof: Proof, params: SwitchParams) -> None:
    m, count = proof.m, len(formats.inputs(params, 0))
    inside = proof.inside(Bypass(params), driven=["sent", "select"])
    bypass = inside.ports
    passes, meets = bypass.passes, bypass.meets
    for arrives in bypass.arrives:
        proof.assume((arrives & (arrives - 1)) == 0)
    # The switch allocator: a flit that passes is sent if there is no request; the crossbar is then set for the owner.
    m.d.comb += bypass.sent.eq(Mux(bypass.requested, AnySeq(1), passes.any()))
    m.d.comb += bypass.select.eq(Mux(bypass.requested, AnySeq(len(bypass.select)), bypass.owner))
    proof.assume(~bypass.sent | (bypass.select < count))
    proof.assume(Cat(vc < params.vcs for vc in (bypass.flit_vc, *bypass.input_vcs)).all())
    packet = _packet(proof, inside, params)
    connected, source, input_vc, output_vc = packet

    both = passes | meets
    proof.claim((both & (both - 1)) == 0)
    proof.claim(~(bypass.requested & both.any()))
    with m.If(both.any()):
        proof.claim(bypass.owner == encode(list(both), len(bypass.owner)))
    first = Cat(name & ~bypass.named[:i].any() for i, name in enumerate(bypass.named))
    for i in range(count):
        arrives = bypass.arrives[i]
        with m.If(connected):
            # A body flit of the connected packet, and of no other packet.
            is_next = (source == i) & arrives.bit_select(input_vc, 1) & bypass.has_credit.bit_select(output_vc, 1)
            proof.claim(passes[i] == (is_next & ~bypass.requested))
            proof.claim(~meets[i])
        with m.Else():
            conditions = first[i] & bypass.head[i] & (arrives & bypass.available).any() & ~bypass.requested
            proof.claim(meets[i] == conditions)
            # A mispredicted head is never sent; `passes` never sends one that is not resolved yet.
            proof.claim(passes[i] == (C(0, 1) if params.has_cache else conditions & bypass.right[i]))


def _packet(proof: Proof, inside: Inside, params: SwitchParams) -> tuple[Value, Value, Value, Value]:
    """Return the packet that owns the output: whether there is one, its input port and VC, its output VC."""
    m, bypass = proof.m, inside.ports
    count = len(bypass.named)
    connected = Signal()
    source = Signal(formats.select_bits(params))
    input_vc = Signal(params.vc_bits)
    output_vc = Signal(params.vc_bits)
    if params.has_cache:
        forwarded_speculatively, head = Signal(), Signal.like(source)
        vc, tail = Signal(params.vc_bits), Signal()
        m.d.sync += forwarded_speculatively.eq(bypass.meets.any())
        m.d.sync += head.eq(encode(list(bypass.meets), len(source)))
        m.d.sync += vc.eq(encode(list(select_index(bypass.owner, list(bypass.arrives))), params.vc_bits))
        m.d.sync += tail.eq(AnySeq(1))
        # The flit in the output register is the head.
        proof.assume(
            ~bypass.confirmed
            | (forwarded_speculatively & (bypass.confirmed_vc == vc) & (bypass.confirmed_tail == tail))
        )
        with m.If(bypass.confirmed & ~tail & ~bypass.sent):
            m.d.sync += connected.eq(1)
            m.d.sync += [source.eq(head), input_vc.eq(vc), output_vc.eq(vc)]
        with m.If(forwarded_speculatively):
            proof.invariant((inside.register("speculative_source") == head) & (head < count) & (vc < params.vcs))
    with m.If(bypass.sent):
        m.d.sync += connected.eq(~bypass.tail)
        m.d.sync += source.eq(bypass.select)
        m.d.sync += input_vc.eq(select_index(bypass.select, list(bypass.input_vcs)))
        m.d.sync += output_vc.eq(bypass.flit_vc)
    proof.invariant(inside.register("connected") == connected)
    with m.If(connected):
        proof.invariant((source < count) & (input_vc < params.vcs) & (output_vc < params.vcs))
        for name, value in (("source", source), ("input_vc", input_vc), ("output_vc", output_vc)):
            proof.invariant(inside.register(name) == value)
    return connected, source, input_vc, output_vc


_FILE = "hdl/predict/bypass.py"
_CLAIM = (
    "at most one input port passes or meets all conditions, none if the output is requested, and the crossbar is set "
    "for it: with a body flit of the connected packet, if there is one and it has a credit; else with a head whose "
    "output is predicted, whose VC is available, and that {}"
)

PROPERTIES = [
    Property(
        "bypass: passes, computed",
        _CLAIM.format("is right (5 ports, 2 VCs)"),
        partial(
            _passes,
            params=SwitchParams(data_width=16, routing="dimension_order", radix=(4, 4), prediction=PredictionParams()),
        ),
        Fault(_FILE, "m.d.sync += connected.eq(~self.tail)", "m.d.sync += connected.eq(1)"),
        fast=False,
    ),
    Property(
        "bypass: passes, cached",
        _CLAIM.format("waits to be confirmed (5 ports, 3 VCs)"),
        partial(_passes, params=SwitchParams(data_width=16, vcs=3, prediction=PredictionParams())),
        Fault(_FILE, "with m.If(self.confirmed & ~self.confirmed_tail):", "with m.If(self.confirmed):"),
    ),
]
