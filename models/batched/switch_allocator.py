"""Switch allocation of a batch, input first, with held connections; counterpart of `models.allocate.switch_allocator`.

Each input port selects one of its VCs, and with it an output VC if the flit is a head; each output grants one of the
input ports that request it, as in `models.batched.matching`; the arbiters advance where a flit leaves
(microarchitecture.md, section 8).
"""

from __future__ import annotations

from models.allocate.switch_allocator import connected_first, not_held
from models.allocate.vc_allocator import choose_head_vc
from models.batched.arbiter import first_by_matrix, matrix_after
from models.batched.crossbar import grants, scratch
from models.batched.flit import HEAD, TAIL, flit_on
from models.batched.lpi import active_outputs
from models.batched.matching import DRAINS, NOTHING, SENDS, advance_outputs, grant_outputs, nothing_leaves, select_sent
from models.batched.output_sets import outputs_get, outputs_put, spread_outputs
from models.batched.vc_buffer import batch_refuse, batch_waits_for_rest
from models.batched.vc_sets import load_vector, spread, store_vector, vector_at
from models.batched.vectors import of_level, of_vc
from models.jit.compiled import compiled, compiled_noinline
from models.jit.sets import blend, first, order_after
from models.jit.simd import movemask, nonzero_mask, simd_store
from models.jit.simd_type import Vector
from models.state.registers import DETERMINISTIC, SwitchState
from models.transfer.output_unit import free_vcs, one_is_enough, open_vcs


@compiled
def _open_behind(st: SwitchState, batch: int, outputs: Vector, head: Vector) -> Vector:
    """Return the VCs behind outputs, one-hot, on which a flit may leave: with a credit; for a head free, with enough.

    All VCs of the drain port. `head` is the mask of lanes in which the flit is a head.
    """
    found = nonzero_mask(head, outputs & spread_outputs(st, 1 << st.k.ports))
    for o in range(st.k.ports):
        credited, free = load_vector(st, batch, st.k.credited + o), load_vector(st, batch, st.k.free + o)
        if not one_is_enough(st):
            credited = blend(head, load_vector(st, batch, st.k.roomy + o), credited)
        found = found | nonzero_mask(head, outputs & spread_outputs(st, 1 << o)) & open_vcs(credited, free, head)
    return found


@compiled
def _ready(st: SwitchState, batch: int, i: int, heads: Vector, connected: Vector) -> Vector:
    """Return the VCs of input port `i` whose front flit may leave."""
    ready = spread(st, 0)
    held, awake = outputs_get(st, batch, st.k.held_outputs), active_outputs(st, batch)
    full = outputs_get(st, batch, st.k.full_outputs)
    for v in range(st.k.vcs):
        this = spread(st, 1 << v)
        asked = outputs_get(st, batch, st.k.granted_output + of_vc(st, i, v))
        behind = _open_behind(st, batch, asked, nonzero_mask(heads, heads & this))
        found = nonzero_mask(ready, behind & load_vector(st, batch, st.k.allowed + of_vc(st, i, v)))
        if st.k.lpi:
            found = found & nonzero_mask(ready, asked & awake)
        if st.k.output_fifo:
            found = found & nonzero_mask(ready, asked & ~full)
        if st.k.hold:
            found = found & not_held(asked, held, connected)
        ready = ready | found & this
    if st.k.static:
        ready = ready & ~(heads & batch_waits_for_rest(st, batch, i))
    return ready & load_vector(st, batch, st.k.held + of_level(st, i, 0))


@compiled
def _select(st: SwitchState, batch: int, i: int) -> Vector:
    """Make input port `i` select a VC; return the output that it requests, one-hot.

    Left are, for `_leave`: the VC in `chosen`, the output VCs that it may take in `leaving`, the output in `taken`.
    """
    chosen = vcs = spread(st, 0)
    requested = spread_outputs(st, 0)
    if movemask(load_vector(st, batch, st.k.held + of_level(st, i, 0))):
        heads, connected = load_vector(st, batch, st.k.heads + i), load_vector(st, batch, st.k.connected + i)
        ready = _ready(st, batch, i, heads, connected)
        if st.k.hold:
            ready = connected_first(ready, connected)
        chosen = _first_ready(st, batch, i, ready)
        for v in range(st.k.vcs):
            this = nonzero_mask(chosen, chosen & spread(st, 1 << v))
            asked = outputs_get(st, batch, st.k.granted_output + of_vc(st, i, v))
            requested = requested | nonzero_mask(requested, this) & asked
            vcs = vcs | this & load_vector(st, batch, st.k.allowed + of_vc(st, i, v))
        vcs = vcs & _open_behind(st, batch, requested, nonzero_mask(heads, heads & chosen))
    simd_store(st.batch_scratch, st.k.chosen + i, chosen)
    simd_store(st.batch_scratch, st.k.leaving + i, vcs)
    simd_store(st.batch_grants, st.k.taken + i, requested)
    return requested


@compiled
def _first_ready(st: SwitchState, batch: int, i: int, ready: Vector) -> Vector:
    """Return, one-hot, the VC of input port `i` that its arbiter chooses among those `ready`."""
    if st.k.matrix:
        rows = vector_at(st, batch, st.k.vc_rows + of_vc(st, i, 0))
        return first_by_matrix(st.batch_vcs, rows, st.k.vcs, ready)
    return first(ready, load_vector(st, batch, st.k.vc_order + i))


@compiled
def _advance(st: SwitchState, batch: int, i: int, chosen: Vector) -> None:
    """Advance the arbiter over VCs of input port `i`: the flit of the VC `chosen`, one-hot, leaves."""
    if st.k.matrix:
        matrix_after(st.batch_vcs, vector_at(st, batch, st.k.vc_rows + of_vc(st, i, 0)), st.k.vcs, chosen)
    else:
        order = load_vector(st, batch, st.k.vc_order + i)
        store_vector(st, batch, st.k.vc_order + i, order_after(chosen, order))


@compiled
def _leave(st: SwitchState, batch: int, i: int) -> Vector:
    """Grant input port `i` what it requested, if an output was granted to it; return the output, one-hot.

    The flit that leaves is encoded with its output VC, which is the packet's from now on.
    """
    taken = grants(st, st.k.granted + i)
    simd_store(st.batch_grants, st.k.taken + i, taken)
    if not movemask(taken):
        _stay(st, batch, i)
        return taken
    heads = load_vector(st, batch, st.k.heads + i)
    granted = nonzero_mask(heads, taken)
    chosen = scratch(st, st.k.chosen + i) & granted
    vcs = scratch(st, st.k.leaving + i) & granted
    head = chosen & heads
    if movemask(head):
        vcs = _claim(st, batch, i, taken, head, vcs)
    _advance(st, batch, i, chosen)
    ends = chosen & load_vector(st, batch, st.k.tails + of_level(st, i, 0))
    if st.k.static:
        batch_refuse(st, batch, i, chosen, ends)
    store_vector(st, batch, st.k.heads + i, heads & ~chosen)
    if st.k.adaptive != DETERMINISTIC:
        store_vector(st, batch, st.k.undecided + i, load_vector(st, batch, st.k.undecided + i) & ~chosen)
    tail = nonzero_mask(chosen, ends)
    leaving = nonzero_mask(chosen, head) & spread(st, HEAD) | tail & spread(st, TAIL)
    for w in range(st.k.vcs):
        leaving = leaving | nonzero_mask(vcs, vcs & spread(st, 1 << w)) & spread(st, flit_on(w))
    simd_store(st.batch_scratch, st.k.chosen + i, chosen)
    simd_store(st.batch_scratch, st.k.leaving + i, leaving)
    if st.k.hold:
        drained = nonzero_mask(chosen, taken & spread_outputs(st, 1 << st.k.ports))
        store_vector(st, batch, st.k.connected + i, chosen & ~(tail | drained))
    return taken


@compiled
def _stay(st: SwitchState, batch: int, i: int) -> None:
    """Record that no flit of input port `i` leaves: its heads are refused, its connection ends."""
    if st.k.static:
        batch_refuse(st, batch, i, spread(st, 0), spread(st, 0))
    simd_store(st.batch_scratch, st.k.chosen + i, spread(st, 0))
    simd_store(st.batch_scratch, st.k.leaving + i, spread(st, 0))
    store_vector(st, batch, st.k.connected + i, spread(st, 0))


@compiled
def _claim(st: SwitchState, batch: int, i: int, taken: Vector, head: Vector, vcs: Vector) -> Vector:
    """Make heads of input port `i` claim a VC each of `vcs`, by the arbiters of their outputs.

    Returns the VC of each flit; one that is no head has one in `vcs`, which it keeps. `head`: the VC whose head leaves,
    one-hot, 0 in lanes without one.
    """
    order = spread(st, 0)
    for o in range(st.k.ports):
        of_output = load_vector(st, batch, st.k.output_vc_order + o)
        order = order | nonzero_mask(order, taken & spread_outputs(st, 1 << o)) & of_output
    claimed = choose_head_vc(vcs, order)
    for v in range(st.k.vcs):
        this = nonzero_mask(head, head & spread(st, 1 << v))
        allowed = load_vector(st, batch, st.k.allowed + of_vc(st, i, v))
        store_vector(st, batch, st.k.allowed + of_vc(st, i, v), blend(this, claimed, allowed))
    return claimed


@compiled
def _own(st: SwitchState, batch: int, o: int) -> None:
    """Take the VC that a head claimed at output `o` from the free ones, and advance the arbiter over them."""
    sent = scratch(st, st.k.sent + o)
    head = nonzero_mask(sent, sent & spread(st, HEAD))
    if movemask(head):
        claimed = scratch(st, st.k.sent_vcs + o) & head
        free, order = load_vector(st, batch, st.k.free + o), load_vector(st, batch, st.k.output_vc_order + o)
        store_vector(st, batch, st.k.free + o, free_vcs(free, claimed, spread(st, 0)))
        store_vector(st, batch, st.k.output_vc_order + o, order_after(claimed, order))


@compiled
def _hold(st: SwitchState, batch: int) -> None:
    """Hold the outputs of the flits that leave and are no tails, in the next cycle."""
    held = spread_outputs(st, 0)
    for i in range(st.k.ports):
        held = held | grants(st, st.k.taken + i) & nonzero_mask(held, load_vector(st, batch, st.k.connected + i))
    outputs_put(st, batch, st.k.held_outputs, held)


@compiled
def any_output_held(st: SwitchState, batch: int) -> bool:
    """Return whether an output is held in the next cycle; what it refuses may go in the one behind."""
    return st.k.hold and movemask(outputs_get(st, batch, st.k.held_outputs)) != 0


@compiled_noinline
def allocate_batch(st: SwitchState, batch: int) -> int:
    """Allocate the crossbar, and VCs to heads, in each switch of a batch, and advance the arbiters.

    Results as of `models.batched.matching.match_batch`.
    """
    requested = spread_outputs(st, 0)
    for i in range(st.k.ports):
        requested = requested | _select(st, batch, i)
    if not movemask(requested):
        nothing_leaves(st)
        for i in range(st.k.ports):
            _stay(st, batch, i)
        if st.k.hold:
            outputs_put(st, batch, st.k.held_outputs, spread_outputs(st, 0))
        return NOTHING
    grant_outputs(st, batch)
    taken = spread_outputs(st, 0)
    for i in range(st.k.ports):
        taken = taken | _leave(st, batch, i)
    advance_outputs(st, batch, taken)
    for o in range(st.k.ports):
        select_sent(st, o)
        _own(st, batch, o)
    if st.k.hold:
        _hold(st, batch)
    return DRAINS if movemask(taken & spread_outputs(st, 1 << st.k.ports)) else SENDS
