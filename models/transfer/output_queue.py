"""Output queues: one queue per VC before a link as fast as the crossbar (paper E, 3.1; microarchitecture.md, 13).

A cycle has three steps, as the link chooses from registers: `choose_queued` at its beginning, `pass_or_queue` for each
granted flit, `dequeue` for each flit that the link takes.
"""

from __future__ import annotations

import numpy as np

from models.jit.bits import assume_u32, count_trailing_zeros, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.jit.ring_index import next_index, wrap_index
from models.jit.sets import first, order_after
from models.state.declare import PORT, SWITCH, VC, Registers, Sizes, apart, placed
from models.state.placement import Area
from models.state.registers import LONG_AGO, Records, SwitchState
from models.transfer.output_unit import output_room, output_spend, vcs_at_reset

OUTPUT = np.dtype(
    [
        ("linked", np.int32),  # summary: VCs with a credit
        ("waiting", np.int32),  # VCs whose queue holds a flit
        ("vc_order", np.int32),  # round-robin arbiter over VCs
        ("chosen", np.int16),  # VC whose flit the link takes in the cycle allocated, if it takes one
    ],
    align=True,
)
SWITCH_WIDE = np.dtype(
    [
        ("waiting", np.int64),  # summary: outputs with a flit in a queue
        ("before", np.int64),  # the same at the beginning of the cycle allocated, `before_in`
        ("before_in", np.int64),
        ("leaving", np.int64),  # outputs whose link takes a flit from a queue in the cycle allocated
    ],
    align=True,
)


def _built(n: Sizes) -> bool:
    return n.params.output_queues


class OutputQueueRegisters(Registers):
    """Granted flits that wait for a credit, or for their turn on the link."""

    queueing: Records = placed(Area.REST, SWITCH_WIDE, SWITCH, built=_built, fill={"before_in": LONG_AGO})
    output_queue: Records = placed(Area.REST, OUTPUT, PORT, built=_built, fill={"linked": vcs_at_reset})
    # flit << 1 | whether it is a head
    queued: np.ndarray = apart(np.int64, VC, lambda n: (max(1, n.params.output_flits),), built=_built)
    queue_count: np.ndarray = placed(Area.REST, np.int16, VC, built=_built)
    queue_first: np.ndarray = placed(Area.REST, np.int16, VC, built=_built)


@compiled_noinline
def choose_queued(st: SwitchState, s: int, cycle: int) -> None:
    """Choose, from the registers, the VCs whose flits the links take in `cycle`."""
    wide = st.queueing[s]
    wide.before = wide.waiting
    wide.before_in = cycle
    wide.leaving = 0
    for o in each_member(int(wide.waiting)):
        output = st.output_queue[s, o]
        ready = int(output.waiting) & int(output.linked)
        if ready:
            output.chosen = count_trailing_zeros(first(ready, int(output.vc_order)))
            wide.leaving |= 1 << o


@compiled
def leaving(st: SwitchState, s: int) -> int:
    """Return the mask of outputs whose link takes a flit from a queue in the cycle allocated."""
    return int(st.queueing[s].leaving) if st.k.output_queues else 0


@compiled
def pass_or_queue(st: SwitchState, s: int, o: int, w: int, flit: int, head: int) -> bool:
    """Send a granted flit to the link if it has a credit and the link takes no other, or queue it.

    If that is so, its queue is empty: else the link would take the flit at its front.

    Returns
    -------
    bool
        Whether it goes to the link.
    """
    output = st.output_queue[s, o]
    wide = st.queueing[s]
    if int(output.linked) >> w & ~(int(wide.leaving) >> o) & 1:
        output_spend(st, s, o, w)
        return True
    count = assume_u32(st.queue_count[s, o, w])
    place = wrap_index(assume_u32(st.queue_first[s, o, w]) + count, st.k.output_flits)
    st.queued[s, o, w, place] = flit << 1 | head
    st.queue_count[s, o, w] = count + 1
    output.waiting |= 1 << w
    wide.waiting |= 1 << o
    output_room(st, s, o, w, int(count + 1 < st.k.output_flits), 0)
    return False


@compiled
def dequeue(st: SwitchState, s: int, o: int) -> tuple[int, int]:
    """Take the flit that `choose_queued` chose from its queue; return its VC, and flit << 1 | whether it is a head."""
    output = st.output_queue[s, o]
    w = assume_u32(output.chosen)
    place = assume_u32(st.queue_first[s, o, w])
    taken = int(st.queued[s, o, w, place])
    st.queue_first[s, o, w] = next_index(place, st.k.output_flits)
    count = assume_u32(st.queue_count[s, o, w]) - 1
    st.queue_count[s, o, w] = count
    output.vc_order = order_after(1 << w, 0)
    if count == 0:
        output.waiting &= ~(1 << w)
        if output.waiting == 0:
            st.queueing[s].waiting &= ~(1 << o)
    output_spend(st, s, o, w)
    output_room(st, s, o, w, 1, int(count == 0))
    return w, taken


@compiled_noinline
def queue_may_send(st: SwitchState, s: int) -> bool:
    """Return whether a link may take a flit from a queue in the next cycle without an arrival."""
    for o in each_member(int(st.queueing[s].waiting)):
        output = st.output_queue[s, o]
        if int(output.waiting) & int(output.linked):
            return True
    return False


@compiled
def queue_clear(st: SwitchState, s: int, o: int, w: int, cycle: int) -> bool:
    """Return whether a flit sent on VC `w` of output `o` in `cycle` goes straight to the link."""
    return not queue_waited(st, s, o, cycle) and int(st.output_queue[s, o].linked) >> w & 1 == 1


@compiled
def queue_waited(st: SwitchState, s: int, o: int, cycle: int) -> bool:
    """Return whether a queue of output `o` held a flit at the beginning of `cycle`, which may be allocated already."""
    wide = st.queueing[s]
    waited = int(wide.before) if wide.before_in == cycle else int(wide.waiting)
    return waited >> o & 1 == 1
