"""Head delay: a head waits at the front of its VC before it asks for an output (docs/microarchitecture.md, section 13).

Kept as the cycle in which it may ask: a switch whose heads only wait need not be visited.
"""

from __future__ import annotations

from models.compiled import compiled
from models.state import SwitchState


@compiled
def delay_head(st: SwitchState, s: int, p: int, v: int, cycle: int) -> None:
    """Begin the wait of the head that is, with its route, at the front of input VC (p, v) from `cycle` + 1 on."""
    st.asks_in[s, p, v] = cycle + 1 + st.k.head_delay
    st.switch[s].delays = 1


@compiled
def head_waits(st: SwitchState, s: int, p: int, v: int, cycle: int) -> bool:
    """Return whether the head at the front of input VC (p, v) may not ask yet in `cycle`."""
    return st.k.head_delay > 0 and st.asks_in[s, p, v] > cycle


@compiled
def delay_began(st: SwitchState, s: int) -> bool:
    """Return whether the wait of a head began since this was asked last: `allocate` is due when it is over."""
    sw = st.switch[s]
    began = sw.delays == 1
    sw.delays = 0
    return began
