"""Requests of a matching: which input VCs ask for which output (docs/microarchitecture.md, section 8).

Who asks for an output is a set of input VCs: of its owners those that are ready, of which no more is looked at but for
credits that have run out. So it costs as much to choose among many as among few.
"""

from __future__ import annotations

from models.allocate.speculation import request_speculatively
from models.allocate.switch_allocator import DRAIN, NONE, held_now, requested_vc
from models.jit.bits import assume_u32, count_trailing_zeros
from models.jit.compiled import compiled, compiled_noinline
from models.state.registers import SwitchState
from models.state.route_word import route_out
from models.state.vc_set import numbered, port_of_number, vc_bit, vc_number, vc_of_number, vc_word, vcs_of_port
from models.transfer.output_unit import no_vcs, owned_without_credit


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
