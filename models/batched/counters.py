"""Statistics counters of a batch: narrow counters in vectors, added to 64-bit totals before they overflow.

In one visit a counter grows by at most 1, so the number of visits is a bound for all counters of the batch.
`st.batch_totals` has the order of the vectors, so one loop adds them all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.batched.flit import TAIL
from models.batched.vc_sets import lane_value, load_vector, spread, store_vector, vector_at
from models.batched.vectors import CounterVectors, number_of, of_vc
from models.counters import FLITS_IN, FLITS_OUT, PACKETS_IN, PACKETS_OUT
from models.jit.bits import assume_u32
from models.jit.compiled import compiled, compiled_noinline
from models.jit.lanes import place_of_number
from models.jit.simd import nonzero_mask, number_in, set_number
from models.jit.simd_type import LANES, Vector, lane_bits
from models.state.declare import NOTHING, Registers, apart
from models.state.registers import SwitchState


@compiled_noinline
def batched_counters_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Clear the totals of a switch; its counters are cleared with the other vectors (`models.batched.vc_sets`)."""
    for which in range(st.k.batch_counts if st.k.batched else 0):
        set_number(st.batch_totals, place_of_number(s, st.k.batch_counts, which), 0)


class BatchedCounterRegisters(Registers):
    """Totals of the counters of batches."""

    # by batch: visits since counters were flushed
    batch_visits: np.ndarray = apart(np.int64, NOTHING, lambda n: (n.batches,), of_batches=True)
    # by batch, counter and lane
    batch_totals: np.ndarray = apart(
        np.int64, NOTHING, lambda n: (n.batches * number_of(n, CounterVectors) * LANES,), of_batches=True
    )
    reset = batched_counters_reset


@compiled
def _count(st: SwitchState, batch: int, which: int, what: Vector) -> None:
    """Add 1 to vector `which` of counters in the lanes where `what` is all ones (a mask, so −1)."""
    store_vector(st, batch, which, load_vector(st, batch, which) + -nonzero_mask(what, what))


@compiled
def batch_count_in(st: SwitchState, batch: int, i: int, flits: Vector) -> None:
    """Count the flits that arrive at input port `i`, encoded as in `models.batched.flit`."""
    _count(st, batch, st.k.flits_in + i, flits)
    _count(st, batch, st.k.packets_in + i, flits & spread(st, TAIL))


@compiled
def batch_count_out(st: SwitchState, batch: int, o: int, flits: Vector, vcs: Vector) -> None:
    """Count the flits, and the tails among them, that leave through output `o` on `vcs`, one-hot."""
    _count(st, batch, st.k.packets_out + o, flits & spread(st, TAIL))
    for w in range(st.k.vcs):
        _count(st, batch, st.k.flits_sent + of_vc(st, o, w), vcs & spread(st, 1 << w))


@compiled
def _counted(st: SwitchState, s: int, which: int) -> int:
    return number_in(st.batch_totals, place_of_number(s, st.k.batch_counts, which)) + lane_value(st, s, which)


@compiled
def batched_count(st: SwitchState, s: int, p: int, counter: int) -> int:
    """Return the count of an event at port `p` of a batched switch; 0 for events that batches do not count."""
    if counter == FLITS_IN:
        return _counted(st, s, st.k.flits_in + p)
    if counter == PACKETS_IN:
        return _counted(st, s, st.k.packets_in + p)
    if counter == PACKETS_OUT:
        return _counted(st, s, st.k.packets_out + p)
    flits = 0
    if counter == FLITS_OUT:
        for w in range(st.k.vcs):
            flits += _counted(st, s, st.k.flits_sent + of_vc(st, p, w))
    return flits


@compiled
def most_visits(st: SwitchState) -> int:
    """Return the number of visits after which the counters of a batch may be full."""
    return (1 << lane_bits(st.batch_vcs)) - 1


@compiled
def batch_visited(st: SwitchState, batch: int) -> None:
    """Count one visit of a batch; flush its counters into the totals when they may be full."""
    visits = assume_u32(st.batch_visits[batch]) + 1
    st.batch_visits[batch] = visits
    if visits == most_visits(st):
        _flush_counters(st, batch)


@compiled_noinline
def _flush_counters(st: SwitchState, batch: int) -> None:
    """Add the counters of a batch to its totals, and clear the counters."""
    st.batch_visits[batch] = 0
    totals = batch * st.k.batch_counts * LANES
    counted = vector_at(st, batch, st.k.flits_in) * LANES
    for n in range(st.k.batch_counts * LANES):
        st.batch_totals[assume_u32(totals + n)] += st.batch_vcs[assume_u32(counted + n)]
        st.batch_vcs[assume_u32(counted + n)] = 0


def sent_views(st: SwitchState) -> tuple[np.ndarray, np.ndarray]:
    """Return two views [batches, P · V, lanes]; their sum is the number of flits sent on each output VC since reset."""
    each = slice(st.k.flits_sent, st.k.flits_sent + of_vc(st, st.k.ports, 0))
    totals = st.batch_totals.reshape(st.batch_count, st.k.batch_counts, LANES)
    return totals[:, each], st.batch_vcs.reshape(st.batch_count, st.k.batch_vectors, LANES)[:, each]


def batched_flits_sent(st: SwitchState) -> NDArray[np.int64]:
    """Return the number of flits that batched switches sent on each output VC since reset, int64 [S, P, V]."""
    totals, counted = sent_views(st)
    sent: NDArray[np.int64] = (totals + counted).transpose(0, 2, 1)
    return sent.reshape(-1, st.k.ports, st.k.vcs)[: len(st.switch)]
