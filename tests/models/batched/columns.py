"""Registers of switches in two forms, single and in batches: copied from one to the other, and read as columns.

Compiled functions raise AssertionError explicitly: pytest rewrites `assert` to code that numba cannot compile.
"""

from models.allocate.arbiter import pointer_of
from models.batched.flit import flit_on, flit_vc
from models.batched.head_delay import block_on_output, head_asks, head_request, heads_slot
from models.batched.output_sets import outputs_number, set_granted_output
from models.batched.route_queue import batch_claim_slot, batch_front
from models.batched.vc_sets import batch_credits, batch_drain, batch_head_asks, change_bit, lane_value, set_lane
from models.batched.vectors import of_bit, of_level, of_vc
from models.jit.bits import count_trailing_zeros, each_member
from models.jit.compiled import compiled
from models.jit.lanes import place_of_number
from models.jit.simd import set_number
from models.jit.simd_type import lane_bits
from models.readout import flits_held, owns_vc
from models.state.request_word import request_of
from models.state.route_word import route_drop, route_out, route_vcs
from models.state.vc_set import contains, numbered, port_of_number, vc_bit, vc_number, vc_of_number, vc_word

# Registers compared per input or output VC, and per port: the requester that arbiters prefer.
COLUMNS = (
    "COUNT",
    "TAILS",  # which of the flits are tails
    "FRONT",
    "CLAIM",
    "ROUTE",
    "OWNS",  # 1: the packet owns an output VC
    "OUT_VC",
    "CLAIMED",
    "BLOCKED",  # 1: that output VC has no credit
    "ASKS_AT",  # cycle from which its head may request a VC; −1: no head waits
    "ASIDE",  # batched, 1: the head is blocked until a VC is free
    "CREDITS",
    "FREE",
    "REFUSED",  # 1: the front packet was refused, or waited behind another (static buffering)
)
COUNT, TAILS, FRONT, CLAIM, ROUTE, OWNS, OUT_VC, CLAIMED, BLOCKED, ASKS_AT, ASIDE, CREDITS, FREE, REFUSED = range(14)
VC_FIRST, OUTPUT_FIRST, INPUT_FIRST = range(3)
OUTPUT_VC_FIRST, CONNECTED, HELD = range(3, 6)  # one step; CONNECTED: VC + 1, HELD: 1 if the output is held


@compiled
def _asks_at(st, s, i, v, now):
    """Return the cycle from which the head of an input VC may request, `now` if at once; −1 if no head waits."""
    vc = st.vc[s, i, v]
    if st.k.vc_stage and not contains(st, st.heads, s, i, v):
        return -1
    if not st.k.vc_stage and (vc.active or vc.route == 0 or route_drop(int(vc.route))):
        return -1
    n = vc_number(st, i, v)
    if st.k.head_delay:
        for cycle in range(now + 1, now + st.k.delay_slots):
            if int(st.delay_ends[s, cycle & (st.k.delay_slots - 1), vc_word(st, n)]) >> vc_bit(st, n) & 1:
                return cycle
    return now


@compiled
def _set_outputs(st, s, which, outputs):
    set_number(st.batch_outputs, place_of_number(s, st.k.batch_output_vectors, which), outputs)


@compiled
def _lane(order, lanes):
    """Return an arbiter's order as a lane of an array of vectors holds it."""
    return order & (1 << lane_bits(lanes)) - 1


@compiled
def copy_state(one, st, cycle):
    """Bring batched switches into the state of the single switches at the beginning of `cycle`."""
    for s in range(len(one.switch)):
        for o in range(one.k.ports):
            for w in range(one.k.vcs):
                credits = int(one.credits[s, o, w])
                for bit in range(st.k.credit_bits):
                    change_bit(st, s, st.k.credits + of_bit(st, o, bit), w, credits >> bit & 1)
                change_bit(st, s, st.k.credited + o, w, int(credits > 0))
                if not st.k.vc_stage:
                    change_bit(st, s, st.k.roomy + o, w, int(credits >= st.k.credit_need))
            set_lane(st, s, st.k.free + o, int(one.output[s, o].free))
            for i in range(one.k.ports):
                which = st.k.input_order + i
                asked_first = int(one.output[s, o].input_order) >> i & 1
                _set_outputs(st, s, which, outputs_number(st, s, which) | asked_first << o)
        for i in range(one.k.ports):
            set_lane(st, s, st.k.vc_order + i, _lane(int(one.input[s, i].vc_order), st.batch_vcs))
            _set_outputs(st, s, st.k.output_order + i, _lane(int(one.input[s, i].output_order), st.batch_outputs))
            for v in range(one.k.vcs):
                _copy_vc(one, st, s, i, v, cycle)
            if not one.k.vc_stage:
                set_lane(st, s, st.k.output_vc_order + i, _lane(int(one.output[s, i].vc_order), st.batch_vcs))
                set_lane(st, s, st.k.connected + i, _connected(one, s, i, cycle))
        if not one.k.vc_stage:
            _set_outputs(st, s, st.k.held_outputs, _held(one, s, cycle))


@compiled
def _held(st, s, now):
    """Return the outputs that a single switch holds in cycle `now`."""
    return int(st.switch[s].held) if st.switch[s].held_in == now else 0


@compiled
def _connected(st, s, i, now):
    """Return the VC of input port `i`, one-hot, whose connection a single switch holds in cycle `now`."""
    holds = st.switch[s].held_in == now and int(st.switch[s].holding) >> i & 1
    return 1 << int(st.input[s, i].holder) if holds else 0


@compiled
def _copy_vc(one, st, s, i, v, cycle):
    vc = one.vc[s, i, v]
    for n in range(vc.count):
        change_bit(st, s, st.k.held + of_level(st, i, n), v, 1)
        change_bit(st, s, st.k.tails + of_level(st, i, n), v, int(one.flits[s, i, v, (vc.read + n) % one.k.depth]) & 1)
    set_lane(st, s, st.k.front + of_vc(st, i, v), int(vc.front))
    set_lane(st, s, st.k.claim + of_vc(st, i, v), int(vc.claim))
    for n in range(one.k.depth):
        st.batch_routes[s, i, v, n] = vc.route if n == vc.front else one.routes[s, i, v, n]
    word = int(vc.route)
    if not one.k.vc_stage:
        _copy_front(one, st, s, i, v, cycle)
        return
    if word and route_drop(word):
        set_granted_output(st, s, i, v, 1 << one.k.ports)
    if vc.active:
        o, w = route_out(word), int(vc.out_vc)
        set_granted_output(st, s, i, v, 1 << o)
        set_lane(st, s, st.k.output_vc + of_vc(st, i, v), flit_on(w))
        st.holder[s, o, w] = vc_number(st, i, v)
        change_bit(st, s, st.k.claimed + i, v, int(vc.claimed))
        change_bit(st, s, st.k.blocked + i, v, int(one.credits[s, o, w] == 0))
    asks_at = _asks_at(one, s, i, v, cycle)
    if asks_at >= cycle:
        request = head_request(st, s, i, v)
        if asks_at == cycle and request_of(request).vcs & int(one.output[s, route_out(word)].free) == 0:
            block_on_output(st, request)
        else:
            head_asks(st, request, asks_at)


@compiled
def _copy_front(one, st, s, i, v, cycle):
    """Make the front packet of an input VC ask, or own its output VC, without a VC stage."""
    vc = one.vc[s, i, v]
    word = int(vc.route)
    if word and route_drop(word):
        batch_drain(st, s, i, v)
    elif vc.active:
        set_granted_output(st, s, i, v, 1 << route_out(word))
        set_lane(st, s, st.k.allowed + of_vc(st, i, v), 1 << int(vc.out_vc))
    change_bit(st, s, st.k.refused + i, v, int(vc.blocked))
    asks_at = _asks_at(one, s, i, v, cycle)
    if asks_at == cycle:
        batch_head_asks(st, s, i, v, route_out(word), route_vcs(word))
    elif asks_at > cycle:
        head_asks(st, head_request(st, s, i, v), asks_at)


@compiled
def read_columns(st, now, vcs, ports):
    """Write the registers of switches as columns, at the beginning of cycle `now`."""
    for s in range(len(st.switch)):
        for i in range(st.k.ports):
            for v in range(st.k.vcs):
                _read_vc(st, now, s, i, v, vcs[s, i, v])
                if not st.k.batched:
                    vcs[s, i, v, ASKS_AT] = _asks_at(st, s, i, v, now)
            port = ports[s, i]
            if st.k.batched:
                port[VC_FIRST] = pointer_of(lane_value(st, s, st.k.vc_order + i), st.k.vcs)
                port[OUTPUT_FIRST] = pointer_of(outputs_number(st, s, st.k.output_order + i), st.k.ports + 1)
                port[INPUT_FIRST] = 0
                for p in range(st.k.ports - 1, 0, -1):
                    if outputs_number(st, s, st.k.input_order + p) >> i & 1:
                        port[INPUT_FIRST] = p
            else:
                port[VC_FIRST] = pointer_of(int(st.input[s, i].vc_order), st.k.vcs)
                port[OUTPUT_FIRST] = pointer_of(int(st.input[s, i].output_order), st.k.ports + 1)
                port[INPUT_FIRST] = pointer_of(int(st.output[s, i].input_order), st.k.ports)
            if not st.k.vc_stage:
                _read_connection(st, now, s, i, port)
    if st.k.batched:
        _read_heads(st, now, vcs)


@compiled
def _read_connection(st, now, s, i, port):
    if st.k.batched:
        port[OUTPUT_VC_FIRST] = pointer_of(lane_value(st, s, st.k.output_vc_order + i), st.k.vcs)
        connected = lane_value(st, s, st.k.connected + i)
        held = outputs_number(st, s, st.k.held_outputs)
    else:
        port[OUTPUT_VC_FIRST] = pointer_of(int(st.output[s, i].vc_order), st.k.vcs)
        connected = _connected(st, s, i, now)
        held = _held(st, s, now)
    port[CONNECTED] = count_trailing_zeros(connected) + 1 if connected else 0
    port[HELD] = held >> i & 1


@compiled
def _read_vc(st, now, s, i, v, row):
    vc = st.vc[s, i, v]
    row[COUNT] = flits_held(st, s, i, v)
    row[TAILS] = 0
    for n in range(st.k.depth):
        if st.k.batched:
            row[TAILS] |= (lane_value(st, s, st.k.tails + of_level(st, i, n)) >> v & 1) << n
        elif n < vc.count:
            row[TAILS] |= (int(st.flits[s, i, v, (vc.read + n) % st.k.depth]) & 1) << n
    row[OWNS] = int(owns_vc(st, s, i, v))
    if st.k.batched:
        row[FRONT], row[CLAIM] = batch_front(st, s, i, v), batch_claim_slot(st, s, i, v)
        drained = outputs_number(st, s, st.k.granted_output + of_vc(st, i, v)) >> st.k.ports
        there = row[COUNT] > 0 or row[OWNS] or drained
        row[ROUTE] = st.batch_routes[s, i, v, row[FRONT]] if there else 0
        if st.k.vc_stage:
            row[OUT_VC] = flit_vc(lane_value(st, s, st.k.output_vc + of_vc(st, i, v)))
        elif row[OWNS]:
            row[OUT_VC] = count_trailing_zeros(lane_value(st, s, st.k.allowed + of_vc(st, i, v)))
        row[CLAIMED] = lane_value(st, s, st.k.claimed + i) >> v & 1
        row[BLOCKED] = lane_value(st, s, st.k.blocked + i) >> v & 1
        row[CREDITS] = batch_credits(st, s, i, v)
        row[FREE] = lane_value(st, s, st.k.free + i) >> v & 1
        row[REFUSED] = lane_value(st, s, st.k.refused + i) >> v & 1 if st.k.static else 0
        if lane_value(st, s, st.k.credited + i) >> v & 1 != int(row[CREDITS] > 0):
            raise AssertionError
        enough = int(row[CREDITS] >= st.k.credit_need)
        if st.k.credit_need > 1 and lane_value(st, s, st.k.roomy + i) >> v & 1 != enough:
            raise AssertionError
        if drained != int(row[ROUTE] != 0 and route_drop(int(row[ROUTE]))):
            raise AssertionError
    else:
        row[FRONT], row[CLAIM], row[ROUTE] = vc.front, vc.claim, vc.route
        row[OUT_VC] = vc.out_vc
        row[CLAIMED] = vc.claimed
        row[BLOCKED] = st.k.vc_stage and row[OWNS] and st.credits[s, route_out(int(vc.route)), vc.out_vc] == 0
        row[CREDITS] = st.credits[s, i, v]
        row[FREE] = int(st.output[s, i].free) >> v & 1
        row[REFUSED] = vc.blocked
    row[OUT_VC] *= row[OWNS]
    row[ASKS_AT] = -1
    row[ASIDE] = 0
    if st.k.batched and not st.k.vc_stage and lane_value(st, s, st.k.heads + i) >> v & 1:
        row[ASKS_AT] = now


@compiled
def _read_heads(st, now, vcs):
    """Find the waiting heads, in the wheel and among the blocked ones."""
    for cycle in range(now, now + len(st.batch_heads_end)):
        slot = heads_slot(st, cycle)
        for n in range(st.batch_heads_end[slot]):
            request = int(st.batch_heads[slot, n])
            s, i, v, _, _ = request_of(request)
            if vcs[s, i, v, ASKS_AT] != -1:
                raise AssertionError
            if request != head_request(st, s, i, v):
                raise AssertionError
            vcs[s, i, v, ASKS_AT] = cycle
    for s in range(len(st.switch)):
        for o in range(st.k.ports):
            any_aside = 0
            for k in range(st.k.vc_words):
                rest = int(st.blocked_heads[s, o, k])
                any_aside |= int(rest != 0)
                for bit in each_member(rest):
                    n = numbered(k, bit)
                    i, v = port_of_number(st, n), vc_of_number(st, n)
                    if vcs[s, i, v, ASKS_AT] != -1:
                        raise AssertionError
                    vcs[s, i, v, ASKS_AT] = now
                    vcs[s, i, v, ASIDE] = 1
            if lane_value(st, s, st.k.blocked_outputs + o) != any_aside:
                raise AssertionError
