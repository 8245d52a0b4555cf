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

MOST_OUTPUTS = 64


@compiled
def accept_outputs(st: SwitchState, s: int, cycle: int) -> None:
    """Match input ports with outputs in `cycle`, from the registers.

    Each input port that leaves a flit has its `choice`; its output is in `outputs`, with no other request than that, or
    the port in `draining`. If nobody asks for two, and nobody for the same, who asks is who gets.
    """
    held, holding = held_now(st, s)
    contested = False
    ports = int(st.switch[s].busy)
    while ports:
        i = lowest(ports)
        ports &= ports - 1
        contested |= _ask(st, s, i, held, holding >> i & 1 == 1, cycle)
    if contested:
        _match(st, s)


@compiled
def _ask(st: SwitchState, s: int, i: int, held: int, holding: bool, cycle: int) -> bool:
    """Let input port `i` ask for the output of each VC with a request, for the first of those that want the same.

    A VC to be drained wants nowhere, output number `ports`, which is granted to whom asks. Return whether more than one
    output is asked for, or one by others, too.
    """
    port = st.input[s, i]
    vcs = int(port.nonempty)
    if st.k.vc_stage:
        vcs &= ~int(st.heads[s, i])
    if holding and vcs >> int(port.holder) & 1:
        v = index(port.holder)
        w = requested_vc(st, s, i, v, 0, cycle)
        if w >= 0:
            return _offer(st, s, i, v, w)
        vcs &= ~(1 << v)
    asked = 0
    contested = False
    while vcs:
        v = round_robin(vcs, int(port.pointer))
        vcs &= ~(1 << v)
        w = requested_vc(st, s, i, v, held, cycle)
        if w == NONE:
            continue
        o = st.k.ports if w == DRAIN else route_out(int(st.vc[s, i, v].route))
        if asked >> o & 1:
            continue
        contested |= asked != 0
        asked |= 1 << o
        if w != DRAIN:
            contested |= _offer(st, s, i, v, w)
            continue
        st.offers[_offered(i, o)] = v << 8
        port.choice = v
        st.switch[s].draining |= 1 << i
    return contested


@compiled
def _offered(i: int, o: int) -> int:
    """Return where it is kept what input port `i` would send to output `o`."""
    return index(i * MOST_OUTPUTS + o)


@compiled
def _offer(st: SwitchState, s: int, i: int, v: int, w: int) -> bool:
    """Ask for output VC `w` of what input VC (i, v) wants; return whether another port has asked for its output."""
    o = route_out(int(st.vc[s, i, v].route))
    st.offers[_offered(i, o)] = v << 8 | w
    port = st.input[s, i]
    port.choice = v
    port.choice_vc = w
    others = st.requests[s, o]
    st.requests[s, o] = others | 1 << i
    st.switch[s].outputs |= 1 << o
    return others != 0


@compiled_apart
def _match(st: SwitchState, s: int) -> None:
    """Let outputs grant, and input ports accept."""
    sw = st.switch[s]
    granted = int(sw.draining)
    ports = granted
    while ports:
        st.grants[lowest(ports)] = 1 << st.k.ports
        ports &= ports - 1
    outputs = int(sw.outputs)
    while outputs:
        o = lowest(outputs)
        outputs &= outputs - 1
        i = _grant(st, s, o)
        st.grants[i] = (st.grants[i] if granted >> i & 1 else 0) | 1 << o
        granted |= 1 << i
    sw.outputs = 0
    sw.draining = 0
    while granted:
        _accept(st, s, lowest(granted))
        granted &= granted - 1


@compiled
def _grant(st: SwitchState, s: int, o: int) -> int:
    """Grant output `o` to one of the input ports that ask for it, whether it will accept or not; return which."""
    requests = int(st.requests[s, o])
    st.requests[s, o] = 0
    if st.k.matrix:
        return matrix(requests, st.output_rows[s, o])
    return round_robin(requests, int(st.output[s, o].pointer))


@compiled
def _accept(st: SwitchState, s: int, i: int) -> None:
    """Let input port `i` accept one of the outputs that are granted to it."""
    grants = int(st.grants[i])
    o = matrix(grants, st.accept_rows[s, i]) if st.k.matrix else round_robin(grants, int(st.accept_pointer[s, i]))
    offer = index(st.offers[_offered(i, o)])
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
