"""Switch allocation, output first: an iteration of iSLIP (docs/microarchitecture.md, section 8).

What is left of it is one request for each output that is accepted, which `switch_grant` grants, whereupon the output's
arbiter and the input port's order of VCs advance, as they do input first.
"""

from __future__ import annotations

from models.arbiter import matrix, matrix_next, round_robin, round_robin_next
from models.bits import index, lowest
from models.compiled import compiled, compiled_apart
from models.route_word import route_out
from models.state import SwitchState
from models.switch_allocator import DRAIN, NONE, held_now, requested_vc

ASKS, CONTESTED = 1, 2


@compiled
def accept_outputs(st: SwitchState, s: int, cycle: int) -> None:
    """Match input ports with outputs in `cycle`, from the registers.

    Each input port that leaves a flit has its `choice`; its output is in `outputs`, with no other request than that, or
    the port in `draining`. Mostly nobody asks for two, and nobody for the same: then who asks is who gets.
    """
    held, holding = held_now(st, s)
    asking = 0
    found = 0
    ports = int(st.switch[s].busy)
    while ports:
        i = lowest(ports)
        ports &= ports - 1
        asks = _ask(st, s, i, held, holding >> i & 1 == 1, cycle)
        asking |= (asks & ASKS) << i
        found |= asks
    if found & CONTESTED:
        _match(st, s, asking)


@compiled
def _ask(st: SwitchState, s: int, i: int, held: int, holding: bool, cycle: int) -> int:
    """Let input port `i` ask for the output of each VC with a request, for the first of those that want the same.

    A VC to be drained wants nowhere, output number `ports`, which is granted to whom asks. Return whether it ASKS, and
    whether what it asks for is CONTESTED, by itself or by others.
    """
    port = st.input[s, i]
    nonempty = int(port.nonempty)
    if st.k.vc_stage:
        nonempty &= ~int(st.heads[s, i])
    if nonempty == 0:
        return 0
    st.grants[i] = 0
    if holding:
        v = index(port.holder)
        if nonempty >> v & 1:
            w = requested_vc(st, s, i, v, 0, cycle)
            if w >= 0:
                return ASKS | _offer(st, s, i, v, w)
            nonempty &= ~(1 << v)
    asked = 0
    contested = 0
    while nonempty:
        v = round_robin(nonempty, int(port.pointer))
        nonempty &= ~(1 << v)
        w = requested_vc(st, s, i, v, held, cycle)
        if w == NONE:
            continue
        o = st.k.ports if w == DRAIN else route_out(int(st.vc[s, i, v].route))
        if asked >> o & 1:
            continue
        contested |= CONTESTED if asked else 0
        asked |= 1 << o
        if w == DRAIN:
            st.offers[i, o] = v << 8
            st.grants[i] = 1 << o
            port.choice = v
            st.switch[s].draining |= 1 << i
        else:
            contested |= _offer(st, s, i, v, w)
    return contested | (ASKS if asked else 0)


@compiled
def _offer(st: SwitchState, s: int, i: int, v: int, w: int) -> int:
    """Ask for output VC `w` of what input VC (i, v) wants; return CONTESTED if another has asked for its output."""
    o = route_out(int(st.vc[s, i, v].route))
    st.offers[i, o] = v << 8 | w
    port = st.input[s, i]
    port.choice = v
    port.choice_vc = w
    others = st.requests[s, o]
    st.requests[s, o] = others | 1 << i
    st.switch[s].outputs |= 1 << o
    return CONTESTED if others else 0


@compiled_apart
def _match(st: SwitchState, s: int, asking: int) -> None:
    """Let outputs grant, and the ports that are asking (mask) accept."""
    sw = st.switch[s]
    outputs = int(sw.outputs)
    sw.outputs = 0
    sw.draining = 0
    while outputs:
        _grant(st, s, lowest(outputs))
        outputs &= outputs - 1
    while asking:
        i = lowest(asking)
        asking &= asking - 1
        if st.grants[i]:
            _accept(st, s, i)


@compiled
def _grant(st: SwitchState, s: int, o: int) -> None:
    """Grant output `o` to one of the input ports that ask for it, whether it will accept or not."""
    requests = int(st.requests[s, o])
    st.requests[s, o] = 0
    pointer = int(st.output[s, o].pointer)
    i = matrix(requests, st.output_rows[s, o]) if st.k.matrix else round_robin(requests, pointer)
    st.grants[i] |= 1 << o


@compiled
def _accept(st: SwitchState, s: int, i: int) -> None:
    """Let input port `i` accept one of the outputs that are granted to it."""
    grants = int(st.grants[i])
    o = matrix(grants, st.accept_rows[s, i]) if st.k.matrix else round_robin(grants, int(st.accept_pointer[s, i]))
    offer = int(st.offers[i, o])
    port = st.input[s, i]
    port.choice = offer >> 8
    port.choice_vc = offer & 255
    sw = st.switch[s]
    if o == st.k.ports:
        sw.draining |= 1 << i
    else:
        st.requests[s, o] = 1 << i
        sw.outputs |= 1 << o


@compiled
def accepted(st: SwitchState, s: int, i: int, o: int) -> None:
    """Advance the order in which input port `i` accepts outputs: it has taken `o`."""
    if st.k.matrix:
        matrix_next(st.accept_rows[s, i], o)
    else:
        st.accept_pointer[s, i] = round_robin_next(o, st.k.ports + 1)
