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


@compiled
def accept_outputs(st: SwitchState, s: int, cycle: int) -> None:
    """Match input ports with outputs in `cycle`, from the registers.

    Each input port that leaves a flit has its `choice`; its output is in `outputs`, with no other request than that, or
    the port in `draining`. Mostly nobody asks for two, and nobody for the same: then who asks is who gets.
    """
    held, holding = held_now(st, s)
    contested = False
    ports = int(st.switch[s].busy)
    while ports:
        i = lowest(ports)
        ports &= ports - 1
        contested |= _ask(st, s, i, held, holding >> i & 1 == 1, cycle)
    if contested:
        _match(st, s, cycle)


@compiled
def _asking(st: SwitchState, s: int, i: int) -> int:
    """Return the VCs (mask) of input port `i` that may have a request: with a VC stage, heads have none."""
    nonempty = int(st.input[s, i].nonempty)
    return nonempty & ~int(st.heads[s, i]) if st.k.vc_stage else nonempty


@compiled
def _ask(st: SwitchState, s: int, i: int, held: int, holding: bool, cycle: int) -> bool:
    """Let input port `i` have the output it asks for; return whether it asks for two, or another has asked for it."""
    vcs = _asking(st, s, i)
    if vcs == 0:
        return False
    port = st.input[s, i]
    if holding and vcs >> int(port.holder) & 1:
        v = index(port.holder)
        w = requested_vc(st, s, i, v, 0, cycle)
        if w >= 0:
            return _take(st, s, i, v, w)
        vcs &= ~(1 << v)
    asked = -1
    while vcs:
        v = round_robin(vcs, int(port.pointer))
        vcs &= ~(1 << v)
        w = requested_vc(st, s, i, v, held, cycle)
        if w == NONE:
            continue
        o = _wanted(st, s, i, v, w)
        if asked >= 0:
            if asked != o:
                return True
            continue
        asked = o
        if _take(st, s, i, v, w):
            return True
    return False


@compiled
def _wanted(st: SwitchState, s: int, i: int, v: int, w: int) -> int:
    """Return the output that input VC (i, v) wants; what is to be drained wants nowhere, output number `ports`."""
    return st.k.ports if w == DRAIN else route_out(int(st.vc[s, i, v].route))


@compiled
def _take(st: SwitchState, s: int, i: int, v: int, w: int) -> bool:
    """Take what input VC (i, v) wants for it, unless others do, too; return whether another has taken it before."""
    port = st.input[s, i]
    port.choice = v
    port.choice_vc = w
    sw = st.switch[s]
    if w == DRAIN:
        sw.draining |= 1 << i
        return False
    o = route_out(int(st.vc[s, i, v].route))
    before = st.requests[s, o]
    st.requests[s, o] = before | 1 << i
    sw.outputs |= 1 << o
    return before != 0


@compiled_apart
def _match(st: SwitchState, s: int, cycle: int) -> None:
    """Forget what was taken; let every VC ask, outputs grant, and input ports accept."""
    sw = st.switch[s]
    outputs = int(sw.outputs)
    while outputs:
        st.requests[s, lowest(outputs)] = 0
        outputs &= outputs - 1
    sw.outputs = 0
    sw.draining = 0
    held, holding = held_now(st, s)
    ports = int(sw.busy)
    while ports:
        i = lowest(ports)
        ports &= ports - 1
        outputs |= _offer(st, s, i, held, holding >> i & 1 == 1, cycle)
    while outputs:
        _grant(st, s, lowest(outputs))
        outputs &= outputs - 1
    ports = int(sw.busy)
    while ports:
        i = lowest(ports)
        ports &= ports - 1
        if st.grants[i]:
            _accept(st, s, i)


@compiled
def _offer(st: SwitchState, s: int, i: int, held: int, holding: bool, cycle: int) -> int:
    """Let each VC of input port `i` ask, the first of those that want the same; return the outputs asked (mask).

    Nowhere is granted to whom asks.
    """
    st.grants[i] = 0
    port = st.input[s, i]
    vcs = _asking(st, s, i)
    asked = 0
    if holding and vcs >> int(port.holder) & 1:
        v = index(port.holder)
        w = requested_vc(st, s, i, v, 0, cycle)
        vcs &= ~(1 << v)
        if w >= 0:
            o = _wanted(st, s, i, v, w)
            st.offers[i, o] = v << 8 | w
            st.requests[s, o] |= 1 << i
            return 1 << o
    while vcs:
        v = round_robin(vcs, int(port.pointer))
        vcs &= ~(1 << v)
        w = requested_vc(st, s, i, v, held, cycle)
        o = _wanted(st, s, i, v, w)
        if w == NONE or asked >> o & 1:
            continue
        asked |= 1 << o
        if w == DRAIN:
            st.offers[i, o] = v << 8
            st.grants[i] = 1 << o
        else:
            st.offers[i, o] = v << 8 | w
            st.requests[s, o] |= 1 << i
    return asked & ~(1 << st.k.ports)


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
