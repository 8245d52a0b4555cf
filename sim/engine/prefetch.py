"""Prefetch of the registers that the engine visits next: its lists name switch, port and VC some visits ahead.

The state of large networks exceeds the caches, and a miss costs a hundred times a hit. Each list has `AHEAD` spare
entries at its end, which are stale or 0. Switch numbers in them must exist, because registers of movers are read;
addresses that are only prefetched need not.
"""

from __future__ import annotations

from models.jit.bits import assume_u32, count_trailing_zeros
from models.jit.compiled import compiled
from models.jit.prefetch import prefetch
from models.state.registers import SwitchState
from models.state.route_word import route_out
from models.state.vc_set import WORD_BITS, port_of_number, vc_of_number
from sim.engine.address import port_of, switch_of, vc_of
from sim.engine.state import Engine

AHEAD = 6
FRONT = 4  # distance at which a mover's registers are read to prefetch its first flit
NEXT = 2  # distance at which that flit's route is read to prefetch the registers of its output
CACHE_BYTES = 1 << 20  # second-level cache


def exceeds_cache(state: SwitchState) -> bool:
    """Return whether the registers of all switches exceed the second-level cache; not used for batched switches."""
    size: int = state.switch.strides[0] * len(state.switch)
    return size > CACHE_BYTES


@compiled
def births_ahead(e: Engine, k: int) -> None:
    """Prefetch the packet that is born `AHEAD` births after the k-th: the pool of packets exceeds any cache."""
    prefetch(e.packets, (e.arrivals[min(k + AHEAD, len(e.arrivals) - 1)],))


@compiled
def flits_ahead(e: Engine, k: int, heads: bool) -> None:
    """Prefetch the registers that the flit `AHEAD` arrivals after the k-th changes."""
    if not (e.k.exceeds_cache or e.hooks.batched):
        return
    st = e.switches
    to = assume_u32(e.flit[k + AHEAD].to)
    s = switch_of(to)
    p = port_of(to)
    if e.hooks.batched:
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
    """Prefetch the registers of a switch that the credit `AHEAD` arrivals after the k-th changes."""
    if not e.k.exceeds_cache:
        return
    to = assume_u32(e.credit[k + AHEAD])
    prefetch(e.switches.filled, (switch_of(to), 0))
    prefetch(e.switches.output, (switch_of(to), port_of(to)))


@compiled
def movers_ahead(e: Engine, k: int) -> None:
    """Prefetch registers of the switches that follow the k-th mover; of nearer ones its first flit, then its output.

    Each step reads what the one before has prefetched.
    """
    if not e.k.exceeds_cache:
        return
    st = e.switches
    s = assume_u32(e.listed[k + AHEAD])
    prefetch(st.filled, (s, 0))
    prefetch(st.output, (s, 0))
    prefetch(st.credits, (s, 0, 0))
    prefetch(e.link, (s, 0))
    s = assume_u32(e.listed[k + FRONT])
    n = _first(st, s)
    prefetch(st.vc, (s, port_of_number(st, n), vc_of_number(st, n)))
    prefetch(st.input, (s, port_of_number(st, n)))
    s = assume_u32(e.listed[k + NEXT])
    if st.filled[s, 0]:
        n = _first(st, s)
        o = route_out(int(st.vc[s, port_of_number(st, n), vc_of_number(st, n)].route))
        prefetch(st.output, (s, o))
        prefetch(st.credits, (s, o, 0))
        prefetch(st.counters, (s, o, 0))
        prefetch(e.link, (s, o))


@compiled
def _first(st: SwitchState, s: int) -> int:
    """Return the first input VC with a flit; an arbitrary number if the first word of the set is empty."""
    return count_trailing_zeros(int(st.filled[s, 0]) | 1 << WORD_BITS)
