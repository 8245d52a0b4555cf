"""Speculation: heads request the crossbar during VA (Peh and Dally, HPCA 2001; microarchitecture.md, section 13).

The head does not know yet whether it will be allocated a VC. A grant to a head that gets none is in vain: no other flit
uses that crossbar slot. At its own port, VCs that own a VC of the same output have priority over it; with speculation =
"behind", sure requests have priority at every choice of a port or an output.
"""

from __future__ import annotations

import numpy as np

from models.jit.bits import assume_u32, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.state.declare import NOTHING, Registers, Sizes, apart
from models.state.registers import SwitchState
from models.state.route_word import route_out
from models.state.vc_set import insert, numbered, port_of_number, vc_of_number, words_of, words_of_outputs


def _speculates(n: Sizes) -> bool:
    return n.params.speculates


class SpeculationRegisters(Registers):
    """Scratch: speculative requests of a cycle."""

    # input VCs whose head asks for the crossbar, too
    speculating: np.ndarray = apart(np.int64, NOTHING, lambda n: (1, *words_of(n)), _speculates)
    # the requests for each output
    speculative_requests: np.ndarray = apart(np.int64, NOTHING, words_of_outputs, _speculates)


@compiled
def speculate(st: SwitchState, s: int, i: int, v: int, o: int, vcs: int) -> None:
    """Make the head of input VC (i, v) request output `o` speculatively if a VC of mask `vcs` has a credit."""
    if vcs & int(st.output[s, o].credited):
        insert(st, st.speculating, 0, i, v)


@compiled_noinline
def request_speculatively(st: SwitchState, s: int) -> int:
    """Collect speculative requests in `st.speculative_requests`; return the mask of their outputs."""
    outputs = 0
    for k in range(st.k.vc_words):
        for o in range(st.k.ports):
            st.speculative_requests[o, k] = 0
        for bit in each_member(int(st.speculating[0, k])):
            n = numbered(k, bit)
            o = route_out(int(st.vc[s, port_of_number(st, n), vc_of_number(st, n)].route))
            st.speculative_requests[o, k] |= 1 << bit
            outputs |= 1 << o
    return outputs


@compiled
def asking_speculatively(st: SwitchState, o: int, k: int) -> int:
    """Return the input VCs of word `k` that request output `o` speculatively."""
    return int(st.speculative_requests[o, k]) if st.k.speculates else 0


@compiled
def misspeculated(st: SwitchState, s: int, i: int, v: int, o: int) -> bool:
    """Return whether the grant to the head of input VC (i, v) is in vain: it got no VC, or one without a credit."""
    vc = st.vc[s, i, v]
    return vc.claimed == 0 or int(st.output[s, o].credited) >> assume_u32(vc.out_vc) & 1 == 0
