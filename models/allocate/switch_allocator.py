"""Switch allocator: separable, input first, with held connections (Dally and Towles, 19.3; microarchitecture.md, 8).

`models.allocate.matching` (output first, ports first) uses the same held connections.
"""

from __future__ import annotations

import numpy as np

from models.allocate.arbiter import matrix, matrix_next, matrix_rows, round_robin, round_robin_next
from models.allocate.vc_allocator import choose_head_vc
from models.buffer.head_delay import head_waits
from models.buffer.vc_buffer import waits_for_rest
from models.jit.bits import assume_u32, count_trailing_zeros, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.jit.sets import Set, either
from models.jit.simd import nonzero_mask
from models.state.declare import SWITCH, Field, Registers, Sizes, fields, placed
from models.state.placement import Area
from models.state.registers import ASKED, LONG_AGO, SwitchState
from models.state.route_word import route_drop, route_out, route_vcs, route_waits
from models.state.vc_set import numbered, port_of_number, vc_of_number, vcs_of_port, vcs_within
from models.transfer.output_unit import available_outputs, claimable, open_vcs

DRAIN, NONE = -1, -2


def has_matrix(n: Sizes) -> bool:
    """Return whether arbiters are matrix arbiters."""
    return n.params.arbiter == "matrix"


class SwitchAllocatorRegisters(Registers):
    """Requests, arbiters and held connections."""

    # no matching: input ports that request an output, until it is granted
    requests: np.ndarray = placed(
        Area.SETS, np.int64, SWITCH, lambda n: (n.ports,), built=lambda n: not (n.params.matching or n.batched)
    )
    # matrix arbiters over VCs, and over input ports
    input_rows: np.ndarray = matrix_rows(has_matrix, lambda n: n.vcs)
    output_rows: np.ndarray = matrix_rows(has_matrix, lambda n: n.ports)
    in_switch = fields(
        Field("requested", np.int64),  # prediction: outputs for which there was a request in cycle `requested_in`
        Field("requested_in", np.int64, fill=LONG_AGO),
        Field("held", np.int64, often=True),  # outputs that are held in the next one, `held_in`
        Field("holding", np.int64, often=True),  # input ports that hold them
        Field("held_in", np.int64, often=True, fill=-1),
        Field("taken", np.int64, often=True),  # outputs held in the cycle allocated, one bit each
        Field("takers", np.int64, often=True),  # input ports that hold them
        # outputs that are requested in it; matching: that carry a flit, or whose grant is lost
        Field("outputs", np.int64, often=True),
        Field("draining", np.int64, often=True),  # input ports that drain a flit in it
    )
    in_input = fields(
        Field("vc_order", np.int32),  # round-robin arbiter over VCs
        Field("holder", np.int8),  # VC that holds an output, if the port is in `holding`
        Field("choice", np.int8),  # VC chosen in the cycle allocated, if any
        Field("choice_vc", np.int8),  # output VC that it requests
    )
    in_output = fields(Field("input_order", np.int64))  # round-robin arbiter over input ports


@compiled
def not_held(output: Set, held: Set, connected: Set) -> Set:
    """Return to which VCs `output`, one-hot, is open: one of those `held` to none but the VC `connected` with it."""
    return nonzero_mask(connected, output & ~held) | connected


@compiled
def connected_first(ready: Set, connected: Set) -> Set:
    """Return the VCs among which an input port selects: the one whose connection is held if it is `ready`, else all."""
    return either(ready & connected, ready)


@compiled
def requested_vc(st: SwitchState, s: int, i: int, v: int, held: int, connected: int) -> int:
    """Return the output VC that input VC (i, v) requests, or DRAIN or NONE; `connected`: −1 if it holds an output."""
    vc = st.vc[s, i, v]
    word = int(vc.route)
    if st.k.vc_stage and not vc.active:
        return DRAIN if route_drop(word) else NONE
    if not st.k.vc_stage and (word == 0 or (st.k.lookahead and route_waits(word))):
        return NONE
    if not st.k.vc_stage and route_drop(word):
        return DRAIN
    out = route_out(word)
    if not available_outputs(st, s) >> out & 1 or not not_held(1 << out, held, connected):
        return NONE
    output = st.output[s, out]
    if st.k.vc_stage or vc.active:
        w = assume_u32(vc.out_vc)
        return w if open_vcs(int(output.credited), int(output.free), 0) >> w & 1 else NONE
    if head_waits(st, s, i, v) or waits_for_rest(st, s, i, v):
        return NONE
    vcs = choose_head_vc(claimable(st, s, out) & route_vcs(word), int(output.vc_order))
    return count_trailing_zeros(vcs) if vcs else NONE


@compiled
def _choose_vc(st: SwitchState, s: int, i: int, held: int, holding: int) -> tuple[int, int]:
    """Return the VC that input port `i` selects, the first in its arbiter's order that is ready, and its request.

    The request is NONE if no VC is ready.
    """
    rest = vcs_within(st, st.filled, s, i)
    connected = (holding >> i & 1) << assume_u32(st.input[s, i].holder)
    while rest:
        vcs = connected_first(rest, connected)
        v = matrix(vcs, st.input_rows[s, i]) if st.k.matrix else round_robin(vcs, int(st.input[s, i].vc_order))
        w = requested_vc(st, s, i, v, held, -(connected >> v & 1))
        if w != NONE:
            return v, w
        rest &= ~(1 << v)
    return 0, NONE


@compiled_noinline
def _requested_outputs(st: SwitchState, s: int, held: int, holding: int) -> int:
    """Return the mask of outputs for which an input VC has a request."""
    requested = 0
    for k in range(st.k.vc_words):
        for bit in each_member(int(st.filled[s, k])):
            n = numbered(k, bit)
            i, v = port_of_number(st, n), vc_of_number(st, n)
            connected = -(holding >> i & int(v == st.input[s, i].holder))
            if requested_vc(st, s, i, v, held, connected) >= 0:
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
        sw.requested = _requested_outputs(st, s, held, holding) | (sw.asked if st.k.vc_stage else 0)
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
def request_outputs(st: SwitchState, s: int) -> None:
    """Make each input port with a flit select a VC, from the registers.

    The output of that VC is then in `outputs`, for `switch_grant`; or the port is in `draining`, for `switch_drain`.
    """
    held, holding = held_now(st, s)
    for k in range(st.k.vc_words):
        rest = int(st.filled[s, k])
        while rest:
            i = port_of_number(st, numbered(k, count_trailing_zeros(rest)))
            rest &= ~vcs_of_port(st, i)
            _request(st, s, i, held, holding)


@compiled
def _request(st: SwitchState, s: int, i: int, held: int, holding: int) -> None:
    """Make input port `i` select a VC and request its output."""
    v, w = _choose_vc(st, s, i, held, holding)
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
    order = int(st.output[s, o].input_order)
    i = matrix(requests, st.output_rows[s, o]) if st.k.matrix else round_robin(requests, order)
    output_granted(st, s, o, i)
    switch_drain(st, s, i)
    return i


@compiled
def output_granted(st: SwitchState, s: int, o: int, i: int) -> None:
    """Advance the arbiter of output `o`, which is granted to input port `i`."""
    if st.k.matrix:
        matrix_next(st.output_rows[s, o], i)
    else:
        st.output[s, o].input_order = round_robin_next(i)


@compiled
def switch_drain(st: SwitchState, s: int, i: int) -> None:
    """Advance the arbiter of input port `i`, whose selected VC is granted or drained."""
    v = assume_u32(st.input[s, i].choice)
    if st.k.matrix:
        matrix_next(st.input_rows[s, i], v)
    else:
        st.input[s, i].vc_order = round_robin_next(v)


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
        hold(st, s, i, v, o, 1)


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
