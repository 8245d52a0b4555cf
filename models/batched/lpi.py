"""Low-power idle of a batch: links that are wanted, and those that are active, as sets (microarchitecture.md, 10).

Controllers are those of `models.power.lpi`, and are advanced one by one: when a flit begins or ceases to want a link. A
link that is wanted and not active is active again in a cycle that is known then.
"""

from __future__ import annotations

import numpy as np

from models.batched.output_sets import outputs_get, outputs_number, outputs_put, set_outputs, spread_outputs
from models.batched.vc_sets import load_vector, spread, wake_batch
from models.batched.vectors import of_level, of_vc
from models.jit.bits import assume_u32, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.jit.lanes import batch_of, switch_in
from models.jit.sets import with_member
from models.jit.simd import movemask, nonzero_mask, number_in, simd_store
from models.jit.simd_type import LANES, Vector
from models.power.lpi import ACT, active_from, lpi_advance, lpi_write
from models.state.declare import NOTHING, PORT, Registers, Sizes, apart, placed
from models.state.placement import Area
from models.state.registers import NEVER, SwitchState

WANTED, CHANGED = range(2)  # vectors of `st.batch_links`


def _sleeps(n: Sizes) -> bool:
    return n.batched and n.params.lpi is not None


class BatchedLpiRegisters(Registers):
    """Links that are waited for."""

    # cycle from which a link is active that is wanted and is not active yet; else NEVER
    active_at: np.ndarray = placed(Area.REST, np.int64, PORT, built=_sleeps, fill=NEVER)
    # by batch: the first of these cycles, or an earlier one; each part of a network schedules its own batches
    batch_active_at: np.ndarray = apart(np.int64, NOTHING, lambda n: (n.batches if _sleeps(n) else 0,), fill=NEVER)
    # scratch: outputs that are wanted in the cycle allocated, and those that were not, or no longer are
    batch_links: np.ndarray = apart(lambda n: n.output_lanes, NOTHING, lambda n: (2 * LANES,), built=_sleeps)


@compiled
def hint_links(st: SwitchState, s: int, outputs: int) -> None:
    """Make the links of outputs (mask) wanted in the cycle allocated next, although no flit wants them."""
    if not st.k.batched:
        st.switch[s].hinted |= outputs
    elif outputs:
        hinted = outputs_number(st, s, st.k.hinted_outputs) | outputs
        set_outputs(st, s, st.k.hinted_outputs, hinted)
        wake_batch(st, s)


@compiled
def active_outputs(st: SwitchState, batch: int) -> Vector:
    """Return the outputs, of those that are wanted, whose links are active; the drain port always is."""
    return outputs_get(st, batch, st.k.awake_outputs) | spread_outputs(st, 1 << st.k.ports)


@compiled
def _wanted(st: SwitchState, batch: int) -> Vector:
    """Return the outputs that a buffered flit with a ready route wants."""
    wanted = spread_outputs(st, 0)
    for i in range(st.k.ports):
        filled = load_vector(st, batch, st.k.held + of_level(st, i, 0))
        if movemask(filled):
            for v in range(st.k.vcs):
                asked = outputs_get(st, batch, st.k.granted_output + of_vc(st, i, v))
                wanted = wanted | nonzero_mask(wanted, filled & spread(st, 1 << v)) & asked
    return wanted & ~spread_outputs(st, 1 << st.k.ports)


@compiled
def batch_lpi_begin(st: SwitchState, batch: int, cycle: int) -> None:
    """Find which links are wanted in `cycle`, and which of these are active, before a batch is allocated."""
    wanted = _wanted(st, batch)
    changed = wanted ^ outputs_get(st, batch, st.k.wanted_outputs) | outputs_get(st, batch, st.k.hinted_outputs)
    lanes = movemask(changed)
    if lanes:
        simd_store(st.batch_links, WANTED, wanted)
        simd_store(st.batch_links, CHANGED, changed)
        _change(st, batch, lanes, cycle)
        outputs_put(st, batch, st.k.wanted_outputs, wanted)
        outputs_put(st, batch, st.k.hinted_outputs, spread_outputs(st, 0))
    if st.batch_active_at[batch] <= cycle:
        simd_store(st.batch_links, WANTED, wanted & ~outputs_get(st, batch, st.k.awake_outputs))
        _activate(st, batch, movemask(wanted & ~outputs_get(st, batch, st.k.awake_outputs)), cycle)


@compiled_noinline
def _change(st: SwitchState, batch: int, lanes: int, cycle: int) -> None:
    """Advance the links of the switches in mask `lanes` that are wanted from `cycle` on, or no longer, or hinted."""
    for lane in each_member(lanes):
        s = assume_u32(switch_in(batch, lane))
        wanted = number_in(st.batch_links, WANTED * LANES + lane)
        before, awake = int(st.switch[s].wanted), outputs_number(st, s, st.k.awake_outputs)
        hinted = outputs_number(st, s, st.k.hinted_outputs)
        for o in each_member(number_in(st.batch_links, CHANGED * LANES + lane)):
            lpi_advance(st, s, o, cycle, before >> o & 1 == 1)
            active = st.link_power[s, o].phase == ACT
            if (wanted ^ before) >> o & 1:
                awake = with_member(awake, o, int(active))
                await_link(st, s, o, wanted >> o & 1 == 1 and not active)
            if hinted >> o & 1:
                lpi_advance(st, s, o, cycle + 1, wanted >> o & 1 == 1, True)
        set_outputs(st, s, st.k.awake_outputs, awake)
        st.switch[s].wanted = wanted


@compiled_noinline
def await_link(st: SwitchState, s: int, o: int, waits: bool) -> None:
    """Note when a link, just advanced, is active, if a flit waits for it from then on."""
    st.active_at[s, o] = active_from(st, s, o) if waits else NEVER
    batch = batch_of(s)
    st.batch_active_at[batch] = min(int(st.batch_active_at[batch]), int(st.active_at[s, o]))


@compiled_noinline
def _activate(st: SwitchState, batch: int, lanes: int, cycle: int) -> None:
    """Make the links that are active from `cycle` on available, of the links waited for in `st.batch_links`."""
    nearest = NEVER
    for lane in each_member(lanes):
        s = assume_u32(switch_in(batch, lane))
        awake = outputs_number(st, s, st.k.awake_outputs)
        for o in each_member(number_in(st.batch_links, WANTED * LANES + lane)):
            if st.active_at[s, o] <= cycle:
                awake |= 1 << o
                st.active_at[s, o] = NEVER
            nearest = min(nearest, int(st.active_at[s, o]))
        set_outputs(st, s, st.k.awake_outputs, awake)
    st.batch_active_at[batch] = nearest


@compiled
def write_times(st: SwitchState, s: int, number: int, cycles: int, cycle: int) -> None:
    """Write a time register at the end of `cycle`, as `models.power.lpi.lpi_write`, in either form of a switch."""
    lpi_write(st, s, number, cycles, cycle)
    if st.k.batched:
        for o in range(st.k.ports):
            if st.active_at[s, o] < NEVER:
                lpi_advance(st, s, o, cycle + 1, True)
                await_link(st, s, o, True)


@compiled_noinline
def end_wants(st: SwitchState, cycle: int) -> None:
    """Have no flit want a link from `cycle` on, in which no switch holds one, as the next visit of each would find."""
    for s in range(len(st.switch) if st.k.batched and st.k.lpi else 0):
        for o in each_member(int(st.switch[s].wanted)):
            lpi_advance(st, s, o, cycle, True)
        st.switch[s].wanted = 0
        set_outputs(st, s, st.k.wanted_outputs, 0)


@compiled
def batches_waking(st: SwitchState, cycle: int) -> None:
    """Schedule a visit in `cycle` of the batches in which a link is active that a flit waits for."""
    for batch in range(st.batch_count):
        if st.batch_active_at[batch] <= cycle:
            wake_batch(st, switch_in(batch, 0))


@compiled
def next_active(st: SwitchState) -> int:
    """Return the first cycle in which a link is active that a flit waits for; else NEVER."""
    nearest = NEVER
    for batch in range(st.batch_count):
        nearest = min(nearest, int(st.batch_active_at[batch]))
    return nearest
