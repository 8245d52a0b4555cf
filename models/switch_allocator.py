"""Switch allocation: separable, input first, with held connections (docs/microarchitecture.md, section 8)."""

from __future__ import annotations

from models.arbiter import matrix, matrix_next, round_robin, round_robin_next
from models.bits import index, lowest
from models.compiled import compiled, compiled_apart
from models.route_word import route_drop, route_out, route_vcs, route_waits
from models.state import SwitchState
from models.vc_allocator import vc_candidate
from models.vc_buffer import whole

DRAIN, NONE = -1, -2


@compiled
def requested_vc(st: SwitchState, s: int, i: int, v: int, held: int) -> int:
    """Return the output VC that input VC (i, v) requests, DRAIN, or NONE."""
    vc = st.vc[s, i, v]
    word = int(vc.route)
    if word == 0 or route_waits(word):
        return NONE
    if route_drop(word):
        return DRAIN
    out = route_out(word)
    if held >> out & 1:
        return NONE
    if st.k.lpi and not int(st.switch[s].awake) >> out & 1:
        return NONE
    if st.k.speedup > 1 and int(st.switch[s].full) >> out & 1:
        return NONE
    output = st.output[s, out]
    if vc.active:
        w = index(vc.out_vc)
        return w if output.credited >> w & 1 else NONE
    if vc.blocked and not whole(st, s, i, v):
        return NONE
    w = vc_candidate(int(output.free) & int(output.roomy), route_vcs(word), int(output.vc_pointer))
    return w if w >= 0 else NONE


@compiled
def _choose_vc(st: SwitchState, s: int, i: int, held: int, holding: bool) -> tuple[int, int]:
    """Return the VC that input port i chooses and its request, which is NONE if there is none."""
    port = st.input[s, i]
    nonempty = int(port.nonempty)
    if holding:
        v = index(port.holder)
        if nonempty >> v & 1:
            w = requested_vc(st, s, i, v, 0)
            if w >= 0:
                return v, w
            nonempty &= ~(1 << v)
    if st.k.matrix:
        requests = 0
        rest = nonempty
        while rest:
            v = lowest(rest)
            rest &= rest - 1
            if requested_vc(st, s, i, v, held) != NONE:
                requests |= 1 << v
        if requests == 0:
            return 0, NONE
        v = matrix(requests, st.input_rows[s, i])
        return v, requested_vc(st, s, i, v, held)
    while nonempty:
        v = round_robin(nonempty, int(port.pointer))
        w = requested_vc(st, s, i, v, held)
        if w != NONE:
            return v, w
        nonempty &= ~(1 << v)
    return 0, NONE


@compiled_apart
def _requested_outputs(st: SwitchState, s: int, held: int, holding: int) -> int:
    """Return the outputs (mask) for which any input VC has a request."""
    requested = 0
    ports = int(st.switch[s].busy)
    while ports:
        i = lowest(ports)
        ports &= ports - 1
        holder = int(st.input[s, i].holder) if holding >> i & 1 else -1
        vcs = int(st.input[s, i].nonempty)
        while vcs:
            v = lowest(vcs)
            vcs &= vcs - 1
            if requested_vc(st, s, i, v, 0 if v == holder else held) >= 0:
                requested |= 1 << route_out(int(st.vc[s, i, v].route))
    return requested


@compiled
def switch_request(st: SwitchState, s: int, cycle: int) -> int:
    """Let every input port choose a VC for `cycle`, from the registers.

    Returns
    -------
    int
        Outputs (mask) with a request: `switch_grant` is due for each. Ports that drain a flit are in `draining`.
    """
    sw = st.switch[s]
    held = 0
    holding = 0
    if st.k.hold:
        if sw.held_in == cycle:
            held = int(sw.held)
            holding = int(sw.holding)
        sw.held = 0
        sw.holding = 0
        sw.held_in = cycle + 1
    sw.masked = held
    if st.k.speedup > 1:
        sw.masked |= sw.full
    if st.k.predict:
        sw.requested = _requested_outputs(st, s, held, holding)
        sw.requested_in = cycle
    choice = st.choice
    outputs = 0
    draining = 0
    ports = int(sw.busy)
    while ports:
        i = lowest(ports)
        ports &= ports - 1
        v, w = _choose_vc(st, s, i, held, holding >> i & 1 == 1)
        if w == NONE:
            continue
        choice[0, i] = v
        choice[2, i] = w
        if w == DRAIN:
            draining |= 1 << i
            continue
        o = route_out(int(st.vc[s, i, v].route))
        choice[1, o] = (choice[1, o] if outputs >> o & 1 else 0) | 1 << i
        outputs |= 1 << o
    sw.draining = draining
    return outputs


@compiled
def switch_grant(st: SwitchState, s: int, o: int) -> int:
    """Grant output `o` to one of its requests; return its input port. What it chose is in `st.choice`."""
    requests = int(st.choice[1, o])
    if st.k.matrix:
        i = matrix(requests, st.output_rows[s, o])
        matrix_next(st.output_rows[s, o], i)
    else:
        i = round_robin(requests, int(st.output[s, o].pointer))
        st.output[s, o].pointer = round_robin_next(i, st.k.ports)
    _granted(st, s, i)
    return i


@compiled
def switch_drain(st: SwitchState, s: int) -> int:
    """Grant the lowest port that drains a flit, and return it."""
    draining = int(st.switch[s].draining)
    st.switch[s].draining = draining & (draining - 1)
    i = lowest(draining)
    _granted(st, s, i)
    return i


@compiled
def _granted(st: SwitchState, s: int, i: int) -> None:
    """Advance the arbiter of an input port whose choice is granted."""
    v = index(st.choice[0, i])
    if st.k.matrix:
        matrix_next(st.input_rows[s, i], v)
    else:
        st.input[s, i].pointer = round_robin_next(v, st.k.vcs)


@compiled
def hold(st: SwitchState, s: int, i: int, v: int, o: int, keeps: int) -> None:
    """Hold output `o` for the next cycle, by input VC (i, v), if `keeps` is 1: its flit of this cycle is no tail.

    `switch_request` of the cycle has let go of what was held before.
    """
    sw = st.switch[s]
    sw.held |= keeps << o
    sw.holding |= keeps << i
    st.input[s, i].holder = v


@compiled_apart
def hold_too(st: SwitchState, s: int, i: int, v: int, o: int, cycle: int) -> None:
    """Hold one more output for the cycle after `cycle`, by input VC (i, v)."""
    if st.k.hold:
        sw = st.switch[s]
        if sw.held_in != cycle + 1:
            sw.held = 0
            sw.holding = 0
            sw.held_in = cycle + 1
        sw.held |= 1 << o
        sw.holding |= 1 << i
        st.input[s, i].holder = v


@compiled_apart
def block_heads(st: SwitchState, s: int) -> None:
    """Mark the heads that could have asked for an output in this cycle; `send` clears those it sends."""
    ports = int(st.switch[s].busy)
    while ports:
        i = lowest(ports)
        ports &= ports - 1
        vcs = int(st.input[s, i].nonempty)
        while vcs:
            v = lowest(vcs)
            vcs &= vcs - 1
            vc = st.vc[s, i, v]
            if vc.route and not route_drop(int(vc.route)) and not vc.active:
                vc.blocked = 1
