"""ST: granted flits leave their buffers and cross to the output registers (docs/microarchitecture.md, section 8)."""

from __future__ import annotations

from models.adaptive import chooses
from models.compiled import compiled
from models.counters import FLITS_DROPPED, FLITS_OUT, PACKETS_DROPPED, PACKETS_OUT, count
from models.output_buffer import departure
from models.output_unit import output_claim, output_free, output_spend
from models.predictor import predictor_update
from models.route_queue import release
from models.state import NO_PORT, SwitchState
from models.switch_allocator import hold
from models.vc_buffer import pop


@compiled
def transfer(st: SwitchState, s: int, moves: int, cycle: int) -> None:
    """Carry out the first `moves` moves of `st.sent`; fill in their `head`, `flit` and `at`."""
    held = 0
    holding = 0
    for move in range(moves):
        sent = st.sent[move]
        i = int(sent.port)
        v = int(sent.vc)
        o = int(sent.out)
        flit = pop(st, s, i, v)
        st.vc[s, i, v].choosing = 0
        if st.k.predict:
            st.prediction[s, i].popped_in = cycle
        tail = flit & 1
        sent.flit = flit
        if o < 0:
            count(st, s, i, FLITS_DROPPED, 1)
            if tail:
                count(st, s, i, PACKETS_DROPPED, 1)
                release(st, s, i, v)
            continue
        w = int(sent.out_vc)
        if st.k.predict:
            st.prediction[s, o].sent_in = cycle
            st.prediction[s, o].connected = NO_PORT if tail else i << 8 | v
        vc = st.vc[s, i, v]
        count(st, s, o, FLITS_OUT, 1)
        output_spend(st, s, o, w)
        sent.head = 1 - vc.active
        sent.at = departure(st, s, o, cycle)
        if not vc.active:
            output_claim(st, s, o, w)
            vc.active = 1
            vc.blocked = 0
            vc.out_vc = w
            if st.k.predict and chooses(st, s):
                predictor_update(st, s, i, o, cycle)
        if tail:
            count(st, s, o, PACKETS_OUT, 1)
            output_free(st, s, o, w)
            vc.active = 0
            release(st, s, i, v)
        else:
            held |= 1 << o
            holding |= 1 << i
            st.input[s, i].holder = v
    hold(st, s, held, holding, cycle)
