"""Between the pipeline and the output link: the buffer of a faster crossbar, and the stage that takes a fixed time
(docs/microarchitecture.md, section 13).

When a flit departs is known when it is granted: here the buffer is no queue but the cycle of its last departure.
"""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_noinline
from models.state.registers import SwitchState


@compiled
def departure(st: SwitchState, s: int, o: int, cycle: int) -> int:
    """Send a flit through output port `o` in `cycle`; return the cycle in which it is visible on the output link."""
    at = cycle + 1
    if st.k.speedup > 1:
        at = max(at, int(st.departed[s, o]) + st.k.speedup)
        st.departed[s, o] = at
    return at + st.k.stage_delay


@compiled
def link_clear(st: SwitchState, s: int, o: int, cycle: int) -> bool:
    """Return whether a flit that is sent through output port `o` in `cycle` goes straight to the link."""
    return st.k.speedup == 1 or st.departed[s, o] + st.k.speedup <= cycle + 1


@compiled
def buffered(st: SwitchState, s: int, o: int, cycle: int) -> bool:
    """Return whether the buffer of output port `o` holds a flit in `cycle`."""
    return st.departed[s, o] > cycle


@compiled_noinline
def any_buffered(st: SwitchState, s: int, cycle: int) -> bool:
    """Return whether the buffer of any output port holds a flit in `cycle`."""
    latest = st.departed[s, 0]
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
