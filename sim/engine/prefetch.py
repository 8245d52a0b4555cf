"""What the engine visits next, brought near: its lists say some visits ahead which switch, port and VC it will be.

State of large networks lies far from the processor, a hundred times as far as what it has at hand. Behind each list is
room for `AHEAD` entries more, which are older ones or 0: movers that there are, as their registers are read; what is
only fetched need not be.
"""

from __future__ import annotations

from models.jit.bits import assume_u32, count_trailing_zeros
from models.jit.compiled import compiled
from models.jit.prefetch import prefetch
from models.state.registers import SwitchState
from models.state.vc_set import WORD_BITS, port_of_number, vc_of_number
from sim.engine.address import port_of, switch_of, vc_of
from sim.engine.state import Engine

AHEAD = 8
NEAR = 1 << 20  # bytes that a processor has near
NEXT = 2  # of the movers, whose registers say where to look further


def exceeds_cache(state: SwitchState) -> bool:
    """Return whether the registers of all switches are more than is near; of batched switches it is not asked."""
    return state.switch.strides[0] * len(state.switch) > NEAR


@compiled
def births_ahead(e: Engine, k: int) -> None:
    """Fetch the packet that is born `AHEAD` births after the k-th: the pool of packets is never near."""
    prefetch(e.packets, (e.arrivals[min(k + AHEAD, len(e.arrivals) - 1)],))


@compiled
def flits_ahead(e: Engine, k: int, heads: bool) -> None:
    """Fetch what the flit `AHEAD` arrivals after the one at place k changes."""
    if not (e.k.far or e.switches.k.batched):
        return
    st = e.switches
    to = assume_u32(e.flit[k + AHEAD].to)
    s = switch_of(to)
    p = port_of(to)
    if st.k.batched:
        prefetch(st.position, (s, 0))
        prefetch(st.batch_packets, (s, p, vc_of(to), 0))
    else:
        prefetch(st.filled, (s, 0))
        prefetch(st.counters, (s, p, 0))
        prefetch(st.vc, (s, p, vc_of(to)))
    if heads or st.k.header_flits > 1:
        prefetch(e.packets, (assume_u32(e.flit[k + AHEAD].flit) >> 1,))


@compiled
def credits_ahead(e: Engine, k: int) -> None:
    """Fetch what the credit `AHEAD` arrivals after the one at place k changes in a switch."""
    if not e.k.far:
        return
    to = assume_u32(e.credit[k + AHEAD])
    prefetch(e.switches.filled, (switch_of(to), 0))
    prefetch(e.switches.output, (switch_of(to), port_of(to)))


@compiled
def movers_ahead(e: Engine, k: int) -> None:
    """Fetch registers of the switches that follow the mover at place k: of the nearest also those of its flits."""
    if not e.k.far:
        return
    st = e.switches
    s = assume_u32(e.listed[k + AHEAD])
    prefetch(st.filled, (s, 0))
    prefetch(st.output, (s, 0))
    prefetch(st.credits, (s, 0, 0))
    prefetch(e.link, (s, 0))
    s = assume_u32(e.listed[k + NEXT])
    n = _first(st, s)
    prefetch(st.vc, (s, port_of_number(st, n), vc_of_number(st, n)))


@compiled
def _first(st: SwitchState, s: int) -> int:
    """Return the first input VC that has a flit; any number if none of the first word has."""
    return count_trailing_zeros(int(st.filled[s, 0]) | 1 << WORD_BITS)
