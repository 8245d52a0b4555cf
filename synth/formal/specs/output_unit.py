"""Properties of the output unit: credits are neither overdrawn nor exceeded, and an owned VC is not available."""

from __future__ import annotations

from functools import partial

from amaranth.hdl import C, Mux, Signal, Value

from hdl.transfer.output_unit import OutputUnit
from models.params import PredictionParams, SwitchParams
from synth.formal.inside import Inside
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _credits_and_owners(proof: Proof, params: SwitchParams) -> None:
    m, depth, need = proof.m, params.depth, params.credit_need
    inside = proof.inside(OutputUnit(params))
    unit = inside.ports
    vc = proof.any_constant("vc", params.vcs)
    send = unit.send & (unit.flit.vc == vc)
    back = unit.link.credit.valid & (unit.link.credit.payload.vc == vc)

    # Flits of the VC that were sent and whose credits have not returned; whether a packet owns the VC.
    away = Signal(range(depth + 2))
    owned = Signal()
    sent = Signal()
    flit = Signal(unit.flit.shape())
    m.d.sync += [sent.eq(unit.send), flit.eq(unit.flit)]
    speculative, resolved, right = _forwarded_speculatively(proof, inside, params, flit)
    spent = send | (resolved & right & (flit.vc == vc))
    m.d.sync += away.eq(away + spent - back)
    with m.If(speculative & (unit.flit.vc == vc)):
        m.d.sync += owned.eq(1)
    with m.Elif(resolved & (flit.vc == vc)):
        m.d.sync += owned.eq(right & ~flit.tail)
    with m.Elif(send):
        m.d.sync += owned.eq(~unit.flit.tail)

    has_credit = unit.has_credit.bit_select(vc, 1)
    available = unit.available.bit_select(vc, 1)
    proof.assume(unit.flit.vc < params.vcs)
    # The receiver returns credits only of flits it got; the sender respects the credits, and for a head `available`.
    proof.assume(~back | (away > 0))
    proof.assume(~send | has_credit)
    proof.assume(~send | owned | available)
    proof.assume(~speculative | (unit.flit.vc != vc) | available)
    # A flit that follows a speculative head on its VC waits until the head is confirmed or squashed.
    proof.assume(~(send & resolved) | (flit.vc != vc))
    proof.claim(away <= depth)
    proof.claim(has_credit == (away < depth))
    proof.claim(available == (~owned & (away + need <= depth)))
    proof.claim(unit.pointer < params.vcs)
    proof.claim(unit.link.flit.valid == (sent | (resolved & right)))
    with m.If(sent | resolved):
        proof.claim(unit.link.flit.payload == flit)

    # The search for a VC starts behind the last VC that a head claimed.
    newest = Signal()
    with m.If(unit.send | speculative):
        m.d.sync += newest.eq((unit.flit.vc == vc) & (newest | ~owned))
    with m.If(newest):
        proof.claim(unit.pointer == Mux(vc == params.vcs - 1, 0, vc + 1))

    with m.If(resolved & (flit.vc == vc)):
        proof.invariant(owned & (away + need <= depth))
    for each in range(params.vcs):
        with m.If(vc == each):
            proof.invariant(inside.register("free")[each] == ~owned)
            if depth <= 6:
                level = inside.register(f"level_{each}")
                for k in range(depth):
                    proof.invariant(level[k] == (away + k < depth))
            else:
                proof.invariant(inside.register(f"credits_{each}") == depth - away)
                proof.invariant(inside.register(f"has_need_{each}") == (away + need <= depth))


def _forwarded_speculatively(
    proof: Proof, inside: Inside, params: SwitchParams, flit: Value
) -> tuple[Value, Value, Value]:
    """Return whether a head is sent speculatively, whether one was in the cycle before, and if that was right."""
    if params.prediction is None:
        return C(0, 1), C(0, 1), C(0, 1)
    unit = inside.ports
    resolved = Signal()
    proof.m.d.sync += resolved.eq(unit.forward_speculatively)
    proof.assume(~(unit.forward_speculatively & unit.send))
    proof.assume(~unit.confirmed | resolved)
    proof.invariant(inside.register("forwarded_speculatively") == resolved)
    with proof.m.If(resolved):
        proof.invariant(inside.register("output") == Value.cast(flit))
    return unit.forward_speculatively, resolved, unit.confirmed


_FILE = "hdl/transfer/output_unit.py"
_CLAIM = (
    "with any receiver that returns one credit per flit, at most `depth` flits are without a returned credit; "
    "`has_credit` and `available` tell the receiver's room exactly; a VC that a packet owns is not available ({})"
)

PROPERTIES = [
    Property(
        "output_unit: credits and owners, wormhole",
        _CLAIM.format("2 VCs of 4"),
        partial(_credits_and_owners, params=SwitchParams(data_width=16)),
        Fault(_FILE, "m.d.sync += free[vc].eq(self.flit.tail)", "m.d.sync += free[vc].eq(1)"),
        fast=False,
    ),
    Property(
        "output_unit: credits and owners, cut-through",
        _CLAIM.format("3 VCs of 6, packets of up to 4"),
        partial(
            _credits_and_owners,
            params=SwitchParams(vcs=3, data_width=16, depth=6, buffering="dynamic", max_packet=4),
        ),
        Fault(_FILE, "level[need - 1]", "level[need - 2]"),
        fast=False,
    ),
    Property(
        "output_unit: credits and owners, counted",
        _CLAIM.format("3 VCs of 12, packets of up to 7"),
        partial(
            _credits_and_owners,
            params=SwitchParams(vcs=3, data_width=16, depth=12, buffering="dynamic", max_packet=7),
        ),
        Fault(_FILE, "has_need.eq(credits > need)", "has_need.eq(credits >= need)"),
    ),
    Property(
        "output_unit: credits and owners, speculative",
        "the same with heads that are sent speculatively: a head owns its VC from then on, and is on the link, at the "
        "cost of a credit, only if it is confirmed; if squashed, its VC is free again with all its credits (3 VCs "
        "of 4)",
        partial(_credits_and_owners, params=SwitchParams(vcs=3, data_width=16, prediction=PredictionParams())),
        Fault(_FILE, "m.d.sync += free[vc].eq(~self.confirmed | output.tail)", "m.d.sync += free[vc].eq(output.tail)"),
    ),
]
