"""Switch allocation as a matching of input ports with outputs (docs/microarchitecture.md, section 8).

Output first, an iteration of iSLIP: outputs grant, and input ports accept. Ports first: input ports choose an output,
and outputs one of them. Every input VC with a request asks; there is something to choose only where ports contend. The
arbiters of an output and of an input port, and the port's order of VCs, advance where a flit leaves.
"""

from __future__ import annotations

from models.arbiter import matrix, matrix_next, round_robin, round_robin_next
from models.bits import index, lowest
from models.compiled import compiled, compiled_apart
from models.route_word import route_out
from models.speculation import SPECULATIVE, foremost_outputs, foremost_ports, offered, precedes
from models.state import SwitchState
from models.switch_allocator import DRAIN, NONE, held_now, output_granted, requested_vc
from models.vc_set import numbered, port_of_number, vc_bit, vc_number, vc_of_number, vc_word, vcs_of_port


@compiled
def match_outputs(st: SwitchState, s: int, cycle: int) -> int:
    """Match input ports with outputs in `cycle`, from the registers.

    Returns
    -------
    int
        How many VCs are matched, and leave where it is not in vain. They are in `st.matched`: input port << 24 |
        VC << 16 | output << 8 | output VC, or SPECULATIVE; a VC to be drained wants nowhere, output number `ports`,
        which is granted to whom asks.
    """
    held, holding = held_now(st, s)
    asking = outputs = ports = draining = 0
    contested = 0
    for k in range(st.k.vc_words):
        rest = int(st.filled[s, k])
        if st.k.vc_stage:
            rest &= ~int(st.heads[s, k])
        if st.k.speculates:
            rest |= int(st.speculating[0, k])
        if st.k.hold and holding:
            rest = _without_losers(st, s, k, rest, holding, cycle)
        while rest:
            n = numbered(k, lowest(rest))
            rest &= rest - 1
            i, v = port_of_number(st, n), vc_of_number(st, n)
            holds = st.k.hold and holding >> i & 1 == 1 and st.input[s, i].holder == v
            w = _requested(st, s, k, n, 0 if holds else held, cycle)
            if w == NONE:
                continue
            contested |= ports >> i & 1
            ports |= 1 << i
            if w == DRAIN:
                draining |= 1 << i
                st.matched[asking] = i << 24 | v << 16 | st.k.ports << 8
            else:
                o = route_out(int(st.vc[s, i, v].route))
                contested |= outputs >> o & 1
                outputs |= 1 << o
                st.matched[asking] = i << 24 | v << 16 | o << 8 | w
            asking += 1
    sw = st.switch[s]
    sw.outputs = outputs
    sw.draining = draining
    return _match(st, s, asking) if contested else asking


@compiled
def _requested(st: SwitchState, s: int, k: int, n: int, held: int, cycle: int) -> int:
    """Return the output VC that input VC number `n`, of word `k`, requests, SPECULATIVE, DRAIN, or NONE."""
    i, v = port_of_number(st, n), vc_of_number(st, n)
    if st.k.speculates and int(st.speculating[0, k]) >> vc_bit(st, n) & 1:
        return NONE if held >> route_out(int(st.vc[s, i, v].route)) & 1 else SPECULATIVE
    return requested_vc(st, s, i, v, held, cycle)


@compiled_apart
def _without_losers(st: SwitchState, s: int, k: int, rest: int, holding: int, cycle: int) -> int:
    """Return what is left of word `k` of the VCs that may ask: of a port that holds an output, its holder alone.

    If that has a request; else all others.
    """
    while holding:
        i = lowest(holding)
        holding &= holding - 1
        v = index(st.input[s, i].holder)
        n = vc_number(st, i, v)
        holder = 1 << vc_bit(st, n)
        if vc_word(st, n) == k and rest & holder:
            asks = requested_vc(st, s, i, v, 0, cycle) >= 0
            rest &= ~vcs_of_port(st, i) | holder if asks else ~holder
    return rest


@compiled_apart
def _match(st: SwitchState, s: int, asking: int) -> int:
    """Match those of the first `asking` of `st.matched`; return how many leave."""
    outputs = draining = 0
    for k in range(asking):
        word = int(st.matched[k])
        i, v, o = index(word >> 24), index(word >> 16 & 255), index(word >> 8 & 255)
        place = offered(i, o)
        others = draining if o == st.k.ports else int(st.requests[s, o])
        # They come here by number.
        if others >> i & 1 and not precedes(st, s, i, v, word & 255, int(st.offers[place])):
            continue
        st.offers[place] = v << 8 | word & 255
        if o == st.k.ports:
            draining |= 1 << i
        else:
            st.requests[s, o] = others | 1 << i
            outputs |= 1 << o
    if st.k.ports_first:
        outputs, draining = _choose_outputs(st, s, outputs, draining)
    granted = _nowhere(st, draining)
    draining = 0
    while outputs:
        o = lowest(outputs)
        outputs &= outputs - 1
        granted = _also(st, granted, _grant(st, s, o), o)
    leaving = 0
    while granted:
        i = lowest(granted)
        granted &= granted - 1
        o = _preferred(st, s, i)
        offer = index(st.offers[offered(i, o)])
        st.matched[leaving] = i << 24 | offer >> 8 << 16 | o << 8 | offer & 255
        leaving += 1
        if o == st.k.ports:
            draining |= 1 << i
        else:
            outputs |= 1 << o
    st.switch[s].outputs = outputs
    st.switch[s].draining = draining
    return leaving


@compiled
def _nowhere(st: SwitchState, draining: int) -> int:
    """Begin `st.grants` with the input ports (mask) that may drain a flit; return them."""
    rest = draining
    while rest:
        st.grants[lowest(rest)] = 1 << st.k.ports
        rest &= rest - 1
    return draining


@compiled
def _also(st: SwitchState, ports: int, i: int, o: int) -> int:
    """Add output `o` to what input port `i` may have; return the ports (mask) that have any, which were `ports`."""
    st.grants[i] = (st.grants[i] if ports >> i & 1 else 0) | 1 << o
    return ports | 1 << i


@compiled_apart
def _choose_outputs(st: SwitchState, s: int, outputs: int, draining: int) -> tuple[int, int]:
    """Let every input port ask for one only of what it asks for; return the outputs, and the ports that drain."""
    asking = _nowhere(st, draining)
    while outputs:
        o = lowest(outputs)
        outputs &= outputs - 1
        rest = int(st.requests[s, o])
        st.requests[s, o] = 0
        while rest:
            asking = _also(st, asking, lowest(rest), o)
            rest &= rest - 1
    draining = 0
    while asking:
        i = lowest(asking)
        asking &= asking - 1
        o = _preferred(st, s, i)
        if o == st.k.ports:
            draining |= 1 << i
        else:
            st.requests[s, o] |= 1 << i
            outputs |= 1 << o
    return outputs, draining


@compiled
def _grant(st: SwitchState, s: int, o: int) -> int:
    """Grant output `o` to one of the input ports that ask for it, whether it will accept or not; return which."""
    requests = foremost_ports(st, int(st.requests[s, o]), o)
    st.requests[s, o] = 0
    if st.k.matrix:
        return matrix(requests, st.output_rows[s, o])
    return round_robin(requests, int(st.output[s, o].pointer))


@compiled
def _preferred(st: SwitchState, s: int, i: int) -> int:
    """Return which output of those in its `st.grants` input port `i` takes."""
    grants = foremost_outputs(st, i, int(st.grants[i]))
    return matrix(grants, st.accept_rows[s, i]) if st.k.matrix else round_robin(grants, int(st.accept_pointer[s, i]))


@compiled
def accepted(st: SwitchState, s: int, i: int, v: int, o: int) -> None:
    """Advance the arbiters: a flit of input VC (i, v) leaves through output `o`, or is drained."""
    if o != st.k.ports:
        output_granted(st, s, o, i)
    st.input[s, i].pointer = round_robin_next(v, st.k.vcs)
    if st.k.matrix:
        matrix_next(st.accept_rows[s, i], o)
    else:
        st.accept_pointer[s, i] = round_robin_next(o, st.k.ports + 1)
