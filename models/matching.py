"""Switch allocation as a matching of input ports with outputs (docs/microarchitecture.md, section 8).

Output first, an iteration of iSLIP: outputs grant, and input ports accept. Ports first: input ports choose an output,
and outputs one of them. Every input VC with a request asks. The arbiters of an output and of an input port, and the
port's order of VCs, advance where a flit leaves.

What asks for an output is a set of input VCs: of its owners those that are ready, of which no more is looked at but for
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
    if _restricts(st):
        outputs = _restrict(st, s, _pay(st, s, outputs))
    return _grant_all(st, s, outputs)


@compiled
def _asking(st: SwitchState, s: int, o: int, k: int) -> int:
    """Return the VCs of word `k` that ask for output `o`, and leave if they get it."""
    asking = int(st.ready[k]) & int(st.owners[s, o, k])
    return asking if st.k.vc_stage else asking | int(st.asks[o, k])


@compiled
def _hoping(st: SwitchState, o: int, k: int) -> int:
    """Return the VCs of word `k` that ask for output `o` without being sure of it."""
    return int(st.hopes[o, k]) if st.k.speculates else 0


@compiled
def _ask(st: SwitchState, s: int, cycle: int) -> int:
    """Find what asks for each output; return the outputs (mask).

    Ready are those that own a VC of an output, and a flit; whether it has a credit is not yet asked. What is to be
    drained owns nowhere, output number `ports`.
    """
    nowhere = st.k.ports
    outputs = 0
    for k in range(st.k.vc_words):
        rest = int(st.filled[s, k])
        if st.k.vc_stage:
            rest &= ~int(st.heads[s, k])
        st.ready[k] = rest
        others = rest
        for o in range(st.k.ports):
            owners = int(st.owners[s, o, k])
            others &= ~owners
            outputs |= int(rest & owners != 0) << o
            if not st.k.vc_stage:
                st.asks[o, k] = 0
        st.owners[s, nowhere, k] = 0
        if others:
            outputs |= _ask_by_heads(st, s, k, others, cycle)
    return outputs & ~no_vcs(st, s) | outputs & 1 << nowhere


@compiled_apart
def _ask_by_heads(st: SwitchState, s: int, k: int, rest: int, cycle: int) -> int:
    """Have those of VCs (mask of word `k`) ask that own no VC; return the outputs (mask) that they ask for."""
    outputs = 0
    while rest:
        n = numbered(k, lowest(rest))
        i, v = port_of_number(st, n), vc_of_number(st, n)
        w = requested_vc(st, s, i, v, 0, cycle)
        if w == DRAIN:
            st.owners[s, st.k.ports, k] |= rest & -rest
            outputs |= 1 << st.k.ports
        elif w != NONE:
            o = route_out(int(st.vc[s, i, v].route))
            st.asks[o, k] |= rest & -rest
            outputs |= 1 << o
        rest &= rest - 1
    return outputs


@compiled_apart
def _any_paid(st: SwitchState, s: int, o: int) -> bool:
    """Let none ask for output `o` who own a VC without a credit; return whether one is left."""
    left = 0
    for k in range(st.k.vc_words):
        rest = int(st.ready[k]) & int(st.owners[s, o, k])
        while rest:
            n = numbered(k, lowest(rest))
            w = index(st.vc[s, port_of_number(st, n), vc_of_number(st, n)].out_vc)
            if not int(st.output[s, o].credited) >> w & 1:
                st.ready[k] ^= rest & -rest
            rest &= rest - 1
        left |= _asking(st, s, o, k)
    return left != 0


@compiled_apart
def _pay(st: SwitchState, s: int, outputs: int) -> int:
    """Let none ask for those outputs (mask) who own a VC without a credit; return those that are still asked for."""
    rest = outputs & ~(1 << st.k.ports)
    while rest:
        o = lowest(rest)
        if unpaid(st, s, o) and not _any_paid(st, s, o):
            outputs ^= 1 << o
        rest &= rest - 1
    return outputs


@compiled
def _restricts(st: SwitchState) -> bool:
    """Return whether anything must be known of all outputs before one can be granted."""
    return st.k.speculates or st.k.hold or st.k.ports_first


@compiled_apart
def _restrict(st: SwitchState, s: int, outputs: int) -> int:
    """Add what hopes for outputs, and let go what others hold, or their port does not choose.

    Returns
    -------
    int
        The outputs (mask) that are still asked for.
    """
    if st.k.speculates:
        outputs |= hope(st, s)
    held, holding = held_now(st, s)
    if holding:
        outputs = _hold(st, s, outputs, held, holding)
    return _choose_outputs(st, s, outputs) if st.k.ports_first else outputs


@compiled
def _hold(st: SwitchState, s: int, outputs: int, held: int, holding: int) -> int:
    """Let only their holders ask for outputs (mask) that are held, and no other VC of a port whose holder asks."""
    rest = held
    while rest:
        o = lowest(rest)
        for k in range(st.k.vc_words):
            st.ready[k] &= ~(int(st.owners[s, o, k]) & ~_holders(st, s, k, holding))
            _let_go(st, o, k, -1)
        rest &= rest - 1
    rest = holding
    while rest:
        i = lowest(rest)
        v = index(st.input[s, i].holder)
        n = vc_number(st, i, v)
        k, holder = vc_word(st, n), 1 << vc_bit(st, n)
        o = route_out(int(st.vc[s, i, v].route))
        if outputs >> o & 1 and _asking(st, s, o, k) & holder:
            st.ready[k] &= ~(vcs_of_port(st, i) ^ holder)
            for each in range(st.k.ports):
                _let_go(st, each, k, vcs_of_port(st, i))
        rest &= rest - 1
    return _asked(st, s, outputs)


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
def _let_go(st: SwitchState, o: int, k: int, vcs: int) -> None:
    """Let those of VCs (mask of word `k`) not ask for output `o` that own none of its VCs."""
    if not st.k.vc_stage:
        st.asks[o, k] &= ~vcs
    if st.k.speculates:
        st.hopes[o, k] &= ~vcs


@compiled
def _asked(st: SwitchState, s: int, outputs: int) -> int:
    """Return for which of those outputs (mask) any VC still asks."""
    rest = outputs
    while rest:
        o = lowest(rest)
        asking = 0
        for k in range(st.k.vc_words):
            asking |= _asking(st, s, o, k) | (_hoping(st, o, k) if o < st.k.ports else 0)
        outputs ^= int(asking == 0) << o
        rest &= rest - 1
    return outputs


@compiled
def _choose_outputs(st: SwitchState, s: int, outputs: int) -> int:
    """Let every input port ask for one only of what it asks for; return the outputs (mask) that are still asked for."""
    ports = 0
    rest = outputs
    while rest:
        o = lowest(rest)
        for k in range(st.k.vc_words):
            asking = _asking(st, s, o, k) | (_hoping(st, o, k) if o < st.k.ports else 0)
            while asking:
                i = port_of_number(st, numbered(k, lowest(asking)))
                ports = _also(st, ports, i, o)
                asking &= ~vcs_of_port(st, i)
        rest &= rest - 1
    while ports:
        i = lowest(ports)
        chosen = _preferred(st, s, i)
        k = vc_word(st, vc_number(st, i, 0))
        st.ready[k] &= ~vcs_of_port(st, i) | int(st.owners[s, chosen, k])
        for o in range(st.k.ports):
            if o != chosen:
                _let_go(st, o, k, vcs_of_port(st, i))
        ports &= ports - 1
    return _asked(st, s, outputs)


@compiled
def _grant_all(st: SwitchState, s: int, outputs: int) -> int:
    """Grant every one of those outputs (mask) to an input port, and nowhere to all; return which ports get any."""
    ports = 0
    nowhere = st.k.ports
    if outputs >> nowhere & 1:
        ports = _drain_all(st, s)
        outputs ^= 1 << nowhere
    while outputs:
        o = lowest(outputs)
        outputs &= outputs - 1
        if not _restricts(st) and unpaid(st, s, o) and not _any_paid(st, s, o):
            continue
        ports = _also(st, ports, _grant(st, s, o), o)
    return ports


@compiled_apart
def _drain_all(st: SwitchState, s: int) -> int:
    """Grant nowhere to all input ports that ask for it; return which."""
    ports = 0
    for k in range(st.k.vc_words):
        rest = _asking(st, s, st.k.ports, k)
        while rest:
            i = port_of_number(st, numbered(k, lowest(rest)))
            ports = _also(st, ports, i, st.k.ports)
            rest &= ~vcs_of_port(st, i)
    return ports


@compiled
def _also(st: SwitchState, ports: int, i: int, o: int) -> int:
    """Add output `o` to what input port `i` may have; return the ports (mask) that have any, which were `ports`."""
    st.grants[i] = int(st.grants[i]) & -(ports >> i & 1) | 1 << o
    return ports | 1 << i


@compiled
def _grant(st: SwitchState, s: int, o: int) -> int:
    """Grant output `o` to one of the input ports that ask for it, whether it will accept or not; return which."""
    sure = 0
    for k in range(st.k.vc_words):
        st.contending[0, k] = _asking(st, s, o, k)
        sure |= int(st.contending[0, k])
    if st.k.speculates and not (st.k.behind and sure):
        for k in range(st.k.vc_words):
            st.contending[0, k] |= _hoping(st, o, k)
    if st.k.matrix:
        return matrix(ports_within(st, st.contending, 0), st.output_rows[s, o])
    return first_port(st, st.contending, 0, int(st.output[s, o].pointer))


@compiled
def _preferred(st: SwitchState, s: int, i: int) -> int:
    """Return which output of those in its `st.grants` input port `i` takes."""
    grants = int(st.grants[i])
    if st.k.behind:
        sure = _sure(st, s, i, grants)
        grants = sure if sure else grants
    return matrix(grants, st.accept_rows[s, i]) if st.k.matrix else round_robin(grants, int(st.input[s, i].accept))


@compiled_apart
def _sure(st: SwitchState, s: int, i: int, outputs: int) -> int:
    """Return of which of those outputs (mask) input port `i` is sure."""
    sure = 0
    while outputs:
        o = lowest(outputs)
        sure |= int(_vcs_asking(st, s, o, i) != 0) << o
        outputs &= outputs - 1
    return sure


@compiled
def _vcs_asking(st: SwitchState, s: int, o: int, i: int) -> int:
    """Return the VCs (mask) of input port `i` that ask for output `o`, and leave if they get it."""
    n = vc_number(st, i, 0)
    return _asking(st, s, o, vc_word(st, n)) >> vc_bit(st, n) & ((1 << st.k.vcs) - 1)


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
    vcs = _vcs_asking(st, s, o, i)
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
        st.input[s, i].accept = round_robin_next(o, st.k.ports + 1)


@compiled
def output_vc(st: SwitchState, s: int, i: int, v: int, o: int) -> int:
    """Return the VC behind output `o` that the flit of input VC (i, v) is sent on: its own, or the one a head gets."""
    vc = st.vc[s, i, v]
    if st.k.vc_stage or vc.active:
        return index(vc.out_vc)
    return vc_candidate(claimable(st, s, o), route_vcs(int(vc.route)), int(st.output[s, o].vc_pointer))
