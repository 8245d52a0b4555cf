"""Properties of arbiters: one-hot grant to a requester, work-conserving, bounded waiting."""

from __future__ import annotations

from functools import partial

from amaranth.hdl import Mux, Signal, Value

from hdl.allocate.arbiter import MatrixArbiter, RoundRobinArbiter
from hdl.lib.logic import encode
from synth.formal.inside import Inside
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _grants(proof: Proof, inside: Inside, count: int, prefer: bool) -> None:
    arbiter = inside.ports
    grant, requests = arbiter.grant, arbiter.requests
    proof.claim((grant & (grant - 1)[:count]) == 0)
    proof.claim((grant & ~requests) == 0)
    proof.claim(grant.any() == requests.any())
    with proof.m.If(grant.any()):
        proof.claim(arbiter.winner == encode(list(grant), len(arbiter.winner)))
    if prefer:
        proof.assume((arbiter.preferred & (arbiter.preferred - 1)[:count]) == 0)
        with proof.m.If((requests & arbiter.preferred).any()):
            proof.claim(grant == arbiter.preferred)


def _fair(proof: Proof, inside: Inside, count: int, ahead: Value, who: Value) -> None:
    """Claim that requester `who` is granted within `count` grants; the requesters in mask `ahead` go before it."""
    m, arbiter = proof.m, inside.ports
    waited = Signal(range(count + 1))
    asks, gets = arbiter.requests.bit_select(who, 1), arbiter.grant.bit_select(who, 1)
    with m.If(~asks | (arbiter.advance & gets)):
        m.d.sync += waited.eq(0)
    with m.Elif(arbiter.advance):
        m.d.sync += waited.eq(waited + 1)
    proof.claim(waited < count)
    proof.invariant(waited + ahead < count)


def _round_robin(proof: Proof, count: int, prefer: bool = False) -> None:
    m = proof.m
    inside = proof.inside(RoundRobinArbiter(count, prefer))
    arbiter = inside.ports
    _grants(proof, inside, count, prefer)
    last = Signal(range(count), init=count - 1)
    with m.If(arbiter.advance & arbiter.grant.any()):
        m.d.sync += last.eq(arbiter.winner)
    proof.invariant(last < count)
    # The component stores the last winner as a number, as one bit per pair, or as a mask.
    if count <= 4 and not prefer:
        proof.invariant(inside.register("last") == last)
    elif count <= 8:
        for j in range(count):
            for i in range(j + 1, count):
                proof.invariant(inside.register(f"before_{j}_{i}") == ~((last >= j) & (last < i)))
    else:
        for k in range(count):
            proof.invariant(inside.register("above")[k] == (last < k))
    if not prefer:
        who = proof.any_constant("who", count)
        _fair(proof, inside, count, Mux(who > last, who - last - 1, who + count - last - 1), who)


def order(proof: Proof, inside: Inside, count: int, within: str = "") -> dict[tuple[int, int], Value]:
    """Return which requester of a matrix arbiter goes before which; as an invariant, no three form a cycle."""
    pairs = [(j, i) for j in range(count) for i in range(j + 1, count)]
    before: dict[tuple[int, int], Value] = {(j, i): inside.register(f"before_{j}_{i}", within) for j, i in pairs}
    before |= {(i, j): ~before[j, i] for j, i in pairs}
    for a, b in pairs:
        for c in range(b + 1, count):
            proof.invariant(~(before[a, b] & before[b, c] & before[c, a]))
            proof.invariant(~(before[b, a] & before[c, b] & before[a, c]))
    return before


def _matrix(proof: Proof, count: int, prefer: bool = False) -> None:
    inside = proof.inside(MatrixArbiter(count, prefer))
    _grants(proof, inside, count, prefer)
    before = order(proof, inside, count)
    if not prefer:
        who = proof.any_constant("who", count)
        ahead: Value = Value.cast(0)
        for j in range(count):
            goes_before = Value.cast(0)
            for i in range(count):
                goes_before |= before[j, i] & (who == i) if i != j else 0
            ahead = ahead + goes_before
        _fair(proof, inside, count, ahead, who)


_CLAIM = "at most one grant, to a requester; one if there is a request; a requester is granted within {} taken grants"
_PREFER = "at most one grant, to a requester; one if there is a request; to the preferred requester if it requests"
_FILE = "hdl/allocate/arbiter.py"

WITHIN = 28
"""Cycles within which a mutant that starves one of 11 requesters shows."""

PROPERTIES = [
    Property(
        "arbiter: round robin of 4, a table",
        _CLAIM.format(4),
        partial(_round_robin, count=4),
        Fault(_FILE, "last.eq(self.winner)", "last.eq(last)"),
        mutant_depth=WITHIN,
    ),
    Property(
        "arbiter: round robin of 7, by pairs",
        _CLAIM.format(7),
        partial(_round_robin, count=7),
        Fault(_FILE, "taken.eq(self.advance & self.requests.any())", "taken.eq(0)"),
        mutant_depth=WITHIN,
    ),
    Property(
        "arbiter: round robin of 11, by a mask",
        _CLAIM.format(11),
        partial(_round_robin, count=11),
        Fault(
            _FILE, "m.d.sync += above.eq(Cat(C(0), _prefix_or(list(self.grant)))[:count])", "m.d.sync += above.eq(0)"
        ),
        mutant_depth=WITHIN,
    ),
    Property(
        "arbiter: matrix of 5",
        _CLAIM.format(5),
        partial(_matrix, count=5),
        Fault(_FILE, "with m.Elif(self.advance & self.grant[i]):", "with m.Elif(self.grant[i]):"),
        mutant_depth=WITHIN,
    ),
    Property(
        "arbiter: round robin of 5, preferring",
        _PREFER,
        partial(_round_robin, count=5, prefer=True),
        Fault(_FILE, "(beat & ~first[i]) for", "beat for"),
        fast=False,
    ),
    Property(
        "arbiter: round robin of 11, preferring",
        _PREFER,
        partial(_round_robin, count=11, prefer=True),
        Fault(_FILE, "grant = Mux(chosen.any(), chosen, grant)", "grant = chosen | grant"),
        fast=False,
    ),
    Property(
        "arbiter: matrix of 5, preferring",
        _PREFER,
        partial(_matrix, count=5, prefer=True),
        Fault(_FILE, "first[j] | (beat", "(beat"),
        fast=False,
    ),
]
