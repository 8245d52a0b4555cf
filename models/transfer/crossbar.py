"""Crossbar, ST: granted flits move to the output registers (Dally and Towles, 17.2; microarchitecture.md, 8)."""

from __future__ import annotations

import numpy as np

from models.buffer.vc_buffer import block_next, pop
from models.counters import FLITS_DROPPED, FLITS_OUT, PACKETS_DROPPED, PACKETS_OUT, count
from models.jit.bits import assume_u32
from models.jit.compiled import compiled
from models.state.declare import NOTHING, Field, Registers, apart, fields
from models.state.owners import owner_is
from models.state.registers import IN_QUEUE, NO_PORT, Move, Records, SwitchState
from models.transfer.output_buffer import depart, departure
from models.transfer.output_queue import dequeue, pass_or_queue
from models.transfer.output_unit import output_own, output_spend

SENT = np.dtype(  # a `Move`
    [
        ("port", np.int16),  # NO_PORT: from an output queue
        ("vc", np.int16),
        ("out", np.int16),  # NO_PORT: drained; IN_QUEUE
        ("out_vc", np.int16),
        ("head", np.int8),
        ("flit", np.int64),
        ("at", np.int64),  # cycle in which it is visible on the output link
    ],
    align=True,
)


class CrossbarRegisters(Registers):
    """The moves of a cycle."""

    # those of the last `allocate`, which with output queues may be two per port, or that of a bypass
    sent: Records = apart(SENT, NOTHING, lambda n: ((1 + n.params.output_queues) * n.ports,))
    in_switch = fields(Field("moves", np.int64))  # how many there were in the cycle allocated, if they are in `sent`


@compiled
def connection(i: int, v: int) -> int:
    """Return input VC (i, v) as one number, the form of `conn`."""
    return i << 8 | v


@compiled
def connect(st: SwitchState, s: int, o: int, i: int, v: int, tail: int) -> None:
    """Connect input VC (i, v) to output `o` for the flits that follow, or after a tail (1) disconnect it."""
    output = st.prediction[s, o]
    output.connected = NO_PORT if tail else connection(i, v)
    output.latest = i


@compiled
def send(st: SwitchState, s: int, i: int, v: int, o: int, w: int, cycle: int) -> Move:
    """Move the front flit of input VC (i, v) to output `o`, on VC `w`.

    Conditions that differ from flit to flit avoid branches where possible, which would be mispredicted.
    """
    flit = _take(st, s, i, v, cycle)
    tail = flit & 1
    if st.k.predict:
        st.prediction[s, o].sent_in = cycle
        connect(st, s, o, i, v, tail)
    vc = st.vc[s, i, v]
    head = assume_u32(vc.claimed) if st.k.vc_stage else 1 - int(vc.active)
    count(st, s, o, FLITS_OUT, 1)
    count(st, s, o, PACKETS_OUT, tail)
    passes = True
    if st.k.output_queues:
        passes = pass_or_queue(st, s, o, w, flit, head)
    else:
        output_spend(st, s, o, w)
    output_own(st, s, o, w, 1 - tail)
    owner_is(st, s, o, i, v, 1 - tail)
    vc.active = 1 - tail
    vc.out_vc = w
    if st.k.vc_stage:
        vc.claimed = 0
    at = departure(st, s, o, cycle)
    depart(st, s, o, cycle)
    return Move(i, v, o if passes else IN_QUEUE, w, head, flit, at)


@compiled
def send_queued(st: SwitchState, s: int, o: int, cycle: int) -> Move:
    """Move the flit that the link of output `o` takes from a queue."""
    w, taken = dequeue(st, s, o)
    return Move(NO_PORT, 0, o, w, taken & 1, taken >> 1, departure(st, s, o, cycle))


@compiled
def discard(st: SwitchState, s: int, i: int, v: int, cycle: int) -> Move:
    """Drop the front flit of input VC (i, v)."""
    flit = _take(st, s, i, v, cycle)
    count(st, s, i, FLITS_DROPPED, 1)
    count(st, s, i, PACKETS_DROPPED, flit & 1)
    return Move(i, v, NO_PORT, 0, 0, flit, cycle)


@compiled
def _take(st: SwitchState, s: int, i: int, v: int, cycle: int) -> int:
    """Pop and return the front flit of input VC (i, v)."""
    flit = pop(st, s, i, v)
    if st.k.static:
        block_next(st, s, i, v, flit & 1)
    if st.k.predict:
        st.prediction[s, i].popped_in = cycle
    return flit
