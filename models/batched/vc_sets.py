"""Storage of VC sets of batched switches: one SIMD lane per switch, 64 per vector (microarchitecture.md, section 8).

In a batch these sets and the output sets (`models.batched.output_sets`) replace the per-switch registers
(`models.state.registers`): one vector operation acts on the same set of all 64 switches. With P ports, V VCs of D flits
and credits of B bits, each batch has these vectors, in this order:

- counters: per input port flits in, packets in; per output port packets out (3 P; `models.batched.counters`);
- sent, per output VC: number of flits sent (P V);
- blocked, per input port: VCs that own an output VC without a credit (P);
- claimed, per input port: VCs that own an output VC and still have their head (P);
- VC order, per input port: that of its arbiter over VCs (P; `models.allocate.arbiter`);
- output VC, per input VC: the one that it owns or owned last, encoded as a flit (P V; `models.batched.flit`);
- held, per input port and level n: VCs that hold more than n flits; the last level is D (P (D + 1));
- tails, per input port and level n: VCs whose flit behind n others is a tail (P (D + 1));
- credits, per output port and bit: VCs whose number of credits has that bit (P B);
- credited, per output port: VCs with a credit (P);
- free, per output port: VCs that no packet owns (P);
- blocked outputs, per output port: 1 if heads wait for one of its VCs to become free (P; `models.batched.head_delay`);
- front, per input VC: position of the front packet in its route queue (P V; `models.batched.route_queue`);
- claim, per input VC: position in its route queue of the next packet to arrive (P V).

Without a VC stage, "blocked", "claimed", "output VC" and "blocked outputs" are not used, and these vectors follow:

- allowed, per input VC: VCs of its output that the front packet may take; the one that it owns, once it owns one (P V);
- heads, per input port: VCs whose front flit is a head that may ask for an output (P);
- connected, per input port: the VC whose connection is held, one-hot; 0 if none is (P);
- output VC order, per output port: that of its arbiter over output VCs (P);
- roomy, per output port: VCs with the credits that a head needs; not kept where one is enough (P);
- refused, per input port: VCs whose front packet was refused, or waited behind another; static buffering only (P);
- undecided, per input port: VCs whose front flit is a head that chooses among outputs until it leaves (P).

A function `…_at` returns the index of such a vector within its batch.
"""

from __future__ import annotations

import numpy as np

from models.batched.flit import flit_on
from models.batched.output_sets import set_granted_output
from models.jit.bits import assume_u32
from models.jit.compiled import compiled, compiled_noinline
from models.jit.lanes import batch_of, place_of_number
from models.jit.sets import with_member
from models.jit.simd import broadcast, number_in, set_number, simd_load, simd_store
from models.jit.simd_type import LANES, Vector
from models.state.declare import NOTHING, PORT, Registers, apart, number, placed
from models.state.placement import Area
from models.state.registers import SwitchState
from models.state.vc_set import port_of_number, vc_number, vc_of_number

COUNTS = 3


def credit_bits(depth: int) -> int:
    """Return the width in bits of a number of credits up to `depth`."""
    return depth.bit_length()


def counts_of(ports: int, vcs: int) -> int:
    """Return the number of counter vectors of a batch, which are its first ones."""
    return ports * (COUNTS + vcs)


def sets_of(ports: int, vcs: int, depth: int, vc_stage: bool) -> int:
    """Return the number of vectors of a batch: VC sets and counters."""
    sets = 3 + vcs + 2 * (depth + 1) + credit_bits(depth) + 3 + 2 * vcs + (0 if vc_stage else vcs + 6)
    return ports * sets + counts_of(ports, vcs)


@compiled_noinline
def vc_sets_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Clear all vectors of a switch, but that every output VC has all credits, and no packet owns it."""
    if not st.k.batched:
        return
    for which in range(st.k.batch_vectors):
        set_lane(st, s, which, 0)
    every = (1 << st.k.vcs) - 1
    for o in range(st.k.ports):
        for bit in range(st.k.credit_bits):
            set_lane(st, s, credit_at(st, o, bit), (st.k.depth >> bit & 1) * every)
        set_lane(st, s, credited_at(st, o), every)
        set_lane(st, s, free_at(st, o), every)
        if not st.k.vc_stage:
            set_lane(st, s, roomy_at(st, o), every)


class VcSetRegisters(Registers):
    """Vectors of sets of VCs, and of counters."""

    batch_count: int = number(lambda n: n.batches)
    # by batch, vector and lane
    batch_vcs: np.ndarray = apart(
        lambda n: n.vc_lanes,
        NOTHING,
        lambda n: (n.batches * sets_of(n.ports, n.vcs, n.depth, n.params.vc_stage) * LANES,),
        of_batches=True,
    )
    # number of the input VC (`models.state.vc_set`) that owns an output VC
    holder: np.ndarray = placed(Area.HEADS, np.int16, PORT, lambda n: (n.vcs,), built=lambda n: n.batched)
    reset = vc_sets_reset


@compiled
def spread(st: SwitchState, number: int) -> Vector:
    """Return a vector with the VC set `number` in each lane."""
    return broadcast(st.batch_vcs, number)


@compiled
def count_at(st: SwitchState, kind: int, p: int) -> int:
    """Return the index of a counter of port `p`: `kind` 0 flits in, 1 packets in, 2 packets out."""
    return kind * st.k.ports + p


@compiled
def flits_sent_at(st: SwitchState, o: int, w: int) -> int:
    """Return the index of the counter of flits sent on output VC (o, w)."""
    return COUNTS * st.k.ports + o * st.k.vcs + w


@compiled
def blocked_at(st: SwitchState, i: int) -> int:
    """Return the vector "blocked" of input port `i`."""
    return (COUNTS + st.k.vcs) * st.k.ports + i


@compiled
def claimed_at(st: SwitchState, i: int) -> int:
    """Return the vector "claimed" of input port `i`."""
    return blocked_at(st, st.k.ports) + i


@compiled
def vc_order_at(st: SwitchState, i: int) -> int:
    """Return the vector "VC order" of input port `i`."""
    return claimed_at(st, st.k.ports) + i


@compiled
def output_vc_at(st: SwitchState, i: int, v: int) -> int:
    """Return the vector "output VC" of input VC (i, v)."""
    return vc_order_at(st, st.k.ports) + i * st.k.vcs + v


@compiled
def held_at(st: SwitchState, i: int, n: int) -> int:
    """Return the vector "held" of input port `i` and level `n`."""
    return output_vc_at(st, st.k.ports, 0) + i * (st.k.depth + 1) + n


@compiled
def tail_at(st: SwitchState, i: int, n: int) -> int:
    """Return the vector "tails" of input port `i` and level `n`."""
    return held_at(st, st.k.ports + i, n)


@compiled
def credit_at(st: SwitchState, o: int, bit: int) -> int:
    """Return the vector "credits" of output port `o` and a bit."""
    return held_at(st, 2 * st.k.ports, 0) + o * st.k.credit_bits + bit


@compiled
def credited_at(st: SwitchState, o: int) -> int:
    """Return the vector "credited" of output port `o`."""
    return credit_at(st, st.k.ports, 0) + o


@compiled
def free_at(st: SwitchState, o: int) -> int:
    """Return the vector "free" of output port `o`."""
    return credited_at(st, st.k.ports) + o


@compiled
def blocked_outputs_at(st: SwitchState, o: int) -> int:
    """Return the vector "blocked outputs" of output port `o`."""
    return free_at(st, st.k.ports) + o


@compiled
def front_at(st: SwitchState, i: int, v: int) -> int:
    """Return the vector "front" of input VC (i, v)."""
    return blocked_outputs_at(st, st.k.ports) + i * st.k.vcs + v


@compiled
def claim_at(st: SwitchState, i: int, v: int) -> int:
    """Return the vector "claim" of input VC (i, v)."""
    return front_at(st, st.k.ports + i, v)


@compiled
def allowed_at(st: SwitchState, i: int, v: int) -> int:
    """Return the vector "allowed" of input VC (i, v)."""
    return claim_at(st, st.k.ports, 0) + i * st.k.vcs + v


@compiled
def heads_at(st: SwitchState, i: int) -> int:
    """Return the vector "heads" of input port `i`."""
    return allowed_at(st, st.k.ports, 0) + i


@compiled
def connected_at(st: SwitchState, i: int) -> int:
    """Return the vector "connected" of input port `i`."""
    return heads_at(st, st.k.ports) + i


@compiled
def output_vc_order_at(st: SwitchState, o: int) -> int:
    """Return the vector "output VC order" of output port `o`."""
    return connected_at(st, st.k.ports) + o


@compiled
def roomy_at(st: SwitchState, o: int) -> int:
    """Return the vector "roomy" of output port `o`."""
    return output_vc_order_at(st, st.k.ports) + o


@compiled
def refused_at(st: SwitchState, i: int) -> int:
    """Return the vector "refused" of input port `i`."""
    return roomy_at(st, st.k.ports) + i


@compiled
def undecided_at(st: SwitchState, i: int) -> int:
    """Return the vector "undecided" of input port `i`."""
    return refused_at(st, st.k.ports) + i


@compiled
def vector_at(st: SwitchState, batch: int, which: int) -> int:
    """Return the index in `st.batch_vcs` of vector `which` of a batch."""
    return batch * st.k.batch_vectors + which


@compiled
def load_vector(st: SwitchState, batch: int, which: int) -> Vector:
    """Return vector `which` of a batch."""
    return simd_load(st.batch_vcs, vector_at(st, batch, which))


@compiled
def store_vector(st: SwitchState, batch: int, which: int, numbers: Vector) -> None:
    """Write vector `which` of a batch."""
    simd_store(st.batch_vcs, vector_at(st, batch, which), numbers)


@compiled
def _place(st: SwitchState, s: int, which: int) -> int:
    return place_of_number(s, st.k.batch_vectors, which)


@compiled
def lane_value(st: SwitchState, s: int, which: int) -> int:
    """Return the lane of switch `s` in vector `which` of its batch."""
    return number_in(st.batch_vcs, _place(st, s, which))


@compiled
def set_lane(st: SwitchState, s: int, which: int, number: int) -> None:
    """Write the lane of switch `s` in vector `which` of its batch."""
    set_number(st.batch_vcs, _place(st, s, which), number)


@compiled
def change_bit(st: SwitchState, s: int, which: int, bit: int, value: int) -> None:
    """Write bit `bit` of the lane of switch `s` in vector `which` of its batch."""
    set_lane(st, s, which, with_member(lane_value(st, s, which), bit, value))


@compiled
def wake_batch(st: SwitchState, s: int) -> None:
    """Schedule a visit of the batch of switch `s` in the next cycle: one of its flits may move."""
    set_number(st.batch_due, batch_of(s), 1)


@compiled
def batch_drain(st: SwitchState, s: int, i: int, v: int) -> None:
    """Grant the drain port to the packet at the front of input VC (i, v): it can move in every cycle."""
    set_granted_output(st, s, i, v, 1 << st.k.ports)
    if not st.k.vc_stage:
        set_lane(st, s, allowed_at(st, i, v), 1)  # any VC: a flit that is drained has none
    wake_batch(st, s)


@compiled
def batch_head_asks(st: SwitchState, s: int, i: int, v: int, o: int, vcs: int) -> None:
    """Make the head at the front of input VC (i, v) ask for output `o`, and for a VC of mask `vcs` behind it."""
    set_granted_output(st, s, i, v, 1 << o)
    set_lane(st, s, allowed_at(st, i, v), vcs)
    change_bit(st, s, heads_at(st, i), v, 1)
    wake_batch(st, s)


@compiled
def batch_chooses(st: SwitchState, s: int, i: int, v: int) -> None:
    """Make the head at the front of input VC (i, v) choose among outputs from the next cycle on."""
    change_bit(st, s, undecided_at(st, i), v, 1)
    wake_batch(st, s)


@compiled
def batch_on_vc_allocated(st: SwitchState, s: int, o: int, w: int, i: int, v: int) -> None:
    """Make input VC (i, v), whose head is still buffered, the owner of output VC (o, w)."""
    st.holder[s, o, w] = vc_number(st, i, v)
    change_bit(st, s, free_at(st, o), w, 0)
    change_bit(st, s, blocked_at(st, i), v, 1 - (lane_value(st, s, credited_at(st, o)) >> w & 1))
    change_bit(st, s, claimed_at(st, i), v, 1)
    set_granted_output(st, s, i, v, 1 << o)
    set_lane(st, s, output_vc_at(st, i, v), flit_on(w))
    wake_batch(st, s)


@compiled
def batch_credits(st: SwitchState, s: int, o: int, w: int) -> int:
    """Return the credits of VC `w` behind output `o`."""
    credits = 0
    for bit in range(st.k.credit_bits):
        credits |= (lane_value(st, s, credit_at(st, o, bit)) >> w & 1) << bit
    return credits


@compiled
def holder_blocked(st: SwitchState, s: int, o: int, w: int, blocked: int) -> None:
    """Block (1) or unblock (0) the input VC that owns output VC (o, w), whose credits ran out or returned."""
    if not lane_value(st, s, free_at(st, o)) >> w & 1:
        holder = assume_u32(st.holder[s, o, w])
        change_bit(st, s, blocked_at(st, port_of_number(st, holder)), vc_of_number(st, holder), blocked)


def held_view(st: SwitchState) -> np.ndarray:
    """Return a view [batches, P, lanes] of the VCs, per input port, that hold a flit."""
    each = st.batch_vcs.reshape(st.batch_count, st.k.batch_vectors, LANES)
    return each[:, held_at(st, 0, 0) : tail_at(st, 0, 0) : st.k.depth + 1]
