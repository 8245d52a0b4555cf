"""Switch allocation as a matching of input ports with outputs (docs/microarchitecture.md, section 8).

Output first, an iteration of iSLIP: outputs grant, and input ports accept. Ports first: input ports choose an output,
and outputs one of them. Every input VC with a request asks. The arbiters of an output and of an input port, and the
port's order of VCs, advance where a flit leaves.

Who asks is in `models.requests`.
"""

from __future__ import annotations

from models.allocate.arbiter import matrix, matrix_next, round_robin, round_robin_next
from models.allocate.switch_allocator import output_granted
from models.allocate.vc_allocator import vc_candidate
from models.jit.bits import assume_u32, count_trailing_zeros
from models.jit.compiled import compiled, compiled_noinline
from models.requests import asked, asking, hoping, let_go, mask_creditless, requested_outputs, restricts, vcs_asking
from models.state.registers import SwitchState
from models.state.route_word import route_vcs
from models.state.vc_set import (
    first_port,
    numbered,
    port_of_number,
    ports_within,
    vc_number,
    vc_word,
    vcs_of_port,
    vcs_within,
)
from models.transfer.output_unit import claimable, owned_without_credit


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
