"""Speculation: heads ask for the crossbar in the cycle of VC allocation (docs/microarchitecture.md, section 13).

A head cannot know yet which VC it will get, or whether. What it is granted in vain is lost: nobody else has that
passage. VCs of its port that are sure of the same output go before it; with "behind", wherever a port or an output
chooses, what is sure goes first.
"""

from __future__ import annotations

from models.bits import index, lowest
from models.compiled import compiled, compiled_apart
from models.state import SwitchState
from models.vc_set import insert

MOST_OUTPUTS = 64
SPECULATIVE = 0x80  # in the place of the output VC of a request: that which VC allocation gives


@compiled
def speculate(st: SwitchState, s: int, i: int, v: int, o: int, vcs: int) -> None:
    """Let the head of input VC (i, v), which asks for VCs (mask) of output `o`, ask for `o` if one has a credit."""
    if vcs & int(st.output[s, o].credited):
        insert(st, st.speculating, 0, i, v)


@compiled
def offered(i: int, o: int) -> int:
    """Return where `st.offers` holds what input port `i` would send to output `o`."""
    return index(i * MOST_OUTPUTS + o)


@compiled
def precedes(st: SwitchState, s: int, i: int, v: int, w: int, offer: int) -> bool:
    """Return whether input VC (i, v), asking for output VC `w`, goes before the `offer` of a VC of a lower number.

    Both want the same output: one that is sure does, else the first in the port's order.
    """
    if st.k.speculates and (w ^ offer) & SPECULATIVE:
        return w & SPECULATIVE == 0
    return offer >> 8 < st.input[s, i].pointer <= v


@compiled_apart
def _sure_ports(st: SwitchState, ports: int, o: int) -> int:
    """Return the input ports (mask) whose offer to output `o` is sure."""
    sure = 0
    while ports:
        i = lowest(ports)
        sure |= int(int(st.offers[offered(i, o)]) & SPECULATIVE == 0) << i
        ports &= ports - 1
    return sure


@compiled_apart
def _sure_outputs(st: SwitchState, i: int, outputs: int) -> int:
    """Return the outputs (mask) to which the offer of input port `i` is sure."""
    sure = 0
    while outputs:
        o = lowest(outputs)
        sure |= int(int(st.offers[offered(i, o)]) & SPECULATIVE == 0) << o
        outputs &= outputs - 1
    return sure


@compiled
def foremost_ports(st: SwitchState, ports: int, o: int) -> int:
    """Return the input ports (mask) among which output `o` chooses."""
    sure = _sure_ports(st, ports, o) if st.k.behind else 0
    return sure if sure else ports


@compiled
def foremost_outputs(st: SwitchState, i: int, outputs: int) -> int:
    """Return the outputs (mask) among which input port `i` chooses."""
    sure = _sure_outputs(st, i, outputs) if st.k.behind else 0
    return sure if sure else outputs


@compiled
def in_vain(st: SwitchState, s: int, i: int, v: int, o: int) -> bool:
    """Return whether what the head of input VC (i, v) is granted is lost: it gets no VC, or one without a credit."""
    vc = st.vc[s, i, v]
    return vc.claimed == 0 or int(st.output[s, o].credited) >> int(vc.out_vc) & 1 == 0
