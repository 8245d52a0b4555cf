"""Switch allocator: separable, input first, with held connections (Dally and Towles, 19.3; microarchitecture.md, 8).

`models.allocate.matching` (output first, ports first) uses the same held connections.
"""

from __future__ import annotations

import numpy as np

from models.allocate.arbiter import matrix, matrix_next, matrix_reset, round_robin, round_robin_next
from models.allocate.vc_allocator import choose_head_vc
from models.buffer.head_delay import head_waits
from models.buffer.vc_buffer import whole
from models.jit.bits import assume_u32, count_trailing_zeros, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.state.declare import PORT, SWITCH, Field, Registers, Sizes, apart, fields, placed
from models.state.placement import Area
from models.state.registers import ASKED, LONG_AGO, SwitchState
from models.state.route_word import route_drop, route_out, route_vcs, route_waits
from models.state.vc_set import numbered, port_of_number, vc_of_number, vcs_of_port, vcs_within
from models.transfer.output_unit import claimable, sleeps_or_full

DRAIN, NONE = -1, -2


def has_matrix(n: Sizes) -> bool:
    """Return whether arbiters are matrix arbiters."""
    return n.params.arbiter == "matrix"


@compiled_noinline
def switch_allocator_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Reset the arbiters of a switch; no output is requested or held."""
    sw = st.switch[s]
    sw.taken = 0
    sw.takers = 0
    sw.outputs = 0
    sw.draining = 0
    sw.held = 0
    sw.holding = 0
    sw.held_in = -1
    sw.requested_in = LONG_AGO
    for p in range(st.k.ports):
        st.input[s, p].pointer = 0
        st.input[s, p].holder = 0
        st.output[s, p].pointer = 0
        if st.k.matrix:
            matrix_reset(st.input_rows[s, p])
            matrix_reset(st.output_rows[s, p])
        if not (st.k.matching or st.k.batched):
            st.requests[s, p] = 0


class SwitchAllocatorRegisters(Registers):
    """Requests, arbiters and held connections."""

    # no matching: input ports that request an output, until it is granted
    requests: np.ndarray = placed(
        Area.SETS, np.int64, SWITCH, lambda n: (n.ports,), built=lambda n: not (n.params.matching or n.batched)
    )
    input_rows: np.ndarray = apart(np.int64, PORT, lambda n: (n.vcs,), built=has_matrix)  # arbiter over VCs
    output_rows: np.ndarray = apart(np.int64, PORT, lambda n: (n.ports,), built=has_matrix)  # over input ports
    in_switch = fields(
        Field("requested", np.int64),  # prediction: outputs for which there was a request in cycle `requested_in`
        Field("requested_in", np.int64),
        Field("held", np.int64, often=True),  # outputs that are held in the next one, `held_in`
        Field("holding", np.int64, often=True),  # input ports that hold them
        Field("held_in", np.int64, often=True),
        Field("taken", np.int64, often=True),  # outputs held in the cycle allocated, one bit each
        Field("takers", np.int64, often=True),  # input ports that hold them
        # outputs that are requested in it; matching: that carry a flit, or whose grant is lost
        Field("outputs", np.int64, often=True),
        Field("draining", np.int64, often=True),  # input ports that drain a flit in it
    )
    in_input = fields(
        Field("pointer", np.int8),  # round-robin arbiter over VCs
        Field("holder", np.int8),  # VC that holds an output, if the port is in `holding`
        Field("choice", np.int8),  # VC chosen in the cycle allocated, if any
        Field("choice_vc", np.int8),  # output VC that it requests
    )
    in_output = fields(Field("pointer", np.int8))  # round-robin arbiter over input ports
    reset = switch_allocator_reset


@compiled
def requested_vc(st: SwitchState, s: int, i: int, v: int, held: int, cycle: int) -> int:
    """Return the output VC that input VC (i, v) requests in `cycle`, or DRAIN or NONE."""
    vc = st.vc[s, i, v]
    word = int(vc.route)
    if st.k.vc_stage and not vc.active:
        return DRAIN if route_drop(word) else NONE
    if not st.k.vc_stage and (word == 0 or (st.k.lookahead and route_waits(word))):
        return NONE
    if not st.k.vc_stage and route_drop(word):
        return DRAIN
    out = route_out(word)
    if held >> out & 1:
        return NONE
    if sleeps_or_full(st, s, out):
        return NONE
    output = st.output[s, out]
    if st.k.vc_stage or vc.active:
        w = assume_u32(vc.out_vc)
        return w if output.credited >> w & 1 else NONE
    if head_waits(st, s, i, v) or (st.k.static and vc.blocked and not whole(st, s, i, v)):
        return NONE
    w = choose_head_vc(claimable(st, s, out), route_vcs(word), int(output.vc_pointer))
    return w if w >= 0 else NONE


@compiled
def _choose_vc(st: SwitchState, s: int, i: int, held: int, holding: bool, cycle: int) -> tuple[int, int]:
    """Return the VC that input port `i` selects, and its request: NONE without one."""
    port = st.input[s, i]
    nonempty = vcs_within(st, st.filled, s, i)
    if holding:
        v = assume_u32(port.holder)
        if nonempty >> v & 1:
            w = requested_vc(st, s, i, v, 0, cycle)
            if w >= 0:
                return v, w
            nonempty &= ~(1 << v)
    if st.k.matrix:
        requests = 0
        for v in each_member(nonempty):
            if requested_vc(st, s, i, v, held, cycle) != NONE:
                requests |= 1 << v
        if requests == 0:
            return 0, NONE
        v = matrix(requests, st.input_rows[s, i])
        return v, requested_vc(st, s, i, v, held, cycle)
    while nonempty:
        v = round_robin(nonempty, int(port.pointer))
        w = requested_vc(st, s, i, v, held, cycle)
        if w != NONE:
            return v, w
        nonempty &= ~(1 << v)
    return 0, NONE


@compiled_noinline
def _requested_outputs(st: SwitchState, s: int, held: int, holding: int, cycle: int) -> int:
    """Return the mask of outputs for which an input VC has a request."""
    requested = 0
    for k in range(st.k.vc_words):
        for bit in each_member(int(st.filled[s, k])):
            n = numbered(k, bit)
            i, v = port_of_number(st, n), vc_of_number(st, n)
            holder = int(st.input[s, i].holder) if holding >> i & 1 else -1
            if requested_vc(st, s, i, v, 0 if v == holder else held, cycle) >= 0:
                requested |= 1 << route_out(int(st.vc[s, i, v].route))
    return requested


@compiled
def switch_begin(st: SwitchState, s: int, cycle: int) -> None:
    """Begin the allocation of `cycle`: held outputs become `taken`, requests are empty."""
    sw = st.switch[s]
    if st.k.hold:
        now = -int(sw.held_in == cycle)  # all ones if held in this cycle, else 0
        sw.taken = sw.held & now
        sw.takers = sw.holding & now
        sw.held = 0
        sw.holding = 0
        sw.held_in = cycle + 1
    if st.k.predict:
        held, holding = held_now(st, s)
        sw.requested = _requested_outputs(st, s, held, holding, cycle) | (sw.asked if st.k.vc_stage else 0)
        sw.requested_in = cycle
    sw.outputs = 0
    sw.draining = 0


@compiled
def held_now(st: SwitchState, s: int) -> tuple[int, int]:
    """Return masks of the outputs held in the cycle that is allocated, and of the input ports that hold them."""
    if st.k.hold:
        return int(st.switch[s].taken), int(st.switch[s].takers)
    return 0, 0


@compiled
def request_outputs(st: SwitchState, s: int, cycle: int) -> None:
    """Make each input port with a flit select a VC in `cycle`, from the registers.

    The output of that VC is then in `outputs`, for `switch_grant`; or the port is in `draining`, for `switch_drain`.
    """
    held, holding = held_now(st, s)
    for k in range(st.k.vc_words):
        rest = int(st.filled[s, k])
        while rest:
            i = port_of_number(st, numbered(k, count_trailing_zeros(rest)))
            rest &= ~vcs_of_port(st, i)
            _request(st, s, i, held, holding, cycle)


@compiled
def _request(st: SwitchState, s: int, i: int, held: int, holding: int, cycle: int) -> None:
    """Make input port `i` select a VC and request its output."""
    v, w = _choose_vc(st, s, i, held, holding >> i & 1 == 1, cycle)
    if w == NONE:
        return
    port = st.input[s, i]
    port.choice = v
    port.choice_vc = w
    sw = st.switch[s]
    if w == DRAIN:
        sw.draining |= 1 << i
        return
    o = route_out(int(st.vc[s, i, v].route))
    st.requests[s, o] |= 1 << i
    sw.outputs |= 1 << o


@compiled
def switch_grant(st: SwitchState, s: int, o: int) -> int:
    """Grant output `o` to one of the input ports that request it; return that port."""
    requests = int(st.requests[s, o])
    st.requests[s, o] = 0
    i = matrix(requests, st.output_rows[s, o]) if st.k.matrix else round_robin(requests, int(st.output[s, o].pointer))
    output_granted(st, s, o, i)
    switch_drain(st, s, i)
    return i


@compiled
def output_granted(st: SwitchState, s: int, o: int, i: int) -> None:
    """Advance the arbiter of output `o`, which is granted to input port `i`."""
    if st.k.matrix:
        matrix_next(st.output_rows[s, o], i)
    else:
        st.output[s, o].pointer = round_robin_next(i, st.k.ports)


@compiled
def switch_drain(st: SwitchState, s: int, i: int) -> None:
    """Advance the arbiter of input port `i`, whose selected VC is granted or drained."""
    v = assume_u32(st.input[s, i].choice)
    if st.k.matrix:
        matrix_next(st.input_rows[s, i], v)
    else:
        st.input[s, i].pointer = round_robin_next(v, st.k.vcs)


@compiled
def hold(st: SwitchState, s: int, i: int, v: int, o: int, keeps: int) -> None:
    """Hold output `o` for input VC (i, v) in the next cycle if `keeps` is 1: the flit of this cycle is no tail.

    `switch_begin` of the cycle has cleared what was held before.
    """
    sw = st.switch[s]
    sw.held |= keeps << o
    sw.holding |= keeps << i
    st.input[s, i].holder = v


@compiled_noinline
def hold_too(st: SwitchState, s: int, i: int, v: int, o: int, cycle: int) -> None:
    """Hold output `o`, beside others, for input VC (i, v) in the cycle after `cycle`."""
    if st.k.hold:
        sw = st.switch[s]
        if sw.held_in != cycle + 1:
            sw.held = 0
            sw.holding = 0
            sw.held_in = cycle + 1
        sw.held |= 1 << o
        sw.holding |= 1 << i
        st.input[s, i].holder = v


@compiled_noinline
def block_heads(st: SwitchState, s: int) -> None:
    """Block the heads that could have requested an output in the cycle allocated; a flit that leaves decides anew."""
    for k in range(st.k.vc_words):
        for bit in each_member(int(st.filled[s, k])):
            n = numbered(k, bit)
            i, v = port_of_number(st, n), vc_of_number(st, n)
            vc = st.vc[s, i, v]
            if st.k.reserves and st.reservation[s, i, v] == ASKED:
                continue  # requests a path from a crossbar, or awaits the answer: not refused
            if vc.route and not route_drop(int(vc.route)) and not vc.active and not head_waits(st, s, i, v):
                vc.blocked = 1
