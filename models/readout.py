"""Readout: counters, credits and registers of a switch, whether it is batched or not, for observers.

`show_registers` copies the registers of batched switches to where others have them.
"""

from __future__ import annotations

from models.batched.counters import batched_count
from models.batched.flit import flit_vc
from models.batched.output_sets import outputs_get, outputs_number, spread_outputs
from models.batched.output_unit import show_output
from models.batched.route_queue import batch_claim_slot, batch_front
from models.batched.vc_sets import batch_credits, lane_value, load_vector, spread
from models.batched.vectors import of_level, of_vc
from models.counters import CAM_STALLS
from models.jit.bits import count_trailing_zeros
from models.jit.compiled import compiled
from models.jit.simd import movemask
from models.power.lpi import lpi_show
from models.route.adaptive import chooses
from models.state.registers import ASK, SwitchState
from models.state.route_word import route_word


@compiled
def read(st: SwitchState, s: int, p: int, counter: int, cycle: int) -> int:
    """Return a counter's value before the events of `cycle`.

    Stalls of a CAM request are counted when it is granted; those of one that waits are added here. A link's low-power
    idle, which may lag behind, is first advanced to `cycle`.
    """
    if st.k.lpi:
        lpi_show(st, s, p, cycle)
    value = counted(st, s, p, counter)
    if counter == CAM_STALLS and st.k.table and st.miss[s, p].phase == ASK:
        value += cycle - st.miss[s, p].asked_at
    return value


@compiled
def counted(st: SwitchState, s: int, p: int, counter: int) -> int:
    """Return the events that a counter has counted, without the stalls of a CAM request that still waits."""
    events = int(st.counters[s, p, counter])
    return events + batched_count(st, s, p, counter) if st.k.batched else events


@compiled
def credits_of(st: SwitchState, s: int, o: int, w: int) -> int:
    """Return the credits of VC `w` behind output `o`."""
    return batch_credits(st, s, o, w) if st.k.batched else int(st.credits[s, o, w])


@compiled
def flits_beyond(st: SwitchState, s: int, o: int, w: int) -> int:
    """Return how many flits were sent on VC `w` of output `o` whose credits have not returned; queued ones included."""
    queued = int(st.queue_count[s, o, w]) if st.k.output_queues else 0
    return st.k.depth - credits_of(st, s, o, w) + queued


@compiled
def flits_held(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return how many flits input VC (i, v) holds."""
    if not st.k.batched:
        return int(st.vc[s, i, v].count)
    flits = 0
    while lane_value(st, s, st.k.held + of_level(st, i, flits)) >> v & 1:
        flits += 1
    return flits


@compiled
def owns_vc(st: SwitchState, s: int, i: int, v: int) -> bool:
    """Return whether the packet at the front of input VC (i, v) owns an output VC."""
    if not st.k.batched:
        return int(st.vc[s, i, v].active) == 1
    if not st.k.vc_stage and lane_value(st, s, st.k.heads + i) >> v & 1:
        return False
    return 0 < outputs_number(st, s, st.k.granted_output + of_vc(st, i, v)) < 1 << st.k.ports


@compiled
def _owned_vc(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return the output VC that the packet at the front of input VC (i, v) of a batched switch owns."""
    if st.k.vc_stage:
        return flit_vc(lane_value(st, s, st.k.output_vc + of_vc(st, i, v)))
    return count_trailing_zeros(lane_value(st, s, st.k.allowed + of_vc(st, i, v)))


@compiled
def occupied_mask(st: SwitchState, batch: int, i: int, v: int) -> int:
    """Return the mask of lanes of a batch whose input VC (i, v) holds a flit, or owns an output VC."""
    held = load_vector(st, batch, st.k.held + of_level(st, i, 0)) & spread(st, 1 << v)
    owned = outputs_get(st, batch, st.k.granted_output + of_vc(st, i, v)) & ~spread_outputs(st, 1 << st.k.ports)
    return movemask(held) | movemask(owned)


@compiled
def _front_route(st: SwitchState, s: int, p: int, v: int) -> int:
    """Return the route of the packet at the front of input VC (p, v) of a batched switch, 0 if there is none."""
    vc = st.vc[s, p, v]
    outputs = outputs_number(st, s, st.k.granted_output + of_vc(st, p, v))
    word = int(st.batch_routes[s, p, v, vc.front]) * int(vc.count > 0 or outputs != 0)
    if chooses(st, s) and vc.active:
        return route_word(count_trailing_zeros(outputs), vc.out_vc, vc.out_vc, 0)
    return word


@compiled
def _tails_held(st: SwitchState, s: int, p: int, v: int) -> int:
    """Return how many flits of input VC (p, v) are tails."""
    tails = 0
    for n in range(st.k.depth):
        tails += lane_value(st, s, st.k.tails + of_level(st, p, n)) >> v & 1
    return tails


@compiled
def show_registers(st: SwitchState) -> None:
    """Write the fields of input VCs, `credits` and `free` of batched switches from their batches."""
    if not st.k.batched:
        return
    for s in range(len(st.switch)):
        for p in range(st.k.ports):
            claimed = lane_value(st, s, st.k.claimed + p)
            for v in range(st.k.vcs):
                vc = st.vc[s, p, v]
                vc.count = flits_held(st, s, p, v)
                vc.active = int(owns_vc(st, s, p, v))
                if vc.active:
                    vc.out_vc = _owned_vc(st, s, p, v)
                vc.claimed = claimed >> v & 1
                vc.front, vc.claim = batch_front(st, s, p, v), batch_claim_slot(st, s, p, v)
                vc.route = _front_route(st, s, p, v)
                if st.k.static:
                    vc.blocked = lane_value(st, s, st.k.refused + p) >> v & 1
                    vc.tails = _tails_held(st, s, p, v)
                st.credits[s, p, v] = batch_credits(st, s, p, v)
            show_output(st, s, p)
