"""Between the pipeline and the output link: the buffer of a faster crossbar, and the stage that takes a fixed time
(microarchitecture.md, section 13).

The departure of a flit is known when it is granted: so the buffer is no queue here, but the cycle of the last one.
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled, compiled_noinline
from models.state.declare import PORT, Field, Registers, apart, fields
from models.state.registers import LONG_AGO, SwitchState


@compiled_noinline
def output_buffer_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Empty the buffers of a switch."""
    for o in range(st.k.ports):
        st.departed[s, o] = LONG_AGO


class OutputBufferRegisters(Registers):
    """When flits leave."""

    # speed-up: cycle in which an output link got, or gets, its latest flit
    departed: np.ndarray = apart(np.int64, PORT, fill=LONG_AGO)
    in_switch = fields(Field("full", np.int64))  # speed-up: outputs whose buffer was full in the last cycle allocated
    reset = output_buffer_reset


@compiled
def _leaves(st: SwitchState, s: int, o: int, cycle: int) -> int:
    """Return the cycle in which a flit that is sent through output port `o` in `cycle` leaves the buffer."""
    return max(cycle + 1, int(st.departed[s, o]) + st.k.speedup) if st.k.speedup > 1 else cycle + 1


@compiled
def departure(st: SwitchState, s: int, o: int, cycle: int) -> int:
    """Return when a flit that is sent through output port `o` in `cycle` is visible on its link, before `depart`."""
    return _leaves(st, s, o, cycle) + st.k.stage_delay


@compiled
def depart(st: SwitchState, s: int, o: int, cycle: int) -> None:
    """Send a flit through output port `o` in `cycle`: its link is busy until the flit has left."""
    if st.k.speedup > 1:
        st.departed[s, o] = _leaves(st, s, o, cycle)


@compiled
def link_clear(st: SwitchState, s: int, o: int, cycle: int) -> bool:
    """Return whether a flit that is sent through output port `o` in `cycle` goes straight to the link."""
    clear: bool = st.k.speedup == 1 or st.departed[s, o] + st.k.speedup <= cycle + 1
    return clear


@compiled
def buffered(st: SwitchState, s: int, o: int, cycle: int) -> bool:
    """Return whether the buffer of output port `o` holds a flit in `cycle`."""
    latest: int = st.departed[s, o]
    return latest > cycle


@compiled_noinline
def any_buffered(st: SwitchState, s: int, cycle: int) -> bool:
    """Return whether the buffer of any output port holds a flit in `cycle`."""
    latest: int = st.departed[s, 0]
    for o in range(1, st.k.ports):
        latest = max(latest, st.departed[s, o])
    return latest > cycle


@compiled_noinline
def full_outputs(st: SwitchState, s: int, cycle: int) -> int:
    """Return the outputs (mask) whose buffer is full in `cycle`, before its allocation."""
    full = 0
    for o in range(st.k.ports):
        # Flits that wait depart one every `speedup` cycles.
        if st.departed[s, o] - cycle > (st.k.output_flits - 1) * st.k.speedup:
            full |= 1 << o
    return full
