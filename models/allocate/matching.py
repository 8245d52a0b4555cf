"""Switch allocation as a matching of input ports with outputs (docs/microarchitecture.md, section 8).

Output first, an iteration of iSLIP: outputs grant, and input ports accept. Ports first: input ports choose an output,
and outputs one of them. Every input VC with a request asks. The arbiters of an output and of an input port, and the
port's order of VCs, advance where a flit leaves.

The requests for an output are a set of input VCs: of those that own a VC behind it, the ones with a flit. No more is
looked at but for owned VCs without a credit, so it costs as much to choose among many as among few.
"""

from __future__ import annotations

from models.allocate.arbiter import matrix, matrix_next, round_robin, round_robin_next
from models.allocate.speculation import request_speculatively
from models.allocate.switch_allocator import DRAIN, NONE, held_now, output_granted, requested_vc
from models.allocate.vc_allocator import vc_candidate
from models.jit.bits import assume_u32, count_trailing_zeros
from models.jit.compiled import compiled, compiled_noinline
from models.state.registers import SwitchState
from models.state.route_word import route_out, route_vcs
from models.state.vc_set import (
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
from models.transfer.output_unit import claimable, no_vcs, owned_without_credit


@compiled
def match_outputs(st: SwitchState, s: int, cycle: int) -> int:
    """Match input ports with outputs in `cycle`, from the registers.

    Returns
    -------
    int
        Input ports (mask) that are granted anything, of which `accept` says what they take.
    """
    outputs = requested_outputs(st, s, cycle)
    if st.k.ports_first:
        outputs = _choose_outputs(st, s, outputs)
    return _grant_all(st, s, outputs)


@compiled_noinline
def _choose_outputs(st: SwitchState, s: int, outputs: int) -> int:
    """Let every input port ask for one only of what it asks for; return the outputs (mask) that are still asked for."""
    ports = 0
    rest = outputs
    while rest:
        o = count_trailing_zeros(rest)
        for k in range(st.k.vc_words):
            vcs = asking(st, s, o, k) | hoping(st, o, k)
            while vcs:
                i = port_of_number(st, numbered(k, count_trailing_zeros(vcs)))
                ports = _also(st, ports, i, o)
                vcs &= ~vcs_of_port(st, i)
        rest &= rest - 1
    while ports:
        i = count_trailing_zeros(ports)
        chosen = _preferred(st, s, i)
        k = vc_word(st, vc_number(st, i, 0))
        st.ready[k] &= ~vcs_of_port(st, i) | int(st.owners[s, chosen, k])
        for o in range(st.k.ports):
            if o != chosen:
                let_go(st, o, k, vcs_of_port(st, i))
        ports &= ports - 1
    return asked(st, s, outputs)


@compiled
def _grant_all(st: SwitchState, s: int, outputs: int) -> int:
    """Grant each of those outputs (mask) to an input port, and the drain port to all; return the ports with a grant."""
    ports = 0
    drain_port = st.k.ports
    if outputs >> drain_port & 1:
        ports = _drain_all(st, s)
        outputs ^= 1 << drain_port
    while outputs:
        o = count_trailing_zeros(outputs)
        outputs &= outputs - 1
        if not restricts(st) and owned_without_credit(st, s, o) and not mask_creditless(st, s, o):
            continue
        ports = _also(st, ports, _grant(st, s, o), o)
    return ports


@compiled_noinline
def _drain_all(st: SwitchState, s: int) -> int:
    """Grant the drain port to all input ports that ask for it; return which."""
    ports = 0
    for k in range(st.k.vc_words):
        rest = asking(st, s, st.k.ports, k)
        while rest:
            i = port_of_number(st, numbered(k, count_trailing_zeros(rest)))
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
        st.contending[0, k] = asking(st, s, o, k)
        sure |= int(st.contending[0, k])
    if st.k.speculates and not (st.k.behind and sure):
        for k in range(st.k.vc_words):
            st.contending[0, k] |= hoping(st, o, k)
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


@compiled_noinline
def _sure(st: SwitchState, s: int, i: int, outputs: int) -> int:
    """Return of which of those outputs (mask) input port `i` is sure."""
    sure = 0
    while outputs:
        o = count_trailing_zeros(outputs)
        sure |= int(vcs_asking(st, s, o, i) != 0) << o
        outputs &= outputs - 1
    return sure


@compiled
def accept(st: SwitchState, s: int, i: int) -> tuple[int, int, int]:
    """Let input port `i` take one of the outputs that it is granted.

    Returns
    -------
    tuple of int
        The output, number `ports` for the drain port; the VC that goes there, and leaves unless it misspeculates; 1 if
        it owns no output VC, but asks speculatively.
    """
    o = _preferred(st, s, i)
    vcs = vcs_asking(st, s, o, i)
    speculative_requests = 0
    if st.k.speculates and vcs == 0:
        speculative_requests = 1
        vcs = vcs_within(st, st.speculative_requests, o, i)
    return o, round_robin(vcs, int(st.input[s, i].pointer)), speculative_requests


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
        return assume_u32(vc.out_vc)
    return vc_candidate(claimable(st, s, o), route_vcs(int(vc.route)), int(st.output[s, o].vc_pointer))


@compiled
def requested_outputs(st: SwitchState, s: int, cycle: int) -> int:
    """Find what asks for each output in `cycle`, from the registers.

    Returns
    -------
    int
        Outputs (mask) for which any does; number `ports` is the drain port, for those that are to be drained. Unless
        `restricts`, owners of VCs without a credit are still among them: `mask_creditless` is due before a choice.
    """
    outputs = _ask(st, s, cycle)
    return _restrict(st, s, outputs) if restricts(st) else outputs


@compiled
def _ask(st: SwitchState, s: int, cycle: int) -> int:
    """Find what asks for each output; return the outputs (mask).

    Ready are those that own a VC of an output, and a flit; whether it has a credit is not yet asked. What is to be
    drained owns the drain port, output number `ports`.
    """
    drain_port = st.k.ports
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
        st.owners[s, drain_port, k] = 0
        if others:
            outputs |= _ask_by_heads(st, s, k, others, cycle)
    return outputs & ~no_vcs(st, s) | outputs & 1 << drain_port


@compiled_noinline
def _ask_by_heads(st: SwitchState, s: int, k: int, rest: int, cycle: int) -> int:
    """Have those of VCs (mask of word `k`) ask that own no VC; return the outputs (mask) that they ask for."""
    outputs = 0
    while rest:
        n = numbered(k, count_trailing_zeros(rest))
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


@compiled
def restricts(st: SwitchState) -> bool:
    """Return whether anything must be known of all outputs before one can be granted."""
    return st.k.speculates or st.k.hold or st.k.ports_first


@compiled_noinline
def _restrict(st: SwitchState, s: int, outputs: int) -> int:
    """Let those without a credit go, add what only hopes, let go what others hold; return what is still asked for."""
    outputs = _pay(st, s, outputs)
    if st.k.speculates:
        outputs |= request_speculatively(st, s)
    held, holding = held_now(st, s)
    return _hold(st, s, outputs, held, holding) if holding else outputs


@compiled
def _pay(st: SwitchState, s: int, outputs: int) -> int:
    """Let none ask for those outputs (mask) who own a VC without a credit; return those that are still asked for."""
    rest = outputs & ~(1 << st.k.ports)
    while rest:
        o = count_trailing_zeros(rest)
        if owned_without_credit(st, s, o) and not mask_creditless(st, s, o):
            outputs ^= 1 << o
        rest &= rest - 1
    return outputs


@compiled_noinline
def mask_creditless(st: SwitchState, s: int, o: int) -> bool:
    """Let none ask for output `o` who own a VC without a credit; return whether one is left."""
    left = 0
    for k in range(st.k.vc_words):
        rest = int(st.ready[k]) & int(st.owners[s, o, k])
        while rest:
            n = numbered(k, count_trailing_zeros(rest))
            w = assume_u32(st.vc[s, port_of_number(st, n), vc_of_number(st, n)].out_vc)
            if not int(st.output[s, o].credited) >> w & 1:
                st.ready[k] ^= rest & -rest
            rest &= rest - 1
        left |= asking(st, s, o, k)
    return left != 0


@compiled
def _hold(st: SwitchState, s: int, outputs: int, held: int, holding: int) -> int:
    """Let only their holders ask for outputs (mask) that are held, and no other VC of a port whose holder asks."""
    for k in range(st.k.vc_words):
        owners = 0
        rest = held & outputs
        while rest:
            o = count_trailing_zeros(rest)
            owners |= int(st.owners[s, o, k])
            let_go(st, o, k, -1)
            rest &= rest - 1
        holders = owners & _holders(st, s, k, holding)
        st.ready[k] &= ~owners | holders
        asking_holders = int(st.ready[k]) & holders
        ports = 0
        rest = asking_holders
        while rest:
            ports |= vcs_of_port(st, port_of_number(st, numbered(k, count_trailing_zeros(rest))))
            rest &= rest - 1
        st.ready[k] &= ~ports | asking_holders
        rest = outputs
        while rest and (st.k.speculates or not st.k.vc_stage):
            let_go(st, count_trailing_zeros(rest), k, ports)
            rest &= rest - 1
    return asked(st, s, outputs)


@compiled
def _holders(st: SwitchState, s: int, k: int, holding: int) -> int:
    """Return the VCs of word `k` that hold an output, given the input ports (mask) that do."""
    holders = 0
    while holding:
        i = count_trailing_zeros(holding)
        n = vc_number(st, i, assume_u32(st.input[s, i].holder))
        holders |= int(vc_word(st, n) == k) << vc_bit(st, n)
        holding &= holding - 1
    return holders


@compiled
def let_go(st: SwitchState, o: int, k: int, vcs: int) -> None:
    """Let those of VCs (mask of word `k`) not ask for output `o` that own none of its VCs."""
    if not st.k.vc_stage:
        st.asks[o, k] &= ~vcs
    if st.k.speculates:
        st.speculative_requests[o, k] &= ~vcs


@compiled
def asking(st: SwitchState, s: int, o: int, k: int) -> int:
    """Return the VCs of word `k` that ask for output `o`, and leave if they get it."""
    owning = int(st.ready[k]) & int(st.owners[s, o, k])
    return owning if st.k.vc_stage else owning | int(st.asks[o, k])


@compiled
def hoping(st: SwitchState, o: int, k: int) -> int:
    """Return the VCs of word `k` that ask for output `o` without being sure of it."""
    return int(st.speculative_requests[o, k]) if st.k.speculates else 0


@compiled
def vcs_asking(st: SwitchState, s: int, o: int, i: int) -> int:
    """Return the VCs (mask) of input port `i` that ask for output `o`, and leave if they get it."""
    n = vc_number(st, i, 0)
    return asking(st, s, o, vc_word(st, n)) >> vc_bit(st, n) & ((1 << st.k.vcs) - 1)


@compiled
def asked(st: SwitchState, s: int, outputs: int) -> int:
    """Return for which of those outputs (mask) any VC still asks."""
    rest = outputs
    while rest:
        o = count_trailing_zeros(rest)
        any_asks = 0
        for k in range(st.k.vc_words):
            any_asks |= asking(st, s, o, k) | hoping(st, o, k)
        outputs ^= int(any_asks == 0) << o
        rest &= rest - 1
    return outputs
