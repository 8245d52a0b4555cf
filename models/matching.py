"""Switch allocation as a matching of input ports with outputs (docs/microarchitecture.md, section 8).

Output first, an iteration of iSLIP: outputs grant, and input ports accept. Ports first: input ports choose an output,
and outputs one of them. Every input VC with a request asks. The arbiters of an output and of an input port, and the
port's order of VCs, advance where a flit leaves.

What asks for an output is a set of input VCs: of its owners those with a flit, of which no more is looked at but for
credits that have run out. So it costs as much to choose among many as among few.
"""

from __future__ import annotations

from models.arbiter import matrix, matrix_next, round_robin, round_robin_next
from models.bits import index, lowest
from models.compiled import compiled, compiled_apart
from models.output_unit import claimable, no_vcs, unpaid
from models.route_word import route_out, route_vcs
from models.speculation import hope
from models.state import SwitchState
from models.switch_allocator import DRAIN, NONE, held_now, output_granted, requested_vc
from models.vc_allocator import vc_candidate
from models.vc_set import (
    any_within,
    first_port,
    numbered,
    port_of_number,
    ports_within,
    vc_bit,
    vc_number,
    vc_of_number,
    vc_word,
    vcs_of_port,
    vcs_within,
)


@compiled
def match_outputs(st: SwitchState, s: int, cycle: int) -> int:
    """Match input ports with outputs in `cycle`, from the registers.

    Returns
    -------
    int
        Input ports (mask) that are granted anything, of which `accept` says what they take.
    """
    outputs = _ask(st, s, cycle)
    if st.k.ports_first:
        outputs = _choose_outputs(st, s, outputs)
    return _grant_all(st, s, outputs)


@compiled
def _ask(st: SwitchState, s: int, cycle: int) -> int:
    """Find what asks for each output, `st.asks` and, if that is not sure, `st.hopes`; return the outputs (mask).

    What is to be drained asks for nowhere, output number `ports`.
    """
    nowhere = st.k.ports
    outputs = 0
    for k in range(st.k.vc_words):
        rest = int(st.filled[s, k])
        if st.k.vc_stage:
            rest &= ~int(st.heads[s, k])
        others = rest
        for o in range(st.k.ports):
            owners = int(st.owners[s, o, k])
            asking = rest & owners
            others &= ~owners
            st.asks[o, k] = asking
            outputs |= int(asking != 0) << o
        st.asks[nowhere, k] = 0
        if others:
            outputs |= _ask_by_heads(st, s, k, others, cycle)
    outputs = _pay(st, s, outputs & ~no_vcs(st, s) | outputs & 1 << nowhere)
    if st.k.speculates:
        outputs |= hope(st, s)
    held, holding = held_now(st, s)
    return _hold(st, s, outputs, held, holding) if st.k.hold and holding else outputs


@compiled_apart
def _ask_by_heads(st: SwitchState, s: int, k: int, rest: int, cycle: int) -> int:
    """Have those of VCs (mask of word `k`) ask that own no VC; return the outputs (mask) that they ask for."""
    outputs = 0
    while rest:
        n = numbered(k, lowest(rest))
        i, v = port_of_number(st, n), vc_of_number(st, n)
        w = requested_vc(st, s, i, v, 0, cycle)
        if w != NONE:
            o = st.k.ports if w == DRAIN else route_out(int(st.vc[s, i, v].route))
            st.asks[o, k] |= rest & -rest
            outputs |= 1 << o
        rest &= rest - 1
    return outputs


@compiled
def _pay(st: SwitchState, s: int, outputs: int) -> int:
    """Let none ask for those outputs (mask) who own a VC without a credit; return for which there is still one."""
    rest = outputs & ~(1 << st.k.ports)
    while rest:
        o = lowest(rest)
        if unpaid(st, s, o):
            outputs &= ~(int(not _any_paid(st, s, o)) << o)
        rest &= rest - 1
    return outputs


@compiled_apart
def _any_paid(st: SwitchState, s: int, o: int) -> bool:
    """Take those who own a VC without a credit out of who asks for output `o`; return whether one is left."""
    for k in range(st.k.vc_words):
        rest = int(st.asks[o, k])
        while rest:
            n = numbered(k, lowest(rest))
            vc = st.vc[s, port_of_number(st, n), vc_of_number(st, n)]
            if vc.active and not int(st.output[s, o].credited) >> index(vc.out_vc) & 1:
                st.asks[o, k] ^= rest & -rest
            rest &= rest - 1
    return any_within(st, st.asks, o)


@compiled_apart
def _hold(st: SwitchState, s: int, outputs: int, held: int, holding: int) -> int:
    """Let only their holders ask for outputs (mask) that are held, and no other VC of a port whose holder asks.

    Returns
    -------
    int
        The outputs (mask) that are still asked for.
    """
    rest = held
    while rest:
        o = lowest(rest)
        for k in range(st.k.vc_words):
            st.asks[o, k] &= _holders(st, s, k, holding)
            if st.k.speculates:
                st.hopes[o, k] = 0
        rest &= rest - 1
    rest = holding
    while rest:
        i = lowest(rest)
        v = index(st.input[s, i].holder)
        n = vc_number(st, i, v)
        k, holder = vc_word(st, n), 1 << vc_bit(st, n)
        mine = route_out(int(st.vc[s, i, v].route))
        if outputs >> mine & 1 and int(st.asks[mine, k]) & holder:
            for o in range(st.k.ports + 1):
                st.asks[o, k] &= ~(vcs_of_port(st, i) ^ holder)
                if st.k.speculates:
                    st.hopes[o, k] &= ~vcs_of_port(st, i)
        rest &= rest - 1
    return _asked(st, outputs)


@compiled
def _holders(st: SwitchState, s: int, k: int, holding: int) -> int:
    """Return the VCs of word `k` that hold an output, given the input ports (mask) that do."""
    holders = 0
    while holding:
        i = lowest(holding)
        n = vc_number(st, i, index(st.input[s, i].holder))
        holders |= int(vc_word(st, n) == k) << vc_bit(st, n)
        holding &= holding - 1
    return holders


@compiled
def _hopes(st: SwitchState, o: int, k: int) -> int:
    """Return the VCs of word `k` that ask for output `o` without being sure of it."""
    return int(st.hopes[o, k]) if st.k.speculates else 0


@compiled
def _asked(st: SwitchState, outputs: int) -> int:
    """Return for which of those outputs (mask) any VC still asks."""
    rest = outputs
    while rest:
        o = lowest(rest)
        asking = 0
        for k in range(st.k.vc_words):
            asking |= int(st.asks[o, k]) | _hopes(st, o, k)
        outputs &= ~(int(asking == 0) << o)
        rest &= rest - 1
    return outputs


@compiled_apart
def _choose_outputs(st: SwitchState, s: int, outputs: int) -> int:
    """Let every input port ask for one only of what it asks for; return the outputs (mask) that are still asked for."""
    ports = 0
    rest = outputs
    while rest:
        o = lowest(rest)
        for k in range(st.k.vc_words):
            asking = int(st.asks[o, k]) | _hopes(st, o, k)
            while asking:
                i = port_of_number(st, numbered(k, lowest(asking)))
                ports = _also(st, ports, i, o)
                asking &= ~vcs_of_port(st, i)
        rest &= rest - 1
    while ports:
        i = lowest(ports)
        others = int(st.grants[i]) & ~(1 << _preferred(st, s, i))
        k = vc_word(st, vc_number(st, i, 0))
        while others:
            o = lowest(others)
            st.asks[o, k] &= ~vcs_of_port(st, i)
            if st.k.speculates:
                st.hopes[o, k] &= ~vcs_of_port(st, i)
            others &= others - 1
        ports &= ports - 1
    return _asked(st, outputs)


@compiled
def _grant_all(st: SwitchState, s: int, outputs: int) -> int:
    """Grant every one of those outputs (mask) to an input port, and nowhere to all; return which ports get any."""
    ports = 0
    nowhere = st.k.ports
    if outputs >> nowhere & 1:
        for k in range(st.k.vc_words):
            rest = int(st.asks[nowhere, k])
            while rest:
                i = port_of_number(st, numbered(k, lowest(rest)))
                ports = _also(st, ports, i, nowhere)
                rest &= ~vcs_of_port(st, i)
        outputs ^= 1 << nowhere
    while outputs:
        o = lowest(outputs)
        ports = _also(st, ports, _grant(st, s, o), o)
        outputs &= outputs - 1
    return ports


@compiled
def _also(st: SwitchState, ports: int, i: int, o: int) -> int:
    """Add output `o` to what input port `i` may have; return the ports (mask) that have any, which were `ports`."""
    st.grants[i] = int(st.grants[i]) & -(ports >> i & 1) | 1 << o
    return ports | 1 << i


@compiled
def _grant(st: SwitchState, s: int, o: int) -> int:
    """Grant output `o` to one of the input ports that ask for it, whether it will accept or not; return which."""
    asking = st.asks
    if st.k.speculates and not (st.k.behind and any_within(st, st.asks, o)):
        for k in range(st.k.vc_words):
            st.hopes[o, k] |= st.asks[o, k]
        asking = st.hopes
    if st.k.matrix:
        return matrix(ports_within(st, asking, o), st.output_rows[s, o])
    return first_port(st, asking, o, int(st.output[s, o].pointer))


@compiled
def _preferred(st: SwitchState, s: int, i: int) -> int:
    """Return which output of those in its `st.grants` input port `i` takes."""
    grants = int(st.grants[i])
    if st.k.behind:
        sure = _sure(st, i, grants)
        grants = sure if sure else grants
    return matrix(grants, st.accept_rows[s, i]) if st.k.matrix else round_robin(grants, int(st.accept_pointer[s, i]))


@compiled_apart
def _sure(st: SwitchState, i: int, outputs: int) -> int:
    """Return of which of those outputs (mask) input port `i` is sure."""
    sure = 0
    while outputs:
        o = lowest(outputs)
        sure |= int(vcs_within(st, st.asks, o, i) != 0) << o
        outputs &= outputs - 1
    return sure


@compiled
def accept(st: SwitchState, s: int, i: int) -> tuple[int, int, int]:
    """Let input port `i` take one of the outputs that it is granted.

    Returns
    -------
    tuple of int
        The output, number `ports` for nowhere; the VC that goes there, and leaves if that is not in vain; 1 if it owns
        no output VC, but hopes for one.
    """
    o = _preferred(st, s, i)
    vcs = vcs_within(st, st.asks, o, i)
    hopes = 0
    if st.k.speculates and vcs == 0:
        hopes = 1
        vcs = vcs_within(st, st.hopes, o, i)
    return o, round_robin(vcs, int(st.input[s, i].pointer)), hopes


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


@compiled
def output_vc(st: SwitchState, s: int, i: int, v: int, o: int) -> int:
    """Return the VC behind output `o` that the flit of input VC (i, v) is sent on: its own, or the one a head gets."""
    vc = st.vc[s, i, v]
    if st.k.vc_stage or vc.active:
        return index(vc.out_vc)
    return vc_candidate(claimable(st, s, o), route_vcs(int(vc.route)), int(st.output[s, o].vc_pointer))
