"""Separable switch allocation, output first or ports first (iSLIP: Dally and Towles, 19.3; microarchitecture.md, 8).

Output first: each output grants one of the input ports that request it; each input port accepts one of its grants.
Ports first: each input port selects one of its outputs; each output grants one of the ports that selected it. Every
input VC may request. Three kinds of arbiters advance when a flit leaves: of an output, of an input port over outputs,
of an input port over VCs.

The requests for an output are a set of input VCs: those that own one of its VCs and have a flit. Sets are bit masks:
many requests cost no more than few; only owned VCs without a credit are looked at one by one.
"""

from __future__ import annotations

import numpy as np

from models.allocate.arbiter import matrix, matrix_next, matrix_rows, round_robin, round_robin_next
from models.allocate.speculation import asking_speculatively, request_speculatively
from models.allocate.switch_allocator import DRAIN, NONE, has_matrix, held_now, output_granted, requested_vc
from models.allocate.vc_allocator import choose_head_vc
from models.jit.bits import assume_u32, count_trailing_zeros, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.state.declare import NOTHING, Field, Registers, apart, fields
from models.state.owners import matches
from models.state.registers import SwitchState
from models.state.route_word import route_out, route_vcs
from models.state.vc_set import (
    numbered,
    port_of_number,
    ports_of_vcs,
    ports_within,
    vc_bit,
    vc_number,
    vc_of_number,
    vc_word,
    vcs_of_port,
    vcs_within,
    words_of,
    words_of_outputs,
)
from models.transfer.output_unit import available_outputs, claimable, owned_without_credit


class MatchingRegisters(Registers):
    """Arbiters over outputs, and scratch: requests and grants of a cycle; sets are of input VCs."""

    # matrix arbiter over outputs, the last one the drain port
    accept_rows: np.ndarray = matrix_rows(lambda n: has_matrix(n) and matches(n), lambda n: n.ports + 1)
    ready: np.ndarray = apart(np.int64, NOTHING, words_of, matches)  # those that request the output they own a VC of
    # no VC stage: for each output those that request it and own none
    asks: np.ndarray = apart(np.int64, NOTHING, words_of_outputs, lambda n: matches(n) and not n.params.vc_stage)
    contending: np.ndarray = apart(np.int64, NOTHING, lambda n: (1, *words_of(n)), matches)  # for one output
    grants: np.ndarray = apart(np.int64, NOTHING, lambda n: (n.ports,), matches)  # outputs granted to an input port
    in_input = fields(Field("output_order", np.int64))  # round-robin arbiter over outputs, the last one the drain port


@compiled
def match_outputs(st: SwitchState, s: int) -> int:
    """Match input ports with outputs, from the registers.

    Returns
    -------
    int
        Mask of input ports with a grant; `accept` chooses among the grants of an input port.
    """
    outputs = _ask(st, s)
    if restricts(st):
        outputs = _restrict(st, s, outputs)
    if st.k.ports_first:
        outputs = _choose_outputs(st, s, outputs)
    return _grant_all(st, s, outputs)


@compiled_noinline
def _choose_outputs(st: SwitchState, s: int, outputs: int) -> int:
    """Make each input port select one of the outputs that it requests; return the mask of outputs still requested."""
    ports = 0
    for o in each_member(outputs):
        for k in range(st.k.vc_words):
            for i in each_member(ports_of_vcs(st, k, asking(st, s, o, k) | asking_speculatively(st, o, k))):
                ports = _add_grant(st, ports, i, o)
    for i in each_member(ports):
        chosen = _preferred(st, s, i)
        k = vc_word(st, vc_number(st, i, 0))
        st.ready[k] &= ~vcs_of_port(st, i) | int(st.owners[s, chosen, k])
        for o in range(st.k.ports):
            if o != chosen:
                withdraw(st, o, k, vcs_of_port(st, i))
    return asked(st, s, outputs)


@compiled
def _grant_all(st: SwitchState, s: int, outputs: int) -> int:
    """Grant each output of mask `outputs` to an input port, the drain port to all; return the mask of ports granted."""
    ports = 0
    drain_port = st.k.ports
    if outputs >> drain_port & 1:
        ports = _drain_all(st, s)
        outputs ^= 1 << drain_port
    for o in each_member(outputs):
        if not restricts(st) and owned_without_credit(st, s, o) and not mask_creditless(st, s, o):
            continue
        ports = _add_grant(st, ports, _grant(st, s, o), o)
    return ports


@compiled_noinline
def _drain_all(st: SwitchState, s: int) -> int:
    """Grant the drain port to all input ports that request it; return their mask."""
    ports = 0
    for k in range(st.k.vc_words):
        for i in each_member(ports_of_vcs(st, k, asking(st, s, st.k.ports, k))):
            ports = _add_grant(st, ports, i, st.k.ports)
    return ports


@compiled
def _add_grant(st: SwitchState, ports: int, i: int, o: int) -> int:
    """Add output `o` to the grants of input port `i`; return `ports`, the mask of ports with a grant, with `i`."""
    st.grants[i] = int(st.grants[i]) & -(ports >> i & 1) | 1 << o
    return ports | 1 << i


@compiled
def _grant(st: SwitchState, s: int, o: int) -> int:
    """Return the input port, of those that request output `o`, that the output is granted to."""
    sure = 0
    for k in range(st.k.vc_words):
        st.contending[0, k] = asking(st, s, o, k)
        sure |= int(st.contending[0, k])
    if st.k.speculates and not (st.k.behind and sure):
        for k in range(st.k.vc_words):
            st.contending[0, k] |= asking_speculatively(st, o, k)
    ports = ports_within(st, st.contending, 0)
    if st.k.matrix:
        return matrix(ports, st.output_rows[s, o])
    return round_robin(ports, int(st.output[s, o].input_order))


@compiled
def _preferred(st: SwitchState, s: int, i: int) -> int:
    """Return the output that input port `i` accepts among its grants."""
    grants = int(st.grants[i])
    if st.k.behind:
        sure = _sure(st, s, i, grants)
        grants = sure if sure else grants
    return (
        matrix(grants, st.accept_rows[s, i]) if st.k.matrix else round_robin(grants, int(st.input[s, i].output_order))
    )


@compiled_noinline
def _sure(st: SwitchState, s: int, i: int, outputs: int) -> int:
    """Return the mask of those `outputs` that are requested by an input VC of port `i` that owns one of their VCs."""
    sure = 0
    for o in each_member(outputs):
        sure |= int(vcs_asking(st, s, o, i) != 0) << o
    return sure


@compiled
def accept(st: SwitchState, s: int, i: int) -> tuple[int, int, int]:
    """Return the grant that input port `i` accepts, and the VC for which it does.

    Returns
    -------
    tuple of int
        The output (number `ports`: the drain port); the input VC whose flit goes there, unless it misspeculates; 1 if
        that VC owns no output VC but requests speculatively.
    """
    o = _preferred(st, s, i)
    vcs = vcs_asking(st, s, o, i)
    speculative_requests = 0
    if st.k.speculates and vcs == 0:
        speculative_requests = 1
        vcs = vcs_within(st, st.speculative_requests, o, i)
    return o, round_robin(vcs, int(st.input[s, i].vc_order)), speculative_requests


@compiled
def accepted(st: SwitchState, s: int, i: int, v: int, o: int) -> None:
    """Advance the arbiters: a flit of input VC (i, v) leaves through output `o`, or is drained."""
    if o != st.k.ports:
        output_granted(st, s, o, i)
    st.input[s, i].vc_order = round_robin_next(v)
    if st.k.matrix:
        matrix_next(st.accept_rows[s, i], o)
    else:
        st.input[s, i].output_order = round_robin_next(o)


@compiled
def output_vc(st: SwitchState, s: int, i: int, v: int, o: int) -> int:
    """Return the VC of output `o` on which input VC (i, v) sends: the one it owns, or its head is allocated."""
    vc = st.vc[s, i, v]
    if st.k.vc_stage or vc.active:
        return assume_u32(vc.out_vc)
    vcs = choose_head_vc(claimable(st, s, o) & route_vcs(int(vc.route)), int(st.output[s, o].vc_order))
    return count_trailing_zeros(vcs)


@compiled
def _ask(st: SwitchState, s: int) -> int:
    """Collect the requests for each output, from the registers; return the mask of requested outputs.

    An input VC with a flit requests the output of which it owns a VC, whether or not that VC has a credit: unless
    `restricts`, `mask_creditless` must be called before an output chooses. VCs whose flit is to be dropped own the
    drain port, output number `ports`.
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
            outputs |= _ask_by_heads(st, s, k, others)
    return outputs & (available_outputs(st, s) | 1 << drain_port)


@compiled_noinline
def _ask_by_heads(st: SwitchState, s: int, k: int, rest: int) -> int:
    """Collect requests of input VCs without an output VC, mask `rest` of word `k`; return the mask of outputs."""
    outputs = 0
    for bit in each_member(rest):
        n = numbered(k, bit)
        i, v = port_of_number(st, n), vc_of_number(st, n)
        w = requested_vc(st, s, i, v, 0, 0)
        if w == DRAIN:
            st.owners[s, st.k.ports, k] |= 1 << bit
            outputs |= 1 << st.k.ports
        elif w != NONE:
            o = route_out(int(st.vc[s, i, v].route))
            st.asks[o, k] |= 1 << bit
            outputs |= 1 << o
    return outputs


@compiled
def restricts(st: SwitchState) -> bool:
    """Return whether all requests must be known before the first output can be granted."""
    return st.k.speculates or st.k.hold or st.k.ports_first


@compiled_noinline
def _restrict(st: SwitchState, s: int, outputs: int) -> int:
    """Mask requests without a credit, add speculative ones, mask those for held outputs; return the outputs."""
    outputs = _mask_all_creditless(st, s, outputs)
    if st.k.speculates:
        outputs |= request_speculatively(st, s)
    held, holding = held_now(st, s)
    return _hold(st, s, outputs, held, holding) if holding else outputs


@compiled
def _mask_all_creditless(st: SwitchState, s: int, outputs: int) -> int:
    """Mask requests, for mask `outputs`, of owners of VCs without a credit; return the outputs still requested."""
    left = outputs
    for o in each_member(outputs & ~(1 << st.k.ports)):
        if owned_without_credit(st, s, o) and not mask_creditless(st, s, o):
            left ^= 1 << o
    return left


@compiled_noinline
def mask_creditless(st: SwitchState, s: int, o: int) -> bool:
    """Mask the requests for output `o` of owners of VCs without a credit; return whether a request is left."""
    left = 0
    for k in range(st.k.vc_words):
        for bit in each_member(int(st.ready[k]) & int(st.owners[s, o, k])):
            n = numbered(k, bit)
            w = assume_u32(st.vc[s, port_of_number(st, n), vc_of_number(st, n)].out_vc)
            if not int(st.output[s, o].credited) >> w & 1:
                st.ready[k] ^= 1 << bit
        left |= asking(st, s, o, k)
    return left != 0


@compiled
def _hold(st: SwitchState, s: int, outputs: int, held: int, holding: int) -> int:
    """Mask requests for held outputs except their holders', and of other VCs of a port whose holder requests."""
    for k in range(st.k.vc_words):
        owners = 0
        for o in each_member(held & outputs):
            owners |= int(st.owners[s, o, k])
            withdraw(st, o, k, -1)
        holders = owners & _holders(st, s, k, holding)
        st.ready[k] &= ~owners | holders
        asking_holders = int(st.ready[k]) & holders
        ports = 0
        for bit in each_member(asking_holders):
            ports |= vcs_of_port(st, port_of_number(st, numbered(k, bit)))
        st.ready[k] &= ~ports | asking_holders
        if st.k.speculates or not st.k.vc_stage:
            for o in each_member(outputs):
                withdraw(st, o, k, ports)
    return asked(st, s, outputs)


@compiled
def _holders(st: SwitchState, s: int, k: int, holding: int) -> int:
    """Return the VCs of word `k` that hold an output; `holding` is the mask of input ports with a holder."""
    holders = 0
    for i in each_member(holding):
        n = vc_number(st, i, assume_u32(st.input[s, i].holder))
        holders |= int(vc_word(st, n) == k) << vc_bit(st, n)
    return holders


@compiled
def withdraw(st: SwitchState, o: int, k: int, vcs: int) -> None:
    """Withdraw the requests for output `o` of input VCs, mask `vcs` of word `k`, that own none of its VCs."""
    if not st.k.vc_stage:
        st.asks[o, k] &= ~vcs
    if st.k.speculates:
        st.speculative_requests[o, k] &= ~vcs


@compiled
def asking(st: SwitchState, s: int, o: int, k: int) -> int:
    """Return the mask of input VCs of word `k` that request output `o` and whose flit leaves if they are granted it."""
    owning = int(st.ready[k]) & int(st.owners[s, o, k])
    return owning if st.k.vc_stage else owning | int(st.asks[o, k])


@compiled
def vcs_asking(st: SwitchState, s: int, o: int, i: int) -> int:
    """Return the mask of VCs of input port `i` that request output `o` and whose flit leaves if they are granted it."""
    n = vc_number(st, i, 0)
    return asking(st, s, o, vc_word(st, n)) >> vc_bit(st, n) & ((1 << st.k.vcs) - 1)


@compiled
def asked(st: SwitchState, s: int, outputs: int) -> int:
    """Return the mask of those `outputs` that an input VC still requests."""
    left = outputs
    for o in each_member(outputs):
        any_asks = 0
        for k in range(st.k.vc_words):
            any_asks |= asking(st, s, o, k) | asking_speculatively(st, o, k)
        left ^= int(any_asks == 0) << o
    return left
