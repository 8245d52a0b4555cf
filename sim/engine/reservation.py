"""Reservation: requests of exchangers and answers of crossbars take as long on the link as a flit."""

from __future__ import annotations

from models.jit.compiled import compiled_noinline
from models.state.registers import NO_PORT
from models.transfer.link import link_arrival
from sim.engine.address import is_source, port_of, switch_of
from sim.engine.schedule import enlist_mover
from sim.engine.state import NOBODY, Engine


@compiled_noinline
def post_reservations(e: Engine, s: int, cycle: int) -> None:
    """Send the requests and answers at a switch's ports in `cycle`, valid from `cycle` + 1 on."""
    st = e.switches
    slot = link_arrival(cycle, e.k.latency) & (e.k.slots - 1)
    n = e.reserve_count[slot]
    for p in range(st.k.ports):
        word = st.reserve_answers[s, p] if st.switch[s].crossbar != NO_PORT else st.reserve_requests[s, p]
        to = e.link[s, p]
        if word and to != NOBODY and not is_source(to):
            e.reserves_at[slot, n] = to
            e.reserves[slot, n] = word
            n += 1
    e.reserve_count[slot] = n


@compiled_noinline
def see_reservations(e: Engine, cycle: int) -> None:
    """Deliver the words that arrive in this cycle, before its allocation."""
    st = e.switches
    slot = cycle & (e.k.slots - 1)
    for k in range(e.reserve_count[slot]):
        s, p = switch_of(e.reserves_at[slot, k]), port_of(e.reserves_at[slot, k])
        if st.switch[s].crossbar != NO_PORT:
            st.reserve_requests[s, p] = e.reserves[slot, k]
        else:
            st.reserve_answers[s, p] = e.reserves[slot, k]
        enlist_mover(e, s, cycle)
    e.reserve_count[slot] = 0
