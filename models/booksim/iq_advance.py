"""Cycles of a network of BookSim2's routers."""

from __future__ import annotations

from models.booksim.iq_channel import take_credits
from models.booksim.iq_node import eject, send_from_node
from models.booksim.iq_router import step_router
from models.booksim.iq_state import CYCLE, DELIVERED, Routers
from models.jit.compiled import compiled_noinline


@compiled_noinline
def advance(st: Routers, end: int) -> None:
    """Advance all nodes and routers until cycle `end`, or until `delivered` may overflow."""
    ports = st.k.nodes * st.k.subnets
    while st.clock[CYCLE] < end and st.clock[DELIVERED] + ports <= len(st.delivered):
        cycle = st.clock[CYCLE]
        for port in range(ports):
            take_credits(st, len(st.source) + port, cycle)
        for node in range(st.k.nodes):
            send_from_node(st, node, cycle)
        for port in range(ports):
            eject(st, port, cycle)
        st.fraction[0] += st.k.internal_speedup
        steps = 0
        while st.fraction[0] >= 1.0:
            st.fraction[0] -= 1.0
            steps += 1
        for r in range(len(st.ports)):
            step_router(st, r, steps, cycle)
        st.clock[CYCLE] = cycle + 1
