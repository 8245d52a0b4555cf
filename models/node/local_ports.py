"""Local ports: several of one node (docs/microarchitecture.md, section 13)."""

from __future__ import annotations

from models.jit.compiled import compiled
from models.state.registers import NO_PORT, SwitchState


@compiled
def own_local_port(st: SwitchState, s: int, p: int, out: int) -> int:
    """Return the output port that packets of input port `p` take if their route names `out`."""
    k = st.k
    if k.node_ports == 1 or out < k.first_local or out >= k.ports or st.switch[s].crossbar != NO_PORT:
        return out
    return out - (out - k.first_local) % k.node_ports + p % k.node_ports
