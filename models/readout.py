"""Registers of input VCs by what they are, whether a switch is in a batch or by itself.

For whoever looks at them now and then, those of batched switches are brought to where others have them.
"""

from __future__ import annotations

from models.batched.flit import flit_vc
from models.batched.output_sets import granted_output_at, outputs_get, outputs_number, spread_outputs
from models.batched.route_queue import batch_claim_slot, batch_front
from models.batched.vc_sets import (
    batch_credits,
    claimed_at,
    free_at,
    held_at,
    lane_value,
    load_vector,
    output_vc_at,
    spread,
)
from models.jit.compiled import compiled
from models.jit.simd import movemask
from models.state.registers import SwitchState


@compiled
def flits_held(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return how many flits input VC (i, v) holds."""
    if not st.k.batched:
        return int(st.vc[s, i, v].count)
    flits = 0
    while lane_value(st, s, held_at(st, i, flits)) >> v & 1:
        flits += 1
    return flits


@compiled
def owns_vc(st: SwitchState, s: int, i: int, v: int) -> bool:
    """Return whether the packet at the front of input VC (i, v) owns an output VC."""
    if not st.k.batched:
        return int(st.vc[s, i, v].active) == 1
    return 0 < outputs_number(st, s, granted_output_at(st, i, v)) < 1 << st.k.ports


@compiled
def occupied_mask(st: SwitchState, batch: int, i: int, v: int) -> int:
    """Return in which switches of a batch input VC (i, v) holds a flit, or owns an output VC: a bit each."""
    held = load_vector(st, batch, held_at(st, i, 0)) & spread(st, 1 << v)
    owned = outputs_get(st, batch, granted_output_at(st, i, v)) & ~spread_outputs(st, 1 << st.k.ports)
    return movemask(held) | movemask(owned)


@compiled
def show_registers(st: SwitchState) -> None:
    """Write what batches say of input VCs, and `credits`, of switches that are batched."""
    if not st.k.batched:
        return
    for s in range(len(st.switch)):
        for p in range(st.k.ports):
            claimed = lane_value(st, s, claimed_at(st, p))
            for v in range(st.k.vcs):
                vc = st.vc[s, p, v]
                vc.count = flits_held(st, s, p, v)
                vc.active = int(owns_vc(st, s, p, v))
                if vc.active:
                    vc.out_vc = flit_vc(lane_value(st, s, output_vc_at(st, p, v)))
                vc.claimed = claimed >> v & 1
                vc.front, vc.claim = batch_front(st, s, p, v), batch_claim_slot(st, s, p, v)
                vc.route = int(st.batch_routes[s, p, v, vc.front]) * int(
                    vc.count > 0 or outputs_number(st, s, granted_output_at(st, p, v)) != 0
                )
                st.credits[s, p, v] = batch_credits(st, s, p, v)
            st.output[s, p].free = lane_value(st, s, free_at(st, p))
