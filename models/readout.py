"""Registers of input VCs by what they are, whether a switch is in a row or by itself.

For whoever looks at them now and then, those of switches in rows are brought to where others have them.
"""

from __future__ import annotations

from models.batched.flit import flit_vc
from models.batched.output_sets import goal_at, outputs_get, outputs_number, spread_outputs
from models.batched.route_queue import row_claim, row_front
from models.batched.vc_sets import claimed_at, free_at, held_at, row_credits, row_get, row_number, spread, way_at
from models.jit.compiled import compiled
from models.jit.simd import row_lanes
from models.state.registers import SwitchState


@compiled
def flits_held(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return how many flits input VC (i, v) holds."""
    if not st.k.rows:
        return int(st.vc[s, i, v].count)
    flits = 0
    while row_number(st, s, held_at(st, i, flits)) >> v & 1:
        flits += 1
    return flits


@compiled
def owns_vc(st: SwitchState, s: int, i: int, v: int) -> bool:
    """Return whether the packet at the front of input VC (i, v) owns an output VC."""
    if not st.k.rows:
        return int(st.vc[s, i, v].active) == 1
    return 0 < outputs_number(st, s, goal_at(st, i, v)) < 1 << st.k.ports


@compiled
def occupied_lanes(st: SwitchState, row: int, i: int, v: int) -> int:
    """Return in which switches of a row input VC (i, v) holds a flit, or owns an output VC: a bit each."""
    held = row_get(st, row, held_at(st, i, 0)) & spread(st, 1 << v)
    owned = outputs_get(st, row, goal_at(st, i, v)) & ~spread_outputs(st, 1 << st.k.ports)
    return row_lanes(held) | row_lanes(owned)


@compiled
def show_registers(st: SwitchState) -> None:
    """Write what rows say of input VCs, and `credits`, of switches that are in rows."""
    if not st.k.rows:
        return
    for s in range(len(st.switch)):
        for p in range(st.k.ports):
            claimed = row_number(st, s, claimed_at(st, p))
            for v in range(st.k.vcs):
                vc = st.vc[s, p, v]
                vc.count = flits_held(st, s, p, v)
                vc.active = int(owns_vc(st, s, p, v))
                if vc.active:
                    vc.out_vc = flit_vc(row_number(st, s, way_at(st, p, v)))
                vc.claimed = claimed >> v & 1
                vc.front, vc.claim = row_front(st, s, p, v), row_claim(st, s, p, v)
                vc.route = int(st.row_routes[s, p, v, vc.front]) * int(
                    vc.count > 0 or outputs_number(st, s, goal_at(st, p, v)) != 0
                )
                st.credits[s, p, v] = row_credits(st, s, p, v)
            st.output[s, p].free = row_number(st, s, free_at(st, p))
