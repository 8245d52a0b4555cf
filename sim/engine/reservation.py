"""Reservation: requests of exchangers and answers of crossbars take as long on the link as a flit."""

from __future__ import annotations

from models.jit.compiled import compiled_noinline
from models.state.registers import NO_PORT
from models.transfer.link import link_arrival
from sim.engine.address import is_source, port_of, switch_of
from sim.engine.schedule import enlist_mover, post_reservation
from sim.engine.state import NOBODY, Engine
from sim.engine.threads.mail import RESERVATION, is_elsewhere, post_mail


@compiled_noinline
def post_reservations(e: Engine, s: int, cycle: int) -> None:
    """Send the requests and answers at a switch's ports in `cycle`, valid from `cycle` + 1 on."""
    st = e.switches
    at = link_arrival(cycle, e.k.latency)
    for p in range(st.k.ports):
        word = st.reserve_answers[s, p] if st.switch[s].crossbar != NO_PORT else st.reserve_requests[s, p]
        to = e.link[s, p]
        if not word or to == NOBODY or is_source(to):
            continue
        if e.hooks.parts and is_elsewhere(e, to):
            post_mail(e, RESERVATION, at, to, word)
        else:
            post_reservation(e, at, to, word)


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
