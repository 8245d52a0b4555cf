"""Reset of a switch: the values of its registers (microarchitecture.md, conventions)."""

from __future__ import annotations

from models.allocate.arbiter import matrix_reset
from models.batched.counters import forget_totals
from models.batched.reset import batch_reset
from models.jit.compiled import compiled_noinline
from models.power.lpi import lpi_reset
from models.predict.predictor import predictor_reset
from models.route.reservation import reserve_reset
from models.route.route_cache import cache_clear
from models.state.registers import DETERMINISTIC, LONG_AGO, NEVER, SwitchState


@compiled_noinline
def reset(st: SwitchState, s: int, cycle: int) -> None:
    """Reset a switch, the reset being last asserted in `cycle`. Tables keep their contents."""
    k = st.k
    all_vcs = (1 << k.vcs) - 1
    sw = st.switch[s]
    sw.taken = 0
    sw.takers = 0
    sw.outputs = 0
    sw.draining = 0
    sw.held = 0
    sw.holding = 0
    sw.held_in = -1
    sw.working = 0
    sw.waiting = 0
    sw.cam_full = 0
    sw.cam_pointer = 0
    sw.table_ready = 0
    sw.flush_end = -1
    sw.requested_in = LONG_AGO
    sw.chosen_anew = 0
    sw.opened = 0
    sw.reserving = 0
    sw.delays = 0
    sw.asked = 0
    sw.claims = 0
    for word in range(k.vc_words):
        st.filled[s, word] = 0
        if k.vc_stage and not k.batched:
            st.heads[s, word] = 0
        if k.head_delay and not k.batched:
            st.delayed[s, word] = 0
            for slot in range(k.delay_slots):
                st.delay_ends[s, slot, word] = 0
    if k.batched:
        batch_reset(st, s)
        forget_totals(st, s)
    if k.lookahead:
        st.open[s] = (1 << k.ports) - 1
    if k.reserves:
        reserve_reset(st, s)
    for p in range(k.ports):
        port = st.input[s, p]
        port.pointer = 0
        port.holder = 0
        output = st.output[s, p]
        output.free = all_vcs
        output.credited = all_vcs
        output.roomy = all_vcs
        output.vc_pointer = 0
        output.pointer = 0
        port.accept = 0
        st.departed[s, p] = LONG_AGO
        if k.predict:
            predictor_reset(st, s, p)
        for v in range(k.vcs):
            st.credits[s, p, v] = k.depth
            vc = st.vc[s, p, v]
            vc.count = 0
            vc.read = 0
            vc.route = 0
            vc.front = 0
            vc.claim = 0
            vc.active = 0
            if k.adaptive != DETERMINISTIC:
                st.choosing[s, p, v] = 0
            vc.claimed = 0
            vc.blocked = 0
            if k.vc_stage:
                st.vc_by_priority[s, p, v] = 0
                st.vc_after[s, p, v] = 0
            vc.tails = 0
            vc.inside = 0
            vc.header = 0
            for d in range(k.depth if not k.batched else 0):
                st.routes[s, p, v, d] = 0
        st.counters[s, p, :] = 0
        if k.matrix:
            matrix_reset(st.input_rows[s, p])
            matrix_reset(st.output_rows[s, p])
        if k.matching:
            st.owners[s, p, :] = 0
            if k.matrix:
                matrix_reset(st.accept_rows[s, p])
        elif not k.batched:
            st.requests[s, p] = 0
        if k.table:
            unit = st.miss[s, p]
            unit.phase = 0
            unit.handed = 0
            unit.direct = 0
            unit.pointer = 0
            unit.pending = 0
            unit.examined = 0
            unit.filling = 0
            unit.answer_at = NEVER
            st.slot[s, p, :] = 0
        if k.cached:
            st.lookup[s, p, 0].valid = 0
            st.lookup[s, p, 1].valid = 0
    if k.cached:
        cache_clear(st, s, cycle)
    if k.lpi:
        lpi_reset(st, s, cycle)
