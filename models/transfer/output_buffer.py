"""Output buffer behind a faster crossbar, and stage delay (Dally and Towles, chapter 17; microarchitecture.md, 13).

The departure of a flit is known when it is granted, so no queue is stored, only the cycle of the last departure.
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled, compiled_noinline
from models.state.declare import PORT, Field, Registers, fields, placed
from models.state.placement import Area
from models.state.registers import LONG_AGO, SwitchState


class OutputBufferRegisters(Registers):
    """When flits leave."""

    # speed-up: cycle in which an output link got, or gets, its latest flit
    departed: np.ndarray = placed(Area.REST, np.int64, PORT, fill=LONG_AGO)
    in_switch = fields(Field("full", np.int64))  # speed-up: outputs whose buffer was full in the last cycle allocated


@compiled
def _leaves(st: SwitchState, s: int, o: int, cycle: int) -> int:
    """Return the cycle in which a flit that is sent through output `o` in `cycle` leaves the buffer."""
    return max(cycle + 1, int(st.departed[s, o]) + st.k.speedup) if st.k.output_fifo else cycle + 1


@compiled
def buffer_wait(st: SwitchState, s: int, o: int, cycle: int) -> int:
    """Return how many cycles a flit sent through output `o` in `cycle` waits in the buffer; call before `depart`."""
    return _leaves(st, s, o, cycle) - (cycle + 1)


@compiled
def departure(st: SwitchState, s: int, o: int, cycle: int) -> int:
    """Return when a flit sent through output `o` in `cycle` is visible on its link; call before `depart`."""
    return _leaves(st, s, o, cycle) + st.k.stage_delay


@compiled
def depart(st: SwitchState, s: int, o: int, cycle: int) -> None:
    """Send a flit through output `o` in `cycle`: the link is busy until the flit has left the buffer."""
    if st.k.output_fifo:
        st.departed[s, o] = _leaves(st, s, o, cycle)


@compiled
def link_clear(st: SwitchState, s: int, o: int, cycle: int) -> bool:
    """Return whether a flit that is sent through output `o` in `cycle` goes straight to the link."""
    return not st.k.output_fifo or int(st.departed[s, o]) + st.k.speedup <= cycle + 1


@compiled
def buffered(st: SwitchState, s: int, o: int, cycle: int) -> bool:
    """Return whether the buffer of output `o` holds a flit in `cycle`."""
    return int(st.departed[s, o]) > cycle


@compiled_noinline
def any_buffered(st: SwitchState, s: int, cycle: int) -> bool:
    """Return whether the buffer, or a queue, of any output port holds a flit in `cycle`, which is allocated."""
    if st.k.output_queues:
        return int(st.queueing[s].before | st.queueing[s].waiting) != 0
    latest = int(st.departed[s, 0])
    for o in range(1, st.k.ports):
        latest = max(latest, int(st.departed[s, o]))
    return latest > cycle


@compiled_noinline
def full_outputs(st: SwitchState, s: int, cycle: int) -> int:
    """Return the mask of outputs whose buffer is full in `cycle`, before its allocation."""
    full = 0
    for o in range(st.k.ports):
        # Waiting flits depart every `speedup` cycles.
        if st.departed[s, o] - cycle > (st.k.output_flits - 1) * st.k.speedup:
            full |= 1 << o
    return full
