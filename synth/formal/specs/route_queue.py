"""Properties of the route queue: routes are served in packet order, in whatever order they are written."""

from __future__ import annotations

from functools import partial

from amaranth.asserts import AnySeq
from amaranth.hdl import C, Mux, Signal, Value

from hdl import formats
from hdl.lib.logic import ring, select_index
from hdl.route.route_queue import RouteQueue
from models.params import SwitchParams
from synth.formal.inside import Inside
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _in_packet_order(proof: Proof, params: SwitchParams) -> None:
    m, depth = proof.m, params.depth
    computed = params.routing == "dimension_order"
    component = RouteQueue(params, formats.route_or_drop(params))
    inside = proof.inside(component, memories=[f"routes_{vc}" for vc in range(params.vcs)])
    queue = inside.ports
    vc = proof.any_constant("vc", params.vcs)
    proof.assume((queue.claim_vc < params.vcs) & (queue.write_slot < params.slots))

    # Packets of the VC with a claimed entry, position of the first one, and positions already written.
    held = Signal(range(depth + 1))
    first = Signal(range(depth))
    written = Signal(depth)
    claim = queue.claim_valid & (queue.claim_vc == vc)
    release = queue.releases.bit_select(vc, 1)
    place = Signal(range(depth))
    write = Signal()
    m.d.comb += place.eq(queue.write_slot - vc * depth)
    m.d.comb += write.eq(queue.write_valid & (queue.write_slot >= vc * depth) & (queue.write_slot < (vc + 1) * depth))
    m.d.sync += held.eq(held + claim - release)
    with m.If(release):
        m.d.sync += [first.eq(_around(first + 1, depth)), written.bit_select(first, 1).eq(0)]
    with m.If(write):
        m.d.sync += written.bit_select(place, 1).eq(1)

    ready = queue.ready.bit_select(vc, 1)
    next_place = _around(first + held, depth)
    claimed = _around(place + depth - first, depth) < held
    # Each claimed packet is in the buffer, which limits their number; a route is written once; a served one is
    # released.
    proof.assume(~claim | (held < depth))
    proof.assume(~release | ready)
    proof.assume(~write | (claimed & ~written.bit_select(place, 1)) | (claim & (place == next_place)))
    if computed:
        proof.assume(queue.write_valid == queue.claim_valid)
        proof.assume(~queue.write_valid | (queue.write_slot == queue.claim_slot))

    proof.claim(ready == ((held > 0) & written.bit_select(first, 1)))
    with m.If(queue.claim_vc == vc):
        proof.claim(queue.claim_slot == vc * depth + next_place)

    # Mark any packet; its route is the front when all routes before it are released.
    marked = Signal()
    given = Signal()
    ahead = Signal(range(depth))
    route = Signal(queue.write_route.shape())
    own = _around(first + ahead, depth)
    with m.If(~marked & claim & AnySeq(1)):
        m.d.sync += [marked.eq(1), ahead.eq(held - release), given.eq(write & (place == next_place))]
        m.d.sync += route.eq(queue.write_route)
    with m.Elif(marked):
        with m.If(release):
            m.d.sync += [marked.eq(ahead > 0), ahead.eq(ahead - 1)]
        with m.If(write & (place == own)):
            m.d.sync += [given.eq(1), route.eq(queue.write_route)]
    front = Value.cast(queue.front[0])
    for each in range(1, params.vcs):
        front = Mux(vc == each, Value.cast(queue.front[each]), front)
    with m.If(marked):
        proof.claim(ahead < held)
        with m.If((ahead == 0) & ready):
            proof.claim(given & (front == Value.cast(route)))

    proof.invariant((first < depth) & (held <= depth))
    for k in range(depth):
        behind = _around(C(k) + depth - first, depth)
        proof.invariant(~written[k] | (behind < held))
        if computed:
            proof.invariant(written[k] | (behind >= held))
    with m.If(marked):
        proof.invariant(given == written.bit_select(own, 1))
    for each in range(params.vcs):
        with m.If(vc == each):
            _registers(proof, inside, each, depth, computed, first, held, written)
            row = inside.row(m, f"routes_{each}", _code(own, depth) if computed else own)
            with m.If(marked & given):
                proof.invariant(row == Value.cast(route))


def _registers(
    proof: Proof, inside: Inside, vc: int, depth: int, computed: bool, first: Value, held: Value, written: Value
) -> None:
    """State the invariants between the pointers of a VC and the content of its queue."""
    tail, behind = inside.register(f"tail_{vc}"), inside.register(f"behind_{vc}")
    after, second = _around(first + held, depth), _around(first + 1, depth)
    if computed:
        proof.invariant((tail == _code(after, depth)) & (behind == _code(second, depth)))
        return
    proof.invariant((tail == after) & (behind == second))
    proof.invariant(inside.register(f"head_{vc}") == first)
    proof.invariant(inside.register(f"written_{vc}") == written)


def _around(place: Value, depth: int) -> Value:
    """Return `place`, less than twice the length of a ring, as a position within the ring."""
    return Mux(place < depth, place, place - depth)[: max(1, (depth - 1).bit_length())]


def _code(place: Value, depth: int) -> Value:
    """Return the code of a position in the pointers of a queue of computed routes."""
    return select_index(place, [C(number, len(place)) for number in ring(depth)])


_FILE = "hdl/route/route_queue.py"
_CLAIM = "the front is the route of the oldest packet that is not released; `ready` tells whether it is written ({})"

PROPERTIES = [
    Property(
        "route_queue: written in any order, depth 4",
        _CLAIM.format("2 VCs of 4, from tables"),
        partial(_in_packet_order, params=SwitchParams()),
        Fault(_FILE, "(position == Mux(self.ready[vc], behind, head))", "(position == head)"),
    ),
    Property(
        "route_queue: written in any order, depth 3",
        _CLAIM.format("2 VCs of 3, from tables"),
        partial(_in_packet_order, params=SwitchParams(depth=3)),
        Fault(_FILE, "more.eq(select_bit(behind, written) if depth > 1 else 0)", "more.eq(0)"),
        fast=False,
    ),
    Property(
        "route_queue: computed, depth 5",
        _CLAIM.format("3 VCs of 5, computed"),
        partial(
            _in_packet_order, params=SwitchParams(vcs=3, depth=5, routing="dimension_order", radix=(4, 4), wrap=True)
        ),
        Fault(_FILE, "(self.ready[vc] & ~release) | claim |", "self.ready[vc] | claim |"),
        fast=False,
    ),
]
